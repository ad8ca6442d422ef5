"""What the dates of a demand history stand for: days, weeks, months, with a closing day or not."""

import math
from calendar import monthrange
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise

from tools.calc.numbers import BadInput

LONGEST_HISTORY = 3_660
"""In days."""
LAST = 31
CLOSINGS: tuple[tuple[int, ...], ...] = ((LAST,), (15, LAST), (10, 20, LAST))
"""Days that close a month, its halves, its thirds (上旬, 中旬, 下旬)."""
USUAL_CLOSINGS = (5, 10, 15, 20, 25)
SPANS = {12: "year", 6: "half-year", 3: "quarter"}
YEARS = range(1900, 3000)
DAY = timedelta(days=1)


@dataclass(frozen=True)
class Periods:
    """`count` periods of a `kind` from `first` to `last`, both included."""

    kind: str
    first: date
    last: date
    count: int

    @property
    def days(self) -> int:
        return (self.last - self.first).days + 1


@dataclass(frozen=True)
class _Calendar:
    """Periods that close on these days of a month; the labels are their last or their first."""

    closings: tuple[int, ...]
    are_ends: bool

    def closing(self, label: date) -> int | None:
        """The closing day that the label stands for."""
        end = label if self.are_ends else label - DAY
        return next((c for c in self.closings if end.day == _within(end, c)), None)

    def back(self, day: date) -> date:
        """The last closing day before `day`."""
        month_before = day.replace(day=1) - DAY
        own = [_at(m, c) for m in (month_before, day) for c in self.closings]
        return max(d for d in own if d < day)

    def ahead(self, day: date) -> date:
        """The first closing day after `day`."""
        next_month = _at(day, LAST) + DAY
        return min(_at(m, c) for m in (day, next_month) for c in self.closings if _at(m, c) > day)

    def reach(self, labels: Sequence[date], step: int) -> tuple[date, date]:
        """First and last day, each label standing for `step` of the periods."""
        first, last = labels[0], labels[-1]
        if self.are_ends:
            for _ in range(step):
                first = self.back(first)
            return first + DAY, last
        last -= DAY
        for _ in range(step):
            last = self.ahead(last)
        return first, last

    def count(self, first: date, last: date) -> int:
        found, day = 0, first - DAY
        while day < last:
            found, day = found + 1, self.ahead(day)
        return found


def periods(labels: Sequence[date], days: int | None = None) -> Periods:
    """By the dates alone, given in order: each is the first or the last day of its period. `days`:
    how many they are known to cover, which decides where two dates may be two things.

    All on the 1st or on the last day of a month: months. On the 1st, 11th, 21st or 10th, 20th,
    last: thirds of a month; on the 1st, 16th or 15th, last: halves. On one other day of the month:
    months with that closing day (20日締め). Months that lie 3, 6 or 12 apart throughout: quarters,
    half-years, years. Three or more on one weekday: weeks, or as many as lie between all of them.
    All else: days. Raises `BadInput` ("no_period", "bad_value").
    """
    _require_usual(labels)
    return _monthly(labels, days) or _weekly(labels) or _daily(labels)


def _require_usual(labels: Sequence[date]) -> None:
    for day in (labels[0], labels[-1]):
        if day.year not in YEARS:
            raise BadInput("bad_value", f"the demand has the date {day}", "check the dates")
    if (labels[-1] - labels[0]).days > LONGEST_HISTORY:
        hint = f"take at most {LONGEST_HISTORY} days"
        raise BadInput("bad_value", f"the demand is from {labels[0]} to {labels[-1]}", hint)
    if len(labels) < 2:
        hint = "take a history of several days or months, or leave the date out and give days=30"
        raise BadInput("no_period", "the demand has one period only", hint)


def _monthly(labels: Sequence[date], days: int | None) -> Periods | None:
    for calendar in _calendars(labels):
        used = {calendar.closing(day) for day in labels}
        if None in used:
            continue
        if len(calendar.closings) == 1:
            return _by_month(calendar, labels, days)
        if len(used) > 1 and len(labels) > 2:
            first, last = calendar.reach(labels, 1)
            kind = "half a month" if len(calendar.closings) == 2 else "third of a month"
            return Periods(kind, first, last, calendar.count(first, last))
    return None


def _calendars(labels: Sequence[date]) -> Iterator[_Calendar]:
    for closings in CLOSINGS:
        yield _Calendar(closings, are_ends=True)
        yield _Calendar(closings, are_ends=False)
    day = max(label.day for label in labels)
    # The day after a usual closing day begins a period; every other one ends it.
    if day - 1 in USUAL_CLOSINGS:
        yield _Calendar((day - 1,), are_ends=False)
    else:
        yield _Calendar((day,), are_ends=True)


def _by_month(calendar: _Calendar, labels: Sequence[date], days: int | None) -> Periods | None:
    gaps = [(b.year - a.year) * 12 + b.month - a.month for a, b in pairwise(labels)]
    far = math.gcd(*gaps)
    span = next((months for months in SPANS if far % months == 0), 1)
    closes = calendar.closings[0]
    readings = [_months(calendar, labels, months) for months in dict.fromkeys((span, 1))]
    if len(labels) > 2:
        return readings[0]
    if closes != LAST:
        readings.append(_daily(labels))
    return _chosen(readings, days)


def _months(calendar: _Calendar, labels: Sequence[date], months: int) -> Periods:
    first, last = calendar.reach(labels, months)
    closes = calendar.closings[0]
    kind = SPANS.get(months, "month") + (f" closed on day {closes}" if closes != LAST else "")
    return Periods(kind, first, last, calendar.count(first, last) // months)


def _chosen(readings: Sequence[Periods], days: int | None) -> Periods:
    """Of what two dates may be: that which is nearest to the days given."""
    if len(readings) == 1:
        return readings[0]
    if days is not None:
        return min(readings, key=lambda r: abs(r.days - days))
    may_be = ", ".join(f"by {r.kind} {r.days} days" for r in readings)
    hint = f"say how many days they cover (days={readings[0].days}), or take a longer history"
    raise BadInput("no_period", f"the demand has two dates, which may be {may_be}", hint)


def _weekly(labels: Sequence[date]) -> Periods | None:
    if len(labels) < 3 or len({day.weekday() for day in labels}) > 1:
        return None
    weeks = math.gcd(*((b - a).days for a, b in pairwise(labels))) // 7
    last = labels[-1] + timedelta(days=7 * weeks - 1)
    count = ((last - labels[0]).days + 1) // (7 * weeks)
    return Periods("week" if weeks == 1 else f"{weeks} weeks", labels[0], last, count)


def _daily(labels: Sequence[date]) -> Periods:
    return Periods("day", labels[0], labels[-1], (labels[-1] - labels[0]).days + 1)


def _within(month: date, day: int) -> int:
    """That day of the month, the last one where it has not so many."""
    return min(day, monthrange(month.year, month.month)[1])


def _at(month: date, day: int) -> date:
    return month.replace(day=_within(month, day))
