"""Table files into the warehouse of the draft, one transaction a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb

from ingest.catalog import draft_catalog
from ingest.pipeline.draft import Draft
from ingest.pipeline.failures import failure_of, is_of_the_disk
from ingest.report import Changes, Meter, ProgressSink
from ingest.store.catalog import dump_catalog
from ingest.store.errors import FileRejected
from ingest.store.manifest import CATALOG, FileEntry
from ingest.store.records import Catalog
from ingest.store.settings import IngestSettings
from ingest.sync import Change, Plan
from ingest.tables import TableImport, drop_tables, import_tables
from ingest.tables.connection import open_duckdb
from ingest.tables.staging import quoted


def apply_tables(
    draft: Draft, plan: Plan, settings: IngestSettings, counts: Changes, progress: ProgressSink
) -> dict[str, bool]:
    """A file that fails leaves its earlier tables as they were. Returns for each file that was
    taken in whether it holds notes, too."""
    notes: dict[str, bool] = {}
    if not plan.work("table"):
        return notes
    with open_warehouse(draft) as connection:
        for entry in plan.deletions("table"):
            drop_tables(connection, entry.tables)
            _forget(draft, entry)
            counts.deleted += len(entry.tables)
        for change in plan.moves("table"):
            _move(draft, connection, change, settings, counts)
        changes = plan.changes("table")
        meter = Meter(progress, "tables", len(changes))
        for done, change in enumerate(changes):
            meter.tell(done, change.found.source)
            result = _take_in(draft, connection, change, settings, counts)
            if result is not None:
                notes[str(change.found.path)] = result.notes
        if changes:
            meter.tell(len(changes))
    return notes


def drop_unrecorded(draft: Draft) -> None:
    """Of the tables that were copied, those that the draft has no record of: their documents are
    built again."""
    if not draft.tables:
        return
    with open_warehouse(draft) as connection:
        found = connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
        drop_tables(connection, [name for (name,) in found if name not in draft.tables])
    draft.quarantine = [cell for cell in draft.quarantine if cell.table in draft.tables]


@contextmanager
def open_warehouse(draft: Draft) -> Iterator[duckdb.DuckDBPyConnection]:
    """The draft's tables for writing; afterwards the catalog says what they are, and without
    any table there is neither file."""
    connection = open_duckdb(draft.warehouse)
    try:
        yield connection
        if draft.tables:
            dump_catalog(_catalog(connection, draft), draft.directory / CATALOG)
        connection.execute("CHECKPOINT")
    finally:
        connection.close()
    if not draft.tables:
        for name in (draft.warehouse, draft.directory / CATALOG):
            name.unlink(missing_ok=True)


def _catalog(connection: duckdb.DuckDBPyConnection, draft: Draft) -> Catalog:
    """Tables that stand in documents are joined with nothing: their cells are written for
    readers, and a report has hundreds."""
    tables = draft.tables.values()
    drafted = draft_catalog(
        connection, sorted((t for t in tables if t.doc_id is None), key=lambda t: t.name)
    )
    all_ = (*drafted.tables, *(t for t in tables if t.doc_id is not None))
    return drafted.model_copy(update={"tables": tuple(sorted(all_, key=lambda t: t.name))})


def _take_in(
    draft: Draft,
    connection: duckdb.DuckDBPyConnection,
    change: Change,
    settings: IngestSettings,
    counts: Changes,
) -> TableImport | None:
    try:
        result = _replace(draft, connection, change, settings)
    except (FileRejected, OSError, duckdb.Error) as error:
        if is_of_the_disk(error):
            raise
        counts.failed.append(failure_of(change.found.path, error))
        return None
    before = set(change.old.tables) if change.old else set()
    after = {record.name for record in result.tables}
    counts.added += len(after - before)
    counts.updated += len(after & before)
    counts.deleted += len(before - after)
    _record(draft, change, result)
    return result


def _move(
    draft: Draft,
    connection: duckdb.DuckDBPyConnection,
    change: Change,
    settings: IngestSettings,
    counts: Changes,
) -> None:
    """A table is called after its file, so one with a new name is read again."""
    old, found = change.old, change.found
    assert old is not None
    if Path(old.path).stem == found.path.stem:
        for name in old.tables:
            draft.tables[name] = draft.tables[name].model_copy(update={"source": found.source})
        kept = {"tables": old.tables, "hidden_sheets": old.hidden_sheets}
        draft.put(found.entry("", **kept), old)
        counts.moved += len(old.tables)
        return
    trial = Changes()
    _take_in(draft, connection, change, settings, trial)
    counts.failed.extend(trial.failed)
    counts.moved += trial.added + trial.updated


def _replace(
    draft: Draft,
    connection: duckdb.DuckDBPyConnection,
    change: Change,
    settings: IngestSettings,
) -> TableImport:
    found = change.found
    before = change.old.tables if change.old else ()
    taken = [name for name in draft.tables if name not in before]
    with _set_aside(connection, before):
        result = import_tables(connection, found.path, found.source, settings, taken)
        if not found.still_the_same():
            drop_tables(connection, [record.name for record in result.tables])
            raise FileRejected("it changed while it was being read", "run the same command again")
    return result


@contextmanager
def _set_aside(connection: duckdb.DuckDBPyConnection, names: Sequence[str]) -> Iterator[None]:
    """The tables come back when the block fails, and are gone when it does not.

    Not a transaction: after an error in one, DuckDB refuses the reader's own cleaning up.
    """
    aside = {name: f"zaiko_before_{name}" for name in names}
    for name, other in aside.items():
        _rename(connection, name, other)
    try:
        yield
    except BaseException:
        for name, other in aside.items():
            _rename(connection, other, name)
        raise
    drop_tables(connection, aside.values())


def _rename(connection: duckdb.DuckDBPyConnection, old: str, new: str) -> None:
    connection.execute(f"ALTER TABLE {quoted(old)} RENAME TO {quoted(new)}")


def _record(draft: Draft, change: Change, result: TableImport) -> None:
    if change.old is not None:
        _forget(draft, change.old)
    for record in result.tables:
        draft.tables[record.name] = record
    draft.quarantine.extend(result.quarantined)
    names = tuple(record.name for record in result.tables)
    draft.put(change.found.entry("", tables=names, hidden_sheets=result.hidden_sheets))


def _forget(draft: Draft, entry: FileEntry) -> None:
    for name in entry.tables:
        draft.tables.pop(name, None)
    draft.quarantine = [cell for cell in draft.quarantine if cell.table not in entry.tables]
    draft.forget(entry)
