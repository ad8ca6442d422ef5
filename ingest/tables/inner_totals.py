"""Rows of a table that look like totals of other rows, which a sum would count twice.

One is left out where that is proved: its figures are the sums of the rows above it, or below.
Where only a word says so it stays, and the table carries a warning.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate
from typing import NamedTuple

import duckdb

from ingest.tables.cells import read_number
from ingest.tables.grid import brief
from ingest.tables.staging import STAGE, TYPED
from ingest.tables.sums import Block, Candidate, Sum, adds_up, averages
from ingest.tables.totals import INNER_SQL, Label, is_total, names_its_rows, total_label

_MOST = 20_000
"""Rows with such a word that are looked at; where there are more, they are only warned of."""
_WORDINGS = 20_000
"""Different texts with such a word in one column; where there are more, it holds sentences."""
_REACH = 60
"""Groups that one total may add up."""
_SAID = 5
_BLANKS = 200
"""Rows with a blank first cell; where there are more, blanks are usual there."""
_LABELS = 8
"""The label of a total stands in one of the first columns."""
_USUAL = 0.9
_ALONE = 8
"""Unproved totals that are each looked at with all others taken for rows."""
_MARKS = "[,¥￥$€£円元%％ ]"
_WIDE, _NARROW = "０１２３４５６７８９，．－", "0123456789,.-"
_FIGURE = (
    f"try_cast(regexp_replace(regexp_replace(translate(c{{0}}, '{_WIDE}', '{_NARROW}'), "
    f"'{_MARKS}', '', 'g'), "
    "'^[▲△−–(]([0-9.]+)[)]?$', '-\\1') AS DECIMAL(38, 6))"
)
_CANDIDATES = "zaiko_candidates"


class InnerTotals(NamedTuple):
    """`left_out` are the source rows that are proved to be totals."""

    left_out: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def find_inner_totals(
    connection: duckdb.DuckDBPyConnection,
    width: int,
    kinds: Collection[int] = (),
    *,
    named: bool = True,
) -> InnerTotals:
    """Looks through the stage, whose columns `kinds` are held as values, too. `named`: looks at
    totals that have the name of what they add up, else only at words for a total."""
    rows = _candidates(connection, width, kinds)
    if not rows:
        return InnerTotals()
    if len(rows) > _MOST:
        return InnerTotals(warnings=tuple(_warnings([row for row in rows if row.bare], ())))
    usual = _usual_columns(connection, width, rows)
    rows = _like_totals(connection, rows, usual)
    proved = _proved(connection, rows, usual)
    # A word with a name may be a name only (設計, 会計): then its row is one to be added up.
    rows = [row for row in rows if row.bare or row in proved]
    proved = _proved(connection, rows, usual)
    for row in [row for row in rows if row not in proved][:_ALONE]:
        if row in _proved(connection, sorted([*proved, row]), usual):
            proved = sorted([*proved, row])
    last = _last_row(connection, rows)
    left_out = [row for row in proved if _is_no_item(row, usual, last)]
    left_out = sorted([*left_out, *_averages(connection, width, rows, left_out)])
    if not named:
        return _of_words(left_out)
    kept = [row for row in rows if row not in left_out and row.label != "average"]
    return InnerTotals(
        tuple(row.number for row in left_out),
        tuple(_notes(left_out)),
        tuple(_warnings(kept, proved)),
    )


def _of_words(left_out: Sequence[Candidate]) -> InnerTotals:
    rows = [row for row in left_out if row.label == "bare" or is_total(row.cells)]
    return InnerTotals(tuple(row.number for row in rows), tuple(_notes(rows)))


def _is_no_item(row: Candidate, usual: Sequence[int], last: int) -> bool:
    """May the row that adds up others be left out? One with a name may be an account; below all
    rows it is their total. A figure below a blank may be one whose name is missing."""
    if not row.label:
        return row.number > last or len(row.figures) > 1
    return (
        row.bare
        or _is_set_off(row, usual)
        or row.number > last
        or names_its_rows(row.cells[row.at])
    )


def _candidates(
    connection: duckdb.DuckDBPyConnection, width: int, kinds: Collection[int]
) -> list[Candidate]:
    """Rows with figures and with a word for a total in one of the first columns, or with a blank
    first cell."""
    if width < 2:
        return []
    places = range(min(width, _LABELS))
    cells = {at: f"x{at}" if at in kinds else f"c{at}" for at in places}
    stage = TYPED if kinds else STAGE
    words = {at: texts for at in places if (texts := _labels(connection, stage, cells[at]))}
    likely = " OR ".join(f"list_contains(?::VARCHAR[], {cells[at]})" for at in words)
    columns = ", ".join(f"coalesce(c{at}, '')" for at in range(width))
    found = (
        connection.execute(
            f"SELECT n, {columns} FROM {stage} WHERE {likely} ORDER BY n", [*words.values()]
        ).fetchall()
        if words
        else []
    )
    blank = connection.execute(
        f"SELECT n, {columns} FROM {stage} WHERE c0 IS NULL ORDER BY n LIMIT {_BLANKS + 1}"
    ).fetchall()
    known = {row[0] for row in found}
    found += [row for row in blank if row[0] not in known] if len(blank) <= _BLANKS else []
    rows = (_row(number, cells_) for number, *cells_ in found)
    return sorted(row for row in rows if row is not None)


def _labels(connection: duckdb.DuckDBPyConnection, stage: str, cell: str) -> list[str]:
    found = connection.execute(
        f"SELECT DISTINCT {cell} FROM {stage} WHERE {INNER_SQL.replace('cell', cell)} "
        f"LIMIT {_WORDINGS + 1}"
    ).fetchall()
    return [text for (text,) in found if total_label(text)] if len(found) <= _WORDINGS else []


def _row(number: int, cells: Sequence[str]) -> Candidate | None:
    found = [(at, total_label(cell)) for at, cell in enumerate(cells[:_LABELS])][::-1]
    labels: dict[Label, int] = {label: at for at, label in found if label}
    read = {at: read_number(text) for at, text in enumerate(cells) if text}
    figures = {at: figure.value for at, figure in read.items() if figure is not None}
    if not figures or not (labels or not cells[0]):
        return None
    ranked: tuple[Label, ...] = ("bare", "average", "named", "")
    label: Label = next(one for one in ranked if one in labels or not one)
    return Candidate(number, tuple(cells), labels.get(label, 0), label, figures)


def _usual_columns(
    connection: duckdb.DuckDBPyConnection, width: int, rows: Sequence[Candidate]
) -> list[int]:
    """Columns that the other rows fill, and that hold no figure of the candidates."""
    taken = {at for row in rows for at in row.figures}
    counts = ", ".join(f"count(c{at})" for at in range(width))
    where = f"NOT list_contains({[row.number for row in rows]}::BIGINT[], n)"
    found = connection.execute(f"SELECT count(*), {counts} FROM {STAGE} WHERE {where}").fetchone()
    count, *filled = found or (0,)
    return [at for at, one in enumerate(filled) if at not in taken and one >= _USUAL * count > 0]


def _is_set_off(row: Candidate, usual: Sequence[int]) -> bool:
    return any(not row.cells[at] for at in usual)


def _like_totals(
    connection: duckdb.DuckDBPyConnection, rows: Sequence[Candidate], usual: Sequence[int]
) -> list[Candidate]:
    """The other words of a total are those of a row beside it, or blank: `Total, France` between
    `Shell, UK` and `BP, UK` is a brand."""
    if not usual:
        return list(rows)
    cells = ", ".join(f"s.c{at}" for at in usual)
    beside: dict[int, list[Sequence[str]]] = {row.number: [] for row in rows}
    with _listed(connection, rows):
        for before in (">", "<"):
            found = connection.execute(
                f"SELECT c.n, {cells} FROM {_CANDIDATES} AS c "
                f"ASOF JOIN {STAGE} AS s ON c.n {before} s.n"
            ).fetchall()
            for number, *texts in found:
                beside[number].append(texts)
    return [row for row in rows if _fits(row, usual, beside[row.number])]


def _fits(row: Candidate, usual: Sequence[int], beside: Sequence[Sequence[str]]) -> bool:
    if row.label == "":
        return bool(usual) and not any(row.cells[at] for at in usual)
    others = [at for at in usual if at != row.at]
    shared = any(
        texts[k] == row.cells[at] for texts in beside for k, at in enumerate(usual) if at in others
    )
    return not others or shared or _is_set_off(row, usual) or row.is_no_name()


def _proved(
    connection: duckdb.DuckDBPyConnection, rows: Sequence[Candidate], usual: Sequence[int]
) -> list[Candidate]:
    """Those that add up blocks next to them, or all above or below; one block of a single row
    proves nothing but where a blank beside the word does, too."""
    if not rows:
        return []
    blocks = _blocks(connection, rows)
    above = list(accumulate(blocks))
    below = list(accumulate(reversed(blocks)))[::-1]
    proved = []
    for place, row in enumerate(rows):
        sides = (blocks[place::-1], blocks[place + 1 :])
        near = (block for side in sides for block in accumulate(side[:_REACH]))
        for block in (*near, above[place], below[place + 1]):
            if adds_up(row, block) and (block.rows > 1 or (row.label and _is_set_off(row, usual))):
                proved.append(row)
                break
    return proved


def _averages(
    connection: duckdb.DuckDBPyConnection,
    width: int,
    rows: Sequence[Candidate],
    left_out: Sequence[Candidate],
) -> list[Candidate]:
    """Rows of averages: right below a total that is left out, or with the means of all above."""
    found = [row for row in rows if row.label == "average"]
    if not found:
        return []
    blocks = _blocks(connection, rows)
    above = dict(zip([row.number for row in rows], accumulate(blocks), strict=False))
    gone = {row.number for row in left_out}
    out = []
    for row in found:
        if row.number - 1 in gone or averages(row, above[row.number]):
            out.append(row)
            gone.add(row.number)
    return out


def _last_row(connection: duckdb.DuckDBPyConnection, rows: Sequence[Candidate]) -> int:
    """The last row that is no candidate."""
    with _listed(connection, rows):
        found = connection.execute(
            f"SELECT max(n) FROM {STAGE} WHERE n NOT IN (SELECT n FROM {_CANDIDATES})"
        ).fetchone()
    return int(found[0]) if found and found[0] is not None else 0


def _blocks(connection: duckdb.DuckDBPyConnection, rows: Sequence[Candidate]) -> list[Block]:
    """The rows before the first candidate, between them, and after the last."""
    at = sorted({column for row in rows for column in row.figures})
    parts = "".join(
        f", count({_FIGURE.format(i)}) > 0, sum({_FIGURE.format(i)}), "
        f"min({_FIGURE.format(i)}), max({_FIGURE.format(i)})"
        for i in at
    )
    with _listed(connection, rows):
        found = connection.execute(
            f"SELECT coalesce(c.place, 0), count(*){parts} FROM {STAGE} AS s "
            f"ASOF LEFT JOIN {_CANDIDATES} AS c ON s.n >= c.n "
            "WHERE c.n IS NULL OR s.n <> c.n GROUP BY 1"
        ).fetchall()
    blocks = [Block(0, {}) for _ in range(len(rows) + 1)]
    for place, count, *values in found:
        sums = {
            column: Sum(*values[4 * k + 1 : 4 * k + 4])
            for k, column in enumerate(at)
            if values[4 * k]
        }
        blocks[place] = Block(count, sums)
    return blocks


@contextmanager
def _listed(connection: duckdb.DuckDBPyConnection, rows: Sequence[Candidate]) -> Iterator[None]:
    """The rows' numbers as a table: `n` and `place`, 1 for the first."""
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE {_CANDIDATES} AS "
        "SELECT unnest(?::BIGINT[]) AS n, unnest(range(1, ?)) AS place",
        [[row.number for row in rows], len(rows) + 1],
    )
    try:
        yield
    finally:
        connection.execute(f"DROP TABLE IF EXISTS temp.{_CANDIDATES}")


def _notes(rows: Sequence[Candidate]) -> Iterator[str]:
    for row in rows[:_SAID]:
        yield f"Total row {row.number} was left out, for it adds up other rows: {brief(row.cells)}"
    if len(rows) > _SAID:
        yield (
            f"{len(rows) - _SAID} more rows that add up others were left out, "
            f"the last in row {rows[-1].number}."
        )


def _warnings(kept: Sequence[Candidate], proved: Sequence[Candidate]) -> Iterator[str]:
    """One that adds up others may still be an item of its own, such as an account."""
    if not kept:
        return
    one, sure = len(kept) == 1, all(row in proved for row in kept)
    said = ("holds the sums of", "hold the sums of") if sure else ("may add up", "may add up")
    count = "1 row" if one else f"{len(kept)} rows"
    where = f"{'row' if one else 'the first is row'} {kept[0].number}: {brief(kept[0].cells)}"
    yield f"{count} {said[not one]} other rows, so that a sum may count them twice ({where})"
