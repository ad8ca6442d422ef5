"""English date expressions."""

import re
from dataclasses import replace
from datetime import timedelta
from typing import cast

from tools.dates import rolling
from tools.dates.calendar import NoSuchDateError, Span, Unit, period
from tools.dates.numerals import ENGLISH_NUMBER, ORDINALS, whole
from tools.dates.piece import Piece
from tools.dates.pieces import whole_period
from tools.dates.rules import Clock, Rule, rule, same, same_period

_MONTH_NAMES = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
MONTH_NUMBERS = {name: n for n, name in enumerate(_MONTH_NAMES, 1)}
MONTH_NUMBERS |= {name[:3]: n for name, n in MONTH_NUMBERS.items()} | {"sept": 9}
_MONTH = "|".join(sorted((n.capitalize() for n in MONTH_NUMBERS), key=len, reverse=True))
_MONTH = rf"(?<![A-Za-z])(?P<month>{_MONTH}|{'|'.join(n.upper() for n in MONTH_NUMBERS)})\b(?:\.(?=\s*\d))?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?(?![\d:%]|\.\d)"
_YEAR = r"(?P<year>\d{4})(?!\d)"
_UNITS = r"(?P<unit>day|week|month|quarter|year)s?"
_MODAL = re.compile(
    r"\s+(?:I|we|you|he|she|it|they|the|an?|this|that|these|there|be|have|not|also|need)\b"
)
_OFFSETS = {
    "this": 0,
    "current": 0,
    "last": -1,
    "previous": -1,
    "prior": -1,
    "next": 1,
    "coming": 1,
}
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DAYS = {
    "today": 0,
    "yesterday": -1,
    "tomorrow": 1,
    "day before yesterday": -2,
    "day after tomorrow": 2,
}


def _day_word(m: re.Match[str], clock: Clock) -> Piece:
    words = " ".join(m["word"].lower().split())
    return whole_period("day", _DAYS[words], clock.today, clock.settings, False)


def _named(m: re.Match[str], clock: Clock) -> Piece:
    unit = cast(Unit, m["unit"].lower().replace("fy", "year"))
    fiscal = bool(m["fiscal"]) or m["unit"].lower() == "fy"
    offset = _OFFSETS[m["which"].lower()]
    return whole_period(unit, offset, clock.today, clock.settings, fiscal)


def _rolling(m: re.Match[str], clock: Clock) -> Piece:
    count = whole(m["count"]) if m["count"] else 1
    unit = cast(Unit, m["unit"].lower())
    if m["complete"]:
        return rolling.complete(count, unit, clock.today, clock.settings)
    if m["which"].lower() in ("next", "coming", "following"):
        return rolling.coming(count, unit, clock.today)
    return rolling.last(count, unit, clock.today)


def _ago(m: re.Match[str], clock: Clock) -> Piece:
    count = 1 if m["count"].lower() in ("a", "an") else whole(m["count"])
    return rolling.ago(count, cast(Unit, m["unit"].lower()), clock.today, clock.settings)


def _to_date(m: re.Match[str], clock: Clock) -> Piece:
    word = m["unit"] or {"Y": "year", "M": "month", "Q": "quarter", "W": "week"}[m["short"].upper()]
    unit = cast(rolling.ToDateUnit, word.lower())
    return rolling.to_date(unit, clock.today, clock.settings, bool(m["fiscal"]))


def _weekday(m: re.Match[str], clock: Clock) -> Piece:
    target, which = _WEEKDAYS.index(m["weekday"].lower()), m["which"].lower()
    ahead = (target - clock.today.weekday()) % 7
    if which == "this":
        first = period(clock.today, "week", 0, clock.settings, False).start
        day = first + timedelta(days=(target - first.weekday()) % 7)
    elif which == "last":
        day = clock.today - timedelta(days=7 - ahead)
    else:
        day = clock.today + timedelta(days=ahead or 7)
    return Piece("span", span=Span(day, day, (f"weekday_{which}",)), relative=True)


def _weekend(m: re.Match[str], clock: Clock) -> Piece:
    offset = {"last": -1, "this": 0, "next": 1}[m["which"].lower()]
    monday = clock.today - timedelta(days=clock.today.weekday() - 7 * offset)
    days = Span(monday + timedelta(days=5), monday + timedelta(days=6), ("weekend",))
    return Piece("span", span=days, relative=True)


def _month(m: re.Match[str], clock: Clock) -> Piece | None:
    if m["month"] == "May" and _MODAL.match(m.string, m.end()):
        return None
    return Piece("month", number=MONTH_NUMBERS[m["month"].lower()])


def _month_day(m: re.Match[str], clock: Clock) -> Piece:
    year = int(m["year"]) if m["year"] else None
    number = MONTH_NUMBERS[m["month"].lower()]
    return Piece("day", number=number, day=int(m["day"]), year=year)


def _quarter(m: re.Match[str], clock: Clock) -> Piece:
    return Piece("quarter", number=int(m["n"] or m["n2"]), fiscal=True if m["fiscal"] else None)


def _ordinal(m: re.Match[str], clock: Clock) -> Piece | None:
    number = ORDINALS[m["ordinal"].lower()]
    unit = m["unit"].lower()
    fiscal = True if m["fiscal"] else None
    if unit == "half":
        return Piece("half", number=number, fiscal=fiscal)
    return Piece("quarter", number=number, fiscal=fiscal)


def _half(m: re.Match[str], clock: Clock) -> Piece:
    return Piece("half", number=int(m["n"] or m["n2"]))


def _fiscal_year(m: re.Match[str], clock: Clock) -> Piece:
    digits = m["year"]
    if m["next"] and (int(digits) + 1) % 100 != int(m["next"]):
        raise NoSuchDateError(m[0])
    return Piece("year", year=int(digits) + (2000 if len(digits) == 2 else 0), fiscal=True)


def _week(m: re.Match[str], clock: Clock) -> Piece:
    return Piece("week", number=int(m["n"]))


def _end_of_current(m: re.Match[str], clock: Clock) -> Piece:
    unit = cast(Unit, m["unit"].lower())
    piece = whole_period(unit, 0, clock.today, clock.settings, bool(m["fiscal"]))
    first = (m["edge"] or "end").lower() not in ("end", "close")
    return _with_edge(piece, first)


def _with_edge(piece: Piece, first: bool) -> Piece:
    return replace(piece, edge="first" if first else "last", relative=True)


def _same_last_year(m: re.Match[str], clock: Clock) -> Piece:
    unit = m["unit"].lower()
    if unit in ("period", "time"):
        return same_period(1, clock, fiscal=False)
    return same(cast(Unit, unit), 1, clock)


def _two_away(m: re.Match[str], clock: Clock) -> Piece:
    """The month before last, the last quarter but one, the week after next."""
    offset = 2 if "next" in m[0].lower() else -2
    unit = cast(Unit, m["unit"].lower())
    return whole_period(unit, offset, clock.today, clock.settings, bool(m["fiscal"]))


def _part_of_short_year(m: re.Match[str], clock: Clock) -> Piece:
    """1H26, Q3'25."""
    half = m["h"] or m["h2"]
    number = int(half or m["q"] or m["q2"])
    return Piece("half" if half else "quarter", number=number, year=2000 + int(m["year"]))


_FISCAL_UNIT = r"(?P<fiscal>(?:fiscal|financial)\s+)?(?P<unit>week|month|quarter|half|year)"
_NOT_TWICE = r"(?<!\blast\s)(?<!\bnext\s)(?<!\bprevious\s)"
"""The last last month lies further back than last month."""

RULES: tuple[Rule, ...] = (
    rule(
        r"\b(?:the\s+)?(?P<word>day\s+before\s+yesterday|day\s+after\s+tomorrow|yesterday|today|"
        r"tomorrow)\b",
        _day_word,
    ),
    rule(
        rf"{_NOT_TWICE}\b(?:the\s+)?(?P<which>this|current|last|previous|prior|next|coming)\s+"
        r"(?P<fiscal>fiscal\s+|financial\s+)?(?:calendar\s+)?"
        r"(?P<unit>week|month|quarter|half|year|FY)(?:['’]s)?\b",
        _named,
    ),
    rule(
        r"\b(?:the\s+)?(?P<which>last|past|previous|prior|trailing|next|coming|following)\s+"
        rf"(?P<count>{ENGLISH_NUMBER})[\s-]+(?P<complete>(?:complete|full|whole|calendar)\s+)?"
        rf"{_UNITS}\b",
        _rolling,
    ),
    rule(
        rf"\b(?:the\s+)?(?P<which>past)\s+(?P<count>){_UNITS}(?P<complete>)\b",
        _rolling,
    ),
    rule(
        rf"\b(?P<which>last|past|previous)\s+(?P<complete>complete|full)\s+(?P<count>){_UNITS}\b",
        _rolling,
    ),
    rule(
        rf"\b(?P<which>last|past|previous)\s+(?P<complete>complete|full)\s+"
        rf"(?P<count>{ENGLISH_NUMBER})\s+{_UNITS}\b",
        _rolling,
    ),
    rule(
        r"\b(?:TTM|LTM|trailing\s+twelve\s+months)\b",
        lambda m, clock: rolling.last(12, "month", clock.today),
    ),
    rule(rf"\b(?P<count>{ENGLISH_NUMBER}|an?)\s+{_UNITS}\s+ago\b", _ago),
    rule(r"\b(?P<fiscal>F)?(?P<short>[YMQW])TD\b(?P<unit>)", _to_date),
    rule(
        r"\b(?P<fiscal>fiscal[\s-])?(?P<unit>year|quarter|month|week)(?P<short>)[\s-]to[\s-]date\b",
        _to_date,
    ),
    rule(
        r"\b(?:so\s+far\s+)?(?:this|the\s+current)\s+(?P<fiscal>fiscal\s+)?"
        r"(?P<unit>year|quarter|month|week)(?P<short>)\s+(?:so\s+far|to\s+date)\b",
        _to_date,
    ),
    rule(
        r"\bso\s+far\s+(?:this|the\s+current)\s+(?P<fiscal>fiscal\s+)?"
        r"(?P<unit>year|quarter|month|week)(?P<short>)\b",
        _to_date,
    ),
    rule(rf"{_NOT_TWICE}\b(?P<which>last|this|next)\s+weekend\b", _weekend),
    rule(
        rf"{_NOT_TWICE}\b(?P<which>last|this|next)\s+(?P<weekday>{'|'.join(_WEEKDAYS)})\b", _weekday
    ),
    rule(_MONTH, _month, cased=True),
    rule(rf"{_MONTH}\s+{_DAY}(?P<year>)", _month_day, cased=True),
    rule(rf"{_MONTH}\s+{_DAY}\s*,?\s*{_YEAR}", _month_day, cased=True),
    rule(
        rf"(?<![\d./-]){_DAY}\s+(?:of\s+)?{_MONTH}(?:,?\s+{_YEAR})?",
        _month_day,
        cased=True,
    ),
    rule(
        rf"{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s*[-–~]\s*(?P<last>\d{{1,2}})"
        rf"(?:st|nd|rd|th)?(?!\d)(?:\s*,?\s*{_YEAR})?",
        lambda m, clock: _days_of_month(m),
        cased=True,
    ),
    rule(
        r"(?<![A-Za-z])(?P<fiscal>fiscal\s+)?(?:Q(?P<n>\d)|(?<!\d)(?P<n2>\d)Q)(?![A-Za-z\d])",
        _quarter,
    ),
    rule(r"(?<![A-Za-z])(?:H(?P<n>[12])|(?<!\d)(?P<n2>[12])H)(?![A-Za-z\d])", _half, cased=True),
    rule(
        r"\b(?:the\s+)?(?P<fiscal>fiscal\s+)?(?P<ordinal>first|second|third|fourth|1st|2nd|3rd|4th)"
        r"\s+(?P<unit>quarter)\b",
        _ordinal,
    ),
    rule(
        r"\b(?:the\s+)?(?P<fiscal>fiscal\s+)?(?P<ordinal>first|second|1st|2nd)\s+(?P<unit>half)\b",
        _ordinal,
    ),
    rule(
        r"(?<![A-Za-z])FY\s*['’]?(?P<year>\d{4}|\d{2})(?:[-/](?P<next>\d{2}))?(?![\d])",
        _fiscal_year,
    ),
    rule(
        r"\b(?:the\s+)?(?:fiscal|financial)\s+(?:year\s+)?(?P<year>\d{4})(?!\d)(?P<next>)",
        _fiscal_year,
    ),
    rule(
        r"(?<![A-Za-z0-9_.,/-])(?P<year>(?:19|20)\d{2})(?![A-Za-z0-9_%]|[.,]\d|/\d|(?!から|より|至|到)[ぁ-んァ-ヶ一-龥])",
        lambda m, clock: Piece("year", year=int(m["year"]), fiscal=None, weak=True),
    ),
    rule(
        r"(?<![A-Za-z0-9_.,/-])(?P<year>(?:19|20)\d{2})(?=[QH]\d)",
        lambda m, clock: Piece("year", year=int(m["year"]), fiscal=None, weak=True),
    ),
    rule(
        r"\b(?:the\s+)?year\s+(?P<year>\d{4})(?!\d)",
        lambda m, c: Piece("year", year=int(m["year"])),
    ),
    rule(r"\b(?:ISO\s+)?(?:calendar\s+)?week\s+(?:no\.?\s*|#)?(?P<n>\d{1,2})(?!\d)", _week),
    rule(r"(?<![A-Za-z\d])W(?P<n>\d{2})(?!\d)", _week, cased=True),
    rule(
        r"\b(?:the\s+)?(?P<edge>end|close|start|beginning)\s+of\s+(?:the\s+)?(?P<fiscal>fiscal\s+)?"
        r"(?P<unit>week|month|quarter|year)\b(?!\s+\d)",
        _end_of_current,
    ),
    rule(r"(?P<fiscal>)\b(?P<unit>month|quarter|year)[-\s](?P<edge>end)\b", _end_of_current),
    rule(
        r"\b(?:the\s+)?same\s+(?P<unit>day|week|month|quarter|half|period|time)\s+(?:of\s+|in\s+)?"
        r"(?:last|the\s+(?:previous|prior|preceding)|a|one)\s+year(?:\s+(?:ago|earlier|before))?\b",
        _same_last_year,
    ),
    rule(r"\b(?:the\s+)?year[\s-]ago\s+(?P<unit>month|quarter|period)\b", _same_last_year),
    rule(
        rf"\b(?:the\s+)?{_FISCAL_UNIT}\s+(?:before\s+(?:the\s+)?last|after\s+(?:the\s+)?next)"
        r"(?:\s+(?P=unit))?\b(?!\s+(?:\w+day|week|month|quarter|year|\d))",
        _two_away,
    ),
    rule(rf"\b(?:the\s+)?last\s+{_FISCAL_UNIT}\s+but\s+one\b", _two_away),
    rule(
        r"\b(?:the\s+)?(?:last[\s-]but[\s-]one|second[\s-](?:to[\s-])?last|next[\s-]to[\s-]last|penultimate)"
        rf"\s+{_FISCAL_UNIT}\b(?!\s+(?:of|in)\b)",
        _two_away,
    ),
    rule(
        r"(?<![A-Za-z\d])(?:(?:H(?P<h>[12])|Q(?P<q>[1-4]))\s?['’]|(?:(?P<h2>[12])H|(?P<q2>[1-4])Q)\s?['’]?)"
        r"(?P<year>\d{2})(?![\dA-Za-z%]|[.,:/-]\d)",
        _part_of_short_year,
        cased=True,
    ),
)


def _days_of_month(m: re.Match[str]) -> Piece:
    year = int(m["year"]) if m["year"] else None
    number = MONTH_NUMBERS[m["month"].lower()]
    return Piece("days", number=number, day=int(m["day"]), last=int(m["last"]), year=year)
