"""What is searched for in a text: words, CJK bigrams and identifiers, in one form each."""

import re
import unicodedata
from collections.abc import Iterator

from ingest.sparse import segmenters

KANA = "぀-ゟ゠-ヿㇰ-ㇿ"
HAN = "々〆〇㐀-䶿一-鿿豈-﫿\U00020000-\U0003134f"
_DASHES = re.compile(r"[‐-―−﹣]|(?<=[0-9a-z])ー(?=[0-9a-z])")
_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d,])|\d+\.\d+(?![0-9a-z.-])"
_WORD = rf"(?:(?![{KANA}{HAN}])[^\W_])+"
_TOKEN = re.compile(
    rf"(?P<cjk>[{KANA}{HAN}]+)|(?P<number>{_NUMBER})"
    rf"|(?P<word>{_WORD}(?:['’]{_WORD}|[-_./#]{_WORD})*)"
)
_PART = re.compile(r"\d+|[^\W\d_]+")


def terms(text: str) -> list[str]:
    """In order, with repeats; empty when there is nothing to search for.

    Text is NFKC-normalised and lower-cased, so full-width `ＸＲ－４２００` is `xr-4200`. An
    identifier, date or code gives itself and its parts. Digits with thousands separators are one
    number; leading zeros stay. A text of kanji alone is read as Japanese and as Chinese.
    """
    folded = _DASHES.sub("-", unicodedata.normalize("NFKC", text).lower())
    japanese = segmenters.is_japanese(folded)
    found: list[str] = []
    for match in _TOKEN.finditer(folded):
        token = match.group()
        if match.lastgroup == "cjk":
            found.extend(_cjk(token, japanese))
        elif match.lastgroup == "number":
            found.append(token.replace(",", ""))
        else:
            found.extend(_word(token))
    return found


def _word(token: str) -> Iterator[str]:
    parts = _PART.findall(token)
    has_digit = any(c.isdigit() for c in token)
    if has_digit:
        yield token
        if len(parts) > 1:
            yield from parts
        return
    for word in re.split(r"[-_./#]", token):
        yield stem(word)
    if len(parts) > 1 and "'" not in token and "’" not in token:
        yield token


def stem(word: str) -> str:
    """Harman's S stemmer (How effective is suffixing?, JASIS 1991), possessives dropped."""
    word = re.sub(r"['’]s?$", "", word) or word
    if len(word) <= 3 or not word.isascii():
        return word
    if word.endswith("ies") and not word.endswith(("eies", "aies")):
        return word[:-3] + "y"
    if word.endswith("es") and not word.endswith(("aes", "ees", "oes")):
        return word[:-1]
    if word.endswith("s") and not word.endswith(("us", "ss")):
        return word[:-1]
    return word


def _cjk(run: str, japanese: bool | None) -> Iterator[str]:
    """Bigrams (a lone character is its own), and words: Japanese in their normalised form.

    `ー` is part of its run. A word of two characters stands twice, as word and as bigram: that
    ranked best of the ways tried on Japanese and Chinese questions.
    """
    yield from [run[i : i + 2] for i in range(len(run) - 1)] or [run]
    yield from segmenters.words(run, japanese)
