"""Dates in prose, as far as the text states them: a year, a month, a day, a quarter."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from tools.dates.calendar import CalendarSettings
from tools.dates.fold import Folded
from tools.dates.piece import Piece
from tools.dates.rules import Clock
from tools.dates.scan import is_loose_year, pieces

_CLOCK = Clock(date(2090, 1, 1), CalendarSettings(), "ja")
"""Only stated dates are used, so the day is of no account; it must be past every era year."""
_ISO = re.compile(r"(\d{4})-(\d{2})(?:-(\d{2}))?")


@dataclass(frozen=True)
class Stated:
    """0 means that the text does not say. `quarter` 1–4, `half` 1–2, `week` 1–53; `fiscal` for
    fiscal years."""

    year: int = 0
    month: int = 0
    day: int = 0
    quarter: int = 0
    half: int = 0
    week: int = 0
    fiscal: bool = False

    def agrees(self, other: "Stated") -> bool:
        """Whether evidence that says `other` proves this: what is said here is said there.

        A month is proved by a day in it; a day is not proved by its month.
        """
        if self.fiscal != other.fiscal and (self.quarter or self.half):
            return False
        pairs = (
            (self.year, other.year),
            (self.month, other.month),
            (self.day, other.day),
            (self.quarter, other.quarter or _quarter_of(self, other)),
            (self.half, other.half),
            (self.week, other.week),
        )
        return all(not mine or mine == theirs for mine, theirs in pairs)


def _quarter_of(asked: Stated, other: Stated) -> int:
    return (other.month + 2) // 3 if other.month and not asked.fiscal else 0


@dataclass(frozen=True)
class DateItem:
    """`text[start:end]` of the original text; one or, for 3〜5月, two stated dates."""

    text: str
    start: int
    end: int
    stated: tuple[Stated, ...]
    problem: str = ""


def find_dates(original: str, folded: Folded) -> tuple[list[DateItem], list[tuple[int, int]]]:
    """Stated dates, and the folded places of all date expressions (also 先月, last 7 days)."""
    items, spans = [], []
    for found in pieces(folded.text, _CLOCK):
        if is_loose_year(found, folded.text):
            continue
        spans.append((found.start, found.end))
        stated = tuple(_stated(found.piece))
        if (stated and not found.piece.relative) or found.problem:
            start, end = folded.original(found.start, found.end)
            items.append(DateItem(original[start:end], start, end, stated, found.problem))
    return items, spans


def _stated(piece: Piece) -> Iterator[Stated]:
    year, fiscal = piece.year or 0, bool(piece.fiscal)
    unit = piece.unit
    if unit == "span":
        if piece.span is not None:
            yield from_iso(piece.span.end.isoformat()[:7])
    elif unit == "year":
        yield Stated(year=year, fiscal=fiscal)
    elif unit in ("month", "closing"):
        yield Stated(year=year, month=piece.number)
    elif unit == "day":
        yield Stated(year=year, month=piece.number, day=piece.day)
    elif unit == "days":
        yield Stated(year=year, month=piece.number, day=piece.day)
        yield Stated(year=year, month=piece.number, day=piece.last)
    elif unit == "months":
        yield Stated(year=year, month=piece.number)
        yield Stated(year=year, month=piece.day)
    elif unit == "quarter":
        yield Stated(year=year, quarter=piece.number, fiscal=fiscal or piece.fiscal_default)
    elif unit == "half":
        yield Stated(year=year, half=piece.number, fiscal=fiscal)
    elif unit == "week":
        yield Stated(year=year, week=piece.number)


def from_iso(value: str) -> Stated:
    """Of a DATE or TIMESTAMP cell, or YYYY-MM; nothing stated when it is neither."""
    m = _ISO.match(value)
    return Stated(int(m[1]), int(m[2]), int(m[3] or 0)) if m else Stated()
