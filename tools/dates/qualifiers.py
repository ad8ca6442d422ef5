"""Words beside a date that change its meaning and that no rule applies: what to write instead.

A date that such a word qualifies is refused, never taken without it. What is applied (累計 of a
quarter, 以降, 前半, 上旬) is read by the rules and stands in no list here.
"""

import re
from dataclasses import dataclass

from tools.dates.calendar import Span


@dataclass(frozen=True)
class Qualifier:
    """`before` and `after` are read beside a date of a free text; `anywhere` in what is left of an
    expression that should be one date. `{start}`, `{end}` of the hint are days of the date."""

    before: re.Pattern[str]
    after: re.Pattern[str]
    anywhere: re.Pattern[str]
    hint: str
    adds_up: bool = False
    """It only says that a sum is meant: nothing is left open where both ends are written."""

    def hint_for(self, span: Span) -> str:
        return self.hint.format(start=span.start, end=span.end)


_NEVER = r"(?!)"
_ARTICLE = r"(?:the\s+|in\s+)?"
_THE = rf"\s+{_ARTICLE}"


def _qualifier(
    hint: str, *, before: str = "", after: str = "", anywhere: str = "", adds_up: bool = False
) -> Qualifier:
    sides = [b for b in (before, after, anywhere) if b]
    return Qualifier(
        re.compile(f"(?:{before or _NEVER})$", re.IGNORECASE),
        re.compile(after or _NEVER, re.IGNORECASE),
        re.compile("|".join(f"(?:{s})" for s in sides), re.IGNORECASE),
        hint,
        adds_up,
    )


QUALIFIERS = (
    _qualifier(
        "Say from which day it adds up: from {start} to {end}, or 期初来, YTD, 第2四半期累計.",
        before=rf"累計の?|累计的?|累积的?|累積の?|通算の?|\b(?:cumulative|accumulated|running){_THE}",
        after=r"\s*[の的]?(?:累計|累计|累积|累積|通算)|\s+(?:cumulative|accumulated|running|to[\s-]date)\b",
        adds_up=True,
    ),
    _qualifier(
        "Write the exact first and last day: from {start} to {end}.",
        before=r"約|およそ|おおよそ|大约|大約|大概|"
        rf"\b(?:around|approximately|approx\.?|roughly|circa|nearly|almost){_THE}",
        after=r"\s*の?(?:頃|ごろ|ころ(?!が)|前後|左右|あたり|辺り|くらい|ぐらい|上下)",
        anywhere=r"(?<!what )(?<!how )\babout\b",
    ),
    _qualifier(
        "Ask for what is wanted, part by part: what lies before it, and what lies after it.",
        before=r"除了|除去|不含|不包括|不包含|"
        rf"\b(?:except(?:\s+for)?|excluding|excl\.?|without|other\s+than|apart\s+from){_THE}",
        after=r"\s*(?:以外|除外|を?除|を?のぞ|を?抜[いき]|を?含ま(?:ない|ず)|之外)|\s+(?:excluded|excepted)\b",
    ),
    _qualifier(
        "Name one of them with its year.",
        before=r"毎年の?|毎月の?|毎週の?|各年の?|例年の?|每年的?|每月的?|每周的?|历年的?|"
        rf"\b(?:every|each){_THE}",
        after=r"\s+(?:of\s+)?(?:every|each)\s+year\b",
    ),
    _qualifier(
        "Give both ends: from 2025-03-01 to 2025-05-31, or last 90 days.",
        before=r"少なくとも|最低でも?|至少|超过|超過|不到|"
        rf"\b(?:at\s+least|at\s+most|no\s+later\s+than|no\s+earlier\s+than|not\s+before){_THE}|"
        r"\b(?:since\s+before|until\s+after)\s+(?:the\s+)?",
        after=r"\s*(?:以上前|以内|未満|未满|を超え)",
        anywhere=r"\b(?:more|less|fewer|older|newer|earlier|later)\s+than\b",
    ),
    _qualifier(
        "Name the period alone: last but one and further back by its month or year.",
        after=r"\s+but\s+(?:one|two|three|\d)\b|\s+(?:before|after)\s+(?:that|last|next)\b",
    ),
    _qualifier(
        "Write the days of that part: from {start} to {end} are the whole of it.",
        before=r"同期|\bsame\s+(?:period|time)(?:\s+(?:of|in))?\s+|"
        rf"\b(?:early|late|mid|week\s+of|fiscal|half\s+of|most\s+of|part\s+of|rest\s+of)[\s-]{_ARTICLE}",
        after=r"\s*の?[前後后]半|\s*の?(?:半ば|中頃|中ごろ|なかば|中盤|序盤|終盤|月央|初頭|残り)|"
        r"\s*(?:season|weekends?|weekdays?)\b|\s*の?(?:平日|週末|土日|祝日|休日|営業日)|"
        r"\s*的?(?:工作日|周末|节假日|初期|中期|前期|后期|剩余)|"
        r"\s*の?(?:最初|最後|初め|終わり)の|\s*的?(?:最初|最后)(?!一天)",
    ),
)

_AGO = re.compile(r"(?:ago|前)$", re.IGNORECASE)
_BOUND = re.compile(
    r"(?:\b(?:more|less|fewer|older|about|over)(?:\s+than)?\s+|[超])$", re.IGNORECASE
)
"""More than last month compares amounts; more than 3 months ago and about 3 months ago are days."""


def beside(text: str, start: int, end: int) -> Qualifier | None:
    """What qualifies the date at `text[start:end]`, directly before or after it."""
    head = max(0, start - 40)
    for qualifier in QUALIFIERS:
        if qualifier.before.search(text, head, start) or qualifier.after.match(text, end):
            return qualifier
    if _AGO.search(text, start, end) and _BOUND.search(text, head, start):
        return QUALIFIERS[4]
    return None


def among(rest: str) -> Qualifier | None:
    """What qualifies a date somewhere in the words that its expression has beside it."""
    return next((q for q in QUALIFIERS if q.anywhere.search(rest)), None)
