"""Whether a passage says what a statement without figures says: a share of its content words."""

import re

from reranker.language import Language, language_of

THRESHOLD = 0.6
"""At least this share of a statement's content must stand in one passage."""
_FEWEST = 2
_STOP = frozenset(
    [
        "a",
        "an",
        "the",
        "and",
        "or",
        "but",
        "if",
        "of",
        "in",
        "on",
        "at",
        "to",
        "for",
        "from",
        "by",
        "with",
        "as",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "being",
        "it",
        "its",
        "this",
        "that",
        "these",
        "those",
        "there",
        "their",
        "they",
        "he",
        "she",
        "we",
        "you",
        "i",
        "not",
        "no",
        "do",
        "does",
        "did",
        "has",
        "have",
        "had",
        "will",
        "would",
        "can",
        "could",
        "may",
        "must",
        "should",
        "which",
        "who",
        "what",
        "when",
        "where",
        "than",
        "then",
        "so",
        "such",
        "also",
        "any",
        "all",
        "each",
        "per",
        "about",
        "into",
        "over",
        "under",
        "out",
        "up",
        "down",
        "only",
    ]
)
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?|\d+", re.IGNORECASE)
_RUN = re.compile(r"[\u4e00-\u9fff々ァ-ヺー]+|[A-Za-z0-9]+")


def content(text: str, language: Language) -> frozenset[str]:
    """Stems for English; for Japanese and Chinese the character pairs of kanji and katakana."""
    if language == "en":
        words = (w.lower() for w in _WORD.findall(text))
        return frozenset(_stem(w) for w in words if w not in _STOP and len(w) > 1)
    pairs: set[str] = set()
    for run in _RUN.findall(text):
        pairs.update(
            [run.lower()]
            if run.isascii()
            else [run[i : i + 2] for i in range(max(1, len(run) - 1))]
        )
    return frozenset(pairs)


def _stem(word: str) -> str:
    """Plural, -ing, -ed and -ly off: enough to meet "suppliers must return" with "returned"."""
    for ending in ("ies", "ing", "ed", "es", "ly", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)] + ("y" if ending == "ies" else "")
    return word.removesuffix("e") if len(word) > 4 else word


def coverage(statement: str, passage: str) -> float | None:
    """0–1; None when it cannot be judged: another language, or hardly any content words."""
    language = language_of(statement, kanji="ja")
    if language != language_of(passage, kanji="ja"):
        return None
    wanted = content(statement, language)
    if len(wanted) < _FEWEST:
        return None
    return len(wanted & content(passage, language)) / len(wanted)
