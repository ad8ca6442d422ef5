"""What a header cell says beside the name: a scale word and a unit."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from ingest.tables import cells

_HEADER_SCALE = re.compile(
    r"[(\[【]?\s*(?:単位\s*[::]?|单位\s*[::]?)?\s*(千|百万|十億|億|亿|万)(円|元|個|个|台|件|本|枚|箱)\s*[)\]】]?"
)
_HEADER_UNIT = re.compile(
    rf"[(\[](%|円|元|JPY|USD|EUR|GBP|CNY|RMB|¥|\$|€|£|{cells.COUNTERS})[)\]]", re.I
)
_HEADER_CURRENCY = {
    "円": "JPY", "元": "CNY", "RMB": "CNY", "¥": "¥", "$": "USD", "€": "EUR", "£": "GBP"
}  # fmt: skip


@dataclass(frozen=True)
class Header:
    """What the header cell says: the name without its scale word, 10^`scale`, and a unit."""

    text: str
    scale: int = 0
    unit: str | None = None


def read_header(original: str) -> Header:
    """`売上(千円)` is 売上, scale 3, JPY; `重量(kg)` keeps its text and has the unit kg."""
    normal = unicodedata.normalize("NFKC", original)
    match = _HEADER_SCALE.search(normal)
    if match:
        text = (normal[: match.start()] + normal[match.end() :]).strip() or normal
        return Header(text, cells.SCALES[match[1]], _HEADER_CURRENCY.get(match[2], match[2]))
    unit = _HEADER_UNIT.search(normal)
    return Header(normal, 0, _HEADER_CURRENCY.get(unit[1], unit[1]) if unit else None)
