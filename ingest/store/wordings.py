"""How a value or a word is compared: its letters, and its words in Latin letters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

SIMILAR = 0.94
"""The most that what is only alike can score."""
PART = 0.75
_MIN_NAME = 5
_KATAKANA = {code: code + 0x60 for code in range(0x3041, 0x3097)}


def folded(text: str) -> str:
    """NFKC, case-folded, hiragana as katakana, letters and digits only."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return "".join(c for c in plain if c.isalnum()).translate(_KATAKANA)


def wordings(text: str, *, always: bool = False) -> list[tuple[str, ...]]:
    """Its words in Latin letters; none for one Latin word, which is its own wording."""
    from ingest.sparse.latin import latin_forms  # noqa: PLC0415  Loads the dictionaries.

    if not always and text.isascii() and text.isalnum():
        return []
    return latin_forms(text)


def queries(word: str) -> Iterator[str]:
    """The forms to look for: its letters, its reading, and for Latin words their order, too."""
    found = [folded(word)]
    for words in wordings(word, always=True):
        found += ["".join(words), *([" ".join(sorted(words))] if word.isascii() else [])]
    yield from filter(None, dict.fromkeys(found))


def likeness(form: str, other: str) -> float:
    ratio = SequenceMatcher(None, form, other).ratio()
    shorter, longer = sorted((form, other), key=len)
    part = len(shorter) >= 2 and shorter in longer
    return min(max(ratio, PART) if part else ratio, SIMILAR)


def latin_words(text: str) -> frozenset[str]:
    from ingest.sparse.latin import fold_latin  # noqa: PLC0415

    plain = unicodedata.normalize("NFKC", text).casefold()
    return frozenset(map(fold_latin, re.findall("[a-z]+", plain)))


def is_name(words: Sequence[str]) -> bool:
    from ingest.sparse.latin import PLACES  # noqa: PLC0415

    own = [word for word in words if word not in PLACES.values() and word.isalpha()]
    return bool(own) and (len(words) > 1 or len(own[0]) >= _MIN_NAME)
