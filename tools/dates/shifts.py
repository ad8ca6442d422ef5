"""A span moved back: the same a year before, the period just before."""

from dataclasses import replace
from datetime import date, timedelta

from tools.dates.calendar import Span, add_months, exact_day, iso_week, month_span


def is_whole_months(span: Span) -> bool:
    return span.start.day == 1 and (span.end + timedelta(days=1)).day == 1


def months_of(span: Span) -> int:
    """How many calendar months it touches."""
    return (span.end.year - span.start.year) * 12 + span.end.month - span.start.month + 1


def a_year_before(span: Span) -> Span:
    """Whole months stay whole months and a week the week of its number; else the same days.

    Raises `NoSuchDateError` when that year lacks the day or the week.
    """
    notes = (*span.notes, "year_before")
    if is_whole_months(span):
        return Span(*month_span(span.start.year - 1, span.start.month, months_of(span)), notes)
    if {"week_start", "iso_week"} & set(span.notes) and (span.end - span.start).days == 6:
        return _same_week_before(span, notes)
    return Span(_same_day_before(span.start), _same_day_before(span.end), notes)


def _same_week_before(span: Span, notes: tuple[str, ...]) -> Span:
    """The ISO week of the same number; of weeks that begin on another day, 52 weeks before."""
    if span.start.weekday() == 0:
        year, week, _ = span.start.isocalendar()
        return replace(iso_week(year - 1, week), notes=notes)
    back = timedelta(weeks=52)
    return Span(span.start - back, span.end - back, notes)


def _same_day_before(day: date) -> date:
    return exact_day(day.year - 1, day.month, day.day)


def period_before(span: Span) -> Span:
    """The base of 前月比, MoM and 环比: as many months, or else as many days, just before."""
    notes = (*span.notes, "period_before")
    last = span.start - timedelta(days=1)
    if is_whole_months(span):
        return Span(add_months(span.start, -months_of(span)), last, notes)
    return Span(last - (span.end - span.start), last, notes)
