"""Puts each wrong delivered answer into a kind, by the difference that tells most.

The last query that the answer rests on is compared with the gold query (`shapes`, `differences`)
and its rows, read again from the ingested database, with the gold rows (`loose`). The first of
these that holds is the kind:

1. a person's verdict, where one is given (the only way to "gold disputable");
2. no query: the answer rests on none, or on one that cannot be read;
3. wrong text: the rows are right, their values do not stand in the text;
4. loose question: the rows hold what was asked under another fair reading: another column of the
   same entity, a column scaled by a power of ten, numbers rounded, each row once where the gold
   repeats it, another of several rows that tie at a LIMIT;
5. wrong aggregate, when only repeated rows are too many;
6. wrong table: tables read; one that only links or gives a label, or is there for a filter, is
   judged by the join or the filter;
7. wrong join: columns set equal; EXCEPT, NOT IN, NOT EXISTS and an outer join's IS NULL are joins;
8. wrong period: a date's filter missing, added or other;
9. missing filter: a condition missing, or one of several where all must hold;
10. extra filter: a condition that was not asked for;
11. wrong value: the same column compared with something else;
12. wrong aggregate: figures, grouping, the order of a LIMIT, the LIMIT, DISTINCT;
13. wrong column: another column filtered by or shown;
14. unexplained: the queries seem to be the same, their rows are not.

Differences that often change nothing (a link, a label, an outer join, a table joined with itself,
IS NOT NULL, one more grouping column, DISTINCT) count only where there is no other.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.bench.differences import Difference, representatives, strong, weak
from tests.bench.loose import Query, other_reading, repeats
from tests.bench.records import Question, Record
from tests.bench.scoring import DELIVERED, Row
from tests.bench.shapes import Schema, Shape, read_shape
from tests.bench.warehouse import Warehouse

KINDS = (
    "no query", "wrong text", "loose question", "wrong table", "wrong join", "wrong period",
    "missing filter", "extra filter", "wrong value", "wrong aggregate", "wrong column",
    "unexplained", "gold disputable",
)  # fmt: skip


class Found(NamedTuple):
    kind: str
    why: str
    """The difference in one line."""


def kinds_of(
    records: Sequence[Record],
    questions: Sequence[Question],
    work: Path,
    verdicts: Mapping[str, Found],
) -> dict[str, Found]:
    """By id, for what was delivered and is wrong. `work` holds the ingested databases; without
    them the queries alone are compared."""
    asked = {question.id: question for question in questions}
    wrong = [r for r in records if r.status in DELIVERED and not r.correct]
    found: dict[str, Found] = {}
    for db in dict.fromkeys(record.db for record in wrong):
        own = [record for record in wrong if record.db == db]
        warehouse = Warehouse.find(work / db)
        if warehouse is None:
            found |= {r.id: kind_of(r, asked[r.id]) for r in own}
            continue
        with warehouse:
            for r in own:
                found[r.id] = kind_of(r, asked[r.id], warehouse.schema, warehouse.rows)
    return found | {r.id: verdicts[r.id] for r in wrong if r.id in verdicts}


def kind_of(
    record: Record, question: Question, schema: Schema | None = None, query: Query | None = None
) -> Found:
    """`query` gives the rows of a query, None where it fails; without it rows are not looked at."""
    if record.rows_ok:
        return Found("wrong text", "the rows are right, their values are not in the text")
    if not record.sql:
        return Found("no query", "the answer rests on no query")
    sql, known = record.sql[-1], schema or {}
    shape, gold = read_shape(sql, known), read_shape(question.gold_sql, known)
    if shape is None:
        return Found("no query", "the query cannot be read")
    if gold is None:
        return Found("unexplained", "the gold query cannot be read")
    rows = query(sql) if query is not None else None
    if rows is not None and query is not None:
        told = other_reading(rows, question.gold_rows, shape, gold, query)
        if told is not None:
            return Found("loose question", told)
        if repeats(rows, question.gold_rows):
            return Found("wrong aggregate", "rows repeated: DISTINCT missing")
    _forget_idle_limits(gold, len(question.gold_rows))
    if rows is not None:
        _forget_idle_limits(shape, len(rows))
    queries = (question.gold_sql, sql)
    return _first(gold, shape, queries, known, rows)


def _first(
    gold: Shape,
    answer: Shape,
    queries: tuple[str, str],
    schema: Schema,
    rows: Sequence[Row] | None,
) -> Found:
    """Tables that only link or label are passed over first, and looked at when nothing else
    differs, unless there are no rows to say that they matter."""
    short_gold, short = _shortened(gold, answer, queries, schema)
    found = _told(short_gold, short, strong) or _told(short_gold, short, weak)
    if found is not None:
        return found
    if rows is None:
        return Found("loose question", "the queries differ at most in what they show")
    found = _told(gold, answer, strong) or _told(gold, answer, weak)
    if found is not None:
        return found
    if gold.picks:
        return Found("loose question", "the same query: rows tie at the LIMIT")
    return Found("unexplained", "the queries seem to be the same")


def _told(
    gold: Shape, answer: Shape, differences: Callable[[Shape, Shape], Iterator[Difference]]
) -> Found | None:
    """The kind that comes first, its differences, and the kinds beside it."""
    found = list(differences(gold, answer))
    if not found:
        return None
    kinds = sorted({kind for kind, _ in found}, key=KINDS.index)
    why = "; ".join(told for kind, told in found if kind == kinds[0])
    return Found(kinds[0], f"{why} (also {', '.join(kinds[1:])})" if kinds[1:] else why)


def _shortened(
    gold: Shape, answer: Shape, queries: tuple[str, str], schema: Schema
) -> tuple[Shape, Shape]:
    """Both with equal columns under one name and without the tables that only one of them reads
    to link others or to give a label; a label is the column that it is joined by."""
    idle = _idle(gold, answer.tables) | _idle(answer, gold.tables)
    same = representatives(gold.pairs | answer.pairs, idle)
    for query in (gold, answer):
        for use, column in query.uses:
            table = _table(column)
            if use == "shown" and table in idle and column not in same:
                same[column] = same[_keys(query, table)[0]]
    short = []
    for sql, whole in zip(queries, (gold, answer), strict=True):
        shape = read_shape(sql, schema, same) or Shape()
        shape.tables = whole.tables - idle
        shape.without = whole.without - idle
        shape.optional = whole.optional - idle
        shape.pairs = whole.pairs
        shape.picks = {p for p in shape.picks if p.limit in {w.limit for w in whole.picks}}
        short.append(shape)
    return short[0], short[1]


def _idle(shape: Shape, others: set[str]) -> set[str]:
    """Tables that the other query does not read and that this one joins, directly or not, to one
    that it reads, without counting, comparing or adding up any of their columns but those that
    they are joined by."""
    joined = {column for pair in shape.pairs for column in pair}
    left = set()
    for table in shape.tables - others:
        own = {(use, c) for use, c in shape.uses if _table(c) == table}
        if all(use == "shown" or c in joined for use, c in own):
            left.add(table)
    links = [{_table(column) for column in pair} for pair in shape.pairs]
    reached = shape.tables & others
    while met := {t for link in links if link & reached for t in link & left} - reached:
        reached |= met
    return reached & left


def _table(column: str) -> str:
    return column.rpartition(".")[0]


def _keys(shape: Shape, table: str) -> list[str]:
    columns = {column for pair in shape.pairs for column in pair}
    return sorted(c for c in columns if _table(c) == table)


def _forget_idle_limits(shape: Shape, rows: int) -> None:
    """Limits above the number of rows."""
    shape.picks = {p for p in shape.picks if not p.limit.isdigit() or int(p.limit) <= rows}


def read_verdicts(path: Path | None) -> dict[str, Found]:
    """A person's kinds by id, from JSON Lines of `{id, kind, why}`.

    Raises SystemExit naming the line of what is no verdict.
    """
    if path is None:
        return {}
    if not path.is_file():
        raise SystemExit(f"{path} does not exist: name a file with --verdicts FILE")
    lines = path.read_text("utf-8").splitlines()
    return dict(_verdict(path, at, line) for at, line in enumerate(lines, 1) if line.strip())


def _verdict(path: Path, at: int, line: str) -> tuple[str, Found]:
    try:
        values = json.loads(line)
        told = str(values["id"]), Found(str(values["kind"]), str(values["why"]))
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise SystemExit(f"{path}, line {at}: no verdict {{id, kind, why}}: {error}") from error
    if told[1].kind not in KINDS:
        raise SystemExit(f"{path}, line {at}: no such kind: {told[1].kind} ({', '.join(KINDS)})")
    return told
