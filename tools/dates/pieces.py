"""From a piece to days: today and the calendar settings fix what a date expression says."""

from dataclasses import replace
from datetime import date, timedelta

from tools.dates.calendar import (
    CalendarSettings,
    NoSuchDateError,
    Span,
    Unit,
    add_months,
    exact_day,
    fiscal_year_of,
    iso_week,
    month_span,
    period,
)
from tools.dates.closing import closing_before, closing_period
from tools.dates.eras import check_in_era
from tools.dates.piece import Piece
from tools.dates.shifts import a_year_before, is_whole_months, period_before


def settle(
    piece: Piece, today: date, settings: CalendarSettings, after: date | None = None
) -> Span:
    """The days. A part without a year is the most recent one that has begun, or, when `after`
    is given (the start of the range that it closes), the first that begins on or after it.

    Raises `NoSuchDateError`.
    """
    span = _back(piece, _whole(piece, today, settings, after), settings)
    if piece.cumulative:
        span = _cumulated(piece, span)
    return _edged(piece, span) if piece.edge else span


def _whole(piece: Piece, today: date, settings: CalendarSettings, after: date | None) -> Span:
    if piece.span is not None:
        return piece.span
    if piece.unit == "year":
        return _year(piece, settings)
    if piece.month_offset is not None:
        return closing_period(piece, today, today.year, settings)
    fiscal = piece.fiscal if piece.fiscal is not None else piece.fiscal_default
    if piece.year is not None:
        return _in_year(piece, piece.year, fiscal, today, settings)
    base = fiscal_year_of(today, settings.fiscal_year_start) if fiscal else today.year
    if piece.unit == "week":
        base = today.isocalendar().year
    if after is not None:
        years = range(after.year - 1, after.year + 3)
        found = [s for s in _each(piece, years, fiscal, today, settings) if s.start >= after]
        chosen = found[0] if found else None
    else:
        begun = [
            s
            for s in _each(piece, range(base - 8, base + 2), fiscal, today, settings)
            if s.start <= today
        ]
        chosen = begun[-1] if begun else None
    if chosen is None:
        raise NoSuchDateError(describe(piece))
    return replace(chosen, notes=(*chosen.notes, "no_year")) if after is None else chosen


def _each(
    piece: Piece, years: range, fiscal: bool, today: date, settings: CalendarSettings
) -> list[Span]:
    spans = []
    for year in years:
        try:
            spans.append(_in_year(piece, year, fiscal, today, settings))
        except NoSuchDateError:
            continue
    return spans


def _year(piece: Piece, settings: CalendarSettings) -> Span:
    year = piece.year or 0
    if not 1 <= year <= 9998:
        raise NoSuchDateError(str(year))
    if piece.fiscal:
        return Span(*month_span(year, settings.fiscal_year_start, 12), _fiscal_notes(piece))
    return Span(*month_span(year, 1, 12), ("calendar",))


def _in_year(
    piece: Piece, year: int, fiscal: bool, today: date, settings: CalendarSettings
) -> Span:
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
    if piece.unit == "closing":
        return closing_period(piece, today, year + shift, settings)
    return _PARTS.get(piece.unit, _month)(piece, year + shift)


def _month(piece: Piece, year: int) -> Span:
    return Span(*month_span(year, piece.number))


def _day(piece: Piece, year: int) -> Span:
    day = exact_day(year, piece.number, piece.day)
    if piece.era:
        check_in_era(piece.era, day)
    return Span(day, day)


def _days(piece: Piece, year: int) -> Span:
    first = exact_day(year, piece.number, piece.day)
    return _ordered(first, exact_day(year, piece.number, piece.last))


def _nth(piece: Piece, year: int, fiscal: bool, settings: CalendarSettings) -> Span:
    size = 3 if piece.unit == "quarter" else 6
    if not 1 <= piece.number <= 12 // size:
        raise NoSuchDateError(describe(piece))
    first = date(year, settings.fiscal_year_start if fiscal else 1, 1)
    first = add_months(first, (piece.number - 1) * size)
    notes = _fiscal_notes(piece) if fiscal else ("calendar",)
    return Span(*month_span(first.year, first.month, size), notes)


def _fiscal_notes(piece: Piece) -> tuple[str, ...]:
    """A fiscal year that is called by its number could be named by the year in which it ends."""
    numbered = piece.year is not None and not piece.relative
    return ("fiscal", "fiscal_named") if numbered else ("fiscal",)


def _months(piece: Piece, year: int) -> Span:
    if not 1 <= piece.day <= 12:
        raise NoSuchDateError(f"{year}-{piece.day:02d}")
    last_year = year + 1 if piece.day < piece.number and piece.year is None else year
    return _ordered(date(year, piece.number, 1), month_span(last_year, piece.day)[1])


def _ordered(first: date, last: date) -> Span:
    if last < first:
        raise NoSuchDateError(f"{first.isoformat()} > {last.isoformat()}")
    return Span(first, last)


_PARTS = {"day": _day, "days": _days, "months": _months}


def _back(piece: Piece, span: Span, settings: CalendarSettings) -> Span:
    """前年同月 and the period just before. A whole month stays a whole month, and a closing period
    a closing period."""
    day = settings.closing_day if piece.closing_day is None else piece.closing_day
    if day is not None and "closing" in span.notes:
        notes = ("year_before",) * piece.years_back + ("period_before",) * piece.periods_back
        moved = closing_before(span, day, 12 * piece.years_back + piece.periods_back)
        return replace(moved, notes=(*span.notes, *notes))
    for _ in range(piece.years_back):
        span = a_year_before(span)
    if piece.years_back > 1:
        notes = tuple(n for n in span.notes if n != "year_before")
        span = replace(span, notes=(*notes, "years_before"))
    for _ in range(piece.periods_back):
        span = period_before(span)
    return span


def _cumulated(piece: Piece, span: Span) -> Span:
    size = 3 if piece.unit == "quarter" else 6
    start = add_months(span.start, -size * (piece.number - 1))
    return Span(start, span.end, (*span.notes, "cumulative"))


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
    unit: Unit,
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
    months_away = offset if unit == "month" else None
    return Piece("span", span=replace(span, notes=notes), relative=True, month_offset=months_away)


def describe(piece: Piece) -> str:
    year = "" if piece.year is None else f"{piece.year} "
    if piece.day:
        return f"{year}month {piece.number} day {piece.day}"
    return f"{year}{piece.unit} {piece.number}"
