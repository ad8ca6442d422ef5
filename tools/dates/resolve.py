"""`resolve` and `mentions`: from words to days, by the calendar and never by a model."""

import re
from dataclasses import dataclass
from datetime import date

from reranker.language import language_of
from tools.dates.calendar import CalendarSettings
from tools.dates.closing import says_closing, without_phrases
from tools.dates.fold import fold
from tools.dates.labels import label
from tools.dates.qualifiers import among
from tools.dates.rules import Clock
from tools.dates.rules_en import MONTH_NUMBERS
from tools.dates.spans import Resolved, compared, spans
from tools.errors import ToolRetry

_CLOSING_HINT = "Name the month that closes too: 20日締めの10月度."
_EXAMPLES = "先月, 2025年3月, FY2025 Q3, last 7 days, from 2025-03-01 to 2025-05-31"
_UNREAD = re.compile(
    r"\d|\b(?:early|late|mid|before|after|until|except|excluding|first|second|third|weekends?|"
    r"weekdays?|business|days?|weeks?|months?|quarters?|years?|half|not|ago|period|same|but|penultimate|beyond)\b|"
    r"[前後]半|以外|除[くいき]|週末|平日|営業日|工作日|周末|比|まで|以前|之前|前|後|曜|締|より|以上|以内|結算|结算",
    re.IGNORECASE,
)
_TROUBLES = {"open": "open at one end", "unread": "words beside it were not understood"}
_BASES = {
    "mom": "last month", "qoq": "last quarter", "wow": "last week", "前月比": "前月", "前週比": "前週",
    "前期比": "前期", "前年比": "前年", "前年同月比": "前年同月", "环比": "上个月", "環比": "上個月", "同比": "去年同月",
}  # fmt: skip
"""What a comparison alone is compared with: the period just before, or the same month a year ago."""
_HALF_OR_QUARTER = re.compile(r"(?<![A-Za-z\d])(?:h[12]|[12]h|q[1-4]|[1-4]q)(?![A-Za-z])")
_SHORT_DAY = re.compile(r"\s*(\d{1,2})/(\d{1,2})\s*")
_COMPACT_DAY = re.compile(r"\s*((?:19|20)\d{2})(\d{2})(\d{2})\s*")


@dataclass(frozen=True)
class DateRange:
    """Days from `start` to `end`, both included; `label` says the range and the reading."""

    start: date
    end: date
    label: str


@dataclass(frozen=True)
class Mention:
    """A date expression inside a text at `[start, end)`; `range` is None when there is a problem."""

    text: str
    start: int
    end: int
    range: DateRange | None
    problem: str = ""


def resolve(expression: str, today: date, calendar: CalendarSettings) -> DateRange:
    """The days that one expression names, counted from `today`.

    Raises `ToolRetry` with kind `no_such_date` for what the calendar lacks (2月30日, an end before
    its start) and `no_date` when the text names no date, several, or more than was understood.
    """
    text = _spelled_out(fold(expression).text)
    clock = Clock(today, calendar, language_of(text, kanji="ja"))
    found = spans(text, clock) or spans(_capitalised(text), clock)
    if not found:
        hint = f"Write it like one of these: {_EXAMPLES}."
        if says_closing(text):
            hint = _CLOSING_HINT
        raise ToolRetry("no_date", f"No date in {expression!r} could be read.", hint)
    chosen = _only(found, text)
    span = chosen.span
    if span is None:
        raise ToolRetry(
            "no_such_date",
            f"There is no such date: {text[chosen.start : chosen.end]} ({chosen.detail}).",
            "Check the day, month, year or order, or ask which date is meant.",
        )
    if chosen.trouble == "open":
        raise ToolRetry(
            "no_date",
            f"{expression!r} is open at one end.",
            chosen.detail or "Give both ends: from 2025-03-01 to 2025-05-31.",
        )
    if chosen.trouble == "unread":
        raise _not_understood(expression, chosen.detail)
    _refuse_rest(expression, text, chosen)
    words = text[chosen.start : chosen.end]
    return DateRange(span.start, span.end, label(words, span, clock.language, calendar))


def mentions(question: str, today: date, calendar: CalendarSettings) -> list[Mention]:
    """Every date expression of a free text, in order, with its place in that text.

    A comparison (11月の前月比) is two mentions: the period itself and its base.
    """
    folded = fold(question)
    clock = Clock(today, calendar, language_of(folded.text, kanji="ja"))
    out = []
    every = [*compared(folded.text, clock), *spans(folded.text, clock)]
    for found in sorted(every, key=lambda f: (f.start, f.end)):
        start, end = folded.original(found.start, found.end)
        words = question[start:end]
        resolved, problem, said = None, "", ""
        if found.span is None:
            problem = f"there is no such date: {found.detail}"
        else:
            said = label(words, found.span, clock.language, calendar)
            resolved = DateRange(found.span.start, found.span.end, said)
        if found.trouble in _TROUBLES:
            problem, resolved = f"{_TROUBLES[found.trouble]}: {said}", None
        out.append(Mention(words, start, end, resolved, problem))
    return out


def _spelled_out(text: str) -> str:
    """Forms that are dates only when they are the whole expression: 3/1, 20250301, 前月比."""
    short = _SHORT_DAY.fullmatch(text)
    if short:
        return f"{short[1]}月{short[2]}日"
    compact = _COMPACT_DAY.fullmatch(text)
    if compact:
        return "-".join(compact.groups())
    text = _HALF_OR_QUARTER.sub(lambda m: m[0].upper(), text)
    return _BASES.get(text.strip().lower(), text)


def _capitalised(text: str) -> str:
    return re.sub(
        r"[A-Za-z]+", lambda m: m[0].capitalize() if m[0].lower() in MONTH_NUMBERS else m[0], text
    )


def _only(found: list[Resolved], text: str) -> Resolved:
    days = {(f.span.start, f.span.end) if f.span else None for f in found}
    bad = next((f for f in found if f.span is None), None)
    if bad:
        return bad
    if len(days) > 1:
        named = ", ".join(text[f.start : f.end] for f in found)
        raise ToolRetry(
            "no_date", f"Several dates in one expression: {named}.", "Ask for one at a time."
        )
    return found[0]


def _refuse_rest(expression: str, text: str, chosen: Resolved) -> None:
    rest = text[: chosen.start] + " " + text[chosen.end :]
    span = chosen.span
    if span and "closing" in span.notes:
        rest = without_phrases(rest)
    qualifier = among(rest)
    is_whole = chosen.is_range or (span and {"rolling", "to_date", "since"} & set(span.notes))
    if span and qualifier and not (qualifier.adds_up and is_whole):
        raise _not_understood(expression, qualifier.hint_for(span))
    if _UNREAD.search(rest):
        raise _not_understood(expression)


def _not_understood(expression: str, hint: str = "") -> ToolRetry:
    return ToolRetry(
        "no_date",
        f"{expression!r} says more than could be read.",
        hint or f"Write the date alone, like one of these: {_EXAMPLES}.",
    )
