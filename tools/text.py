"""Text as it is compared: width, compatibility forms and case do not count."""

import re
import unicodedata

_NOT_LATIN = re.compile(r"[^\W\d_a-zA-ZÀ-ɏ]")


def casefolded(text: str) -> str:
    """NFKC, case-folded. Places are not kept; `tools.dates.fold` keeps them."""
    return unicodedata.normalize("NFKC", text).casefold()


def is_latin(text: str) -> bool:
    """Whether all letters of a text are Latin ones."""
    return _NOT_LATIN.search(text) is None
