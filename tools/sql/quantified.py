"""What holds for both of two values, or for none: read row by row, it finds others than are meant.

The mended query groups by what is selected, or takes away those that have such a row.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from sqlglot import exp

from ingest.store import Catalog, TableRecord
from tools.sql.mended import OtherShape
from tools.sql.names import folded
from tools.sql.sources import conjuncts

EXCEPT = "take all, EXCEPT those that have one"
_BOTH = re.compile(r"\bboth\b.*\band\b|両方|どちらも|いずれも|同时|既.{1,20}又|都有", re.IGNORECASE)
_OR = re.compile(r"\bor\b|または|もしくは|或|か(?!ら)", re.IGNORECASE)
_NEVER = re.compile(
    r"\bnever\b|\bwithout\b|\bnot\b.{0,30}\bany\b|\bno\b(?! more| less)"
    r"|(?:一度も|全く|まったく).*(?:ない|なかった|ません)|从未|从来没有|未曾|没有任何",
    re.IGNORECASE,
)


def either_for_both(select: exp.Select, question: str) -> Iterator[OtherShape]:
    """One of two values is enough for the query, or no row can have both; the question asks for
    those that have a row with each."""
    where = select.args.get("where")
    if where is None or not _BOTH.search(question):
        return
    if any(item.find(exp.AggFunc, exp.Window) for item in select.expressions):
        return
    parts = list(conjuncts(where.this))
    # Groups may count the values already; of an impossible condition they count none.
    one_of = () if select.args.get("group") else _one_of(parts)
    for column, values, message in (*one_of, *_at_once(parts)):
        if _are_joined(values, question):
            mended = _grouped(select, column, values)
            yield OtherShape("either_for_both", message, "count the values each has", mended)


def _one_of(parts: Sequence[exp.Expr]) -> Iterator[tuple[exp.Column, list[str], str]]:
    for part in parts:
        found = _alternatives(part)
        if found is not None and len(found[1]) > 1:
            values = ", ".join(found[1])
            message = f"this finds rows with one of {values}; the question asks for all of them"
            yield *found, message


def _at_once(parts: Sequence[exp.Expr]) -> Iterator[tuple[exp.Column, list[str], str]]:
    """`x = 'a' AND x = 'b'`, which no row meets."""
    tests: dict[str, list[exp.Expr]] = {}
    for part in parts:
        if (
            isinstance(part, exp.EQ)
            and isinstance(part.this, exp.Column)
            and isinstance(part.expression, exp.Literal)
        ):
            tests.setdefault(part.this.sql("duckdb").lower(), []).append(part)
    for found in tests.values():
        values = list(dict.fromkeys(test.expression.name for test in found))
        if len(values) > 1:
            told = " and ".join(values)
            yield found[0].this, values, f"no row has {found[0].this.name} = {told} at once"


def _are_joined(values: Sequence[str], question: str) -> bool:
    """Whether the question names them all, and nowhere one or the other."""
    text = folded(question)
    places = sorted((text.find(folded(value)), len(folded(value))) for value in values)
    if places[0][0] < 0:
        return False
    ends = [start + length for start, length in places]
    between = [text[end:after] for end, (after, _) in zip(ends, places[1:], strict=False)]
    return not any(_OR.search(part) for part in between)


def _alternatives(part: exp.Expr) -> tuple[exp.Column, list[str]] | None:
    """The column and the texts it may equal: `x = 'a' OR x = 'b'`, `x IN ('a', 'b')`."""
    if isinstance(part, exp.In) and isinstance(part.this, exp.Column):
        if part.expressions and all(isinstance(v, exp.Literal) for v in part.expressions):
            return part.this, [v.name for v in part.expressions]
        return None
    if isinstance(part, exp.Or):
        tests = list(part.flatten())
        if not all(isinstance(t, exp.EQ) and isinstance(t.this, exp.Column) for t in tests):
            return None
        columns = {t.this.sql("duckdb").lower() for t in tests}
        values = [t.expression for t in tests]
        if len(columns) == 1 and all(isinstance(v, exp.Literal) for v in values):
            return tests[0].this, [v.name for v in values]
    return None


def _grouped(select: exp.Select, column: exp.Column, values: Sequence[str]) -> exp.Select:
    """Those that have a row with each of the values."""
    made = select.copy()
    made.set("distinct", None)
    made.set("order", None)
    kept = [p.copy() for p in conjuncts(made.args["where"].this) if not _tests(p, column, values)]
    one_of = exp.In(this=column.copy(), expressions=[exp.Literal.string(v) for v in values])
    made.set("where", exp.Where(this=exp.and_(*kept, one_of, copy=False)))
    keys = [item.unalias().copy() for item in made.expressions]
    made.set("group", exp.Group(expressions=keys))
    counted = exp.Count(this=exp.Distinct(expressions=[column.copy()]))
    made.set("having", exp.Having(this=counted.eq(len(values))))
    return made


def _tests(part: exp.Expr, column: exp.Column, values: Sequence[str]) -> bool:
    """Whether a condition is on the column and these values alone."""
    columns = {c.sql("duckdb").lower() for c in part.find_all(exp.Column)}
    literals = {literal.name for literal in part.find_all(exp.Literal)}
    return columns == {column.sql("duckdb").lower()} and literals <= set(values)


def never_by_row(select: exp.Select, question: str, catalog: Catalog) -> Iterator[OtherShape]:
    """Rows of the denied kind are left out one by one; who has such a row among others stays. Or
    those who have a row are sought among the rows: `JOIN … WHERE key IS NULL`."""
    where = select.args.get("where")
    if where is None or not _NEVER.search(question) or select.args.get("group"):
        return
    tables = _inner_tables(select, catalog)
    columns = [i.unalias() for i in select.expressions]
    home = _home(columns, tables)
    if home is None:
        return
    parts = list(conjuncts(where.this))
    kept = [p for p in parts if not _is_never_met(p, tables)]
    if not kept and len(tables) > 1:
        message = f"no row of a join has {parts[0].sql('duckdb')}"
        yield OtherShape("never_by_row", message, EXCEPT, _except(select, home, None))
    positive = _positive(kept[0]) if len(kept) == 1 else None
    if positive is None or not _is_repeated(columns, tables):
        return
    denied = {c.name.lower() for c in positive.find_all(exp.Column)}
    if denied and not denied & {c.name.lower() for c in columns}:
        message = f"{kept[0].sql('duckdb')} leaves rows out, not who has such a row among others"
        yield OtherShape("never_by_row", message, EXCEPT, _except(select, home, positive))


def _inner_tables(select: exp.Select, catalog: Catalog) -> dict[str, tuple[exp.Table, TableRecord]]:
    """The catalog's tables in FROM by alias; {} where anything else or an outer join is there."""
    first, joins = select.args.get("from_"), select.args.get("joins") or ()
    if first is None or any(join.side for join in joins):
        return {}
    found: dict[str, tuple[exp.Table, TableRecord]] = {}
    for source in (first.this, *(join.this for join in joins)):
        record = catalog.table(source.name) if isinstance(source, exp.Table) else None
        if record is None:
            return {}
        found[source.alias_or_name.lower()] = (source, record)
    return found


def _home(
    columns: Sequence[exp.Expr], tables: Mapping[str, tuple[exp.Table, TableRecord]]
) -> exp.Table | None:
    """The one table that all selected columns are of; None where they are not plain columns."""
    homes: set[str] = set()
    for column in columns:
        if not isinstance(column, exp.Column):
            return None
        homes.update(
            alias
            for alias, (_, record) in tables.items()
            if column.table.lower() in ("", alias) and record.column(column.name) is not None
        )
    return tables[homes.pop()][0] if len(homes) == 1 else None


def _is_never_met(part: exp.Expr, tables: Mapping[str, tuple[exp.Table, TableRecord]]) -> bool:
    """`name IS NULL` of a column that has no NULL: "without" as a model reads it."""
    if not isinstance(part, exp.Is) or not isinstance(part.expression, exp.Null):
        return False
    column = part.this
    found = [
        record.column(column.name)
        for alias, (_, record) in tables.items()
        if isinstance(column, exp.Column) and column.table.lower() in ("", alias)
    ]
    known = [c for c in found if c is not None]
    return bool(known) and all(c.nulls == 0 for c in known)


def _is_repeated(
    columns: Sequence[exp.Expr], tables: Mapping[str, tuple[exp.Table, TableRecord]]
) -> bool:
    """Whether the same answer may stand in several rows: by a join, or as no key of its table."""
    if len(tables) > 1:
        return True
    ((_, record),) = tables.values()
    found = [record.column(c.name) for c in columns]
    return all(c is not None and 0 < c.distinct < record.rows - c.nulls for c in found)


def _positive(part: exp.Expr) -> exp.Expr | None:
    """`x <> 'a'` as `x = 'a'`, `NOT (…)` as what it denies; None for anything else."""
    if isinstance(part, exp.NEQ) and isinstance(part.expression, exp.Literal):
        return exp.EQ(this=part.this.copy(), expression=part.expression.copy())
    if isinstance(part, exp.Not):
        inner = part.this.unnest()
        if isinstance(inner, exp.In | exp.EQ | exp.Like | exp.ILike):
            return inner.copy()
    return None


def _except(select: exp.Select, home: exp.Table, positive: exp.Expr | None) -> exp.Expr:
    """All of the table that is asked about, without those that have such a row, or any."""
    everything, having_it = select.copy(), select.copy()
    for made in (everything, having_it):
        for part in ("distinct", "order", "limit", "where"):
            made.set(part, None)
    everything.set("joins", None)
    everything.set("from_", exp.From(this=home.copy()))
    if positive is not None:
        having_it.set("where", exp.Where(this=positive))
    return exp.except_(everything, having_it)
