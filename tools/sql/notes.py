"""Notes along with rows: what was left out, as of when, and what a reader may mistake."""

from collections.abc import Iterator

from ingest.store import Catalog
from tools.sql.as_of import stock_notes
from tools.sql.client import Rows
from tools.sql.doubts import Ask
from tools.sql.guard import CheckedQuery
from tools.sql.left_out import Cells, LeftOut
from tools.sql.numbers_as_text import number_notes
from tools.sql.ties import tie_notes


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
        *query.cautions,
        *stock_notes(query, catalog, ask),
        *tie_notes(query.sql, rows, ask),
        *number_notes(query.text_filters, ask),
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
