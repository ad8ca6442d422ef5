"""The business calendar: fiscal years, closing days, weeks and month arithmetic."""

from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from ingest.store import Catalog

Unit = Literal["day", "week", "month", "quarter", "half", "year"]
MONTHS: dict[str, int] = {"month": 1, "quarter": 3, "half": 6, "year": 12}


@dataclass(frozen=True)
class CalendarSettings:
    """`fiscal_year_start` is a month; `closing_day` 1–31 (past the end: the month's last day);
    `week_start` 0 is Monday."""

    fiscal_year_start: int = 4
    closing_day: int | None = None
    week_start: int = 0
    fiscal_assumed: bool = False
    """Nobody said in which month the fiscal year begins: `fiscal_year_start` is the default."""

    @classmethod
    def of(cls, catalog: Catalog) -> "CalendarSettings":
        return cls(
            catalog.fiscal_year_start,
            catalog.closing_day,
            catalog.week_start,
            "fiscal_year_start" in catalog.assumed,
        )

    @property
    def quarters_agree(self) -> bool:
        """Whether fiscal quarters begin on the first day of calendar quarters."""
        return (self.fiscal_year_start - 1) % 3 == 0


@dataclass(frozen=True)
class Span:
    """Days from `start` to `end`, both included. `notes` are keys of the label's remarks."""

    start: date
    end: date
    notes: tuple[str, ...] = ()


class NoSuchDateError(ValueError):
    """The calendar has no such day, month, era year or week; the text is what was asked for."""


def add_months(day: date, months: int) -> date:
    """The same day `months` away, or that month's last day where it has no such day."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def month_span(year: int, month: int, months: int = 1) -> tuple[date, date]:
    first = date(year, month, 1)
    return first, add_months(first, months) - timedelta(days=1)


def exact_day(year: int, month: int, day: int) -> date:
    """Raises `NoSuchDateError`, never clamps."""
    try:
        return date(year, month, day)
    except ValueError:
        raise NoSuchDateError(f"{year}-{month:02d}-{day:02d}") from None


def fiscal_year_of(day: date, start_month: int) -> int:
    return day.year if day.month >= start_month else day.year - 1


def period(day: date, unit: Unit, offset: int, settings: CalendarSettings, fiscal: bool) -> Span:
    """The whole period of `unit` that holds `day`, moved by `offset` periods."""
    if unit == "day":
        moved = day + timedelta(days=offset)
        return Span(moved, moved)
    if unit == "week":
        first = day - timedelta(days=(day.weekday() - settings.week_start) % 7 - 7 * offset)
        return Span(first, first + timedelta(days=6))
    size = MONTHS[unit]
    base = settings.fiscal_year_start if fiscal else 1
    into = (day.month - base) % 12 % size
    first = add_months(day.replace(day=1), offset * size - into)
    return Span(*month_span(first.year, first.month, size))


def closing_span(year: int, month: int, closing_day: int) -> Span:
    """月度: from the day after the last closing day to this month's closing day."""

    def closes(first: date) -> date:
        return first.replace(day=min(closing_day, monthrange(first.year, first.month)[1]))

    first = date(year, month, 1)
    return Span(closes(add_months(first, -1)) + timedelta(days=1), closes(first))


def closing_month(day: date, closing_day: int) -> tuple[int, int]:
    """Year and month of the 月度 that holds `day`."""
    first = day.replace(day=1)
    if day > closing_span(day.year, day.month, closing_day).end:
        first = add_months(first, 1)
    return first.year, first.month


def iso_week(year: int, week: int) -> Span:
    try:
        monday = date.fromisocalendar(year, week, 1)
    except ValueError:
        raise NoSuchDateError(f"{year}-W{week:02d}") from None
    return Span(monday, monday + timedelta(days=6))
