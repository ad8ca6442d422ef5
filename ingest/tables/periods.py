"""The period in a file's name: `sales_2026-01.csv`, `在庫_2026年1月.xlsx`, `stock_2026W05.csv`."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Literal

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_YEAR = r"(?:19|20)\d\d"
_ERA = r"(?:令和|平成|昭和)(?:\d{1,2}|元)"
_MM, _DD = r"(?:0[1-9]|1[0-2])", r"(?:0[1-9]|[12]\d|3[01])"
PERIOD = re.compile(
    "|".join(
        [
            rf"(?:{_YEAR}|{_ERA})年度?(?:\s*\d{{1,2}}月(?:\d{{1,2}}日|度|分)?|\s*第?[1-4](?:四半期|季度)|\s*第?[一二三四]季度)?",
            rf"(?<!\d)(?:fy)?{_YEAR}[-_ .]?(?:q[1-4]|h[12]|w\d\d?)(?!\d)",
            rf"(?<![a-z0-9])(?:q[1-4]|[1-4]q)[-_ .]?(?:fy)?{_YEAR}(?!\d)",
            rf"(?<!\d){_YEAR}([-_ .]?){_MM}(?:\1{_DD})?(?!\d)",
            rf"(?<!\d){_DD}[-_.]{_MM}[-_.]{_YEAR}(?!\d)",
            rf"(?<![a-z]){_MONTH}[-_ .]?{_YEAR}(?!\d)",
            rf"(?<!\d){_YEAR}[-_ .]?{_MONTH}(?![a-z])",
            rf"(?<![a-z0-9])(?:fy)?{_YEAR}(?!\d)",
            r"(?<!\d)\d{1,2}月(?:度|分)?",
            r"(?<![a-z0-9])(?:q[1-4]|[1-4]q)(?![a-z0-9])",
        ]
    ),
    re.I,
)
_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925}
_MONTHS = {"year": 12, "half": 6, "quarter": 3, "month": 1}
_ANY_YEAR = 2000
_LENGTHS = (1, 7, 31, 92, 184)
"""The most days of a day, a week, a month, a quarter and half a year."""

Years = Literal["calendar", "fiscal", "none"]


@dataclass(frozen=True)
class Period:
    """The days `first` to `last`. In `fiscal` years they are counted as if those began in
    January, for their first month is not known here; with `none` no year is given.

    `day_first` is True where a day written before its month could be nothing else (`31.01.2026`),
    False where it could (`05.06.2026`), None where it makes no difference.
    """

    first: date
    last: date
    years: Years = "calendar"
    day_first: bool | None = field(default=None, compare=False)

    @property
    def length(self) -> int:
        """0 for a day, 1 a week, 2 a month, 3 a quarter, 4 half a year, 5 a year."""
        return bisect_left(_LENGTHS, (self.last - self.first).days + 1)

    def may_meet(self, other: Period) -> bool:
        """Whether they have a day in common, as far as can be told: of a fiscal and a calendar
        year it cannot."""
        if self.years != other.years:
            return True
        return self.first <= other.last and other.first <= self.last


@lru_cache(maxsize=4096)
def period_of(source: str) -> Period | None:
    """The period that a file's name holds, however it is written: `2026-06`, `202606`, `2026年6月`,
    `Jun-2026` are one. None without a period, and for one that does not exist (`20260231`)."""
    found = PERIOD.search(unicodedata.normalize("NFKC", PurePosixPath(source).stem))
    if found is None:
        return None
    text = _in_digits(found.group().casefold())
    numbers = [int(n) for n in re.findall(r"\d+", text)]
    backward = len(numbers) > 1 and numbers[-1] >= 1900
    if backward:
        numbers.reverse()
    day_first = None
    if backward and numbers[2:]:
        day_first = numbers[2] > 12 or (None if numbers[1] == numbers[2] else False)
    years: Years = "fiscal" if "年度" in text or "fy" in text else "calendar"
    if numbers[0] < 1900:
        years, numbers = "none", [_ANY_YEAR, *numbers]
    try:
        return Period(*_days(text, *numbers), years, day_first)
    except ValueError:
        return None


def _in_digits(text: str) -> str:
    """Months, eras and Chinese numerals as numbers; `20260131` as 2026-01-31."""
    for number, name in enumerate(_NAMES, start=1):
        text = re.sub(rf"{name}[a-z]*", f"-{number}-", text)
    text = re.sub(r"(令和|平成|昭和)(\d+|元)", _calendar_year, text)
    text = re.sub(r"第?([一二三四])季", lambda m: f"第{'一二三四'.index(m[1]) + 1}季", text)
    return re.sub(r"(?<!\d)(\d{4})(\d\d)(\d\d)?(?!\d)", r"\1-\2-\3", text)


def _calendar_year(era: re.Match[str]) -> str:
    return str(_ERAS[era[1]] + (1 if era[2] == "元" else int(era[2])))


def _days(text: str, year: int, part: int = 1, day: int = 0) -> tuple[date, date]:
    """First and last day. Weeks are those of ISO 8601, Monday to Sunday. Raises `ValueError`."""
    if day:
        return date(year, part, day), date(year, part, day)
    unit = _unit(text)
    if unit == "week":
        return date.fromisocalendar(year, part, 1), date.fromisocalendar(year, part, 7)
    months = _MONTHS[unit]
    start = (part - 1) * months
    end = year * 12 + start + months
    return date(year, start + 1, 1), date(end // 12, end % 12 + 1, 1) - timedelta(days=1)


def _unit(text: str) -> str:
    """What the second number counts."""
    for unit, sign in (("quarter", r"q|四半期|季"), ("half", r"h"), ("week", r"w")):
        if re.search(sign, text):
            return unit
    return "month" if len(re.findall(r"\d+", text)) > 1 or "月" in text else "year"
