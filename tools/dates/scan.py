"""Finds date expressions in a text and puts neighbours together: year + part, part + end."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from tools.dates.calendar import NoSuchDateError, Span
from tools.dates.closing import CLOSES, DAY, closed, closing_day, closing_days
from tools.dates.piece import Edge, Piece
from tools.dates.pieces import settle
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
    core_end: int = 0
    """Where the period ends of which this is the base of comparison: 11月 of 11月の前月比."""


_COMPARES = re.compile(r"比|YoY|MoM|QoQ|WoW|over", re.IGNORECASE)
_YEARS_BACK = {"前々年": 2, "一昨年": 2, "前前年": 2}
_GLUE = re.compile(r"[\s,]*(?:の|的|of|in|['’]s|[-/,])?[\s(（]*", re.IGNORECASE)
Change = Callable[[Piece, re.Match[str], Clock], Piece | None]
"""None: the words do not change this piece."""


def _cumulated(piece: Piece, m: re.Match[str], clock: Clock) -> Piece | None:
    """From the first day of the year; what is going on ends today. A month's is not said."""
    to_date = "date" in m[0].lower()
    is_part = piece.unit == "quarter" or (piece.unit == "half" and piece.number == 1)
    if is_part and not to_date and not piece.years_back:
        return replace(piece, cumulative=True)
    if piece.unit not in ("year", "span") and not to_date:
        return None
    span = settle(piece, clock.today, clock.settings)
    if {"rolling", "to_date"} & set(span.notes) or (
        piece.unit == "year" and span.end < clock.today and not to_date
    ):
        return piece
    if not span.start <= clock.today <= span.end:
        return None
    notes = tuple(n for n in span.notes if n != "no_year")
    return Piece("span", span=Span(span.start, clock.today, (*notes, "to_date")), relative=True)


def _half_of(piece: Piece, m: re.Match[str], clock: Clock) -> Piece | None:
    """2026年前半, 今期後半; of a quarter or month, both days must be written."""
    if piece.unit != "year" or piece.edge:
        return None
    return replace(piece, unit="half", number=1 if m["half"][0] == "前" else 2)


def _same_last_year(piece: Piece, m: re.Match[str], clock: Clock) -> Piece:
    return replace(piece, years_back=piece.years_back + _YEARS_BACK.get(m["base"], 1))


def _closes_on(piece: Piece, m: re.Match[str], clock: Clock) -> Piece | None:
    return closed(piece, closing_day(m["closing"]))


_SUFFIXES: tuple[tuple[re.Pattern[str], Change], ...] = (
    (
        re.compile(
            rf"(?:分|度)?の?\s*[(]?\s*(?:毎月)?(?:締め?日(?:は|が|:)?)?(?P<closing>{DAY})日?\s*{CLOSES}\s*[)]?"
        ),
        _closes_on,
    ),
    (re.compile(rf"{CLOSES}"), lambda p, m, c: closed(p, None) if p.unit == "day" else None),
    (re.compile(r"の?(?P<half>前半|後半|后半)(?:期|年)?(?!戦|战)"), _half_of),
    (
        re.compile(
            r"[の的]?(?:累計|累计|累积|累積|通算)(?:期間|期间)?|\s+(?:cumulative|to[\s-]date)\b",
            re.IGNORECASE,
        ),
        _cumulated,
    ),
    (
        re.compile(r"の?(?:末日?|底|最終日|最后一天)(?!締)"),
        lambda p, m, c: replace(p, edge="last"),
    ),
    (
        re.compile(r"の?(?:初日|初め|はじめ|初|頭)(?!以?来|至今|旬)"),
        lambda p, m, c: replace(p, edge="first"),
    ),
    (re.compile(r"の?[上初]旬"), lambda p, m, c: replace(p, edge="early")),
    (re.compile(r"の?中旬"), lambda p, m, c: replace(p, edge="middle")),
    (re.compile(r"の?下旬"), lambda p, m, c: replace(p, edge="late")),
    (
        re.compile(
            r"[の的]?(?P<base>前々年|一昨年|前年|去年|上年|昨年)の?同(?:月|期|日|週|周|四半期|季度?)(?:比|对比)?"
        ),
        _same_last_year,
    ),
    (
        re.compile(r"[\s,]*(?:同比|YoY\b|year[\s-]over[\s-]year\b|前年比)", re.IGNORECASE),
        lambda p, m, c: replace(p, years_back=p.years_back + 1),
    ),
    (
        re.compile(r"[\s,]*(?:环比|環比|MoM\b|QoQ\b|WoW\b|[の的]?前[月期週]比?)", re.IGNORECASE),
        lambda p, m, c: replace(p, periods_back=p.periods_back + 1),
    ),
)
_CUMULATIVE_BEFORE = re.compile(
    r"(?:(?:累計|累计|累积|累積|通算)[の的]?|\b(?:the\s+)?cumulative\s+(?:for\s+|of\s+)?(?:the\s+)?)$",
    re.IGNORECASE,
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
_YEAR_AFTER = re.compile(
    r"\s*(?:and|or|vs\.?|versus|,|、|と|和|与)\s*(?:19|20)\d{2}(?!\d)", re.IGNORECASE
)
_STRAY_YEAR = re.compile(r"(?<!\d)\d{1,3}年(?:度)?の?\s*$")


def before(pattern: re.Pattern[str], text: str, end: int) -> re.Match[str] | None:
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
            joined[-1] = _suffixed(merged, text, clock)
        else:
            joined.append(_suffixed(found, text, clock))
    closing = tuple(closing_days(text))
    kept = [
        _in_closing(_with_words_before(f, text, clock), closing)
        for f in joined
        if not _is_stray(f, text)
    ]
    return [f for i, f in enumerate(kept) if i == 0 or f.start >= kept[i - 1].end]


def _in_closing(found: Found, closing: tuple[tuple[int, int, int], ...]) -> Found:
    """20日締め beside a month of the same sentence makes it a closing period."""
    if found.problem or found.piece.closing_day is not None:
        return found
    day = next((d for start, end, d in closing if start <= found.start < end), None)
    piece = None if day is None else closed(found.piece, day)
    return found if piece is None else replace(found, piece=piece)


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


def _suffixed(found: Found, text: str, clock: Clock) -> Found:
    while not found.problem:
        for pattern, change in _SUFFIXES:
            m = pattern.match(text, found.end)
            piece = _changed(change, found.piece, m, clock) if m and m.end() > m.start() else None
            if m and piece is not None:
                core = found.core_end or (found.end if _COMPARES.search(m[0]) else 0)
                found = replace(found, end=m.end(), piece=piece, core_end=core)
                break
        else:
            return found
    return found


def _changed(change: Change, piece: Piece, m: re.Match[str], clock: Clock) -> Piece | None:
    try:
        return change(piece, m, clock)
    except (ValueError, OverflowError):
        # The piece itself is no date: that is told where it is settled.
        return None


def _with_words_before(found: Found, text: str, clock: Clock) -> Found:
    total = None if found.problem else before(_CUMULATIVE_BEFORE, text, found.start)
    piece = _changed(_cumulated, found.piece, total, clock) if total else None
    if total and piece is not None:
        return replace(found, start=total.start(), piece=piece)
    m = before(_EDGE_BEFORE, text, found.start)
    if not m or found.piece.edge:
        return found
    edge: Edge = "last" if m["edge"].lower() in ("end", "close", "last day") else "first"
    return replace(found, start=m.start(), piece=replace(found.piece, edge=edge))


def is_loose_year(found: Found, text: str) -> bool:
    if not found.piece.weak:
        return False
    if _YEAR_AFTER.match(text, found.end):
        return False
    alone = not text[: found.start].strip() and not text[found.end :].strip(" ?？。.")
    return not alone and not before(_YEAR_BEFORE, text, found.start)
