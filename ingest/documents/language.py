"""The language of a text, told from its scripts."""

import re

from ingest.documents.model import Language

_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa\uff66-\uff9d]")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f\uff21-\uff3a\uff41-\uff5a]")
_OTHER = re.compile("[\u0370-\u052f\u0590-\u06ff\u0900-\u0dff\u0e00-\u0e7f\uac00-\ud7a3]")

_LETTERS_PER_HAN = 4
"""Latin letters that say about as much as one Chinese character."""
_MIN_CJK_SHARE = 0.3
_MIN_KANA_SHARE = 0.05
"""Below it kana are quoted names in a Chinese text (の is fashionable on packages)."""


def detect_language(text: str) -> Language:
    """Kana make it Japanese, Han without kana Chinese, Latin English; nothing else is claimed."""
    kana, han = len(_KANA.findall(text)), len(_HAN.findall(text))
    latin, other = len(_LATIN.findall(text)) / _LETTERS_PER_HAN, len(_OTHER.findall(text))
    cjk = kana + han
    if not cjk and not latin:
        return "unknown"
    if other > cjk + latin:
        return "unknown"
    if cjk / (cjk + latin) < _MIN_CJK_SHARE:
        return "en"
    return "ja" if kana / cjk >= _MIN_KANA_SHARE else "zh"


def passage_language(text: str, document: Language) -> Language:
    """The passage's own language, or the document's where the passage cannot tell.

    A Japanese table or heading is often written without any kana.
    """
    found = detect_language(text)
    if found == "unknown" or (found == "zh" and document == "ja"):
        return document
    return found
