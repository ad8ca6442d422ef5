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

ERROR_WORDS = frozenset(
    ["#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!", "#SPILL!", "#CALC!", "#FIELD!"]
)
"""What a formula that failed leaves in its cell: no value of any type."""

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

SPOKEN_NULL_WORDS = frozenset(["なし", "無し", "无", "未定"])
"""Those of them that a person wrote: none, or not settled yet. They are listed in quarantine, for
they may stand for 0 as well as for nothing; the others are what programs write for a blank."""

SCALES = {
    "百": 2, "千": 3, "万": 4, "百万": 6, "千万": 7, "億": 8, "亿": 8, "十億": 9, "百億": 10,
    "千億": 11, "兆": 12,
}  # fmt: skip
_CURRENCIES = {
    "円": "JPY", "¥": "¥", "JP¥": "JPY", "CN¥": "CNY", "元": "CNY", "$": "USD", "US$": "USD",
    "€": "EUR", "£": "GBP",
    "JPY": "JPY", "USD": "USD", "EUR": "EUR", "GBP": "GBP", "CNY": "CNY", "RMB": "CNY",
}  # fmt: skip
COUNTERS = (
    "個|箱|本|枚|台|点|件|冊|袋|缶|束|足|着|組|名|人|回|日|週|か月|ヶ月|年|時間|分|秒|ケース|パック|セット|ダース|"
    "个|只|条|张|套|瓶|包|双|吨|米|公斤|pcs|kg|g|mg|t|l|ml|cm|mm|m|km|㎡|m2|m3|h|min|sec"
)

_CAPITALS = "kg|mg|ml|cm|km|pcs"
"""Units that are written in capitals, too: 10KG, 500mL. Not mm, for 10MM may be ten millions."""
_NEGATIVE = "-−–‐‑﹣▲△"
_CODES = "JPY|USD|EUR|GBP|CNY|RMB"
_WHOLE = r"\d{1,3}(?:,\d{3})+|\d+"
_SCALE = "|".join(sorted(SCALES, key=len, reverse=True))
_NUMBER = re.compile(
    rf"(?P<open>\()?\s*(?P<sign>[{_NEGATIVE}+])?\s*"
    rf"(?P<before>(?:JP|CN)?¥|(?:US\s?)?\$|[€£円]|{_CODES})?\s*"
    rf"(?P<sign2>[{_NEGATIVE}])?\s*(?P<upper>(?:(?:{_WHOLE})(?:{_SCALE})\s*)+)?"
    r"(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d*)?|\.\d+)(?P<exponent>[eE][+-]?\d{1,3})?"
    rf"(?P<dash>,-|\.-)?\s*(?P<scale>{_SCALE})?\s*"
    rf"(?P<after>円|元|%|{_CODES}|(?:US)?\$|€|£|(?:{COUNTERS}|L|(?i:{_CAPITALS}))(?![A-Za-z]))?"
    rf"(?P<trail>[{_NEGATIVE}])?\s*(?P<close>\))?",
)
_PART = re.compile(rf"({_WHOLE})({_SCALE})(\s*)")
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
_MONTH_NAMES = (
    "january february march april may june july august september october november december"
)
_MONTHS = {
    word: i
    for i, name in enumerate(_MONTH_NAMES.split(), 1)
    for word in (name[:3], name, *(["sept"] if i == 9 else []))
}
_YMD = re.compile(r"(\d{4})(?:([-/.])(\d{1,2})\2(\d{1,2})|年\s*(\d{1,2})月\s*(\d{1,2})日)")
_ERA = re.compile(
    r"(令和|平成|昭和|大正|[RHST])\s*(\d{1,2}|元)"
    r"(?:年\s*(\d{1,2})月\s*(\d{1,2})日|([./-])(\d{1,2})\5(\d{1,2}))"
)
_DMY = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4})")
_NAMED = re.compile(
    r"(\d{1,2})[-\s/]([A-Za-z]{3,9})[-\s/,]+(\d{4})|([A-Za-z]{3,9})\.?\s+(\d{1,2}),?\s+(\d{4})"
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
    """A date, or a date with a time of day. `order` names the reading where both would do.

    `weak`: an era by its letter alone (R8.1.5), which may be a code as well.
    """

    text: str
    has_time: bool
    order: str | None = None
    other: str | None = None
    offset: str | None = None
    weak: bool = False


def read_number(text: str, *, litres: bool = False) -> Number | None:
    """One number, or None. A leading zero makes a code, not a number.

    A whole number before a capital L is a size or a code (5L) as well as a volume: it is read
    only for `litres`. 1.5L is a volume.
    """
    normal = unicodedata.normalize("NFKC", text).strip().replace("\\", "¥")
    match = _NUMBER.fullmatch(normal)
    if match is None or _has_signs_for_digits(text) or bool(match["open"]) != bool(match["close"]):
        return None
    signs = [match["sign"], match["sign2"], match["trail"], match["open"]]
    if sum(map(bool, signs)) > 1:
        return None
    if _LEADING_ZERO.fullmatch(match["digits"]) or match["digits"].startswith("0,"):
        return None
    if match["after"] == "L" and not litres and match["digits"].isdigit():
        return None
    unit, value = _unit(match["before"], match["after"]), _value(match)
    if unit is None or value is None:
        return None
    return Number(
        -value if any(signs) and match["sign"] != "+" else value,
        unit or None,
        bool(match["exponent"]),
        bool(match["scale"] or match["upper"]),
    )


def _has_signs_for_digits(text: str) -> bool:
    """①, ², ½: signs that are no digits of a figure, although normal forms make digits of them."""
    return not text.isascii() and any(unicodedata.category(char) == "No" for char in text)


def _unit(before: str | None, after: str | None) -> str | None:
    """The unit of what stands before and after the figure, "" for none of them, None where they
    name two: $5円. ¥ leaves open which currency it is, and 円 or 元 beside it says it."""
    first, last = (unit_name(text or "") for text in (before, after))
    if not first or not last or first == last:
        return first or last
    return last if first == "¥" and last in ("JPY", "CNY") else None


def unit_name(text: str) -> str:
    """The one spelling of a unit: kg for KG, JPY for 円; ¥ stays open."""
    if text == "L" or re.fullmatch(_CAPITALS, text, re.I):
        return text.lower()
    return _CURRENCIES.get(re.sub(r"\s", "", text), text)


def _value(match: re.Match[str]) -> Decimal | None:
    """Without its sign; None for scale words that do not go down (3千5百万), or leave it open
    how many figures are left out (1万5 is 10,005 or 15,000)."""
    digits, exponent = match["digits"].replace(",", ""), match["exponent"]
    shift = SCALES[match["scale"]] if match["scale"] else 0
    if exponent and (shift or match["upper"]):
        return None
    value = Decimal(digits + (exponent or f"e{shift}"))
    if shift and value == value.to_integral_value():
        value = Decimal(int(value))
    if not match["upper"]:
        return value
    parts = [
        (part[1].replace(",", ""), part[2], part[3]) for part in _PART.finditer(match["upper"])
    ]
    last = SCALES[parts[-1][1]]
    short = not shift and (len(digits) < last - 1 or bool(parts[-1][2]))
    if short or not digits.isdigit() or match["dash"]:
        return None
    for figure, word, _ in reversed(parts):
        if figure.startswith("0") or not 0 < value < 10 ** SCALES[word]:
            return None
        value += int(figure) * 10 ** SCALES[word]
    return value


_SIMPLIFIED = frozenset("产单价销库额货币务编码录户订购总计规门电话备进厂资时间运费级别类")


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
            moment = _with_time(days, normal[match.end() :]) if days else None
            weak = pattern is _ERA and len(match[1]) == 1 and match[5] is not None
            return moment._replace(weak=True) if moment and weak else moment
    return None


def _ymd(match: re.Match[str]) -> tuple[str, str | None, str | None] | None:
    year, month, day = match[1], match[3] or match[5], match[4] or match[6]
    text = _day(int(year), int(month), int(day))
    return (text, None, None) if text else None


def _era(match: re.Match[str]) -> tuple[str, str | None, str | None] | None:
    """R8.1.5 and R8/1/5 are dates; R8-1-5 is a place in a warehouse."""
    if len(match[1]) == 1 and match[5] == "-":
        return None
    year = _ERAS[match[1]] + (1 if match[2] == "元" else int(match[2]))
    text = _day(year, int(match[3] or match[6]), int(match[4] or match[7]))
    return (text, None, None) if text else None


def _dmy(match: re.Match[str]) -> tuple[str, str | None, str | None] | None:
    """Day first, the other reading beside it. With dots the month never comes first, but 1.2.2026
    may be no date at all: a day above 12 settles it for the column."""
    first, second, year = int(match[1]), int(match[3]), int(match[4])
    day_first = _day(year, second, first)
    month_first = _day(year, first, second)
    if match[2] == "." and not day_first:
        return None
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
