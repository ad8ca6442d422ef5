"""From pieces to days: ranges put together, open ends and unread words noticed."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

from tools.dates.calendar import MONTHS, NoSuchDateError, Span
from tools.dates.closing import closed
from tools.dates.piece import Piece, Refers
from tools.dates.pieces import settle
from tools.dates.qualifiers import beside
from tools.dates.rules import Clock
from tools.dates.scan import Found, before, is_loose_year, pieces
from tools.dates.shifts import is_whole_months, months_of

Trouble = Literal["", "no_such", "open", "unread"]

_CONNECT = re.compile(
    r"\s*(?:から|より|[-~〜～–—]|\bto\b|\bthrough\b|\bthru\b|\buntil\b|\btill\b|至|到)\s*(?:the\s+)?",
    re.IGNORECASE,
)
_AND = re.compile(r"\s*(?:and|と|和|与)\s*", re.IGNORECASE)
_BETWEEN = re.compile(r"between\s+(?:the\s+)?$", re.IGNORECASE)
_BETWEEN_AFTER = re.compile(r"\s*(?:の間|之间|之間)")
_FROM = re.compile(r"(?:\bfrom\s+(?:the\s+)?|从|從|自)\s*$", re.IGNORECASE)
_FROM_NOW = re.compile(
    r"(?:から|起|开始|開始)(?=\s*(?:$|[、,。?？)]|の|今|現在|これまで|到现在|至今))"
)
_CLOSE = re.compile(r"\s*(?:まで|の間|之间|之間|为止|為止|末まで)?")
_SINCE_BEFORE = re.compile(r"(?:\bsince\s+(?:the\s+)?|自)\s*$", re.IGNORECASE)
_SINCE_AFTER = re.compile(r"\s*(?:以降|以来|以后|以後|onwards?\b|至今)")
_OPEN_BEFORE = re.compile(
    r"\b(?:until|till|before|up\s+to|prior\s+to|by|after)\s+(?:the\s+)?$", re.IGNORECASE
)
_OPEN_AFTER = re.compile(
    r"\s*末?(?:まで(?!に入)|以前|之前|より前|より後|之后|之後|为止|為止|を?超え|過ぎ)"
)
_AS_OF = re.compile(
    r"(?:\bas\s+of\s+(?:the\s+)?|\bas\s+at\s+|截至|截止到?|截止至)\s*$", re.IGNORECASE
)
_AS_OF_HINT = "For the state at its end write that day, {end}; for a period both of its ends."
_AS_OF_AFTER = re.compile(r"\s*の?(?:時点|現在(?!ま))")
_DAY_ONLY = re.compile(r"(\d{1,2})(?:日|号|th|st|nd|rd)?(?![\d年月/.%-])")
_SHORT_MONTH_DAY = re.compile(r"(\d{1,2})/(\d{1,2})(?![\d/])")


@dataclass(frozen=True)
class Resolved:
    """Days and their place in the folded text.

    `trouble` is "no_such" (and `span` None), "open" for an expression with one end, "unread"
    when words beside it change its meaning in a way that no rule reads; then `detail` says what
    to write instead.
    """

    start: int
    end: int
    span: Span | None
    trouble: Trouble = ""
    detail: str = ""
    is_range: bool = False


def spans(text: str, clock: Clock) -> list[Resolved]:
    """Every date expression of a folded text, in order. 前年同期 is that of the period beside it."""
    read = list(_each(text, clock))
    plain = [resolved for found, resolved in read if not (found and found.piece.refers)]
    return [
        _single(_referred(found, plain), text, clock) if found and found.piece.refers else resolved
        for found, resolved in read
    ]


def _referred(found: Found, others: list[Resolved]) -> Found:
    """Of the nearest period before it that it can be of, or else after it."""
    of = [r for r in others if r.span and not r.trouble and _is_such(found.piece.refers, r.span)]
    earlier = [r for r in of if r.end <= found.start]
    base = earlier[-1] if earlier else of[0] if of else None
    if base is None:
        return found
    return replace(found, piece=replace(found.piece, span=base.span, month_offset=None))


def _is_such(unit: Refers | None, span: Span) -> bool:
    if unit in ("period", None) or "closing" in span.notes:
        return unit in ("period", "month")
    if unit in ("day", "week"):
        return (span.end - span.start).days == (0 if unit == "day" else 6)
    return is_whole_months(span) and months_of(span) == MONTHS[unit]


def _each(text: str, clock: Clock) -> Iterator[tuple[Found | None, Resolved]]:
    found = pieces(text, clock)
    place = 0
    while place < len(found):
        left = found[place]
        following = found[place + 1] if place + 1 < len(found) else None
        place += 1
        right = _other_end(left, following, text)
        if right is not None:
            place += right is following
            yield None, _range(left, right, text, clock)
        elif not is_loose_year(left, text):
            yield left, _single(left, text, clock)


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
    span = Span(begins.start, ends.end, notes)
    qualifier = beside(text, start, end)
    if qualifier and not qualifier.adds_up:
        return Resolved(start, end, span, "unread", qualifier.hint_for(span), is_range=True)
    return Resolved(start, end, span, is_range=True)


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
    return _share_closing(first, last), _share_closing(last, first)


def _share_closing(piece: Piece, other: Piece) -> Piece:
    """10月度から12月: the closing day of one end holds for both. Their 累計 is that of the range."""
    piece = replace(piece, cumulative=False)
    if other.unit != "closing":
        return piece
    return closed(piece, other.closing_day) or piece


def _single(found: Found, text: str, clock: Clock) -> Resolved:
    if found.problem:
        return Resolved(found.start, found.end, None, "no_such", found.problem)
    try:
        span = _settled(found.piece, clock)
    except NoSuchDateError as problem:
        return Resolved(found.start, found.end, None, "no_such", str(problem))
    qualifier = beside(text, found.start, found.end)
    if qualifier:
        hint = qualifier.hint_for(span)
        return Resolved(found.start, found.end, span, "unread", hint)
    since_after = _SINCE_AFTER.match(text, found.end) or _FROM_NOW.match(text, found.end)
    since_before = before(_SINCE_BEFORE, text, found.start)
    if since_after or since_before:
        opening = since_before or before(_FROM, text, found.start)
        start = opening.start() if opening else found.start
        end = since_after.end() if since_after else found.end
        if span.start > clock.today:
            return Resolved(start, end, span, "open")
        return Resolved(start, end, Span(span.start, clock.today, (*span.notes, "since")))
    return _ended(found, span, text)


def _ended(found: Found, span: Span, text: str) -> Resolved:
    """A date with no words that begin a range: open towards the past, as of a day, or whole."""
    start, end = found.start, found.end
    if _OPEN_AFTER.match(text, end) or before(_OPEN_BEFORE, text, start):
        return Resolved(start, end, span, "open")
    if before(_AS_OF, text, start) or _AS_OF_AFTER.match(text, end):
        if span.start != span.end:
            return Resolved(start, end, span, "open", _AS_OF_HINT.format(end=span.end))
    elif before(_FROM, text, start) and not {"rolling", "to_date"} & set(span.notes):
        span = replace(span, notes=(*span.notes, "from_alone"))
    return Resolved(start, end, span)
