"""Text as it is compared: width, compatibility forms and case do not count."""

import unicodedata


def casefolded(text: str) -> str:
    """NFKC, case-folded. Places are not kept; `tools.dates.fold` keeps them."""
    return unicodedata.normalize("NFKC", text).casefold()
