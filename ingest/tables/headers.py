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

POWERS = {"thousand": 3, "million": 6, "billion": 9}
_CODES = r"USD|JPY|EUR|GBP|CNY|RMB|US\$|\$|¥|€|£|yen|yuan|dollars?|euros?|pounds?"
_ENGLISH_SCALE = re.compile(
    rf"[(\[]\s*(?:in\s+)?(?P<before>{_CODES})?\s*(?:in\s+)?(?:of\s+)?"
    r"(?:(?P<word>thousand|million|billion)s?|(?P<short>,?'?000'?s?|k|mn|mm|m|bn|b))"
    rf"\s*(?:of\s+)?(?P<after>{_CODES})?\s*[)\]]",
    re.I,
)
_NAMED = {"yen": "JPY", "yuan": "CNY", "dollar": "USD", "euro": "EUR", "pound": "GBP"}


@dataclass(frozen=True)
class Header:
    """What the header cell says: the name without its scale word, 10^`scale`, and a unit."""

    text: str
    scale: int = 0
    unit: str | None = None


def read_header(original: str) -> Header:
    """`売上(千円)` and `売上千円` are 売上, scale 3, JPY; `重量(kg)` keeps its text, with unit kg;
    `Sales (USD thousands)` and `Sales ($000)` are Sales, scale 3, USD."""
    normal = unicodedata.normalize("NFKC", original)
    match = _HEADER_SCALE.search(normal)
    if match:
        text = (normal[: match.start()] + normal[match.end() :]).strip() or normal
        word, unit = [group for group in match.groups() if group]
        return Header(text, cells.SCALES[word], cells.unit_name(unit))
    english = _ENGLISH_SCALE.search(normal)
    if english and (english["word"] or english["before"] or english["after"]):
        return _english(normal, english)
    plain = _HEADER_UNIT.search(normal)
    return Header(normal, 0, cells.unit_name(plain[1]) if plain else None)


def _english(normal: str, match: re.Match[str]) -> Header:
    """A letter is a scale only beside a currency: `Length (m)` is in metres."""
    text = " ".join((normal[: match.start()] + normal[match.end() :]).split()) or normal
    short = (match["short"] or "").lower()
    first = {"k": 3, "m": 6, "b": 9}.get(short[:1], 3)
    scale = POWERS[match["word"].lower()] if match["word"] else first
    unit = match["before"] or match["after"]
    return Header(text, scale, currency_name(unit) if unit else None)


def currency_name(word: str) -> str:
    """The one spelling of a currency that is named by a code, a sign or a word; else of a unit."""
    named = _NAMED.get(word.lower().removesuffix("s"))
    return named or cells.unit_name(word.upper() if word.upper() in _CODES.split("|") else word)
