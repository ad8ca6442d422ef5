"""Monthly files of one shape become one table of the draft, and leave it again."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import duckdb

from ingest.pipeline.draft import Draft
from ingest.pipeline.joined import (
    JOINED,
    added_columns,
    days_of,
    describe_joined,
    own_column,
    sources_of,
    write_joined,
)
from ingest.store.quoting import quoted
from ingest.store.records import (
    SOURCE_COLUMN,
    TablePart,
    TableRecord,
)
from ingest.tables import drop_tables
from ingest.tables.names import table_name
from ingest.tables.periods import period_of
from ingest.tables.series import (
    SeriesKey,
    SeriesRules,
    difference,
    is_added,
    joint_column,
)


def join_series(
    draft: Draft, connection: duckdb.DuckDBPyConnection, rules: SeriesRules
) -> set[str]:
    """Joins the tables of files that are of one series by the rules and have the same columns;
    the names of the tables that got rows. One that is named so and has other columns stays a
    table of its own, whose record says why (`apart`)."""
    grown = set()
    for tables in _families(draft, rules).values():
        groups = _groups(tables, rules)
        names = [group[0].name for group in groups]
        for i, group in enumerate(groups):
            if len(group) > 1:
                names[i] = _join(draft, connection, group, rules)
                grown.add(names[i])
        _set_apart(draft, groups, names, rules)
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
    draft.tables[name] = describe_joined(connection, record, record.columns, parts)


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
    draft.tables[name] = describe_joined(connection, record, record.columns, parts)


def _families(draft: Draft, rules: SeriesRules) -> dict[SeriesKey, list[TableRecord]]:
    """The tables of each key with more than one, in the order in which they are joined."""
    found: dict[SeriesKey, list[TableRecord]] = defaultdict(list)
    for table in draft.tables.values():
        key = rules.key(sources_of(table)[0], table.sheet) if table.doc_id is None else None
        if key is not None and (table.parts or table.column(SOURCE_COLUMN) is None):
            found[key].append(table)
    return {
        key: _in_order(tables)
        for key, tables in found.items()
        if len(tables) > 1 or tables[0].apart
    }


def _in_order(tables: Sequence[TableRecord]) -> list[TableRecord]:
    """Joined ones first, then periods of the most frequent length: beside twelve months it is
    the quarters that stand apart. Of lengths that are as frequent, the shortest first."""
    lengths = {table.name: _length(table) for table in tables}
    counted = Counter(lengths.values())

    def place(table: TableRecord) -> tuple[bool, int, int, str]:
        length = lengths[table.name]
        return not table.parts, -counted[length], length, table.source

    return sorted(tables, key=place)


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
    """Why the table cannot stand in the series; None when it can. What two files hold of one
    period would be counted twice."""
    clashes = (rules.clash(own, s) for own in sources_of(table) for s in sources_of(series))
    return next(filter(None, clashes), None) or difference(series, table)


def _length(table: TableRecord) -> int:
    period = period_of(sources_of(table)[0])
    return period.length if period else 0


def _set_apart(
    draft: Draft,
    groups: Sequence[Sequence[TableRecord]],
    names: Sequence[str],
    rules: SeriesRules,
) -> None:
    """Of the tables of one family, all but that of most files (then rows) say why they are not in
    it. `names`: what the tables of `groups` are called now."""
    records = [draft.tables[name] for name in names]
    main = records.index(max(records, key=lambda t: (len(sources_of(t)), t.rows, t.name)))
    for group, name in zip(groups, names, strict=True):
        record, said = draft.tables[name], {"apart": "", "apart_from": ""}
        if name != names[main]:
            reasons = (_reason(t, own, rules) for own in group for t in groups[main])
            reason = next(filter(None, reasons), None)
            sources = sources_of(record)
            files = sources[0] + (f" and {len(sources) - 1} more" if len(sources) > 1 else "")
            verb = "are" if len(sources) > 1 else "is"
            said["apart"] = f"{files} {verb} not in {names[main]}: {reason}"
            said["apart_from"] = names[main]
        draft.tables[name] = record.model_copy(update=said)


def _join(
    draft: Draft,
    connection: duckdb.DuckDBPyConnection,
    group: Sequence[TableRecord],
    rules: SeriesRules,
) -> str:
    """Writes the group as one table and forgets its members."""
    first, gone = group[0], {t.name for t in group}
    columns = [c for c in first.columns if not is_added(c)]
    for table in group[1:]:
        columns = [joint_column(first, c, table, own_column(table, c)) for c in columns]
        first = first.model_copy(
            update={"columns": tuple(columns), "rows": first.rows + table.rows}
        )
    days = days_of(group)
    taken = [name for name in draft.tables if name not in gone]
    name, original = group[0].name, group[0].original
    if not group[0].parts:
        original = rules.name(first.source)
        name = table_name(original, first.sheet, taken)
    write_joined(connection, group, columns, days)
    drop_tables(connection, gone)
    connection.execute(f"ALTER TABLE {JOINED} RENAME TO {quoted(name)}")
    parts = sorted((part for t in group for part in _parts(t)), key=lambda part: part.source)
    record = group[0].model_copy(
        update={
            "name": name,
            "original": original,
            "source": rules.source(parts[0].source),
            "apart": "",
            "apart_from": "",
        }
    )
    _forget(draft, gone, {t.name: t for t in group}, name)
    draft.tables[name] = describe_joined(
        connection, record, (*columns, *added_columns(days)), parts
    )
    return name


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
