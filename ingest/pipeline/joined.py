"""The table of several files: its rows, the columns that joining adds, and what is said of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date

import duckdb

from ingest.store.quoting import quoted
from ingest.store.records import (
    PERIOD_COLUMN,
    SOURCE_COLUMN,
    ColumnRecord,
    TablePart,
    TableRecord,
)
from ingest.tables.describe import describe_table, has_own_date, holds_stock
from ingest.tables.periods import period_of
from ingest.tables.series import is_added, last_days

JOINED = "zaiko_joined"
"""What the table is called until its members are gone."""


def days_of(group: Sequence[TableRecord]) -> dict[str, date] | None:
    """Of each file of the group by its name; None where the rows have dates of their own."""
    if any(_is_dated(table) for table in group):
        return None
    return last_days(source for table in group for source in sources_of(table))


def _is_dated(table: TableRecord) -> bool:
    """By a date of its own. Stock is not by one that begins before the period of its file: that
    is when something last came in or went out."""
    if any(c.name.casefold() == PERIOD_COLUMN and not is_added(c) for c in table.columns):
        return True
    if table.parts or not has_own_date(table):
        return has_own_date(table) and table.date_column != PERIOD_COLUMN
    period = period_of(table.source)
    if period is None or table.data_from is None or not holds_stock(table):
        return True
    return period.years != "calendar" or table.data_from >= period.first


def added_columns(days: Mapping[str, date] | None) -> Iterator[ColumnRecord]:
    """What joining adds to the columns of the files."""
    said = "The file a row came from"
    yield ColumnRecord(name=SOURCE_COLUMN, type="VARCHAR", original="", description=said)
    if days is not None:
        said = "The last day of the period that the row's file is named after"
        yield ColumnRecord(name=PERIOD_COLUMN, type="DATE", original="", description=said)


def write_joined(
    connection: duckdb.DuckDBPyConnection,
    group: Sequence[TableRecord],
    columns: Sequence[ColumnRecord],
    days: Mapping[str, date] | None,
) -> None:
    """In the order of the files, and in each as it was."""
    parts = []
    for table in group:
        values = [
            f"{quoted(own_column(table, c).name)}::{c.type} AS {quoted(c.name)}" for c in columns
        ]
        source = SOURCE_COLUMN if table.parts else _text(table.source)
        values += [f"{source} AS {SOURCE_COLUMN}", "rowid AS zaiko_row"]
        parts.append(f"SELECT {', '.join(values)} FROM {quoted(table.name)}")
    period = ""
    if days is not None:
        cases = " ".join(f"WHEN {_text(s)} THEN DATE '{d.isoformat()}'" for s, d in days.items())
        period = f", CASE {SOURCE_COLUMN} {cases} END AS {PERIOD_COLUMN}"
    connection.execute(
        f"CREATE OR REPLACE TABLE {JOINED} AS SELECT * EXCLUDE (zaiko_row){period} FROM "
        f"({' UNION ALL '.join(parts)}) ORDER BY {SOURCE_COLUMN}, zaiko_row"
    )


def own_column(table: TableRecord, column: ColumnRecord) -> ColumnRecord:
    """The table's column of that name, in whatever case."""
    return next(c for c in table.columns if c.name.casefold() == column.name.casefold())


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def describe_joined(
    connection: duckdb.DuckDBPyConnection,
    record: TableRecord,
    columns: Iterable[ColumnRecord],
    parts: Sequence[TablePart],
) -> TableRecord:
    """The record with counts, dates and notes as the parts and the written table have them."""
    cells: Counter[str] = Counter()
    for part in parts:
        cells.update(part.quarantined)
    counted = [c.model_copy(update={"quarantined": cells[c.name.casefold()]}) for c in columns]
    added = [c.name for c in counted if is_added(c)]
    changed = {
        "columns": tuple(counted),
        "parts": tuple(parts),
        "rows": sum(part.rows for part in parts),
        "notes": (*_joining_notes(parts, added), *_folded([(p.source, p.notes) for p in parts])),
        "warnings": tuple(_folded([(p.source, p.warnings) for p in parts])),
    }
    described = describe_table(connection, record.model_copy(update=changed))
    undated = not (described.date_column and has_own_date(described))
    if len(parts) < 2 or not undated or not holds_stock(described):
        return described
    said = (
        f"holds the stock of {len(parts)} files that give no date: a sum over it adds up what "
        f"was counted several times, unless it keeps to one {SOURCE_COLUMN}"
    )
    return described.model_copy(update={"warnings": (said, *described.warnings)})


def _joining_notes(parts: Sequence[TablePart], added: Sequence[str]) -> Iterator[str]:
    yield f"Holds the rows of {len(parts)} files; {SOURCE_COLUMN} says which a row came from."
    if PERIOD_COLUMN in added:
        yield (
            f"The files have no date of their own: {PERIOD_COLUMN} is the last day of the period "
            "in a file's name."
        )


def _folded(said: Sequence[tuple[str, Sequence[str]]]) -> Iterator[str]:
    """What is said of several files, once."""
    sources: dict[str, list[str]] = defaultdict(list)
    for source, texts in said:
        for text in texts:
            sources[text].append(source)
    for text, named in sources.items():
        more = f" and {len(named) - 1} more" if len(named) > 1 else ""
        yield f"{named[0]}{more}: {text}"


def sources_of(table: TableRecord) -> Sequence[str]:
    """The files that the table holds."""
    return [part.source for part in table.parts] or [table.source]
