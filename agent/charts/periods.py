"""Which column of a result says when: dates, months, quarters, weeks and years, as written.

A day, a month and a year become points in time; what has no day of its own (a quarter, a week, a
fiscal year, a month without a year) keeps its label and gets its place in a row of labels.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from tools.evidence import Column, Value

Unit = Literal["time", "day", "month", "year", "label"]
Key = tuple[int, ...]

_ERAS = {"明治": 1867, "大正": 1911, "昭和": 1925, "平成": 1988, "令和": 2018}
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_ENDS = {
    "year": r"(?:year|yyyy|fy|年|年度|年份)$",
    "month": r"(?:month|mon|月|月次|月份)$",
    "quarter": r"(?:quarter|qtr|四半期|季度)$",
    "week": r"(?:week|week_?no|週|周)$",
}
# "sales_this_month" and 前月 are figures of a month, not the month.
_RELATIVE = re.compile(
    r"(?:this|last|prev(?:ious)?|prior|current|next|per|今|先|前|当|来|本|上|下|去|昨|同)[_ ]?"
    r"(?:year|month|quarter|week|年度?|月|四半期|季度|週|周)$",
    re.IGNORECASE,
)
_RANGES = {"year": (1900, 2199), "month": (1, 12), "quarter": (1, 4), "week": (1, 53)}


@dataclass(frozen=True)
class Period:
    """`labels` has one entry a row, None where the row has no date. `order` are the distinct
    labels in their order. Labels of a `unit` other than "label" are ISO 8601."""

    title: str
    unit: Unit
    labels: tuple[str | None, ...]
    order: tuple[str, ...]
    used: tuple[int, ...]
    """The columns that it was read from."""


def find_period(columns: Sequence[Column], rows: Sequence[Sequence[Value]]) -> Period | None:
    """The first date column, else numbered years, months, quarters, else texts like 2026年1月."""
    values = [tuple(row[i] for row in rows) for i in range(len(columns))]
    for reader in (_dates, _numbered, _written):
        found = reader(columns, values)
        if found is not None:
            return found
    return None


def _dates(columns: Sequence[Column], values: Sequence[tuple[Value, ...]]) -> Period | None:
    for i, column in enumerate(columns):
        if column.type.startswith(("DATE", "TIMESTAMP")):
            texts = [None if v is None else str(v).replace(" ", "T") for v in values[i]]
            return _in_time(column.name, texts, (i,))
    return None


def _in_time(title: str, texts: Sequence[str | None], used: tuple[int, ...]) -> Period:
    given = [t for t in texts if t is not None]
    if any(not t[10:].startswith("T00:00:00") for t in given if len(t) > 10):
        labels = [t if t is None else f"{t[:10]}{t[10:19] or 'T00:00:00'}" for t in texts]
        return _period(title, "time", labels, used)
    days = [t if t is None else t[:10] for t in texts]
    begin = {d for d in days if d is not None}
    months = len(begin) > 1 and all(d.endswith("-01") for d in begin)
    return _period(title, "month" if months else "day", days, used)


def _numbered(columns: Sequence[Column], values: Sequence[tuple[Value, ...]]) -> Period | None:
    """Whole numbers in a column whose name says what they count; a year beside is put before."""
    found: dict[str, int] = {}
    for i, column in enumerate(columns):
        if _RELATIVE.search(column.name):
            continue
        for part, ends in _ENDS.items():
            if re.search(ends, column.name, re.IGNORECASE) and _all_within(values[i], part):
                found.setdefault(part, i)
    if not found:
        return None
    part = next((p for p in ("month", "week", "quarter") if p in found), "year")
    used = tuple(found[p] for p in ("year", part) if p in found)[-2 if part != "year" else -1 :]
    title = " · ".join(columns[i].name for i in used)
    return _of_numbers(title, part, [values[i] for i in used], used)


def _all_within(values: Sequence[Value], part: str) -> bool:
    low, high = _RANGES[part]
    numbers = [_whole(v) for v in values if v is not None]
    return bool(numbers) and all(n is not None and low <= n <= high for n in numbers)


def _whole(value: Value) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    text = str(value)
    return int(text) if re.fullmatch(r"\d{1,4}", text) else None


def _of_numbers(
    title: str, part: str, columns: Sequence[Sequence[Value]], used: tuple[int, ...]
) -> Period:
    keys = [
        None if None in numbers else tuple(n for n in numbers if n is not None)
        for numbers in ([_whole(v) for v in row] for row in zip(*columns, strict=True))
    ]
    if part == "year":
        return _period(title, "year", [_iso(k, "year") for k in keys], used)
    if part == "month" and len(used) == 2:
        return _period(title, "month", [_iso(k, "month") for k in keys], used)
    mark = {"month": "", "quarter": "Q", "week": "W"}[part]
    labels = [k if k is None else " ".join([*map(str, k[:-1]), f"{mark}{k[-1]}"]) for k in keys]
    return _labelled(title, labels, keys, used)


def _iso(key: Key | None, unit: Unit) -> str | None:
    if key is None:
        return None
    match unit:
        case "day":
            return f"{key[0]:04}-{key[1]:02}-{key[2]:02}"
        case "month":
            return f"{key[0]:04}-{key[1]:02}-01"
        case _:
            return f"{key[0]:04}"


def _written(columns: Sequence[Column], values: Sequence[tuple[Value, ...]]) -> Period | None:
    for i, column in enumerate(columns):
        texts = [None if v is None else str(v).strip() for v in values[i]]
        given = [t for t in texts if t is not None]
        if not given or not isinstance(next(v for v in values[i] if v is not None), str):
            continue
        for unit, pattern, key in _FORMS:
            if all(_matched(pattern, t) for t in given) and _may_be(unit, column.name, given):
                keys = [None if t is None else _key(pattern, key, t) for t in texts]
                if unit == "label":
                    return _labelled(column.name, texts, keys, (i,))
                return _period(column.name, unit, [_iso(k, unit) for k in keys], (i,))
    return None


def _may_be(unit: Unit, name: str, texts: Sequence[str]) -> bool:
    """Four digits alone are a code unless their column says that they are years; so is W01, which
    warehouses are called as well."""
    if all(_matched(r"W\d{1,2}", t) for t in texts):
        return re.search(_ENDS["week"], name, re.IGNORECASE) is not None
    if unit != "year" or all(t.endswith("年") for t in texts):
        return True
    return re.search(_ENDS["year"], name, re.IGNORECASE) is not None


def _matched(pattern: str, text: str) -> re.Match[str] | None:
    return re.fullmatch(pattern, text, re.IGNORECASE)


def _key(pattern: str, key: Callable[[re.Match[str]], Key], text: str) -> Key:
    match = _matched(pattern, text)
    assert match is not None
    return key(match)


def _period(title: str, unit: Unit, labels: Sequence[str | None], used: tuple[int, ...]) -> Period:
    order = tuple(sorted({label for label in labels if label is not None}))
    return Period(title, unit, tuple(labels), order, used)


def _labelled(
    title: str,
    labels: Sequence[str | None],
    keys: Sequence[Key | None],
    used: tuple[int, ...],
) -> Period:
    """With a year in the key, by the key; without one as the rows have it: a fiscal year's months
    begin at 4, and only the rows know. Rows that run backwards are turned round."""
    first = {label: key for label, key in zip(labels, keys, strict=True) if label and key}
    order = list(first)
    found = list(first.values())
    if all(len(k) > 1 for k in found):
        order.sort(key=lambda label: first[label])
    elif len(order) > 1 and found == sorted(found, reverse=True):
        order.reverse()
    return Period(title, "label", tuple(labels), tuple(order), used)


def _numbers(match: re.Match[str]) -> Key:
    return tuple(int(g) for g in match.groups() if g is not None)


def _era(match: re.Match[str]) -> Key:
    year = 1 if match[2] == "元" else int(match[2])
    return (_ERAS[match[1]] + year, 0)


def _english(match: re.Match[str]) -> Key:
    month = _MONTHS.index(match[1][:3].lower()) + 1
    return (int(match[2]), month) if match[2] else (month,)


def _fiscal(match: re.Match[str]) -> Key:
    return (int(match[1] or match[2]), 0)


_NAME = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_FORMS: tuple[tuple[Unit, str, Callable[[re.Match[str]], Key]], ...] = (
    ("day", r"(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?", _numbers),
    ("month", r"(\d{4})[-/.年](0?[1-9]|1[0-2])月?", _numbers),
    ("year", r"((?:19|20|21)\d\d)年?", _numbers),
    (
        "label",
        r"(?:FY ?)?(\d{4})(?:年度?|財年|财年)? ?[-/]?(?:Q|第)([1-4])(?:四半期|季度)?",
        _numbers,
    ),
    ("label", r"(\d{4})[-年]?W(\d{1,2})", _numbers),
    ("label", r"(\d{4})年第?(\d{1,2})[週周]", _numbers),
    ("label", r"FY ?(\d{4})|(\d{4})(?:年度|財年|财年)", _fiscal),
    ("label", rf"({'|'.join(_ERAS)})(\d{{1,2}}|元)年度?", _era),
    ("label", r"(\d{1,2})月", _numbers),
    ("label", r"(?:Q|第)([1-4])(?:四半期|季度)?", _numbers),
    ("label", r"W(?:eek ?)?(\d{1,2})", _numbers),
    ("label", rf"{_NAME}\.? ?(\d{{4}})?", _english),
)
