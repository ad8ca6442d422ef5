"""Finds date expressions in a text and puts neighbours together: year + part, end, range."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date

from tools.dates.calendar import NoSuchDateError, Span
from tools.dates.pieces import Edge, Piece, settle
from tools.dates.rules import Clock
from tools.dates.rules_cjk import RULES as CJK_RULES
from tools.dates.rules_en import RULES as ENGLISH_RULES


@dataclass(frozen=True)
class Found:
    """A piece and its place in the folded text; `problem` when the calendar has no such thing."""

    start: int
    end: int
    piece: Piece
    problem: str = ""


@dataclass(frozen=True)
class Resolved:
    """A span of days and its place in the folded text; `problem` instead of a span."""

    start: int
    end: int
    span: Span | None
    problem: str = ""


_GLUE = re.compile(r"[\s,]*(?:の|的|of|in|['’]s|[-/,])?[\s(（]*", re.IGNORECASE)
_SUFFIXES: tuple[tuple[re.Pattern[str], Callable[[Piece], Piece]], ...] = (
    (re.compile(r"の?(?:末日?|底|最終日|最后一天)(?!締)"), lambda p: replace(p, edge="last")),
    (
        re.compile(r"の?(?:初日?|頭|初め|はじめ|初旬?)(?!以?来|至今)"),
        lambda p: replace(p, edge="first"),
    ),
    (re.compile(r"の?上旬"), lambda p: replace(p, edge="early")),
    (re.compile(r"の?中旬"), lambda p: replace(p, edge="middle")),
    (re.compile(r"の?下旬"), lambda p: replace(p, edge="late")),
    (
        re.compile(r"[の的]?(?:前年|去年|上年|昨年)の?同(?:月|期|日|週|四半期|季度?)(?:比|对比)?"),
        lambda p: replace(p, years_back=p.years_back + 1),
    ),
    (
        re.compile(r"[\s,]*(?:同比|YoY\b|year[\s-]over[\s-]year\b|前年比)", re.IGNORECASE),
        lambda p: replace(p, years_back=p.years_back + 1),
    ),
    (
        re.compile(r"[\s,]*(?:环比|環比|MoM\b|QoQ\b|WoW\b|[の的]?前[月期週]比?)", re.IGNORECASE),
        lambda p: replace(p, periods_back=p.periods_back + 1),
    ),
)
_EDGE_BEFORE = re.compile(
    r"(?:the\s+)?(?P<edge>end|close|start|beginning|last\s+day|first\s+day)\s+of\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_YEAR_BEFORE = re.compile(
    r"(?:\b(?:in|of|for|during|since|from|to|until|through|and|vs|versus|year|between|by|than)|[〜~–—(（])"
    r"\s*$",
    re.IGNORECASE,
)
_CONNECT = re.compile(
    r"\s*(?:から|より|[-~〜～–—]|\bto\b|\bthrough\b|\bthru\b|\buntil\b|\btill\b|至|到)\s*(?:the\s+)?",
    re.IGNORECASE,
)
_AND = re.compile(r"\s*(?:and|と|和|与)\s*", re.IGNORECASE)
_BETWEEN = re.compile(r"between\s+(?:the\s+)?$", re.IGNORECASE)
_FROM = re.compile(r"(?:\bfrom\s+(?:the\s+)?|从|從|自)\s*$", re.IGNORECASE)
_CLOSE = re.compile(r"\s*(?:まで|の間|之间|之間|为止|為止|末まで)?")
_SINCE_BEFORE = re.compile(r"(?:\bsince\s+(?:the\s+)?|自)\s*$", re.IGNORECASE)
_SINCE_AFTER = re.compile(r"\s*(?:以降|以来|以后|以後|onwards?\b|至今)")
_OPEN_BEFORE = re.compile(
    r"\b(?:until|till|before|up\s+to|prior\s+to|by|after)\s+(?:the\s+)?$", re.IGNORECASE
)
_OPEN_AFTER = re.compile(r"\s*(?:まで(?!に入)|以前|之前|より前|より後|之后|之後)")
_DAY_ONLY = re.compile(r"(\d{1,2})(?:日|号|th|st|nd|rd)?(?![\d年月/.%-])")
_SHORT_MONTH_DAY = re.compile(r"(\d{1,2})/(\d{1,2})(?![\d/])")
_STRAY_YEAR = re.compile(r"(?<!\d)\d{1,3}年(?:度)?の?\s*$")


def _before(pattern: re.Pattern[str], text: str, end: int) -> re.Match[str] | None:
    """A match that ends at `end`; only the last characters are looked at, for speed."""
    return pattern.search(text, max(0, end - 40), end)


def atoms(text: str, clock: Clock) -> list[Found]:
    """The rules' matches, leftmost first, then longest; none overlaps another."""
    matches = [
        (m.start(), -m.end(), order, m)
        for order, rule in enumerate((*ENGLISH_RULES, *CJK_RULES))
        for m in rule.pattern.finditer(text)
    ]
    rules = (*ENGLISH_RULES, *CJK_RULES)
    found: list[Found] = []
    reached = 0
    for start, _, order, m in sorted(matches, key=lambda entry: entry[:3]):
        if start < reached:
            continue
        read = _read(rules[order].read, m, clock)
        if read is not None:
            found.append(read)
            reached = m.end()
    return found


def _read(
    read: Callable[[re.Match[str], Clock], Piece | None], m: re.Match[str], clock: Clock
) -> Found | None:
    try:
        piece = read(m, clock)
    except NoSuchDateError as problem:
        return Found(m.start(), m.end(), Piece("span"), str(problem))
    except (ValueError, OverflowError):
        # A window that reaches past year 1 or 9999 leaves datetime's range.
        return Found(m.start(), m.end(), Piece("span"), m[0])
    return None if piece is None else Found(m.start(), m.end(), piece)


def pieces(text: str, clock: Clock) -> list[Found]:
    """Atoms with their neighbours joined: 2025年 + 3月, Q3 + of 2025, 先月 + 末."""
    joined: list[Found] = []
    for found in atoms(text, clock):
        merged = _join(joined[-1], found, text) if joined else None
        if merged is not None:
            joined[-1] = _suffixed(merged, text)
        else:
            joined.append(_suffixed(found, text))
    kept = [_with_edge_before(f, text) for f in joined if not _is_stray(f, text)]
    return [f for i, f in enumerate(kept) if i == 0 or f.start >= kept[i - 1].end]


def _is_stray(found: Found, text: str) -> bool:
    """3月 of "25年3月": the year was not read, so the month alone would be wrong."""
    before = text[max(0, found.start - 6) : found.start]
    return found.piece.unit in ("month", "day") and bool(_STRAY_YEAR.search(before))


def _join(left: Found, right: Found, text: str) -> Found | None:
    if left.problem or right.problem or not _GLUE.fullmatch(text, left.end, right.start):
        return None
    year, part = left.piece, right.piece
    if not (year.unit == "year" and year.edge is None and part.takes_year):
        year, part = right.piece, left.piece
        if not (year.unit == "year" and part.takes_year):
            return None
        if text[left.end : right.start].strip(" ,'’sofin-/") or _numeric_cjk(text, right):
            return None
    fiscal = part.fiscal or bool(year.fiscal)
    merged = replace(
        part, year=year.year, fiscal=fiscal, era=year.era, relative=part.relative or year.relative
    )
    end = right.end
    if "(" in text[left.end : right.start] and text[end : end + 1] == ")":
        end += 1
    return Found(left.start, end, merged)


def _numeric_cjk(text: str, found: Found) -> bool:
    """Whether a year that follows a part is written 2025年: then it opens the next date."""
    return text[found.start : found.end].endswith(("年", "年度"))


def _suffixed(found: Found, text: str) -> Found:
    while not found.problem:
        for pattern, change in _SUFFIXES:
            m = pattern.match(text, found.end)
            if m and m.end() > m.start() and not (found.piece.edge and "edge" in pattern.pattern):
                found = replace(found, end=m.end(), piece=change(found.piece))
                break
        else:
            return found
    return found


def _with_edge_before(found: Found, text: str) -> Found:
    m = _before(_EDGE_BEFORE, text, found.start)
    if not m or found.piece.edge:
        return found
    edge: Edge = "last" if m["edge"].lower() in ("end", "close", "last day") else "first"
    return replace(found, start=m.start(), piece=replace(found.piece, edge=edge))


def ranges(text: str, clock: Clock) -> Iterator[Resolved]:
    """Every date expression, ranges put together, settled to days."""
    found = pieces(text, clock)
    place = 0
    while place < len(found):
        left = found[place]
        right = found[place + 1] if place + 1 < len(found) else None
        place += 1
        opening = _before(_FROM, text, left.start) or _before(_BETWEEN, text, left.start)
        start = opening.start() if opening else left.start
        if right and _connected(left, right, text):
            place += 1
            closing = _CLOSE.match(text, right.end)
            yield _range(start, left, right, closing.end() if closing else right.end, clock)
            continue
        short = _short_end(left, text)
        if short:
            closing = _CLOSE.match(text, short.end)
            yield _range(start, left, short, closing.end() if closing else short.end, clock)
            continue
        if not is_loose_year(left, text):
            yield _single(left, text, clock)


def _connected(left: Found, right: Found, text: str) -> bool:
    if _CONNECT.fullmatch(text, left.end, right.start):
        return True
    return bool(
        _AND.fullmatch(text, left.end, right.start) and _before(_BETWEEN, text, left.start)
    ) or bool(
        _AND.fullmatch(text, left.end, right.start)
        and re.match(r"\s*(?:の間|之间|之間)", text[right.end : right.end + 4])
    )


def _short_end(left: Found, text: str) -> Found | None:
    """The 15日 of "3月1日から15日", the 3/15 of "2025/3/1〜3/15"."""
    connect = _CONNECT.match(text, left.end)
    if not connect or connect.end() == left.end or left.piece.unit != "day":
        return None
    m = _SHORT_MONTH_DAY.match(text, connect.end())
    if m:
        piece = Piece("day", number=int(m[1]), day=int(m[2]))
        return Found(m.start(), m.end(), piece)
    m = _DAY_ONLY.match(text, connect.end())
    return (
        Found(m.start(), m.end(), Piece("day", number=left.piece.number, day=int(m[1])))
        if m
        else None
    )


def is_loose_year(found: Found, text: str) -> bool:
    if not found.piece.weak:
        return False
    alone = not text[: found.start].strip() and not text[found.end :].strip(" ?？。.")
    return not alone and not _before(_YEAR_BEFORE, text, found.start)


def _range(start: int, left: Found, right: Found, end: int, clock: Clock) -> Resolved:
    problem = left.problem or right.problem
    if problem:
        return Resolved(start, end, None, problem)
    first, last = _share_year(left.piece, right.piece)
    try:
        opening = settle(first, clock.today, clock.settings)
        after = opening.start if last.takes_year else None
        closing = settle(last, clock.today, clock.settings, after)
    except NoSuchDateError as error:
        return Resolved(start, end, None, str(error))
    if closing.end < opening.start:
        message = f"{opening.start.isoformat()} > {closing.end.isoformat()}"
        return Resolved(start, end, None, message)
    notes = tuple(dict.fromkeys((*opening.notes, *closing.notes)))
    return Resolved(start, end, Span(opening.start, closing.end, notes))


def _share_year(first: Piece, last: Piece) -> tuple[Piece, Piece]:
    """A year given at one end of a range holds for both."""
    if first.takes_year and last.year is not None:
        first = replace(first, year=last.year, fiscal=last.fiscal or first.fiscal)
    elif last.takes_year and first.year is not None:
        last = replace(last, year=first.year, fiscal=first.fiscal or last.fiscal)
    return first, last


def _single(found: Found, text: str, clock: Clock) -> Resolved:
    if found.problem:
        return Resolved(found.start, found.end, None, found.problem)
    try:
        span = settle(found.piece, clock.today, clock.settings)
    except NoSuchDateError as problem:
        return Resolved(found.start, found.end, None, str(problem))
    since = _SINCE_AFTER.match(text, found.end)
    before = _before(_SINCE_BEFORE, text, found.start)
    if since or before:
        return _since(found, span, before, since, clock.today)
    open_ended = _OPEN_AFTER.match(text, found.end) or _before(_OPEN_BEFORE, text, found.start)
    if open_ended:
        return Resolved(found.start, found.end, span, "open")
    return Resolved(found.start, found.end, span)


def _since(
    found: Found,
    span: Span,
    before: re.Match[str] | None,
    after: re.Match[str] | None,
    today: date,
) -> Resolved:
    start = before.start() if before else found.start
    end = after.end() if after else found.end
    if span.start > today:
        return Resolved(start, end, None, f"{span.start.isoformat()} > {today.isoformat()}")
    return Resolved(start, end, Span(span.start, today, (*span.notes, "since")))
