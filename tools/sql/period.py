"""The period that a question names against the one that its query filters by."""

from collections.abc import Iterator
from datetime import date, timedelta

from sqlglot import exp

from ingest.store import Catalog
from tools.dates import CalendarSettings, DateRange, mentions
from tools.errors import ToolRetry
from tools.sql.references import used_tables

# What works a period out by itself; its result cannot be read off the query.
_WORKED_OUT = (exp.Extract, exp.DateTrunc, exp.TimestampTrunc, exp.Year, exp.Month, exp.Interval)
_DAY = timedelta(days=1)


def check_period(tree: exp.Expr, question: str, today: date, catalog: Catalog) -> None:
    """Raises `ToolRetry` "other_period" when the query leaves a period of the question out that
    its tables have data of. Single days, and queries that work their days out, pass."""
    if any(tree.find(kind) for kind in _WORKED_OUT):
        return
    days = set(_days(tree, catalog))
    for period in _periods(question, today, catalog):
        if not _is_used(period, days) and _has_data(period, tree, catalog):
            told = ", ".join(d.isoformat() for d in sorted(days)) or "all days"
            raise ToolRetry(
                "other_period",
                f"the question asks for {period.start} to {period.end}, the query for {told}",
                f"filter the date BETWEEN DATE '{period.start}' AND DATE '{period.end}'",
            )


def _has_data(period: DateRange, tree: exp.Expr, catalog: Catalog) -> bool:
    return any(
        t.data_from <= period.end and period.start <= t.data_to
        for t in used_tables(tree, catalog)
        if t.data_from is not None and t.data_to is not None
    )


def _periods(question: str, today: date, catalog: Catalog) -> list[DateRange]:
    found = mentions(question, today, CalendarSettings.of(catalog))
    return [m.range for m in found if m.range is not None and m.range.start < m.range.end]


def _is_used(period: DateRange, days: set[date]) -> bool:
    """By its last day alone too: stock at the end of a period."""
    ends = {period.end, period.end + _DAY}
    starts = {period.start, period.start - _DAY}
    return bool(days & ends) and (bool(days & starts) or len(days) == 1)


def _days(tree: exp.Expr, catalog: Catalog) -> Iterator[date]:
    """The days that columns of the catalog are compared with."""
    dated = {
        c.name.lower()
        for table in used_tables(tree, catalog)
        for c in table.columns
        if c.type.startswith(("DATE", "TIMESTAMP"))
    }
    for literal in tree.find_all(exp.Literal):
        comparison = literal.find_ancestor(exp.Predicate)
        if not literal.is_string or comparison is None:
            continue
        if any(column.name.lower() in dated for column in comparison.find_all(exp.Column)):
            try:
                yield date.fromisoformat(literal.name[:10])
            except ValueError:
                continue
