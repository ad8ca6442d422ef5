"""What of a text a second stage compares: content words, numbers, identifiers, its language."""

import re
import unicodedata
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from reranker.language import HAN, KANA, LATIN, Kanji, language_of

Language = Literal["ja", "en", "zh", "other"]

_CJK_RUN = re.compile(r"[぀-ヿㇰ-ㇿ々〆〇㐀-䶿一-鿿豈-﫿]+")
_HIRAGANA = re.compile(r"[ぁ-ゖー]+")
_CODE = re.compile(r"[a-z0-9]+(?:[-_./][a-z0-9]+)*")
_LATIN_WORD = re.compile(r"[a-z0-9]+")
_DIGITS = re.compile(r"\d+")
_COMMA = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_DASH = re.compile(r"[‐-―−]")
_STOP_TEXT = (
    "a an and any are as at be been but by can did do does for from had has have how if in into "
    "is it its may me my no not of on or our per shall should so such than that the their them "
    "then there these they this those to was we were what when where which who whom whose why "
    "will with would you your 什么 多少 哪些 哪里 哪个 怎么 如何 是什 是多 是哪 是否"
)
_STOP_WORDS = frozenset(_STOP_TEXT.split())


@dataclass(frozen=True)
class Units:
    """`words`: stemmed English words and CJK bigrams without function words. `numbers`: digit
    groups without leading zeros, so that 2026-03-05 and 2026年3月5日 are equal. `identifiers`:
    codes without their separators, as XR-4200 and XR4200 are one. `phrases`: neighbouring
    English words, runs of four CJK characters."""

    words: frozenset[str]
    phrases: frozenset[str]
    numbers: frozenset[str]
    identifiers: frozenset[str]


def fold(text: str) -> str:
    """NFKC, lower case, one dash, no thousands separators."""
    folded = unicodedata.normalize("NFKC", text).lower()
    return _COMMA.sub("", _DASH.sub("-", folded))


def language(text: str, *, kanji: Kanji) -> Language:
    """By script (`reranker.language`); "other" for what has no letter at all."""
    has_letter = any(pattern.search(text) for pattern in (KANA, HAN, LATIN))
    return language_of(text, kanji=kanji) if has_letter else "other"


def units(text: str) -> Units:
    folded = fold(text)
    words: set[str] = set()
    phrases: set[str] = set()
    numbers: set[str] = set()
    identifiers: set[str] = set()
    for run in _CJK_RUN.findall(folded):
        words.update(_bigrams(run))
        phrases.update(run[i : i + 4] for i in range(len(run) - 3))
    for code in _CODE.findall(folded):
        if not any(c.isdigit() for c in code):
            words.update(_stem(w) for w in re.split(r"[-_./]", code) if w not in _STOP_WORDS)
            continue
        if _is_identifier(code):
            identifiers.add(re.sub(r"[-_./]", "", code))
        else:
            numbers.update(d.lstrip("0") or "0" for d in _DIGITS.findall(code))
    latin = _LATIN_WORD.findall(folded)
    phrases.update(f"{a} {b}" for a, b in pairwise(latin))
    words.discard("")
    return Units(frozenset(words), frozenset(phrases), frozenset(numbers), frozenset(identifiers))


def _is_identifier(code: str) -> bool:
    """Letters and digits together, or a leading zero: such a code means only itself."""
    has_letter = any(c.isalpha() for c in code)
    return has_letter or (code.isdigit() and len(code) > 2 and code.startswith("0"))


def _bigrams(run: str) -> list[str]:
    if len(run) == 1:
        return [run] if HAN.match(run) else []
    pairs = [run[i : i + 2] for i in range(len(run) - 1)]
    return [p for p in pairs if not _HIRAGANA.fullmatch(p) and p not in _STOP_WORDS]


def _stem(word: str) -> str:
    """Harman's S stemmer (How effective is suffixing?, JASIS 1991)."""
    if len(word) <= 3:
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith(("us", "ss")) else word
