"""Finds codes (XR-4200, 00123, PPR-9087) and quoted names in prose."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tools.dates.fold import Folded
from tools.verify.masks import Span
from tools.verify.units import SCALES, UNIT_CLASS

_CODE = re.compile(
    r"(?<![A-Za-z0-9_.,/-])(?=[A-Za-z_-]*\d|\d+[A-Za-z_-])[A-Za-z0-9]+(?:[-_/.][A-Za-z0-9]+)*(?![A-Za-z0-9_])"
)
_LEADING_ZERO = re.compile(r"(?<![\w.,/-])0\d{2,}(?![\w]|[.,]\d)", re.ASCII)
_DIGIT_GROUPS = re.compile(r"(?<![\w.,/-])\d{2,}(?:-\d{2,}){1,}(?![\w]|[.,]\d)", re.ASCII)
_AMOUNT = re.compile(r"-?\d[\d,]*(?:\.\d+)?([A-Za-z]+)", re.ASCII)
_QUOTED = re.compile(
    r"「([^」\n]{2,30})」|『([^』\n]{2,30})』|“([^”\n]{2,40})”|\"([^\"\n]{2,40})\""
)
_SHORT = 4


@dataclass(frozen=True)
class Identifier:
    """`code` is folded; `start`/`end` are places in the original text. `certain` is False for
    short codes (A4, B2B) that count only when the evidence has codes of the same shape."""

    text: str
    code: str
    start: int
    end: int
    certain: bool = True
    quoted: bool = False


def shape(code: str) -> str:
    """XR-4200 is AA-0000: codes of one numbering scheme have one shape."""
    return re.sub(r"\d", "0", re.sub(r"[A-Za-z]", "A", code))


def code_spans(folded: str) -> list[Span]:
    """Places of codes in the folded text; figures with a unit (5kg, 12k, 3rd) are none."""
    spans = []
    for m in _CODE.finditer(folded):
        word = m[0]
        if not (re.search(r"\d", word) and re.search(r"[A-Za-z]", word)) or _is_amount(word):
            continue
        spans.append((m.start(), m.end()))
    for pattern in (_LEADING_ZERO, _DIGIT_GROUPS):
        spans.extend((m.start(), m.end()) for m in pattern.finditer(folded))
    return sorted(set(spans))


def _is_amount(word: str) -> bool:
    m = _AMOUNT.fullmatch(word)
    if not m:
        return bool(re.fullmatch(r"\d+-(?:day|week|month|year|hour|unit|piece|item)s?", word, re.I))
    suffix = m[1].lower()
    return suffix in UNIT_CLASS or suffix in SCALES or suffix in ("st", "nd", "rd", "th", "s", "d")


def find_identifiers(original: str, folded: Folded, masks: Sequence[Span]) -> list[Identifier]:
    """Codes and quoted names outside `masks`, in order."""
    found = []
    codes = [s for s in code_spans(folded.text) if not _overlaps(s, masks)]
    for start, end in codes:
        code = folded.text[start:end]
        begin, finish = folded.original(start, end)
        certain = len(code) >= _SHORT and len(re.findall(r"\d", code)) >= 2
        found.append(Identifier(original[begin:finish], code, begin, finish, certain))
    for m in _QUOTED.finditer(folded.text):
        group = m.lastindex or 0
        start, end = m.span(group)
        if any(c.isdigit() for c in folded.text[start:end]):
            # A quoted sentence: its figures are checked one by one.
            continue
        if _overlaps((start, end), codes) or _overlaps((start, end), masks):
            continue
        begin, finish = folded.original(start, end)
        name = folded.text[start:end]
        found.append(Identifier(original[begin:finish], name, begin, finish, quoted=True))
    return sorted(found, key=lambda i: i.start)


def _overlaps(span: Span, others: Sequence[Span]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in others)
