"""Values that a query looks for and no row has, with the stored values most like them.

Asked only where the result does not prove the value itself: when nothing matched, and for values
that decide nothing alone (one of an IN list, under OR, NOT or CASE).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sqlglot import exp

from ingest.store import Catalog
from tools.errors import ToolError
from tools.evidence import Value
from tools.sql.client import Rows
from tools.sql.doubts import Ask, quoted
from tools.sql.filters import TextFilter
from tools.sql.guard import CheckedQuery
from tools.sql.names import folded, nearest

FILTERS_EXPLAINED = 3
SIDE_VALUES = 5
Find = Callable[[TextFilter], list[str]]
"""Stored values of the filter's column that are most like its value."""
Locate = Callable[[str], list[str]]
"""The columns of other tables ("table.column") that hold a value like this one."""


@dataclass(frozen=True)
class Unmatched:
    """A condition whose value no row has, and a note that names the stored values like it."""

    condition: str
    note: str
    filter: TextFilter


def unmatched_values(
    query: CheckedQuery,
    rows: Rows,
    catalog: Catalog,
    ask: Ask,
    find: Find | None = None,
    locate: Locate | None = None,
) -> tuple[Unmatched, ...]:
    """The filters whose value is not stored. When rows were found, those only that they do not
    prove."""
    if is_empty(rows):
        asked = query.text_filters[:FILTERS_EXPLAINED]
    else:
        asked = tuple(f for f in query.text_filters if not f.decides)[:SIDE_VALUES]
    try:
        return tuple(u for one in asked for u in _explained(one, catalog, ask, find, locate))
    except ToolError:
        return ()


def is_empty(rows: Rows) -> bool:
    """No row, or the one row of an aggregate over none."""
    if rows.row_count == 0:
        return True
    return rows.row_count == 1 and all(_is_nothing(v) for v in rows.rows[0])


def _is_nothing(value: Value) -> bool:
    return value in (None, 0, "0")


def _explained(
    wanted: TextFilter, catalog: Catalog, ask: Ask, find: Find | None, locate: Locate | None
) -> Iterator[Unmatched]:
    if _is_example(wanted, catalog):
        return
    there = exp.select("1").from_(quoted(wanted.table)).where(wanted.test, dialect="duckdb")
    if ask(there.limit(1).sql(dialect="duckdb")).row_count:
        return
    stored = _some_stored(wanted, ask)
    like = (find(wanted) if find is not None else []) or nearest(wanted.value, stored)
    note = f"no row has {wanted.condition}"
    places = locate(wanted.value) if locate is not None and not like else []
    if places:
        note += f"; it stands in {' and '.join(places)}"
    elif like:
        note += f"; stored values like it: {', '.join(map(repr, like))}"
    elif stored:
        note += f"; stored values are e.g. {', '.join(map(repr, stored[:5]))}"
    yield Unmatched(wanted.condition, note, wanted)


def _is_example(wanted: TextFilter, catalog: Catalog) -> bool:
    table = catalog.table(wanted.table)
    column = table.column(wanted.column) if table is not None else None
    return wanted.operator == "=" and column is not None and wanted.value in column.examples


def _some_stored(wanted: TextFilter, ask: Ask) -> list[str]:
    """Up to 1000 values; of more, those most like it first (Jaro-Winkler)."""
    column = exp.column(wanted.column, quoted=True)
    values = (
        exp.select(exp.alias_(column, "v")).distinct().from_(quoted(wanted.table))
        .where(column.is_(exp.null()).not_())
    ).subquery("q")  # fmt: skip
    likeness = exp.func(
        "jaro_winkler_similarity",
        exp.func("lower", exp.column("v")),
        exp.Literal.string(folded(wanted.value)),
        dialect="duckdb",
    )
    ordered = exp.select("v").from_(values).order_by(likeness.desc()).limit(1000)
    return [str(row[0]) for row in ask(ordered.sql(dialect="duckdb")).rows]
