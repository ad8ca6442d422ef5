"""What a header cell says beside the name: a scale word and a unit."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from ingest.tables import cells

_SCALED_UNIT = r"(?:単位\s*:?|单位\s*:?)?\s*(千|百万|十億|億|亿|万)(円|元|個|个|台|件|本|枚|箱)"
_BARE = r"(?<=[^\d\W一二三四五六七八九十百千万億亿])(千|百万|十億)(円|元)$"
_HEADER_SCALE = re.compile(rf"[(\[【]\s*{_SCALED_UNIT}\s*[)\]】]|[\s_・]{_SCALED_UNIT}$|{_BARE}")
_HEADER_UNIT = re.compile(
    rf"[(\[](%|円|元|JPY|USD|EUR|GBP|CNY|RMB|¥|\$|€|£|{cells.COUNTERS})[)\]]", re.I
)


@dataclass(frozen=True)
class Header:
    """What the header cell says: the name without its scale word, 10^`scale`, and a unit."""

    text: str
    scale: int = 0
    unit: str | None = None


def read_header(original: str) -> Header:
    """`売上(千円)` and `売上千円` are 売上, scale 3, JPY; `重量(kg)` keeps its text, with unit kg."""
    normal = unicodedata.normalize("NFKC", original)
    match = _HEADER_SCALE.search(normal)
    if match:
        text = (normal[: match.start()] + normal[match.end() :]).strip() or normal
        word, unit = [group for group in match.groups() if group]
        return Header(text, cells.SCALES[word], cells.unit_name(unit))
    plain = _HEADER_UNIT.search(normal)
    return Header(normal, 0, cells.unit_name(plain[1]) if plain else None)
