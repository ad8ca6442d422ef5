"""Notes along with rows: what was left out, as of when, and why nothing matched."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date

from sqlglot import exp

from ingest.store import Catalog, TableRecord
from tools.errors import ToolError
from tools.sql.client import Rows
from tools.sql.filters import TextFilter
from tools.sql.guard import CheckedQuery
from tools.sql.names import nearest

FILTERS_EXPLAINED = 3


def answer_notes(query: CheckedQuery, catalog: Catalog) -> tuple[str, ...]:
    """What an answer from these rows must say: quarantined cells and the stock date."""
    return (*_excluded_notes(query, catalog), *_stock_notes(query, catalog))


def excluded_cells(query: CheckedQuery, catalog: Catalog) -> int:
    return sum(n for _, _, n in _quarantined(query, catalog))


def _quarantined(query: CheckedQuery, catalog: Catalog) -> Iterator[tuple[str, str, int]]:
    for table_name, column_name in query.columns:
        table = catalog.table(table_name)
        column = table.column(column_name) if table is not None else None
        if column is not None and column.quarantined:
            yield table_name, column_name, column.quarantined


def _excluded_notes(query: CheckedQuery, catalog: Catalog) -> Iterator[str]:
    for table, column, n in _quarantined(query, catalog):
        yield f"column {column} of table {table} leaves out {n} {'cell' if n == 1 else 'cells'}"


def _stock_notes(query: CheckedQuery, catalog: Catalog) -> Iterator[str]:
    for name in query.tables:
        table = catalog.table(name)
        if table is not None and table.snapshot:
            as_of = _filtered_day(query, table) or table.data_to
            if as_of is not None:
                yield f"stock as of {as_of.isoformat()} ({table.name})"


def _filtered_day(query: CheckedQuery, table: TableRecord) -> date | None:
    """The one day the query asks for; None when it names none or several."""
    days = [_day(v) for t, _, v in query.date_filters if t == table.name]
    return days[0] if len(days) == 1 else None


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


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


@dataclass(frozen=True)
class Unmatched:
    """A condition whose value no row has, and a note that names the stored values like it."""

    condition: str
    note: str
    filter: TextFilter


def unmatched_values(
    query: CheckedQuery, rows: Rows, ask: Callable[[str], Rows]
) -> tuple[Unmatched, ...]:
    """When nothing matched: text filters whose value is not stored, and the values like it."""
    if not _is_empty(rows):
        return ()
    notes = []
    for text_filter in query.text_filters[:FILTERS_EXPLAINED]:
        try:
            note = _explain(text_filter, ask)
        except ToolError:
            break
        notes += [note] if note else []
    return tuple(notes)


def _is_empty(rows: Rows) -> bool:
    """No row, or the one row of an aggregate over none."""
    if rows.row_count == 0:
        return True
    return rows.row_count == 1 and all(v in (None, 0, "0") for v in rows.rows[0])


def _explain(text_filter: TextFilter, ask: Callable[[str], Rows]) -> Unmatched | None:
    column = exp.column(text_filter.column, quoted=True)
    values = exp.select(column).distinct().from_(exp.to_identifier(text_filter.table, quoted=True))
    exact = values.where(column.eq(text_filter.value)).limit(1)
    if ask(exact.sql(dialect="duckdb")).row_count:
        return None
    sample = ask(values.where(column.is_(exp.null()).not_()).limit(1000).sql(dialect="duckdb"))
    stored = [str(row[0]) for row in sample.rows]
    like = nearest(text_filter.value, stored)
    condition = f"{text_filter.column} = '{text_filter.value}'"
    note = f"no row has {condition}"
    if like:
        note += f"; stored values like it: {', '.join(map(repr, like))}"
    elif stored:
        note += f"; stored values are e.g. {', '.join(map(repr, stored[:5]))}"
    return Unmatched(condition, note, text_filter)
