"""One file becomes one or more typed tables, or none at all."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

import duckdb

from ingest.store.errors import FileRejected
from ingest.store.quoting import quoted
from ingest.store.records import ColumnRecord, QuarantinedCell, Record, TableRecord
from ingest.store.settings import IngestSettings
from ingest.tables.build import Built, build_table
from ingest.tables.cells import looks_typed
from ingest.tables.connection import bounded_memory
from ingest.tables.delimited import read_delimited
from ingest.tables.describe import describe_table
from ingest.tables.grid import Grid
from ingest.tables.jsonlines import read_json_lines
from ingest.tables.names import names_identifier, table_name
from ingest.tables.parquet import load_parquet
from ingest.tables.prose import is_prose
from ingest.tables.sqlite import read_sqlite
from ingest.tables.workbook import read_workbook

_WORKBOOKS = frozenset([".xlsx", ".xlsm", ".xls", ".ods"])
_DELIMITED = frozenset([".csv", ".tsv"])
_SQLITE = frozenset([".sqlite", ".sqlite3", ".db", ".db3"])
_SAMPLE = 200
_JSON_LINES = frozenset([".jsonl", ".ndjson"])
TABLE_SUFFIXES: frozenset[str] = _WORKBOOKS | _DELIMITED | _SQLITE | _JSON_LINES | {".parquet"}
"""Lower-case suffixes of the files that are tables."""


class TableImport(Record):
    """What came of a file: its tables as written, and the cells that did not fit. `notes`: the
    workbook also holds sheets of sentences, which are no tables."""

    tables: tuple[TableRecord, ...]
    quarantined: tuple[QuarantinedCell, ...]
    notes: bool = False
    hidden_sheets: tuple[str, ...] = ()


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
    try:
        with bounded_memory(connection, path.stat().st_size):
            return _import(connection, path, source, settings, taken)
    except duckdb.OutOfMemoryException:
        # So many columns that even their buffers do not fit: with all the memory there is.
        return _import(connection, path, source, settings, taken)


def _import(
    connection: duckdb.DuckDBPyConnection,
    path: Path,
    source: str,
    settings: IngestSettings,
    taken: Collection[str],
) -> TableImport:
    done: list[Built] = []
    notes = False
    hidden: tuple[str, ...] = ()
    try:
        if path.suffix.lower() == ".parquet":
            _import_parquet(connection, path, source, taken, done)
        else:
            grids = _grids(path, settings)
            hidden = grids[0].hidden if grids else ()
            tables = [grid for grid in grids if not _is_notes(path, grid)]
            notes = len(tables) < len(grids)
            if tables:
                _import_grids(connection, tables, path, source, settings, taken, done)
    except BaseException:
        drop_tables(connection, (built.table.name for built in done))
        raise
    return TableImport(
        tables=tuple(built.table for built in done),
        quarantined=tuple(cell for built in done for cell in built.quarantined),
        notes=notes,
        hidden_sheets=hidden,
    )


def _is_notes(path: Path, grid: Grid) -> bool:
    return path.suffix.lower() in _WORKBOOKS and is_prose(grid)


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
        if suffix in _SQLITE:
            return read_sqlite(path)
        return read_json_lines(path) if suffix in _JSON_LINES else read_delimited(path)
    except OSError as error:
        raise FileRejected(f"{path.name} cannot be read ({error.strerror}).") from error


def _import_grids(
    connection: duckdb.DuckDBPyConnection,
    grids: list[Grid],
    path: Path,
    source: str,
    settings: IngestSettings,
    taken: Collection[str],
    done: list[Built],
) -> None:
    """Appends to `done` as it goes, so that the caller can take back what was written."""
    skipped = []
    for grid in grids:
        name = table_name(path.stem, grid.sheet, [*taken, *(built.table.name for built in done)])
        built = build_table(connection, grid, name, source, settings.max_quarantine_share)
        if built is None:
            skipped.append(grid.sheet or path.name)
        else:
            done.append(_changed(built, original=path.stem))
    if not done:
        hidden = f" Hidden sheets: {', '.join(grids[0].hidden)}." if grids[0].hidden else ""
        raise FileRejected(
            f"{path.name} holds no table: there is no row of data below a header.{hidden}",
            "Export it again with its rows.",
        )
    if skipped:
        note = f"Sheets without rows were left out: {', '.join(skipped)}."
        done[0] = _changed(done[0], notes=(*done[0].table.notes, note))


def _changed(built: Built, **values: object) -> Built:
    return Built(built.table.model_copy(update=values), built.quarantined)


def _import_parquet(
    connection: duckdb.DuckDBPyConnection,
    path: Path,
    source: str,
    taken: Collection[str],
    done: list[Built],
) -> None:
    name = table_name(path.stem, None, taken)
    originals = dict(load_parquet(connection, path, name))
    described = connection.execute(f"DESCRIBE {quoted(name)}").fetchall()
    columns = tuple(
        ColumnRecord(name=row[0], type=row[1], original=originals[row[0]]) for row in described
    )
    count = connection.execute(f"SELECT count(*) FROM {quoted(name)}").fetchall()[0][0]
    table = TableRecord(name=name, source=source, original=path.stem, rows=count, columns=columns)
    done.append(Built(table, []))
    if not count:
        raise FileRejected(f"{path.name} holds no rows.", "Export it again with its rows.")
    table = table.model_copy(update={"notes": tuple(_text_notes(connection, table))})
    done[0] = Built(describe_table(connection, table), [])


def _text_notes(connection: duckdb.DuckDBPyConnection, table: TableRecord) -> Iterator[str]:
    """Columns that the file holds as text though their values are figures or dates: a sum over
    them is refused, and what fits is not what another format would give."""
    for column in table.columns:
        if column.type != "VARCHAR" or names_identifier(column.name):
            continue
        found = connection.execute(
            f"SELECT DISTINCT {quoted(column.name)} FROM {quoted(table.name)} "
            f"WHERE {quoted(column.name)} IS NOT NULL LIMIT {_SAMPLE}"
        ).fetchall()
        values = [row[0].strip() for row in found]
        typed = sorted(value for value in values if looks_typed(value))
        if typed and len(typed) * 2 > len(values):
            yield f"Column {column.name} is text in the file, though it holds such as {typed[0]!r}."
