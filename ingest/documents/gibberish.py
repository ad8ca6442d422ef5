"""Is a text noise? Letters that a font's wrong or missing Unicode map put in place of a text.

Three kinds are known by the letters alone: Latin words whose letters were shifted hardly hold
the letter pairs that all European languages share; East Asian text read as Latin-1 consists of
accented letters; glyph numbers read as characters are spread evenly over all of Unicode's Han
characters, of which everyday Japanese and Chinese use a quarter.
"""

import re
import unicodedata
from functools import lru_cache

_WORD = re.compile(r"[A-Za-z]{4,}")
_COMMON_PAIRS = frozenset(
    re.findall(
        "..",
        "thheineranreonatenndtiesorteofedisitalarsttontngsehaasouiolevecomedehiriroicneeara"
        "celichllbemasiomurcaellatanageetussanoditremieecolpeilunhomipodasoamadssotpracloni"
        "mokekikosueiscigauir",
    )
)
"""The most frequent letter pairs of English, with some of romanised Japanese, Spanish, French
and German: three of four pairs of a text in these languages, one of six of shifted letters."""
_MIN_PAIRS, _MIN_COMMON_PAIRS = 40, 0.3
_HAN = re.compile("[\u3400-\u9fff]")
_MIN_HAN, _MIN_COMMON_HAN = 20, 0.75
_ACCENTED = re.compile("[\x80-\xff‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]")
_MIN_ACCENTED, _MAX_ACCENTED_SHARE = 20, 0.4


def gibberish(text: str) -> str:
    """Why `text` cannot be what a person reads; "" when it may be, or is too short to tell."""
    visible = "".join(text.split())
    accented = len(_ACCENTED.findall(visible))
    if accented >= _MIN_ACCENTED and accented > _MAX_ACCENTED_SHARE * len(visible):
        return "East Asian characters read in a Western encoding"
    if _common_han_share(visible) < _MIN_COMMON_HAN:
        return "characters that no language uses together"
    if _common_pair_share(text) < _MIN_COMMON_PAIRS:
        return "letters that make no words"
    return ""


def _common_pair_share(text: str) -> float:
    plain = unicodedata.normalize("NFD", text)
    plain = "".join(char for char in plain if not unicodedata.combining(char)).lower()
    words = _WORD.findall(plain)
    # A page's words that stand there again and again count once: a column of one code.
    pairs = [word[i : i + 2] for word in dict.fromkeys(words) for i in range(len(word) - 1)]
    if len(pairs) < _MIN_PAIRS:
        return 1.0
    return sum(1 for pair in pairs if pair in _COMMON_PAIRS) / len(pairs)


def _common_han_share(text: str) -> float:
    han = _HAN.findall(text)
    if len(han) < _MIN_HAN:
        return 1.0
    return sum(1 for char in han if _is_common(char)) / len(han)


@lru_cache(maxsize=4096)
def _is_common(char: str) -> bool:
    """In the first level of JIS X 0208, GB 2312 or Big5: the characters in common use."""
    return any(
        first <= lead <= last
        for lead, first, last in (
            (_lead(char, "euc_jp"), 0xB0, 0xCF),
            (_lead(char, "gb2312"), 0xB0, 0xD7),
            (_lead(char, "big5"), 0xA4, 0xC6),
        )
    )


def _lead(char: str, encoding: str) -> int:
    try:
        encoded = char.encode(encoding)
    except UnicodeEncodeError:
        return 0
    return encoded[0] if len(encoded) == 2 else 0
