"""Monthly files of one shape become one table of the draft, and leave it again."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import duckdb

from ingest.pipeline.draft import Draft
from ingest.store.records import ColumnRecord, TablePart, TableRecord
from ingest.tables import drop_tables
from ingest.tables.describe import describe_table
from ingest.tables.names import table_name
from ingest.tables.series import (
    SOURCE_COLUMN,
    SeriesKey,
    SeriesRules,
    difference,
    joint_column,
)
from ingest.tables.staging import quoted

_NEW = "zaiko_joined"


def join_series(
    draft: Draft, connection: duckdb.DuckDBPyConnection, rules: SeriesRules
) -> set[str]:
    """Joins the tables of files that are of one series by the rules and have the same columns;
    the names of the tables that got rows. One that is named so and has other columns stays a
    table of its own, whose record says why (`apart`)."""
    grown = set()
    for tables in _families(draft, rules).values():
        groups = _groups(tables, rules)
        for group in groups:
            if len(group) > 1:
                grown.add(_join(draft, connection, group, rules))
        largest = max(groups, key=lambda g: (sum(t.rows for t in g), g[0].name))
        for group in groups:
            single = group[0]
            if len(group) == 1 and not single.parts:
                _set_apart(draft, single, largest, rules)
    return grown


def leave_series(
    draft: Draft, connection: duckdb.DuckDBPyConnection, name: str, source: str
) -> None:
    """Takes one file's rows out; the table goes with its last file."""
    record = draft.tables[name]
    parts = tuple(part for part in record.parts if part.source != source)
    draft.quarantine = [
        cell for cell in draft.quarantine if (cell.table, cell.source) != (name, source)
    ]
    if not parts:
        drop_tables(connection, [name])
        del draft.tables[name]
        return
    connection.execute(f"DELETE FROM {quoted(name)} WHERE {SOURCE_COLUMN} = ?", [source])
    draft.tables[name] = _described(connection, record, record.columns, parts)


def rename_part(
    draft: Draft, connection: duckdb.DuckDBPyConnection, name: str, old: str, new: str
) -> None:
    """The file lies somewhere else now."""
    record = draft.tables[name]
    connection.execute(
        f"UPDATE {quoted(name)} SET {SOURCE_COLUMN} = ? WHERE {SOURCE_COLUMN} = ?", [new, old]
    )
    parts = [p.model_copy(update={"source": new}) if p.source == old else p for p in record.parts]
    draft.quarantine = [
        cell.model_copy(update={"source": new})
        if (cell.table, cell.source) == (name, old)
        else cell
        for cell in draft.quarantine
    ]
    draft.tables[name] = _described(connection, record, record.columns, parts)


def _families(draft: Draft, rules: SeriesRules) -> dict[SeriesKey, list[TableRecord]]:
    """The tables of each key with more than one, joined ones first."""
    found: dict[SeriesKey, list[TableRecord]] = defaultdict(list)
    for table in draft.tables.values():
        source = table.parts[0].source if table.parts else table.source
        key = rules.key(source, table.sheet) if table.doc_id is None else None
        if key is not None and (table.parts or table.column(SOURCE_COLUMN) is None):
            found[key].append(table)
    return {
        key: sorted(tables, key=lambda t: (not t.parts, t.source))
        for key, tables in found.items()
        if len(tables) > 1 or tables[0].apart
    }


def _groups(tables: Iterable[TableRecord], rules: SeriesRules) -> list[list[TableRecord]]:
    groups: list[list[TableRecord]] = []
    for table in tables:
        fitting = (g for g in groups if not table.parts and not _differs(g, table, rules))
        group = next(fitting, None)
        if group is None:
            groups.append([table])
        else:
            group.append(table)
    return groups


def _differs(group: Sequence[TableRecord], table: TableRecord, rules: SeriesRules) -> bool:
    """From any of them: 12 beside text may both be joined with text, not with a date."""
    return any(_reason(other, table, rules) for other in group)


def _reason(series: TableRecord, table: TableRecord, rules: SeriesRules) -> str | None:
    """Why the table cannot stand in the series; None when it can. The same month under two names
    would be counted twice."""
    sources = [part.source for part in series.parts] or [series.source]
    period = rules.period(table.source)
    twin = next((s for s in sources if rules.period(s) == period), None)
    if twin is not None:
        return f"it names the same period as {twin}"
    return difference(series, table)


def _set_apart(
    draft: Draft, single: TableRecord, largest: Sequence[TableRecord], rules: SeriesRules
) -> None:
    apart = ""
    if largest[0].name != single.name:
        name = next((t.name for t in draft.tables.values() if t.parts and _holds(t, largest)), "")
        reason = next(filter(None, (_reason(t, single, rules) for t in largest)), None)
        apart = f"{single.source} is not in {name or largest[0].name}: {reason}"
    draft.tables[single.name] = single.model_copy(update={"apart": apart})


def _holds(table: TableRecord, group: Sequence[TableRecord]) -> bool:
    sources = {part.source for part in table.parts}
    return any(t.name == table.name or t.source in sources for t in group)


def _join(
    draft: Draft,
    connection: duckdb.DuckDBPyConnection,
    group: Sequence[TableRecord],
    rules: SeriesRules,
) -> str:
    """Writes the group as one table and forgets its members."""
    first, gone = group[0], {t.name for t in group}
    columns = [c for c in first.columns if c.name != SOURCE_COLUMN]
    for table in group[1:]:
        columns = [joint_column(first, c, table, _own(table, c)) for c in columns]
        first = first.model_copy(
            update={"columns": tuple(columns), "rows": first.rows + table.rows}
        )
    taken = [name for name in draft.tables if name not in gone]
    name, original = group[0].name, group[0].original
    if not group[0].parts:
        original = rules.name(first.source)
        name = table_name(original, first.sheet, taken)
    _write(connection, group, columns)
    drop_tables(connection, gone)
    connection.execute(f"ALTER TABLE {_NEW} RENAME TO {quoted(name)}")
    parts = sorted((part for t in group for part in _parts(t)), key=lambda part: part.source)
    came_from = ColumnRecord(
        name=SOURCE_COLUMN, type="VARCHAR", original="", description="The file a row came from"
    )
    record = group[0].model_copy(
        update={
            "name": name,
            "original": original,
            "source": rules.source(parts[0].source),
            "apart": "",
        }
    )
    _forget(draft, gone, {t.name: t for t in group}, name)
    draft.tables[name] = _described(connection, record, (*columns, came_from), parts)
    return name


def _own(table: TableRecord, column: ColumnRecord) -> ColumnRecord:
    return next(c for c in table.columns if c.name.casefold() == column.name.casefold())


def _write(
    connection: duckdb.DuckDBPyConnection,
    group: Sequence[TableRecord],
    columns: Sequence[ColumnRecord],
) -> None:
    """In the order of the files, and in each as it was."""
    parts = []
    for table in group:
        values = [f"{quoted(_own(table, c).name)}::{c.type} AS {quoted(c.name)}" for c in columns]
        source = SOURCE_COLUMN if table.parts else "'" + table.source.replace("'", "''") + "'"
        values += [f"{source} AS {SOURCE_COLUMN}", "rowid AS zaiko_row"]
        parts.append(f"SELECT {', '.join(values)} FROM {quoted(table.name)}")
    connection.execute(
        f"CREATE OR REPLACE TABLE {_NEW} AS SELECT * EXCLUDE (zaiko_row) FROM "
        f"({' UNION ALL '.join(parts)}) ORDER BY {SOURCE_COLUMN}, zaiko_row"
    )


def _parts(table: TableRecord) -> Sequence[TablePart]:
    if table.parts:
        return table.parts
    cells = {c.name.casefold(): c.quarantined for c in table.columns if c.quarantined}
    return [
        TablePart(
            source=table.source,
            rows=table.rows,
            quarantined=cells,
            notes=table.notes,
            warnings=table.warnings,
        )
    ]


def _forget(draft: Draft, gone: set[str], tables: dict[str, TableRecord], name: str) -> None:
    """The members' records; their files and cells belong to the joined table now."""
    for member in gone:
        del draft.tables[member]
    for entry in list(draft.entries.values()):
        if entry.kind == "table" and gone & set(entry.tables):
            names = dict.fromkeys(name if t in gone else t for t in entry.tables)
            draft.put(entry.model_copy(update={"tables": tuple(names)}))
    draft.quarantine = [
        cell.model_copy(update={"table": name, "source": cell.source or tables[cell.table].source})
        if cell.table in gone
        else cell
        for cell in draft.quarantine
    ]


def _described(
    connection: duckdb.DuckDBPyConnection,
    record: TableRecord,
    columns: Iterable[ColumnRecord],
    parts: Sequence[TablePart],
) -> TableRecord:
    cells: Counter[str] = Counter()
    for part in parts:
        cells.update(part.quarantined)
    counted = [c.model_copy(update={"quarantined": cells[c.name.casefold()]}) for c in columns]
    notes = [f"{part.source}: {note}" for part in parts for note in part.notes]
    said = f"Holds the rows of {len(parts)} files; {SOURCE_COLUMN} says which a row came from."
    changed = {
        "columns": tuple(counted),
        "parts": tuple(parts),
        "rows": sum(part.rows for part in parts),
        "notes": (said, *notes),
        "warnings": tuple(f"{part.source}: {text}" for part in parts for text in part.warnings),
    }
    return describe_table(connection, record.model_copy(update=changed))
