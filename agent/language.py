"""The language of a question: what it is answered in."""

from reranker.language import Language
from reranker.language import language_of as guessed


def language_of(question: str) -> Language:
    """Kanji that could be either is taken for Chinese: a Japanese question nearly always has
    kana or a character that is Japan's only."""
    return guessed(question, kanji="zh")


__all__ = ["Language", "language_of"]
