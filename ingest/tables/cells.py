"""What one cell says: a number with its unit, a date or time, a truth value, or none of them.

The contract of the readings: a cell is one value or it is none. Approximations, ranges,
fractions and separators that could be read two ways are none.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import date, time
from decimal import Decimal
from typing import NamedTuple

NULL_WORDS = frozenset(
    ["", "-", "－", "―", "—", "–", "N/A", "n/a", "NULL", "null", "Null", "#N/A", "\\N"]
)
"""Cells that are NULL in every column."""

TYPED_NULL_WORDS = frozenset(
    [
        "NA",
        "na",
        "NaN",
        "nan",
        "None",
        "none",
        "なし",
        "無し",
        "无",
        "未定",
        "--",
        "---",
        "ー",
        "NIL",
        "nil",
    ]
)
"""Cells that are NULL in a column of numbers, dates or truth values; in a text column they stay."""

SCALES = {"千": 3, "百万": 6, "十億": 9, "億": 8, "亿": 8, "万": 4, "兆": 12}
_CURRENCIES = {
    "円": "JPY", "¥": "¥", "元": "CNY", "$": "USD", "€": "EUR", "£": "GBP",
    "JPY": "JPY", "USD": "USD", "EUR": "EUR", "GBP": "GBP", "CNY": "CNY", "RMB": "CNY",
}  # fmt: skip
COUNTERS = (
    "個|箱|本|枚|台|点|件|冊|袋|缶|束|足|着|組|名|人|回|日|週|か月|ヶ月|年|時間|分|秒|ケース|パック|セット|ダース|"
    "个|只|条|张|套|瓶|包|双|吨|米|公斤|pcs|kg|g|mg|t|l|ml|cm|mm|m|km|㎡|m2|m3|h|min|sec"
)

_NEGATIVE = "-−–‐‑﹣▲△"
_NUMBER = re.compile(
    rf"(?P<open>\()?\s*(?P<sign>[{_NEGATIVE}+])?\s*(?P<before>[¥$€£]|(?:JPY|USD|EUR|GBP|CNY|RMB)\s)?\s*"
    rf"(?P<sign2>[{_NEGATIVE}])?\s*"
    r"(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d*)?|\.\d+)(?P<exponent>[eE][+-]?\d{1,3})?"
    r"(?P<dash>,-|\.-)?\s*"
    r"(?P<scale>百万|十億|千|億|亿|万|兆)?\s*"
    rf"(?P<after>円|元|%|JPY|USD|EUR|GBP|CNY|RMB|\$|€|£|(?:{COUNTERS})(?![A-Za-z]))?"
    rf"(?P<trail>[{_NEGATIVE}])?\s*(?P<close>\))?",
)
_LEADING_ZERO = re.compile(r"0\d+(\.\d+)?")
_ERAS = {
    "令和": 2018,
    "R": 2018,
    "平成": 1988,
    "H": 1988,
    "昭和": 1925,
    "S": 1925,
    "大正": 1911,
    "T": 1911,
}
_MONTHS = {
    m: i
    for i, m in enumerate(
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], 1
    )
}
_YMD = re.compile(r"(\d{4})(?:([-/.])(\d{1,2})\2(\d{1,2})|年\s*(\d{1,2})月\s*(\d{1,2})日)")
_ERA = re.compile(
    r"(令和|平成|昭和|大正|[RHST])\s*(\d{1,2}|元)(?:年\s*(\d{1,2})月\s*(\d{1,2})日|[./-](\d{1,2})[./-](\d{1,2}))"
)
_DMY = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4})")
_NAMED = re.compile(
    r"(\d{1,2})[-\s/]([A-Za-z]{3})[a-z]*[-\s/,]+(\d{4})|([A-Za-z]{3})[a-z]*\.?\s+(\d{1,2}),?\s+(\d{4})"
)
_TIME = re.compile(
    r"(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*([AaPp][Mm])?\s*(Z|UTC|[+-]\d{2}:?\d{2})?"
)
_WEEKDAY = re.compile(r"\s*\([月火水木金土日一二三四五六]\)")


class Number(NamedTuple):
    """`value` with sign and scale word applied; `unit` is %, a currency, a counter or None.

    `scaled` is True where the cell has a scale word of its own (1,234千円).
    """

    value: Decimal
    unit: str | None = None
    exponent: bool = False
    scaled: bool = False


class Moment(NamedTuple):
    """A date, or a date with a time of day. `order` names the reading where both would do."""

    text: str
    has_time: bool
    order: str | None = None
    other: str | None = None
    offset: str | None = None


def read_number(text: str) -> Number | None:
    """One number, or None. A leading zero makes a code, not a number."""
    normal = unicodedata.normalize("NFKC", text).strip().replace("\\", "¥")
    match = _NUMBER.fullmatch(normal)
    if match is None or bool(match["open"]) != bool(match["close"]):
        return None
    signs = [
        match["sign"] in tuple(_NEGATIVE),
        bool(match["sign2"]),
        bool(match["trail"]),
        bool(match["open"]),
    ]
    if sum(signs) > 1 or (
        match["before"] and match["after"] and match["after"] not in ("円", "元")
    ):
        return None
    if _LEADING_ZERO.fullmatch(match["digits"]) or match["digits"].startswith("0,"):
        return None
    value = Decimal(match["digits"].replace(",", "") + (match["exponent"] or ""))
    if match["scale"]:
        value = value.scaleb(SCALES[match["scale"]])
        value = value.quantize(Decimal(1)) if value == value.to_integral_value() else value
    unit = (match["before"] or match["after"] or "").strip()
    return Number(
        -value if any(signs) else value,
        _CURRENCIES.get(unit, unit) or None,
        bool(match["exponent"]),
        bool(match["scale"]),
    )


_SIMPLIFIED = frozenset("产单价销库额货币务编码录数户订购总计规门电话备进厂资时间区运费级别类")


def yen_currency(text: str) -> str:
    """What ¥ means beside this text: JPY, unless it is Chinese (simplified, and no kana)."""
    kana = any("\u3041" <= char <= "\u30ff" for char in text)
    return "CNY" if not kana and _SIMPLIFIED & set(text) else "JPY"


def is_leading_zero(text: str) -> bool:
    """`007`, full-width digits included: an identifier wherever it stands."""
    return bool(_LEADING_ZERO.fullmatch(unicodedata.normalize("NFKC", text)))


def read_boolean(text: str) -> bool | None:
    return {"true": True, "false": False}.get(text.lower())


def read_moment(text: str) -> Moment | None:
    """A date or date and time that exists, or None."""
    normal = _WEEKDAY.sub("", unicodedata.normalize("NFKC", text)).strip()
    for pattern, reader in ((_YMD, _ymd), (_ERA, _era), (_DMY, _dmy), (_NAMED, _named)):
        match = pattern.match(normal)
        if match:
            days = reader(match)
            return _with_time(days, normal[match.end() :]) if days else None
    return None


def _ymd(match: re.Match[str]) -> tuple[str, str | None, str | None] | None:
    year, month, day = match[1], match[3] or match[5], match[4] or match[6]
    text = _day(int(year), int(month), int(day))
    return (text, None, None) if text else None


def _era(match: re.Match[str]) -> tuple[str, str | None, str | None] | None:
    year = _ERAS[match[1]] + (1 if match[2] == "元" else int(match[2]))
    text = _day(year, int(match[3] or match[5]), int(match[4] or match[6]))
    return (text, None, None) if text else None


def _dmy(match: re.Match[str]) -> tuple[str, str | None, str | None] | None:
    """Day first, the other reading beside it; a dot always separates day first."""
    first, second, year = int(match[1]), int(match[3]), int(match[4])
    day_first = _day(year, second, first)
    if match[2] == ".":
        return (day_first, None, None) if day_first else None
    month_first = _day(year, first, second)
    if day_first and month_first:
        return (day_first, "both", month_first)
    if day_first:
        return (day_first, "dmy", None)
    return (month_first, "mdy", None) if month_first else None


def _named(match: re.Match[str]) -> tuple[str, str | None, str | None] | None:
    day, name, year = (match[1], match[2], match[3]) if match[1] else (match[5], match[4], match[6])
    month = _MONTHS.get(name.lower())
    text = _day(int(year), month, int(day)) if month else None
    return (text, None, None) if text else None


def _day(year: int, month: int, day: int) -> str | None:
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None


def _with_time(days: tuple[str, str | None, str | None], rest: str) -> Moment | None:
    text, order, other = days
    if not rest.strip():
        return Moment(text, False, order, other)
    match = _TIME.fullmatch(rest.lstrip("T ").strip())
    if match is None:
        return None
    hour, half = int(match[1]), (match[5] or "").lower()
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half == "pm" else 0)
    fraction = (match[4] or "").ljust(6, "0")[:6]
    try:
        clock = time(hour, int(match[2]), int(match[3] or 0), int(fraction))
    except ValueError:
        return None
    later = f"{other} {clock.isoformat()}" if other else None
    return Moment(f"{text} {clock.isoformat()}", True, order, later, match[6])


def looks_typed(text: str) -> str:
    """ "number" or "date" for a cell that is plainly one, else ""."""
    if not text or text in NULL_WORDS or len(text) > 40:
        return ""
    if read_number(text) or is_leading_zero(text):
        return "number"
    return "date" if read_moment(text) else ""
