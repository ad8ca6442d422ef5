"""Columns whose cells are written as DuckDB itself writes their type: 12, 1.50, 2026-01-05.

Such a cell is its value and nothing is lost by keeping it as one, at a fraction of the room and
time. Every other cell stays as it is written. Which type to try is guessed from the first rows;
a wrong guess costs time, never a cell.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

_MOST = 0.9
_LONGEST = 30
_INTEGER = re.compile(r"-?(0|[1-9]\d{0,17})")
_DECIMAL = re.compile(r"-?(0|[1-9]\d{0,8})\.(\d{1,9})")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?")


def guess_kinds(rows: Iterable[Sequence[str]], width: int) -> dict[int, str]:
    """By the column's place, the type that most of these cells are written as, if there is one."""
    found: list[Counter[str]] = [Counter() for _ in range(width)]
    for row in rows:
        for counter, cell in zip(found, row, strict=False):
            if cell.strip():
                counter[_kind(cell)] += 1
    kinds = {}
    for i, counter in enumerate(found):
        kind, count = counter.most_common(1)[0] if counter else ("", 0)
        if kind and count >= _MOST * counter.total():
            kinds[i] = kind
    return kinds


def _kind(cell: str) -> str:
    if len(cell) > _LONGEST or not cell.isascii():
        return ""
    if _INTEGER.fullmatch(cell):
        return "BIGINT"
    if decimal := _DECIMAL.fullmatch(cell):
        return f"DECIMAL(18,{len(decimal[2])})"
    if _DATE.fullmatch(cell):
        return "DATE"
    return "TIMESTAMP" if _TIME.fullmatch(cell) else ""
