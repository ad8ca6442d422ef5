"""A date expression as read, before today and the calendar settings fix it to days."""

from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Literal

from tools.dates.calendar import (
    CalendarSettings,
    NoSuchDateError,
    Span,
    add_months,
    closing_span,
    exact_day,
    fiscal_year_of,
    iso_week,
    month_span,
    period,
)
from tools.dates.eras import check_in_era

PieceUnit = Literal[
    "span", "year", "half", "quarter", "month", "months", "day", "days", "week", "closing"
]
Edge = Literal["first", "last", "early", "middle", "late"]


@dataclass(frozen=True)
class Piece:
    """What one expression says. `number` is the month, quarter, half or week; for `months` the
    first month and `day` the last; for `days` those from `day` to `last`; `fiscal` None means
    that the text does not say."""

    unit: PieceUnit
    number: int = 0
    day: int = 0
    last: int = 0
    year: int | None = None
    fiscal: bool | None = None
    fiscal_default: bool = False
    era: str | None = None
    span: Span | None = None
    edge: Edge | None = None
    closing_day: int | None = None
    relative: bool = False
    """Counted from today."""
    weak: bool = False
    """A bare number that is a year only beside another date or after a preposition."""
    years_back: int = 0
    periods_back: int = 0

    @property
    def takes_year(self) -> bool:
        return self.year is None and self.unit not in ("span", "year")


def settle(
    piece: Piece, today: date, settings: CalendarSettings, after: date | None = None
) -> Span:
    """The days. A part without a year is the most recent one that has begun, or, when `after`
    is given (the start of the range that it closes), the first that begins on or after it.

    Raises `NoSuchDateError`.
    """
    span = _back(piece, _whole(piece, today, settings, after), settings)
    return _edged(piece, span) if piece.edge else span


def _whole(piece: Piece, today: date, settings: CalendarSettings, after: date | None) -> Span:
    if piece.span is not None:
        return piece.span
    if piece.unit == "year":
        return _year(piece, settings)
    fiscal = piece.fiscal if piece.fiscal is not None else piece.fiscal_default
    if piece.year is not None:
        return _in_year(piece, piece.year, fiscal, settings)
    base = fiscal_year_of(today, settings.fiscal_year_start) if fiscal else today.year
    if piece.unit == "week":
        base = today.isocalendar().year
    if after is not None:
        years = range(after.year - 1, after.year + 3)
        found = [s for s in _each(piece, years, fiscal, settings) if s.start >= after]
        chosen = found[0] if found else None
    else:
        begun = [
            s for s in _each(piece, range(base - 8, base + 2), fiscal, settings) if s.start <= today
        ]
        chosen = begun[-1] if begun else None
    if chosen is None:
        raise NoSuchDateError(describe(piece))
    return replace(chosen, notes=(*chosen.notes, "no_year")) if after is None else chosen


def _each(piece: Piece, years: range, fiscal: bool, settings: CalendarSettings) -> list[Span]:
    spans = []
    for year in years:
        try:
            spans.append(_in_year(piece, year, fiscal, settings))
        except NoSuchDateError:
            continue
    return spans


def _year(piece: Piece, settings: CalendarSettings) -> Span:
    year = piece.year or 0
    if not 1 <= year <= 9998:
        raise NoSuchDateError(str(year))
    if piece.fiscal:
        return Span(*month_span(year, settings.fiscal_year_start, 12), ("fiscal",))
    return Span(*month_span(year, 1, 12), ("calendar",))


def _in_year(piece: Piece, year: int, fiscal: bool, settings: CalendarSettings) -> Span:
    """A part of a year. In a fiscal year the months before its start are the next year's."""
    if not 1 <= year <= 9998:
        raise NoSuchDateError(str(year))
    if piece.unit == "week":
        return replace(iso_week(year, piece.number), notes=("iso_week",))
    if piece.unit in ("quarter", "half"):
        return _nth(piece, year, fiscal, settings)
    if not 1 <= piece.number <= 12:
        raise NoSuchDateError(f"{year}-{piece.number:02d}")
    shift = 1 if fiscal and piece.number < settings.fiscal_year_start else 0
    return _PARTS.get(piece.unit, _month)(piece, year + shift, settings)


def _month(piece: Piece, year: int, settings: CalendarSettings) -> Span:
    return Span(*month_span(year, piece.number))


def _day(piece: Piece, year: int, settings: CalendarSettings) -> Span:
    day = exact_day(year, piece.number, piece.day)
    if piece.era:
        check_in_era(piece.era, day)
    return Span(day, day)


def _days(piece: Piece, year: int, settings: CalendarSettings) -> Span:
    first = exact_day(year, piece.number, piece.day)
    return _ordered(first, exact_day(year, piece.number, piece.last))


def _nth(piece: Piece, year: int, fiscal: bool, settings: CalendarSettings) -> Span:
    size = 3 if piece.unit == "quarter" else 6
    if not 1 <= piece.number <= 12 // size:
        raise NoSuchDateError(describe(piece))
    first = date(year, settings.fiscal_year_start if fiscal else 1, 1)
    first = add_months(first, (piece.number - 1) * size)
    note = "fiscal" if fiscal else "calendar"
    return Span(*month_span(first.year, first.month, size), (note,))


def _closing(piece: Piece, year: int, settings: CalendarSettings) -> Span:
    closing_day = piece.closing_day or settings.closing_day
    if closing_day is None:
        return Span(*month_span(year, piece.number), ("no_closing_day",))
    if not 1 <= closing_day <= 31:
        raise NoSuchDateError(f"closing day {closing_day}")
    return replace(closing_span(year, piece.number, closing_day), notes=("closing",))


def _months(piece: Piece, year: int, settings: CalendarSettings) -> Span:
    if not 1 <= piece.day <= 12:
        raise NoSuchDateError(f"{year}-{piece.day:02d}")
    last_year = year + 1 if piece.day < piece.number and piece.year is None else year
    return _ordered(date(year, piece.number, 1), month_span(last_year, piece.day)[1])


def _ordered(first: date, last: date) -> Span:
    if last < first:
        raise NoSuchDateError(f"{first.isoformat()} > {last.isoformat()}")
    return Span(first, last)


_PARTS = {"day": _day, "days": _days, "months": _months, "closing": _closing}


def _back(piece: Piece, span: Span, settings: CalendarSettings) -> Span:
    """前年同月 and the period just before. A whole month stays a whole month."""
    for _ in range(piece.years_back):
        span = a_year_before(span)
    for _ in range(piece.periods_back):
        span = period_before(span)
    return span


def is_whole_months(span: Span) -> bool:
    return span.start.day == 1 and (span.end + timedelta(days=1)).day == 1


def a_year_before(span: Span) -> Span:
    notes = (*span.notes, "year_before")
    start = _same_day_before(span.start)
    if is_whole_months(span):
        months = (span.end.year - span.start.year) * 12 + span.end.month - span.start.month + 1
        return Span(*month_span(start.year, start.month, months), notes)
    return Span(start, _same_day_before(span.end), notes)


def _same_day_before(day: date) -> date:
    return exact_day(day.year - 1, day.month, day.day)


def period_before(span: Span) -> Span:
    """The base of 前月比, MoM and 环比: as many months, or else as many days, just before."""
    notes = (*span.notes, "period_before")
    last = span.start - timedelta(days=1)
    if is_whole_months(span):
        months = (span.end.year - span.start.year) * 12 + span.end.month - span.start.month + 1
        return Span(add_months(span.start, -months), last, notes)
    return Span(last - (span.end - span.start), last, notes)


def _edged(piece: Piece, span: Span) -> Span:
    if piece.edge == "first":
        return Span(span.start, span.start, span.notes)
    if piece.edge == "last":
        return Span(span.end, span.end, span.notes)
    first, last = {"early": (1, 10), "middle": (11, 20), "late": (21, 31)}[str(piece.edge)]
    if not is_whole_months(span) or span.start.month != span.end.month:
        raise NoSuchDateError(f"{span.start.isoformat()}–{span.end.isoformat()}")
    end = min(span.end, span.start + timedelta(days=last - 1))
    return Span(span.start + timedelta(days=first - 1), end, span.notes)


def whole_period(
    unit: Literal["day", "week", "month", "quarter", "half", "year"],
    offset: int,
    today: date,
    settings: CalendarSettings,
    fiscal: bool,
) -> Piece:
    """今月, last quarter: a named period counted from today. A year can still take a part."""
    if unit == "year":
        current = fiscal_year_of(today, settings.fiscal_year_start) if fiscal else today.year
        return Piece("year", year=current + offset, fiscal=fiscal, relative=True)
    span = period(today, unit, offset, settings, fiscal)
    notes: tuple[str, ...] = ()
    if unit == "week":
        notes = ("week_start",)
    elif unit == "half" or (unit == "quarter" and not settings.quarters_agree):
        notes = ("fiscal" if fiscal else "calendar",)
    return Piece("span", span=replace(span, notes=notes), relative=True)


def describe(piece: Piece) -> str:
    year = "" if piece.year is None else f"{piece.year} "
    if piece.day:
        return f"{year}month {piece.number} day {piece.day}"
    return f"{year}{piece.unit} {piece.number}"
