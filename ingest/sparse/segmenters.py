"""Words of a run of Japanese or Chinese characters, by dictionary."""

import re
from functools import lru_cache
from threading import Lock
from typing import Any

_KANA = re.compile(r"[぀-ゟ゠-ヿㇰ-ㇿ]")
_HAN = re.compile(r"[々〆〇㐀-䶿一-鿿豈-﫿\U00020000-\U0003134f]")
_MAX_RUN = 4096
"""Sudachi refuses more than 49,149 bytes at once."""
_JAPANESE_FUNCTION_WORDS = frozenset({"助詞", "助動詞", "補助記号", "空白"})
_CHINESE_FUNCTION_WORDS = ("u", "y", "p", "c", "x", "w")
"""Particles, modal words, prepositions, conjunctions, punctuation in jieba's part-of-speech tags."""
_LOCK = Lock()
"""A tokenizer is one mutable object."""


def is_japanese(text: str) -> bool | None:
    """True, False (Chinese), or None: kanji alone that either language may have written.

    A Chinese text may quote a Japanese name, so that a few kana do not decide.
    """
    kana, han = len(_KANA.findall(text)), _HAN.findall(text)
    if kana > 0.1 * (kana + len(han)):
        return True
    only_chinese = len("".join(han).encode("cp932", "ignore").decode("cp932")) < len(han)
    return False if only_chinese else None


def words(run: str, japanese: bool | None) -> list[str]:
    """Without function words; of both languages (each word once for the two) when `japanese` is
    None."""
    found: list[str] = []
    for start in range(0, len(run), _MAX_RUN):
        part = run[start : start + _MAX_RUN]
        ours = [] if japanese is False else _japanese_words(part)
        theirs = [] if japanese else _chinese_words(part)
        found += ours + [w for w in theirs if w not in ours]
    return found


def japanese_readings(run: str) -> list[tuple[str, str]]:
    """(word, its reading in katakana) without function words; the word itself where the
    dictionary has no reading."""
    tokenizer, mode = _sudachi()
    with _LOCK:
        return [
            (m.surface(), m.reading_form() or m.surface())
            for m in tokenizer.tokenize(run[:_MAX_RUN], mode)
            if m.part_of_speech()[0] not in _JAPANESE_FUNCTION_WORDS
        ]


def chinese_words(run: str) -> list[str]:
    """Without function words."""
    return _chinese_words(run[:_MAX_RUN])


def _japanese_words(run: str) -> list[str]:
    tokenizer, mode = _sudachi()
    with _LOCK:
        return [
            m.normalized_form().lower()
            for m in tokenizer.tokenize(run, mode)
            if m.part_of_speech()[0] not in _JAPANESE_FUNCTION_WORDS
        ]


def _chinese_words(run: str) -> list[str]:
    with _LOCK:
        tokens = _lindera().tokenize(run)
    return [
        t.surface
        for t in tokens
        if t.is_unknown or not t.details[0].startswith(_CHINESE_FUNCTION_WORDS)
    ]


@lru_cache(maxsize=1)
def _sudachi() -> tuple[Any, Any]:
    """Loaded on first use (0.1 s); split mode A gives the shortest units."""
    from sudachipy import Dictionary, SplitMode  # noqa: PLC0415

    return Dictionary(dict="core").tokenizer(), SplitMode.A


@lru_cache(maxsize=1)
def _lindera() -> Any:
    """Loaded on first use (0.5 s): lindera with jieba's dictionary, which is inside its wheel."""
    from lindera import Tokenizer, load_dictionary  # noqa: PLC0415

    return Tokenizer(load_dictionary("embedded://jieba"), mode="normal")
