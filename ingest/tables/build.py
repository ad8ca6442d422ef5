"""One grid becomes one described table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import NamedTuple

import duckdb

from ingest.store.errors import FileRejected
from ingest.store.quoting import quoted
from ingest.store.records import ColumnRecord, QuarantinedCell, TableRecord
from ingest.tables.body import Body
from ingest.tables.cells import yen_currency
from ingest.tables.describe import describe_table
from ingest.tables.direct import drop_directly, leave_out, stage_directly
from ingest.tables.grid import Grid, Layout
from ingest.tables.headers import Header, read_header
from ingest.tables.inner_totals import InnerTotals, find_inner_totals
from ingest.tables.layout import find_layout
from ingest.tables.names import column_names
from ingest.tables.staging import STAGE, staged
from ingest.tables.types import Typed, decide_type
from ingest.tables.write import create_table

MAX_COLUMNS = 500
_YEN_ROWS = 50


class Built(NamedTuple):
    table: TableRecord
    quarantined: list[QuarantinedCell]


class _Column(NamedTuple):
    """A column that is kept: its place in the grid, its names and its type."""

    at: int
    name: str
    original: str
    header: Header
    typed: Typed


def build_table(
    connection: duckdb.DuckDBPyConnection,
    grid: Grid,
    name: str,
    source: str,
    max_share: float,
    *,
    inner_totals: bool = True,
) -> Built | None:
    """Writes the grid as table `name`; None, and nothing written, when it has no data row and
    no header either. A header alone is a table without rows, as a quiet month's export is.
    `inner_totals`: totals that have the name of what they add up are left out, too; a report's
    table is quoted with them.

    Raises `FileRejected` when it has more than `MAX_COLUMNS` columns.
    """
    layout = find_layout(grid)
    width = len(layout.originals)
    if width > MAX_COLUMNS:
        raise FileRejected(
            f"{source} has {width:,} columns; the limit is {MAX_COLUMNS}.",
            "Turn the repeated columns into rows (one row per measurement).",
        )
    if not width:
        return None
    with _stage(connection, grid, layout) as (rows, body):
        if not rows and not _is_header(layout.originals):
            return None
        totals = _leave_out_totals(connection, layout, body, inner_totals)
        columns = _columns(connection, layout, body, max_share)
        unread = _unread(connection, grid, layout, name, columns)
        cells = create_table(connection, name, [(c.at, c.name, c.typed) for c in columns])
        cells += unread
    extras = [
        QuarantinedCell(
            table=name,
            column=f"column_{at}",
            row=row,
            value=value,
            reason="more cells than the header",
        )
        for row, at, value in body.extras
    ]
    names = {column.at: column.name for column in columns}
    split = [
        QuarantinedCell(
            table=name,
            column=names.get(at, f"column_{at + 1}"),
            row=row,
            value=value,
            reason="a comma inside a figure without quotes shifts the cells of the row",
        )
        for row, at, value in body.split
        if value.strip()
    ]
    cells += split
    table = TableRecord(
        name=name,
        source=source,
        sheet=grid.sheet,
        rows=rows - len(totals.left_out),
        columns=_records(columns, cells, _yen(grid, layout)),
        notes=(*grid.notes, *layout.notes, *body.notes, *totals.notes, *_notes(columns)),
        warnings=(*layout.warnings, *totals.warnings),
    )
    try:
        distinct = {c.name: c.typed.distinct for c in columns if c.typed.distinct is not None}
        return Built(describe_table(connection, table, distinct), cells + extras)
    except BaseException:
        connection.execute(f"DROP TABLE IF EXISTS {quoted(name)}")
        raise


@contextmanager
def _stage(
    connection: duckdb.DuckDBPyConnection, grid: Grid, layout: Layout
) -> Iterator[tuple[int, Body]]:
    """Fills the stage the fast way where that is the same, and drops it afterwards."""
    direct = stage_directly(connection, grid, layout)
    if direct is not None:
        try:
            yield direct
        finally:
            drop_directly(connection)
        return
    body = Body(grid, layout)
    with staged(connection, body, len(layout.originals)) as rows:
        yield rows, body


def _leave_out_totals(
    connection: duckdb.DuckDBPyConnection, layout: Layout, body: Body, inner: bool
) -> InnerTotals:
    """What looks like totals of the rows; those that are proved are taken out of the stage."""
    totals = find_inner_totals(connection, len(layout.originals), body.kinds, named=inner)
    leave_out(connection, layout, totals.left_out)
    return totals


def _unread(
    connection: duckdb.DuckDBPyConnection,
    grid: Grid,
    layout: Layout,
    table: str,
    columns: list[_Column],
) -> list[QuarantinedCell]:
    """The cells without a value in the rows that are kept. A row of nothing else is no row of the
    table, and is listed all the same; a total is not."""
    if not grid.unread:
        return []
    kept = {row[0] for row in connection.execute(f"SELECT n FROM {STAGE}").fetchall()}
    filled = {number for number, row in enumerate(grid.rows(), 1) if any(row)}
    names = {column.at: column.name for column in columns}
    return [
        QuarantinedCell(
            table=table, column=names[cell.at], row=cell.row, value=cell.value, reason=cell.reason
        )
        for cell in sorted(grid.unread)
        if cell.at in names
        and cell.row >= layout.first
        and (cell.row in kept or cell.row not in filled)
    ]


def _is_header(originals: Sequence[str]) -> bool:
    """At least two names, none of them blank or a number."""
    return len(originals) > 1 and all(
        text and not text.replace(".", "").replace(",", "").isdigit() for text in originals
    )


def _header(layout: Layout, at: int) -> Header:
    """What the header cell says, else what stands above the table for its column."""
    header, stated = read_header(layout.originals[at]), layout.units.get(at)
    if stated is None or header.scale or header.unit:
        return header
    return Header(header.text, stated.scale, stated.unit)


def _columns(
    connection: duckdb.DuckDBPyConnection, layout: Layout, body: Body, max_share: float
) -> list[_Column]:
    """Every column but those that have neither a name nor a value."""
    kept = [i for i, text in enumerate(layout.originals) if text or i in body.used]
    headers = [_header(layout, i) for i in kept]
    texts = [
        (header.text if header.scale else layout.originals[i]) or f"column_{i + 1}"
        for i, header in zip(kept, headers, strict=True)
    ]
    return [
        _Column(
            i,
            name,
            layout.originals[i],
            header,
            decide_type(connection, i, name, header, max_share, body.kinds.get(i)),
        )
        for i, name, header in zip(kept, column_names(texts), headers, strict=True)
    ]


def _yen(grid: Grid, layout: Layout) -> str:
    sample = " ".join(cell for row in islice(grid.rows(), _YEN_ROWS) for cell in row)
    return yen_currency(" ".join(layout.originals) + sample)


def _records(
    columns: list[_Column], cells: list[QuarantinedCell], yen: str
) -> tuple[ColumnRecord, ...]:
    counts: dict[str, int] = {}
    for cell in cells:
        counts[cell.column] = counts.get(cell.column, 0) + 1
    return tuple(
        ColumnRecord(
            name=column.name,
            type=column.typed.type,
            original=column.original,
            unit=yen if column.typed.unit == "¥" else column.typed.unit,
            quarantined=counts.get(column.name, 0),
        )
        for column in columns
    )


def _notes(columns: list[_Column]) -> list[str]:
    notes = []
    for column in columns:
        if column.typed.note:
            notes.append(f"Column {column.name} {column.typed.note}")
        if column.header.scale and column.typed.noun == "number":
            factor = 10**column.header.scale
            notes.append(f"Column {column.name} ({column.original}) was multiplied by {factor:,}.")
    return notes
