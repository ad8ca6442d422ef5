"""From pieces to days: ranges put together, open ends and unread words noticed."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

from tools.dates.calendar import NoSuchDateError, Span
from tools.dates.pieces import Piece, settle
from tools.dates.rules import Clock
from tools.dates.scan import Found, before, is_loose_year, pieces

Trouble = Literal["", "no_such", "open", "unread"]

_CONNECT = re.compile(
    r"\s*(?:から|より|[-~〜～–—]|\bto\b|\bthrough\b|\bthru\b|\buntil\b|\btill\b|至|到)\s*(?:the\s+)?",
    re.IGNORECASE,
)
_AND = re.compile(r"\s*(?:and|と|和|与)\s*", re.IGNORECASE)
_BETWEEN = re.compile(r"between\s+(?:the\s+)?$", re.IGNORECASE)
_BETWEEN_AFTER = re.compile(r"\s*(?:の間|之间|之間)")
_FROM = re.compile(r"(?:\bfrom\s+(?:the\s+)?|从|從|自)\s*$", re.IGNORECASE)
_CLOSE = re.compile(r"\s*(?:まで|の間|之间|之間|为止|為止|末まで)?")
_SINCE_BEFORE = re.compile(r"(?:\bsince\s+(?:the\s+)?|自)\s*$", re.IGNORECASE)
_SINCE_AFTER = re.compile(r"\s*(?:以降|以来|以后|以後|onwards?\b|至今)")
_OPEN_BEFORE = re.compile(
    r"\b(?:until|till|before|up\s+to|prior\s+to|by|after)\s+(?:the\s+)?$", re.IGNORECASE
)
_OPEN_AFTER = re.compile(r"\s*(?:まで(?!に入)|以前|之前|より前|より後|之后|之後)")
_UNREAD_BEFORE = re.compile(
    r"(?:\b(?:early|late|mid|week\s+of|same\s+period(?:\s+of)?|except|excluding)[\s-]*(?:the\s+|in\s+)?|同期)$",
    re.IGNORECASE,
)
_UNREAD_AFTER = re.compile(
    r"\s*の?同期|\s*の?[前後]半|以外|を除|除く|\s*(?:season|weekends?|weekdays?)\b|の?(?:平日|週末|営業日)|的?工作日",
    re.IGNORECASE,
)
_DAY_ONLY = re.compile(r"(\d{1,2})(?:日|号|th|st|nd|rd)?(?![\d年月/.%-])")
_SHORT_MONTH_DAY = re.compile(r"(\d{1,2})/(\d{1,2})(?![\d/])")


@dataclass(frozen=True)
class Resolved:
    """Days and their place in the folded text.

    `trouble` is "no_such" (and `span` None), "open" for an expression with one end, "unread"
    when words beside it change its meaning in a way that no rule reads.
    """

    start: int
    end: int
    span: Span | None
    trouble: Trouble = ""
    detail: str = ""


def spans(text: str, clock: Clock) -> Iterator[Resolved]:
    """Every date expression of a folded text, in order."""
    found = pieces(text, clock)
    place = 0
    while place < len(found):
        left = found[place]
        following = found[place + 1] if place + 1 < len(found) else None
        place += 1
        right = _other_end(left, following, text)
        if right is not None:
            place += right is following
            yield _range(left, right, text, clock)
        elif not is_loose_year(left, text):
            yield _single(left, text, clock)


def compared(text: str, clock: Clock) -> Iterator[Resolved]:
    """The periods that a text compares with an earlier one: November of 11月の前月比."""
    for found in pieces(text, clock):
        if found.core_end:
            piece = replace(found.piece, years_back=0, periods_back=0)
            yield _single(Found(found.start, found.core_end, piece), text, clock)


def _other_end(left: Found, following: Found | None, text: str) -> Found | None:
    if following is None or following.start < left.end:
        return _short_end(left, text)
    if _CONNECT.fullmatch(text, left.end, following.start):
        return following
    if _AND.fullmatch(text, left.end, following.start) and (
        before(_BETWEEN, text, left.start) or _BETWEEN_AFTER.match(text, following.end)
    ):
        return following
    return _short_end(left, text)


def _short_end(left: Found, text: str) -> Found | None:
    """The 15日 of "3月1日から15日", the 3/15 of "2025/3/1〜3/15"."""
    connect = _CONNECT.match(text, left.end)
    if not connect or left.piece.unit != "day":
        return None
    month, day = _SHORT_MONTH_DAY.match(text, connect.end()), _DAY_ONLY.match(text, connect.end())
    if month:
        piece = Piece("day", number=int(month[1]), day=int(month[2]))
        return Found(month.start(), month.end(), piece)
    if day:
        piece = Piece("day", number=left.piece.number, day=int(day[1]))
        return Found(day.start(), day.end(), piece)
    return None


def _range(left: Found, right: Found, text: str, clock: Clock) -> Resolved:
    opening = before(_FROM, text, left.start) or before(_BETWEEN, text, left.start)
    start = opening.start() if opening else left.start
    closing = _CLOSE.match(text, right.end)
    end = closing.end() if closing else right.end
    problem = left.problem or right.problem
    if problem:
        return Resolved(start, end, None, "no_such", problem)
    first, last = _share_year(left.piece, right.piece)
    try:
        begins = _settled(first, clock)
        ends = _settled(last, clock, begins.start if last.takes_year else None)
    except NoSuchDateError as error:
        return Resolved(start, end, None, "no_such", str(error))
    if ends.end < begins.start:
        detail = f"{begins.start.isoformat()} > {ends.end.isoformat()}"
        return Resolved(start, end, None, "no_such", detail)
    notes = tuple(dict.fromkeys((*begins.notes, *ends.notes)))
    return Resolved(start, end, Span(begins.start, ends.end, notes))


def _settled(piece: Piece, clock: Clock, after: date | None = None) -> Span:
    try:
        return settle(piece, clock.today, clock.settings, after)
    except NoSuchDateError:
        raise
    except (ValueError, OverflowError):
        # The arithmetic left what datetime can hold.
        raise NoSuchDateError("before year 1 or after year 9999") from None


def _share_year(first: Piece, last: Piece) -> tuple[Piece, Piece]:
    """A year given at one end of a range holds for both."""
    if first.takes_year and last.year is not None:
        first = replace(first, year=last.year, fiscal=last.fiscal or first.fiscal)
    elif last.takes_year and first.year is not None:
        last = replace(last, year=first.year, fiscal=first.fiscal or last.fiscal)
    return first, last


def _single(found: Found, text: str, clock: Clock) -> Resolved:
    if found.problem:
        return Resolved(found.start, found.end, None, "no_such", found.problem)
    try:
        span = _settled(found.piece, clock)
    except NoSuchDateError as problem:
        return Resolved(found.start, found.end, None, "no_such", str(problem))
    if before(_UNREAD_BEFORE, text, found.start) or _UNREAD_AFTER.match(text, found.end):
        return Resolved(found.start, found.end, span, "unread")
    since_after = _SINCE_AFTER.match(text, found.end)
    since_before = before(_SINCE_BEFORE, text, found.start)
    if since_after or since_before:
        start = since_before.start() if since_before else found.start
        end = since_after.end() if since_after else found.end
        if span.start > clock.today:
            return Resolved(start, end, span, "open")
        return Resolved(start, end, Span(span.start, clock.today, (*span.notes, "since")))
    is_open = _OPEN_AFTER.match(text, found.end) or before(_OPEN_BEFORE, text, found.start)
    return Resolved(found.start, found.end, span, "open" if is_open else "")
