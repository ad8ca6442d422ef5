"""Tables that stand in documents: those of figures into the warehouse, beside the passages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath

import duckdb

from ingest.documents import DocumentTable
from ingest.pipeline.documents import Passages
from ingest.pipeline.draft import Draft
from ingest.pipeline.failures import is_of_the_disk
from ingest.pipeline.tables import open_warehouse
from ingest.report import Changes
from ingest.store.errors import FileRejected
from ingest.store.manifest import FileEntry
from ingest.store.settings import IngestSettings
from ingest.sync import Plan
from ingest.tables import drop_tables
from ingest.tables.build import Built, build_table
from ingest.tables.cells import looks_typed
from ingest.tables.grid import Grid
from ingest.tables.names import table_name

_MIN_FIGURES, _MIN_FIGURE_SHARE = 2, 0.3
_NUMERIC = ("BIGINT", "INTEGER", "HUGEINT", "DECIMAL", "DOUBLE", "SMALLINT")


def apply_document_tables(
    draft: Draft, plan: Plan, ready: Sequence[Passages], settings: IngestSettings, counts: Changes
) -> None:
    """Brings the tables of this run's documents to their new state; called when the documents'
    own entries are. A table that cannot be typed stays what it is in the passages: text."""
    moved = _follow_moves(draft, plan)
    gone = {name for entry in plan.deletions("document") for name in entry.tables}
    before = {name for p in ready if p.change.old for name in p.change.old.tables}
    tabled = [p for p in ready if any(has_figures(table) for table in p.tables)]
    if not (moved or gone or before or tabled):
        return
    after: set[str] = set()
    with open_warehouse(draft) as connection:
        _forget(draft, connection, gone | before)
        for passages in tabled:
            built = list(_build(draft, connection, passages, settings))
            _record(draft, passages, built)
            after |= {item.table.name for item in built}
    counts.added += len(after - before)
    counts.updated += len(after & before)
    counts.deleted += len((gone | before) - after)


def has_figures(table: DocumentTable) -> bool:
    """Are the cells beside the first column mostly, and more than once, numbers?"""
    cells = [cell for row in table.rows[1:] for cell in row[1:] if cell]
    figures = sum(1 for cell in cells if looks_typed(cell) == "number")
    return figures >= _MIN_FIGURES and figures >= _MIN_FIGURE_SHARE * len(cells)


def _build(
    draft: Draft,
    connection: duckdb.DuckDBPyConnection,
    passages: Passages,
    settings: IngestSettings,
) -> Iterator[Built]:
    stem = PurePosixPath(passages.record.source).stem
    taken = set(draft.tables)
    for number, table in enumerate(passages.tables, 1):
        if not has_figures(table):
            continue
        place = f"p{table.page}" if table.page else f"t{number}"
        name = table_name(stem, place, taken)
        built = _typed(connection, table, name, passages, settings.max_quarantine_share)
        if built is not None:
            taken.add(name)
            yield built


def _typed(
    connection: duckdb.DuckDBPyConnection,
    table: DocumentTable,
    name: str,
    passages: Passages,
    max_share: float,
) -> Built | None:
    """None, and nothing written, for a table in which no column is of numbers after all."""
    grid = Grid(rows=lambda: iter(table.rows), notes=_notes(table))
    try:
        source = passages.record.source
        built = build_table(connection, grid, name, source, max_share, inner_totals=False)
    except (FileRejected, duckdb.Error) as error:
        if is_of_the_disk(error):
            raise
        drop_tables(connection, [name])
        return None
    if built is None:
        return None
    if not any(column.type.startswith(_NUMERIC) for column in built.table.columns):
        drop_tables(connection, [name])
        return None
    described = {
        "original": table.title or passages.record.title,
        "description": table.title,
        "doc_id": passages.record.doc_id,
        "page": table.page,
        "box": table.box,
    }
    return Built(built.table.model_copy(update=described), built.quarantined)


def _notes(table: DocumentTable) -> tuple[str, ...]:
    return (f"The document says above the table: {table.unit}",) if table.unit else ()


def _record(draft: Draft, passages: Passages, built: Iterable[Built]) -> None:
    names = []
    for item in built:
        draft.tables[item.table.name] = item.table
        draft.quarantine.extend(item.quarantined)
        names.append(item.table.name)
    _set_tables(draft, str(passages.change.found.path), passages.record.kb, tuple(names))


def _follow_moves(draft: Draft, plan: Plan) -> bool:
    """A moved document keeps its tables, under their names. Was there one?"""
    moved = False
    for change in plan.moves("document"):
        old, found = change.old, change.found
        if old is None or not old.tables:
            continue
        for name in old.tables:
            draft.tables[name] = draft.tables[name].model_copy(update={"source": found.source})
        _set_tables(draft, str(found.path), old.kb, old.tables)
        moved = True
    return moved


def _set_tables(draft: Draft, path: str, kb: str | None, names: tuple[str, ...]) -> None:
    entry: FileEntry = draft.entries[(kb, path)]
    draft.put(entry.model_copy(update={"tables": names}))


def _forget(draft: Draft, connection: duckdb.DuckDBPyConnection, names: set[str]) -> None:
    drop_tables(connection, sorted(names))
    for name in names:
        draft.tables.pop(name, None)
    draft.quarantine = [cell for cell in draft.quarantine if cell.table not in names]
