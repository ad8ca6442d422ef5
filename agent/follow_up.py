"""Elliptical follow-ups that a rule can read: 「では大阪は？」 after a question about Tokyo.

What the follow-up names takes the place of its counterpart in the question before: a period of the
one period there, a stored value of the one value of the same column, a code of the one code. What
is not certain is left to the model.
"""

import calendar as months
import re
from collections.abc import Callable, Sequence
from datetime import date, timedelta

from agent.language import language_of
from tools.dates import CalendarSettings, DateRange, mentions
from tools.dates.fold import fold
from tools.text import casefolded
from tools.verify.identifiers import find_identifiers

Values = Callable[[str], Sequence[tuple[str, str, str]]]
"""(table, column, stored value) for the values that stand in a text."""

_ELLIPSIS = re.compile(
    r"""\s*(?:(?:and|then|ok(?:ay)?|so|what\s+about|how\s+about|and\s+what\s+about)\b[\s,]*
        |では[、,]?|じゃあ?[、,]?|それでは[、,]?|次に[、,]?|那么?[，,]?|那麼[，,]?)*
        (?:(?:in|for|on|at|of|the)\s+)*
        (?P<what>[^?？。.!！、，,;；]{1,30}?)
        \s*(?:の場合|だと|について|なら)?(?:は(?:どう(?:です|でしょう)?か?|いかがですか)?|呢|怎么样)?
        \s*[?？]?\s*$""",
    re.IGNORECASE | re.VERBOSE,
)
# Relative to the period before, which a rule takes from there; the other forms are left alone.
_YEAR_BACK = re.compile(
    r"same (?:month|period) (?:a|one|last|the) (?:year )?(?:year|earlier|before|previous)?(?: (?:year|earlier|before))?"
    r"|(?:その)?(?:前年|昨年|去年)の?同(?:月|期)|(?:上年|去年)的?同(?:月|期)",
    re.IGNORECASE,
)
_RELATIVE = re.compile(
    r"\b(?:same|before|earlier|later|after|previous|prior|following|next)\b|同[月期]|前[年月期週日]|翌|其后|之前|次[月年]",
    re.IGNORECASE,
)
_MARKS = re.compile(
    r"^\s*(?:and|what\s+about|how\s+about|では|じゃ|それでは|那)|(?:は|呢)\s*[?？]", re.IGNORECASE
)


def stand_alone(
    question: str, before: str, today: date, calendar: CalendarSettings, values: Values
) -> str:
    """The follow-up as a question of its own; "" where no rule reads it for certain.

    `before` is the question before it, as it was read then.
    """
    found = _ELLIPSIS.match(question)
    if found is None or not _MARKS.search(question):
        return ""
    what = found["what"].strip()
    return (
        _other_period(what, before, today, calendar)
        or _other_value(what, before, values)
        or _other_code(what, before)
    )


def _other_period(what: str, before: str, today: date, calendar: CalendarSettings) -> str:
    old = mentions(before, today, calendar)
    if len(old) != 1 or old[0].range is None:
        return ""
    if _YEAR_BACK.fullmatch(what):
        what = _year_before(old[0].range, before)
    elif _RELATIVE.search(what):
        return ""
    new = mentions(what, today, calendar)
    if len(new) != 1 or new[0].range is None or new[0].text.strip() != what:
        return ""
    return before[: old[0].start] + what + before[old[0].end :]


def _year_before(period: DateRange, text: str) -> str:
    """The same days a year earlier, in the words of the text's language; "" where there are none,
    or are not whole months."""
    start, end = period.start, period.end
    if start.day != 1 or end + timedelta(1) != _next_month(end) or start.month != end.month:
        return ""
    year, month = start.year - 1, start.month
    return (
        f"{months.month_name[month]} {year}" if language_of(text) == "en" else f"{year}年{month}月"
    )


def _next_month(day: date) -> date:
    return (day.replace(day=28) + timedelta(4)).replace(day=1)


def _other_value(what: str, before: str, values: Values) -> str:
    """The names of both in the same column of the same table."""
    meant = {(t, c): v for t, c, v in values(what) if casefolded(v).strip() == casefolded(what)}
    named = [(t, c, v) for t, c, v in values(before) if (t, c) in meant]
    places = {_place(v, before) for _, _, v in named} - {None}
    if len(places) != 1:
        return ""
    start, end = places.pop() or (0, 0)
    return before[:start] + what + before[end:]


def _other_code(what: str, before: str) -> str:
    new = find_identifiers(what, fold(what), [])
    old = find_identifiers(before, fold(before), [])
    if len(new) != 1 or len(old) != 1 or new[0].text.strip() != what:
        return ""
    return before[: old[0].start] + what + before[old[0].end :]


def _place(value: str, text: str) -> tuple[int, int] | None:
    """Where a stored value stands in a text, once; None otherwise."""
    found = [m.span() for m in re.finditer(re.escape(value), text, re.IGNORECASE)]
    return found[0] if len(found) == 1 else None
