"""Rows inside of a table that look like totals of other rows, which a sum would count twice.

One is left out where that is proved: all its figures are the sums of the rows just above it, or
just below. Where only a word says so it stays, and the table carries a warning.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from itertools import accumulate
from typing import NamedTuple

import duckdb

from ingest.tables.cells import read_number
from ingest.tables.grid import brief
from ingest.tables.staging import STAGE
from ingest.tables.totals import INNER_SQL, total_label

_MOST = 5_000
"""Rows with such a word that are looked at; where there are more, they are only warned of."""
_WORDINGS = 20_000
"""Different texts with such a word in one column; where there are more, it holds sentences."""
_REACH = 60
"""Groups that one total may add up."""
_SAID = 5
_LABELS = 8
"""The label of a total stands in one of the first columns."""
_USUAL = 0.9
_MARKS = "[,¥￥$€£円元%％ ]"
_FIGURE = (
    f"try_cast(regexp_replace(regexp_replace(c{{0}}, '{_MARKS}', '', 'g'), "
    "'^[▲△−–(]([0-9.]+)[)]?$', '-\\1') AS DECIMAL(38, 6))"
)
_CANDIDATES = "zaiko_candidates"


class InnerTotals(NamedTuple):
    """`left_out` are the source rows that are proved to be totals."""

    left_out: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class _Row(NamedTuple):
    """`figures` by column; `label` is the column of the word, `bare`: there is only the word."""

    number: int
    cells: tuple[str, ...]
    label: int
    bare: bool
    figures: dict[int, Decimal]


class _Sum(NamedTuple):
    """Of a column over some rows; `low` and `high` are the least and the greatest figure."""

    total: Decimal
    low: Decimal
    high: Decimal

    def __add__(self, other: object) -> _Sum:
        assert isinstance(other, _Sum)
        return _Sum(self.total + other.total, min(self.low, other.low), max(self.high, other.high))


class _Block(NamedTuple):
    """Rows between two candidates. A column without a sum has none of figures only."""

    rows: int
    sums: dict[int, _Sum]

    def __add__(self, other: object) -> _Block:
        assert isinstance(other, _Block)
        if not (self.rows and other.rows):
            return self if self.rows else other
        sums = {at: one + other.sums[at] for at, one in self.sums.items() if at in other.sums}
        return _Block(self.rows + other.rows, sums)


def find_inner_totals(
    connection: duckdb.DuckDBPyConnection, width: int, columns: Sequence[int]
) -> InnerTotals:
    """Looks through the stage, whose `columns` may hold words."""
    rows = _candidates(connection, width, [at for at in columns if at < _LABELS])
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
    left_out = [row for row in proved if row.bare or _is_set_off(row, usual)]
    kept = [row for row in rows if row not in left_out]
    return InnerTotals(
        tuple(row.number for row in left_out),
        tuple(_notes(left_out)),
        tuple(_warnings(kept, proved)),
    )


def _candidates(
    connection: duckdb.DuckDBPyConnection, width: int, places: Sequence[int]
) -> list[_Row]:
    """Rows with a word for a total in one of the places, and with figures."""
    if width < 2:
        return []
    words = {at: texts for at in places if (texts := _labels(connection, at))}
    if not words:
        return []
    likely = " OR ".join(f"list_contains(?::VARCHAR[], c{at})" for at in words)
    columns = ", ".join(f"coalesce(c{at}, '')" for at in range(width))
    found = connection.execute(
        f"SELECT n, {columns} FROM {STAGE} WHERE {likely} ORDER BY n", [*words.values()]
    ).fetchall()
    return [row for number, *cells in found if (row := _row(number, cells, places)) is not None]


def _labels(connection: duckdb.DuckDBPyConnection, at: int) -> list[str]:
    found = connection.execute(
        f"SELECT DISTINCT c{at} FROM {STAGE} WHERE {INNER_SQL.replace('cell', f'c{at}')} "
        f"LIMIT {_WORDINGS + 1}"
    ).fetchall()
    return [text for (text,) in found if total_label(text)] if len(found) <= _WORDINGS else []


def _row(number: int, cells: Sequence[str], places: Sequence[int]) -> _Row | None:
    labels = {label: at for at in reversed(places) if (label := total_label(cells[at]))}
    read = {at: read_number(text) for at, text in enumerate(cells) if text}
    figures = {at: figure.value for at, figure in read.items() if figure is not None}
    if not labels or not figures:
        return None
    bare = "bare" in labels
    return _Row(number, tuple(cells), labels["bare" if bare else "named"], bare, figures)


def _usual_columns(
    connection: duckdb.DuckDBPyConnection, width: int, rows: Sequence[_Row]
) -> list[int]:
    """Columns that the other rows fill, and that hold no figure of the candidates."""
    taken = {at for row in rows for at in row.figures}
    counts = ", ".join(f"count(c{at})" for at in range(width))
    where = f"NOT list_contains({[row.number for row in rows]}::BIGINT[], n)"
    found = connection.execute(f"SELECT count(*), {counts} FROM {STAGE} WHERE {where}").fetchone()
    count, *filled = found or (0,)
    return [at for at, one in enumerate(filled) if at not in taken and one >= _USUAL * count > 0]


def _is_set_off(row: _Row, usual: Sequence[int]) -> bool:
    return any(not row.cells[at] for at in usual)


def _like_totals(
    connection: duckdb.DuckDBPyConnection, rows: Sequence[_Row], usual: Sequence[int]
) -> list[_Row]:
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


def _fits(row: _Row, usual: Sequence[int], beside: Sequence[Sequence[str]]) -> bool:
    others = [at for at in usual if at != row.label]
    shared = any(
        texts[k] == row.cells[at] for texts in beside for k, at in enumerate(usual) if at in others
    )
    return not others or shared or _is_set_off(row, usual)


def _proved(
    connection: duckdb.DuckDBPyConnection, rows: Sequence[_Row], usual: Sequence[int]
) -> list[_Row]:
    if not rows:
        return []
    blocks = _blocks(connection, rows)
    return [
        row
        for place, row in enumerate(rows)
        if any(
            _adds_up(row, block) and (block.rows > 1 or _is_set_off(row, usual))
            for side in (blocks[place::-1], blocks[place + 1 :])
            for block in accumulate(side[:_REACH])
        )
    ]


def _adds_up(row: _Row, block: _Block) -> bool:
    """Every figure is the sum over the block, or what all its rows have (a year, a branch number);
    at least one that is not zero is a sum."""
    sums = 0
    for at, figure in row.figures.items():
        found = block.sums.get(at)
        if found is None:
            return False
        if figure == found.total and block.rows > 1:
            sums += bool(figure)
        elif not figure == found.low == found.high:
            return False
    return bool(sums) or (block.rows == 1 and any(row.figures.values()))


def _blocks(connection: duckdb.DuckDBPyConnection, rows: Sequence[_Row]) -> list[_Block]:
    """The rows before the first candidate, between them, and after the last."""
    at = sorted({column for row in rows for column in row.figures})
    parts = "".join(
        f", count({_FIGURE.format(i)}) = count(*), sum({_FIGURE.format(i)}), "
        f"min({_FIGURE.format(i)}), max({_FIGURE.format(i)})"
        for i in at
    )
    with _listed(connection, rows):
        found = connection.execute(
            f"SELECT coalesce(c.place, 0), count(*){parts} FROM {STAGE} AS s "
            f"ASOF LEFT JOIN {_CANDIDATES} AS c ON s.n >= c.n "
            "WHERE c.n IS NULL OR s.n <> c.n GROUP BY 1"
        ).fetchall()
    blocks = [_Block(0, {}) for _ in range(len(rows) + 1)]
    for place, count, *values in found:
        sums = {
            column: _Sum(*values[4 * k + 1 : 4 * k + 4])
            for k, column in enumerate(at)
            if values[4 * k]
        }
        blocks[place] = _Block(count, sums)
    return blocks


@contextmanager
def _listed(connection: duckdb.DuckDBPyConnection, rows: Sequence[_Row]) -> Iterator[None]:
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


def _notes(rows: Sequence[_Row]) -> Iterator[str]:
    for row in rows[:_SAID]:
        yield f"Total row {row.number} was left out, for it adds up other rows: {brief(row.cells)}"
    if len(rows) > _SAID:
        yield (
            f"{len(rows) - _SAID} more rows that add up others were left out, "
            f"the last in row {rows[-1].number}."
        )


def _warnings(kept: Sequence[_Row], proved: Sequence[_Row]) -> Iterator[str]:
    """One that adds up others may still be an item of its own, such as an account."""
    if not kept:
        return
    one, sure = len(kept) == 1, all(row in proved for row in kept)
    said = ("holds the sums of", "hold the sums of") if sure else ("may add up", "may add up")
    count = "1 row" if one else f"{len(kept)} rows"
    where = f"{'row' if one else 'the first is row'} {kept[0].number}: {brief(kept[0].cells)}"
    yield f"{count} {said[not one]} other rows, so that a sum may count them twice ({where})"
