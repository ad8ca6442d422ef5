"""The period that a question names against the one that its query filters by."""

from collections.abc import Iterator
from datetime import date, timedelta

from sqlglot import exp

from ingest.store import Catalog, TableRecord
from tools.dates import CalendarSettings, DateRange, Mention, mentions
from tools.errors import ToolRetry
from tools.sql.months import Unreadable, months_of
from tools.sql.references import used_tables
from tools.sql.sources import group_keys
from tools.sql.years import has_days, says_years_of

_DAY = timedelta(days=1)


def check_period(tree: exp.Expr, question: str, today: date, catalog: Catalog) -> None:
    """Raises `ToolRetry` "other_period" when the query leaves a period of the question out that
    its tables have data of, or asks for another day. Queries that work their days out by more
    than months and years pass, and those that add up by date over more than the period."""
    tables = used_tables(tree, catalog)
    dated = {
        c.name.lower()
        for t in tables
        for c in t.columns
        if c.type.startswith(("DATE", "TIMESTAMP"))
    }
    if _names_period(tree, tables, dated):
        return
    try:
        spans = months_of(tree, dated)
    except Unreadable:
        return
    days = {*_days(tree, dated), *(day for span in spans for day in span)}
    # Stock at the end of a period is asked for by that day alone.
    before = {day for compared, day in _comparisons(tree, dated) if isinstance(compared, exp.LT)}
    periods = _periods(tree, question, today, catalog)
    by_month = all(_is_by_month(t) for t in tables if t.date_column is not None)
    reached = min(today, max((t.data_to for t in tables if t.data_to is not None), default=today))
    for period in periods:
        if not has_days(period, tables) or (by_month and _has_months_of(period, days)):
            continue
        if period.start == period.end:
            used = bool(days & _edges(periods)) or not _only_days(days, tree, dated)
        else:
            last = days == {period.end} or (days == {period.end + _DAY} and before == days)
            used = last or _is_used(period, days, reached) or _is_shown(period, days, tree, dated)
        if not used:
            raise _other(period, days)


def _names_period(tree: exp.Expr, tables: list[TableRecord], dated: set[str]) -> bool:
    """Whether a month that stands as a text or a number (`年月 = '2026-10'`) is asked for."""
    named = {name.lower() for t in tables for name in t.period} - dated
    columns = (c for c in tree.find_all(exp.Column) if c.name.lower() in named)
    return any(
        isinstance(c.find_ancestor(exp.Predicate, exp.Query), exp.Predicate) for c in columns
    )


def _is_by_month(table: TableRecord) -> bool:
    """Whether a table has one date a month, be it the first, the last or another day of it."""
    column = table.column(table.date_column or "")
    if column is None or table.data_from is None or table.data_to is None:
        return False
    years = table.data_to.year - table.data_from.year
    return 1 < column.distinct <= years * 12 + table.data_to.month - table.data_from.month + 1


def _has_months_of(period: DateRange, days: set[date]) -> bool:
    months = {(day.year, day.month) for day in days}
    return {(day.year, day.month) for day in (period.start, period.end)} <= months


def _other(period: DateRange, days: set[date]) -> ToolRetry:
    told = ", ".join(d.isoformat() for d in sorted(days)) or "all days"
    if period.start == period.end:
        asked, fix = f"{period.start}", f"= DATE '{period.start}'"
    else:
        asked = f"{period.start} to {period.end}"
        fix = f"BETWEEN DATE '{period.start}' AND DATE '{period.end}'"
    message = f"the question asks for {asked}, the query for {told}"
    return ToolRetry("other_period", message, f"filter the date {fix}")


def _periods(tree: exp.Expr, question: str, today: date, catalog: Catalog) -> list[DateRange]:
    found = mentions(question, today, CalendarSettings.of(catalog))
    texts = [literal.name.casefold() for literal in tree.find_all(exp.Literal)]
    periods = [m.range for m in found if m.range is not None and not _is_code(m, texts)]
    return [period for period in periods if not says_years_of(tree, period, catalog)]


def _is_code(mention: Mention, texts: list[str]) -> bool:
    """`W01` is a warehouse where the query compares it as a text, and no week."""
    return mention.text.strip().casefold() in texts and not mention.text.strip().isdigit()


def _is_used(period: DateRange, days: set[date], reached: date) -> bool:
    """A period that lasts until today, or to the last day that there is, may be left open at that
    end."""
    ends = {period.end, period.end + _DAY}
    starts = {period.start, period.start - _DAY}
    if days & ends and days & starts:
        return True
    if period.end < reached:
        return False
    return bool(days & starts) and (len(days) == 1 or max(days) >= min(reached, period.end))


def _is_shown(period: DateRange, days: set[date], tree: exp.Expr, dated: set[str]) -> bool:
    """Whether the query takes in the period and adds up by date: month by month."""
    if not days or min(days) > period.start or (len(days) > 1 and max(days) < period.end):
        return False
    return any(
        column.name.lower() in dated
        for select in tree.find_all(exp.Select)
        for key in group_keys(select) or ()
        for column in key.find_all(exp.Column)
    )


def _edges(periods: list[DateRange]) -> set[date]:
    """The first and last days of all that the question names, and those beside them."""
    days = {day for period in periods for day in (period.start, period.end)}
    return {day + _DAY * by for day in days for by in (-1, 0, 1)}


def _only_days(days: set[date], tree: exp.Expr, dated: set[str]) -> bool:
    """Whether the query asks for single days, and no range that may hold another."""
    compared = [comparison for comparison, _ in _comparisons(tree, dated)]
    return bool(days) and all(isinstance(c, exp.EQ | exp.In) for c in compared)


def _days(tree: exp.Expr, dated: set[str]) -> Iterator[date]:
    """The days that columns of the catalog are compared with."""
    for _, day in _comparisons(tree, dated):
        yield day


def _comparisons(tree: exp.Expr, dated: set[str]) -> Iterator[tuple[exp.Expr, date]]:
    for literal in tree.find_all(exp.Literal):
        comparison = literal.find_ancestor(exp.Predicate)
        if not literal.is_string or comparison is None:
            continue
        if any(column.name.lower() in dated for column in comparison.find_all(exp.Column)):
            try:
                yield comparison, date.fromisoformat(literal.name[:10])
            except ValueError:
                continue
