"""The language of a question: what it is answered in."""

import re

from reranker.language import Language
from reranker.language import language_of as guessed


def language_of(question: str) -> Language:
    """Kanji that could be either is taken for Chinese: a Japanese question nearly always has
    kana or a character that is Japan's only."""
    return guessed(question, kanji="zh")


_LATIN_WORD = re.compile(r"[A-Za-z]{2,}")
_CJK = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
SENTENCE_WORDS, SENTENCE_CJK = 4, 10


def is_in_other_script(text: str, language: Language) -> bool:
    """Whether a text is certainly in another language than asked for: a sentence of Latin words
    alone for Japanese and Chinese, one of CJK characters alone for English. Names and codes may
    be in any script."""
    words, characters = len(_LATIN_WORD.findall(text)), len(_CJK.findall(text))
    if language == "en":
        return characters >= SENTENCE_CJK and not words
    return words >= SENTENCE_WORDS and not characters


__all__ = ["Language", "is_in_other_script", "language_of"]
