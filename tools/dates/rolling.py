"""Windows that end today, windows that begin today, and "to date"."""

from datetime import date, timedelta
from typing import Literal

from tools.dates.calendar import CalendarSettings, NoSuchDateError, Span, Unit, add_months, period
from tools.dates.piece import Piece

ToDateUnit = Literal["week", "month", "quarter", "half", "year"]
_MONTHS_OF = {"month": 1, "quarter": 3, "half": 6, "year": 12}
_DAYS_OF = {"day": 1, "week": 7}
_LONGEST = 12_000


def _checked(count: int) -> int:
    if not 1 <= count <= _LONGEST:
        raise NoSuchDateError(f"a window of {count}")
    return count


def last(count: int, unit: Unit, today: date) -> Piece:
    """Ends today, today included; months begin the day after the same day that long ago."""
    count = _checked(count)
    if unit in _DAYS_OF:
        start = today - timedelta(days=count * _DAYS_OF[unit] - 1)
    else:
        start = add_months(today, -count * _MONTHS_OF[unit]) + timedelta(days=1)
    return Piece("span", span=Span(start, today, ("rolling",)), relative=True)


def coming(count: int, unit: Unit, today: date) -> Piece:
    """Begins today, today included."""
    count = _checked(count)
    if unit in _DAYS_OF:
        end = today + timedelta(days=count * _DAYS_OF[unit] - 1)
    else:
        end = add_months(today, count * _MONTHS_OF[unit]) - timedelta(days=1)
    return Piece("span", span=Span(today, end, ("coming",)), relative=True)


def complete(count: int, unit: Unit, today: date, settings: CalendarSettings) -> Piece:
    """The last `count` whole periods, never the current one."""
    count = _checked(count)
    first = period(today, unit, -count, settings, fiscal=False)
    final = period(today, unit, -1, settings, fiscal=False)
    return Piece("span", span=Span(first.start, final.end, ("complete",)), relative=True)


def ago(count: int, unit: Unit, today: date, settings: CalendarSettings) -> Piece:
    """3日前 is a day; 3週間前, 3か月前, 3年前 are whole periods."""
    span = period(today, unit, -_checked(count), settings, fiscal=False)
    notes = () if unit == "day" else ("whole_period",)
    return Piece("span", span=Span(span.start, span.end, notes), relative=True)


def to_date(
    unit: ToDateUnit,
    today: date,
    settings: CalendarSettings,
    fiscal: bool,
) -> Piece:
    start = period(today, unit, 0, settings, fiscal).start
    kind = ("fiscal",) if fiscal else ("calendar",) if unit == "year" else ()
    return Piece("span", span=Span(start, today, (*kind, "to_date")), relative=True)
