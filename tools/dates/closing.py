"""Closing days as written (20日締め, 月末締め), and the periods that they make of months."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from tools.dates.calendar import (
    CalendarSettings,
    NoSuchDateError,
    Span,
    add_months,
    closing_month,
    closing_span,
    month_span,
)
from tools.dates.numerals import whole
from tools.dates.piece import Piece

DAY = r"(?:\d{1,2}|[一二三四五六七八九十]{1,3}|月?末)"
CLOSES = r"(?:締(?:め日?|日)?(?!切|め切|結)|结算)"
_PHRASE = re.compile(
    rf"[(]?\s*(?:毎月|每月)?(?:締め?日(?:は|が|:)?\s*(?P<after>{DAY})日?"
    rf"|(?<![\d一二三四五六七八九十])(?<!\d月)(?<!十月)(?P<before>{DAY})日?\s*{CLOSES})\s*[)]?"
)
_PAYMENT = re.compile(r"\s*(?:の?翌|・?翌々?月|.{0,4}払)")
_SENTENCE = re.compile(r"[^。!?！？\n;；]+")


def closing_day(text: str | None) -> int | None:
    """20 of 20, 二十; 31, which is every month's last day, of 末."""
    if not text:
        return None
    return 31 if "末" in text else whole(text)


def without_phrases(text: str) -> str:
    """The text without its closing days, which `closed` has applied."""
    return _PHRASE.sub(" ", text)


def says_closing(text: str) -> bool:
    return _PHRASE.search(text) is not None


def closed(piece: Piece, day: int | None) -> Piece | None:
    """The month as a closing period; None for what is no month, or has a closing day of its own.

    A day that closes (10月20日締め) is the period that ends on it.
    """
    if piece.edge or (piece.closing_day is not None and day is not None):
        return None
    if piece.unit == "day" and day is None:
        return replace(piece, unit="closing", closing_day=piece.day, day=0)
    if piece.unit in ("month", "closing"):
        return replace(piece, unit="closing", closing_day=day)
    if piece.month_offset is not None:
        return replace(piece, unit="closing", closing_day=day, span=None)
    return None


def closing_days(text: str) -> Iterator[tuple[int, int, int]]:
    """Start and end of each sentence that names one closing day, terms of payment apart; the day."""
    if "締" not in text and "结算" not in text:
        return
    for sentence in _SENTENCE.finditer(text):
        start, end = sentence.span()
        days = {
            closing_day(m["after"] or m["before"])
            for m in _PHRASE.finditer(text, start, end)
            if not _PAYMENT.match(text, m.end())
        }
        day = days.pop() if len(days) == 1 else None
        if day is not None:
            yield start, end, day


def closing_period(piece: Piece, today: date, year: int, settings: CalendarSettings) -> Span:
    """The closing period that is named by a month, or counted from the one that holds `today`."""
    day = settings.closing_day if piece.closing_day is None else piece.closing_day
    month = piece.number
    if day is not None and not 1 <= day <= 31:
        raise NoSuchDateError(f"closing day {day}")
    notes: tuple[str, ...] = ("no_closing_day",) if day is None else ("closing",)
    if piece.month_offset is not None:
        year, month = closing_month(today, 31 if day is None else day)
        first = add_months(date(year, month, 1), piece.month_offset)
        year, month = first.year, first.month
        notes = (*notes, "closing_now") if day is not None else notes
    if day is None:
        return Span(*month_span(year, month), notes)
    return replace(closing_span(year, month, day), notes=notes)


def closing_before(span: Span, day: int, months: int) -> Span:
    """The closing period so many months earlier; it ends in the month that names it."""
    first = add_months(span.end.replace(day=1), -months)
    return replace(closing_span(first.year, first.month, day), notes=span.notes)
