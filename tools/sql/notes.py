"""Notes along with rows: what was left out, as of when, and why nothing matched."""

from collections.abc import Callable, Iterator, Sequence

from ingest.store import Catalog
from ingest.store.records import QuarantinedCell
from tools.sql.as_of import stock_notes
from tools.sql.client import Rows
from tools.sql.doubts import Ask
from tools.sql.guard import CheckedQuery

ROWS_NAMED = 5
Cells = Callable[[str], Sequence[QuarantinedCell]]
"""The quarantined cells of a table."""


def answer_notes(query: CheckedQuery, catalog: Catalog, ask: Ask, cells: Cells) -> tuple[str, ...]:
    """What an answer from these rows must say: quarantined cells, what in the tables may falsify
    them, and the stock date."""
    return (
        *_excluded_notes(query, catalog, cells),
        *_warnings(query, catalog),
        *stock_notes(query, catalog, ask),
    )


def excluded_cells(query: CheckedQuery, catalog: Catalog) -> int:
    return sum(n for _, _, n in _quarantined(query, catalog))


def _quarantined(query: CheckedQuery, catalog: Catalog) -> Iterator[tuple[str, str, int]]:
    for table_name, column_name in query.columns:
        table = catalog.table(table_name)
        column = table.column(column_name) if table is not None else None
        if column is not None and column.quarantined:
            yield table_name, column_name, column.quarantined


def _excluded_notes(query: CheckedQuery, catalog: Catalog, cells: Cells) -> Iterator[str]:
    for table, column, n in _quarantined(query, catalog):
        note = f"column {column} of table {table} leaves out {n} {'cell' if n == 1 else 'cells'}"
        rows = [c.row for c in cells(table) if c.column.lower() == column.lower()]
        named = ", ".join(map(str, rows[:ROWS_NAMED])) + (", …" if len(rows) > ROWS_NAMED else "")
        record = catalog.table(table)
        source = record.source if record is not None else table
        if rows:
            note += f": {'row' if len(rows) == 1 else 'rows'} {named} of {source}"
        yield f"{note} (zaiko tables --quarantine {table})"


def _warnings(query: CheckedQuery, catalog: Catalog) -> Iterator[str]:
    for name in query.tables:
        table = catalog.table(name)
        for text in catalog.warnings_of(table) if table is not None else ():
            yield f"table {name}: {text}"


def row_notes(query: CheckedQuery, rows: Rows) -> Iterator[str]:
    if not query.tables:
        yield "no table was read: these values come from the query itself"
    if len(rows.rows) < rows.row_count:
        yield f"{rows.row_count} rows in all; only the first {len(rows.rows)} are kept"
    if rows.not_finite:
        yield f"{rows.not_finite} values were NaN or infinity and are given as NULL"
    if rows.cut:
        yield f"{rows.cut} long texts were cut"
    if rows.row_count == 0:
        yield "0 rows matched"
