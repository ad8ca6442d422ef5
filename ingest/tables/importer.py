"""One file becomes one or more typed tables, or none at all."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path

import duckdb

from ingest.store.errors import FileRejected
from ingest.store.records import ColumnRecord, QuarantinedCell, Record, TableRecord
from ingest.store.settings import IngestSettings
from ingest.tables.delimited import read_delimited
from ingest.tables.describe import (
    date_range,
    describe_columns,
    is_snapshot,
    main_date,
    primary_key,
)
from ingest.tables.grid import Body, Grid, Layout, find_layout
from ingest.tables.jsonlines import read_json_lines
from ingest.tables.names import column_names, table_name
from ingest.tables.parquet import load_parquet
from ingest.tables.staging import quoted, staged
from ingest.tables.types import Header, Typed, decide_type, read_header
from ingest.tables.workbook import read_workbook
from ingest.tables.write import create_table

_WORKBOOKS = frozenset([".xlsx", ".xlsm", ".xls", ".ods"])
_DELIMITED = frozenset([".csv", ".tsv"])
TABLE_SUFFIXES: frozenset[str] = _WORKBOOKS | _DELIMITED | {".parquet", ".jsonl"}
"""Lower-case suffixes of the files that are tables."""


class TableImport(Record):
    """What came of a file: its tables as written, and the cells that did not fit."""

    tables: tuple[TableRecord, ...]
    quarantined: tuple[QuarantinedCell, ...]


def import_tables(
    connection: duckdb.DuckDBPyConnection,
    path: Path,
    source: str,
    settings: IngestSettings,
    taken: Collection[str] = (),
) -> TableImport:
    """Writes the file's tables into the connection and describes them.

    All or nothing: on any error the tables made so far are dropped again. `taken` are the
    table names of other sources; a clash gets a suffix (`_2`). Raises `FileRejected`.
    """
    _check_file(path, settings)
    names = list(taken)
    done: list[tuple[TableRecord, list[QuarantinedCell]]] = []
    try:
        if path.suffix.lower() == ".parquet":
            done.append((_import_parquet(connection, path, source, names), []))
        else:
            _import_grids(connection, path, source, settings, names, done)
    except BaseException:
        drop_tables(connection, names[len(taken) :])
        raise
    tables = tuple(table for table, _ in done)
    return TableImport(
        tables=tables, quarantined=tuple(cell for _, cells in done for cell in cells)
    )


def drop_tables(connection: duckdb.DuckDBPyConnection, names: Iterable[str]) -> None:
    """Drops the tables; names that do not exist are passed over."""
    for name in names:
        connection.execute(f"DROP TABLE IF EXISTS {quoted(name)}")


def _check_file(path: Path, settings: IngestSettings) -> None:
    try:
        size = path.stat().st_size
    except OSError as error:
        raise FileRejected(f"{path.name} cannot be read ({error.strerror}).") from error
    if size == 0:
        raise FileRejected(f"{path.name} is empty (0 bytes).", "Export it again, with its header.")
    if size > settings.max_file_mb * 2**20:
        raise FileRejected(
            f"{path.name} is {size // 2**20} MB; the limit is {settings.max_file_mb} MB.",
            "Split the file or raise ingest.max_file_mb.",
        )


def _grids(path: Path, settings: IngestSettings) -> list[Grid]:
    suffix = path.suffix.lower()
    try:
        if suffix in _WORKBOOKS:
            return read_workbook(path, settings.max_file_mb * 2**20)
        return read_json_lines(path) if suffix == ".jsonl" else read_delimited(path)
    except OSError as error:
        raise FileRejected(f"{path.name} cannot be read ({error.strerror}).") from error


def _import_grids(  # noqa: PLR0913
    connection: duckdb.DuckDBPyConnection,
    path: Path,
    source: str,
    settings: IngestSettings,
    names: list[str],
    done: list[tuple[TableRecord, list[QuarantinedCell]]],
) -> None:
    skipped = []
    for grid in _grids(path, settings):
        layout = find_layout(grid)
        name = table_name(path.stem, grid.sheet, names)
        result = _import_grid(connection, grid, layout, name, source, settings, names)
        if result is None:
            skipped.append(grid.sheet or path.name)
            continue
        table = result[0].model_copy(update={"original": path.stem, "sheet": grid.sheet})
        done.append((table, result[1]))
    if not done:
        raise FileRejected(
            f"{path.name} holds no table: there is no row of data below a header.",
            "Export it again with its rows.",
        )
    if skipped:
        note = f"Sheets without rows were left out: {', '.join(skipped)}."
        done[0] = (done[0][0].model_copy(update={"notes": (*done[0][0].notes, note)}), done[0][1])


def _import_grid(  # noqa: PLR0913
    connection: duckdb.DuckDBPyConnection,
    grid: Grid,
    layout: Layout,
    name: str,
    source: str,
    settings: IngestSettings,
    names: list[str],
) -> tuple[TableRecord, list[QuarantinedCell]] | None:
    if not layout.originals:
        return None
    body = Body(grid, layout)
    with staged(connection, body, len(layout.originals)) as rows:
        if not rows:
            return None
        kept = [i for i, text in enumerate(layout.originals) if text or i in body.used]
        headers = [read_header(layout.originals[i]) for i in kept]
        columns = column_names(
            _named(layout.originals[i], h, i) for i, h in zip(kept, headers, strict=True)
        )
        share = settings.max_quarantine_share
        typed = [
            (i, column, decide_type(connection, i, column, header, share))
            for i, column, header in zip(kept, columns, headers, strict=True)
        ]
        names.append(name)
        cells = create_table(connection, name, typed)
    cells += [
        QuarantinedCell(
            table=name,
            column=f"column_{at}",
            row=row,
            value=value,
            reason="more cells than the header",
        )
        for row, at, value in body.extras
    ]
    notes = (*grid.notes, *layout.notes, *body.notes, *_column_notes(layout, typed, headers))
    records = _column_records(layout, typed, cells)
    table = TableRecord(name=name, source=source, rows=rows, columns=records, notes=notes)
    return _described(connection, table), cells


def _named(original: str, header: Header, index: int) -> str:
    return (header.text if header.scale else original) or f"column_{index + 1}"


def _column_notes(
    layout: Layout, typed: list[tuple[int, str, Typed]], headers: list[Header]
) -> list[str]:
    notes = []
    for (index, name, column), header in zip(typed, headers, strict=True):
        if column.note:
            notes.append(f"Column {name} {column.note}")
        if header.scale and column.type not in ("VARCHAR", "DATE", "BOOLEAN"):
            original = layout.originals[index]
            notes.append(f"Column {name} ({original}) was multiplied by {10**header.scale:,}.")
    return notes


def _column_records(
    layout: Layout, typed: list[tuple[int, str, Typed]], cells: list[QuarantinedCell]
) -> tuple[ColumnRecord, ...]:
    counts: dict[str, int] = {}
    for cell in cells:
        counts[cell.column] = counts.get(cell.column, 0) + 1
    return tuple(
        ColumnRecord(
            name=name,
            type=column.type,
            original=layout.originals[index],
            unit=column.unit,
            quarantined=counts.get(name, 0),
        )
        for index, name, column in typed
    )


def _described(connection: duckdb.DuckDBPyConnection, table: TableRecord) -> TableRecord:
    columns = describe_columns(connection, table.name, table.columns)
    table = table.model_copy(update={"columns": columns})
    key = primary_key(connection, table)
    dated = main_date(table)
    first, last = date_range(connection, table.name, dated) if dated else (None, None)
    table = table.model_copy(
        update={"primary_key": key, "date_column": dated, "data_from": first, "data_to": last}
    )
    return table.model_copy(update={"snapshot": is_snapshot(table)})


def _import_parquet(
    connection: duckdb.DuckDBPyConnection, path: Path, source: str, names: list[str]
) -> TableRecord:
    name = table_name(path.stem, None, names)
    names.append(name)
    originals = dict(load_parquet(connection, path, name))
    described = connection.execute(f"DESCRIBE {quoted(name)}").fetchall()
    columns = tuple(
        ColumnRecord(name=row[0], type=row[1], original=originals[row[0]]) for row in described
    )
    count = connection.execute(f"SELECT count(*) FROM {quoted(name)}").fetchall()[0][0]
    if not count:
        raise FileRejected(f"{path.name} holds no rows.", "Export it again with its rows.")
    table = TableRecord(name=name, source=source, original=path.stem, rows=count, columns=columns)
    return _described(connection, table)
