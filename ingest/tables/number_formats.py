"""What an Excel number format shows beside the digits: leading zeros, a percent sign, a unit.

The codes are those of ECMA-376 part 1, 18.8.31. Only what changes the figure or makes it a code
is followed: 123 under `00000` is the code 00123, 0.125 under `0.0%` is 12.5%, 5 under `0"箱"` is 5箱.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal

from ingest.tables.cells import COUNTERS

Shown = Callable[[float], str | None]
"""The text for a value; None where the bare number says the same."""

BUILTIN = {9: "0%", 10: "0.00%"}
_TOKEN = re.compile(r'"([^"]*)"|\\(.)|\[\$([^\]-]*)[^\]]*\]|(\[[^\]]*\]|_.|\*.)|(.)')
_LIMIT = re.compile(r"\[<(=?)(\d+)\]")
_DIGITS = re.compile(r"[#0?,.]*[#0?][#0?,.]*")
_CODE = re.compile(r"[^0#?,.%\d]*0+(?:-0+)*")
_BEFORE = re.compile(r"(?:JP|CN|US)?[¥￥$€£]|JPY|USD|EUR|GBP|CNY")
_SCALE = "千|万|百万|億|亿|十億"
_AFTER = re.compile(rf"({_SCALE})?(円|元|JPY|USD|EUR|GBP|CNY|\$|€|{COUNTERS})")


def shown_by(code: str) -> Shown | None:
    """None for a format that adds nothing to the number."""
    sections = code.split(";")
    limited = [(_LIMIT.match(section), _plain(section)) for section in sections]
    if not limited[0][0]:
        return _shown(limited[0][1])
    shown = [(match, _shown(text)) for match, text in limited]
    return lambda value: next(
        (show(value) if show else None for match, show in shown if _within(match, value)), None
    )


def _within(match: re.Match[str] | None, value: float) -> bool:
    return match is None or value < int(match[2]) + bool(match[1])


def _plain(section: str) -> str:
    """The section without colours and gaps; what stands in quotes or behind \\ is as it is."""
    return "".join(m[1] or m[2] or m[3] or m[5] or "" for m in _TOKEN.finditer(section)).strip()


def _shown(text: str) -> Shown | None:
    if _CODE.fullmatch(text) and text.count("0") > 1 and not _BEFORE.match(text):
        return lambda value: _padded(value, text)
    digits = _DIGITS.search(text)
    if digits is None:
        return None
    before, after = text[: digits.start()].strip(), text[digits.end() :].strip()
    if after == "%" and not before:
        return lambda value: f"{_exact(value).scaleb(2):f}%"
    if not after and _BEFORE.fullmatch(before):
        return lambda value: f"{'-' if value < 0 else ''}{before}{abs(_exact(value)):f}"
    unit = _AFTER.fullmatch(after)
    if before or unit is None:
        return None
    # A comma behind the digits shows thousands of what the cell holds: its scale word is shown only.
    word = unit[2] if digits[0].endswith(",") else after
    return lambda value: f"{_exact(value):f}{word}"


def _exact(value: float) -> Decimal:
    """In the 15 significant digits that Excel shows."""
    number = Decimal(f"{value:.15g}")
    return Decimal(int(number)) if number == number.to_integral_value() else number


def _padded(value: float, text: str) -> str | None:
    """`value` in the zeros of `text`, from the right, as 160-0022 for 1600022 under 000-0000."""
    if value < 0 or not float(value).is_integer():
        return None
    digits = str(int(value)).zfill(text.count("0"))
    out = []
    for char in reversed(text):
        if char == "0":
            out.append(digits[-1])
            digits = digits[:-1]
        else:
            out.append(char)
    start = next(i for i, char in enumerate(text) if char == "0")
    shown = "".join(reversed(out))
    return shown[:start] + digits + shown[start:]
