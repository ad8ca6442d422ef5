"""Notes along with rows: what was left out, as of when, and what a reader may mistake."""

import re
from collections.abc import Iterator

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from ingest.store import Catalog, TableRecord
from ingest.store.records import ColumnRecord
from tools.sql.as_of import stock_notes
from tools.sql.client import Rows
from tools.sql.doubts import Ask
from tools.sql.guard import CheckedQuery
from tools.sql.left_out import Cells, LeftOut
from tools.sql.numbers_as_text import number_notes
from tools.sql.ties import tie_notes

_KEY_NAME = re.compile(r"(^|[_\W]|[^\x00-\x7f])(id|no|nr)$|[a-z](?-i:I[Dd])$|号$", re.I)


def answer_notes(
    query: CheckedQuery,
    rows: Rows,
    catalog: Catalog,
    ask: Ask,
    missing: tuple[LeftOut, ...],
    cells: Cells,
) -> tuple[str, ...]:
    """What an answer from these rows must say: quarantined cells, what in the tables may falsify
    them, the stock date, places that rows share, and codes that were met as numbers."""
    return (
        *(one.note(cells) for one in missing),
        *_warnings(query, catalog),
        *_summed_keys(query, catalog),
        *stock_notes(query, catalog, ask),
        *tie_notes(query.sql, rows, ask),
        *number_notes(query.text_filters, ask),
    )


def _summed_keys(query: CheckedQuery, catalog: Catalog) -> Iterator[str]:
    """Sums and means of numbers that only name things: a customer's number, an order's."""
    try:
        tree = parse_one(query.sql, dialect="duckdb")
    except (SqlglotError, RecursionError):
        return
    summed = {
        call.this.name.lower()
        for call in tree.find_all(exp.Sum, exp.Avg)
        if isinstance(call.this, exp.Column)
    }
    for table_name, column_name in query.columns if summed else ():
        table = catalog.table(table_name)
        column = table.column(column_name) if table is not None else None
        if table is None or column is None or column.name.lower() not in summed:
            continue
        if column.measure is None and _names_things(table, column, catalog):
            yield f"{column.name} of table {table.name} numbers things: its sum or mean says nothing"


def _names_things(table: TableRecord, column: ColumnRecord, catalog: Catalog) -> bool:
    sides = {(j.left_table, j.left_column) for j in catalog.joins}
    sides |= {(j.right_table, j.right_column) for j in catalog.joins}
    return (
        table.primary_key == (column.name,)
        or (table.name, column.name) in sides
        or bool(_KEY_NAME.search(column.name))
    )


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
