"""Table files into the warehouse of the draft, one transaction a file."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb

from ingest.catalog import draft_catalog
from ingest.pipeline.draft import Draft
from ingest.pipeline.failures import failure_of, is_of_the_disk
from ingest.pipeline.series import join_series, leave_series, rename_part
from ingest.report import Changes, Meter, ProgressSink
from ingest.store.catalog import dump_catalog
from ingest.store.errors import FileRejected
from ingest.store.manifest import CATALOG, FileEntry
from ingest.store.quoting import quoted
from ingest.store.records import Catalog
from ingest.store.settings import IngestSettings
from ingest.sync import Change, Plan
from ingest.tables import TableImport, drop_tables, import_tables
from ingest.tables.connection import open_duckdb
from ingest.tables.series import SeriesRules


def apply_tables(
    draft: Draft, plan: Plan, settings: IngestSettings, counts: Changes, progress: ProgressSink
) -> dict[str, bool]:
    """A file that fails leaves its earlier tables as they were. Returns for each file that was
    taken in whether it holds notes, too."""
    notes: dict[str, bool] = {}
    if not plan.work("table"):
        return notes
    tally = _Tally(draft)
    with open_warehouse(draft) as connection:
        for entry in plan.deletions("table"):
            _release(draft, connection, entry, drop=True)
        for change in plan.moves("table"):
            tally.moved(change, _move(draft, connection, change, settings, counts))
        changes = plan.changes("table")
        meter = Meter(progress, "tables", len(changes))
        for done, change in enumerate(changes):
            meter.tell(done, change.found.source)
            result = _take_in(draft, connection, change, settings, counts)
            if result is not None:
                notes[str(change.found.path)] = result.notes
        join_series(draft, connection, _rules(settings))
        if changes:
            meter.tell(len(changes))
    tally.count(draft, plan, notes, counts)
    return notes


def _rules(settings: IngestSettings) -> SeriesRules:
    return SeriesRules(settings.series == "auto", settings.series_patterns)


class _Tally:
    """Counts tables, of which several files may share one, by their names before and after."""

    def __init__(self, draft: Draft) -> None:
        self._before = _own_tables(draft)
        self._rows = {name: draft.tables[name].rows for name in self._before}
        self._moves: list[Change] = []

    def moved(self, change: Change, done: bool) -> None:
        if done:
            self._moves.append(change)

    def count(self, draft: Draft, plan: Plan, taken_in: Collection[str], counts: Changes) -> None:
        after = _own_tables(draft)
        moved_from = {t for c in self._moves if c.old for t in c.old.tables}
        moved_to = {t for c in self._moves for t in _tables_of(draft, str(c.found.path))}
        touched = {t for path in taken_in for t in _tables_of(draft, path)}
        touched |= {t for entry in plan.deletions("table") for t in entry.tables}
        kept = {t for entry in plan.unchanged for t in entry.tables if entry.kind == "table"}
        counts.added += len(after - self._before - moved_to)
        counts.updated += len(touched & self._before & after - moved_to)
        counts.deleted += len(self._before - after - moved_from - kept)
        counts.moved += len(moved_to)
        counts.unchanged = len((kept & after) - touched)


def _own_tables(draft: Draft) -> set[str]:
    return {name for name, record in draft.tables.items() if record.doc_id is None}


def _tables_of(draft: Draft, path: str) -> tuple[str, ...]:
    entry = draft.entries.get((None, path))
    return entry.tables if entry else ()


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
    _record(draft, connection, change, result)
    return result


def _move(
    draft: Draft,
    connection: duckdb.DuckDBPyConnection,
    change: Change,
    settings: IngestSettings,
    counts: Changes,
) -> bool:
    """A table is called after its file, so one with a new name is read again; so is one that
    leaves the folder of those it is joined with. False when that failed."""
    old, found = change.old, change.found
    assert old is not None
    joined = [name for name in old.tables if draft.tables[name].parts]
    rules = _rules(settings)
    same_series = rules.key(old.source, None) == rules.key(found.source, None)
    if Path(old.path).stem != found.path.stem or (joined and not same_series):
        return _take_in(draft, connection, change, settings, counts) is not None
    for name in old.tables:
        if name in joined:
            rename_part(draft, connection, name, old.source, found.source)
        else:
            draft.tables[name] = draft.tables[name].model_copy(update={"source": found.source})
    kept = {"tables": old.tables, "hidden_sheets": old.hidden_sheets}
    draft.put(found.entry("", **kept), old)
    return True


def _replace(
    draft: Draft,
    connection: duckdb.DuckDBPyConnection,
    change: Change,
    settings: IngestSettings,
) -> TableImport:
    found = change.found
    old = change.old.tables if change.old else ()
    before = [name for name in old if name in draft.tables and not draft.tables[name].parts]
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


def _record(
    draft: Draft, connection: duckdb.DuckDBPyConnection, change: Change, result: TableImport
) -> None:
    if change.old is not None:
        _release(draft, connection, change.old, drop=False)
    for record in result.tables:
        draft.tables[record.name] = record
    draft.quarantine.extend(result.quarantined)
    names = tuple(record.name for record in result.tables)
    draft.put(change.found.entry("", tables=names, hidden_sheets=result.hidden_sheets))


def _release(
    draft: Draft, connection: duckdb.DuckDBPyConnection, entry: FileEntry, *, drop: bool
) -> None:
    """What the draft knows of a file, and its rows in joined tables; with `drop` also its own
    tables, which otherwise are replaced already."""
    known = [draft.tables[name] for name in entry.tables if name in draft.tables]
    own = [record.name for record in known if not record.parts]
    for record in known:
        if record.parts:
            leave_series(draft, connection, record.name, entry.source)
    if drop:
        drop_tables(connection, own)
    for name in own:
        del draft.tables[name]
    draft.quarantine = [cell for cell in draft.quarantine if cell.table not in own]
    draft.forget(entry)
