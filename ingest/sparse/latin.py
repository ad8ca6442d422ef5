"""Names in Latin letters: 東京倉庫, とうきょう倉庫, "Tokyo WH." and 东京仓库 come out alike.

Japanese by Sudachi's readings, Chinese by pinyin, both through `anyascii`. What differs between
ways of romanising (long vowels, doubled consonants, n or m before b) is dropped on both sides.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from anyascii import anyascii

from ingest.sparse.segmenters import chinese_words, is_japanese, japanese_readings

_RUN = re.compile(r"[a-z0-9]+|[々〆〇ー぀-ヿㇰ-ㇿ㐀-䶿一-鿿豈-﫿]+")
_PLACE_WORDS = """
warehouse wh whse souko 倉庫 仓库; center centre センター 中心; factory plant koujou 工場 工厂; store shop 店 店舗 门店 店铺;
branch 支店 分店 分公司; office 営業所 事務所 办事处; headquarters hq 本社 总部; company co ltd inc corp llc gmbh 株式会社 (株)
株 有限会社 有限公司 公司 会社; prefecture pref 県 府 都 省; city 市; department dept 部 部門 部门; section 課 科
"""
_GLYPHS = re.compile(r"(?<=[bcghjkmnprst])iy(?=[auo])")
_ACCENTED = re.compile("[\u00c0-\u024f]+")
_DOUBLED = re.compile(r"([a-z])\1+")


@lru_cache(maxsize=65_536)
def fold_latin(word: str) -> str:
    """`Toukyou`, `Tōkyō` and `tokyo` are one; `sapporo`, `saporo`; `shimbashi`, `shinbashi`."""
    plain = anyascii(word).lower()
    plain = re.sub(r"(?<=[cs])hiy(?=[auo])", "h", plain)
    plain = re.sub(r"(?<=j)iy(?=[auo])", "", plain)
    plain = _GLYPHS.sub("y", plain).replace("ou", "o").replace("uu", "u")
    return re.sub(r"m(?=[bp])", "n", _DOUBLED.sub(r"\1", plain))


def _places() -> dict[str, str]:
    groups = (group.split() for group in _PLACE_WORDS.replace("\n", " ").split(";"))
    return {fold_latin(w) if w.isascii() else w: group[0] for group in groups for w in group}


PLACES = _places()
"""Common words of places and companies → one English word for each."""


def latin_forms(text: str) -> list[tuple[str, ...]]:
    """The words of `text` in Latin letters, in order: one reading, or the Japanese and the
    Chinese one where kanji alone do not tell. [] where it has no word."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    runs = _RUN.findall(_unaccented(plain))
    cjk = "".join(run for run in runs if not run.isascii())
    japanese = is_japanese(cjk) if cjk else True
    readings = [True, False] if japanese is None else [japanese]
    forms = (tuple(_words(runs, reading)) for reading in readings)
    return list(dict.fromkeys(form for form in forms if form))


def _unaccented(text: str) -> str:
    """é is e; kana keep their marks."""
    return _ACCENTED.sub(lambda match: anyascii(match[0]), text)


def _words(runs: list[str], japanese: bool) -> Iterator[str]:
    for run in runs:
        if run.isascii():
            word = fold_latin(run)
            yield PLACES.get(word, word)
            continue
        pairs = japanese_readings(run) if japanese else [(w, w) for w in chinese_words(run)]
        for surface, reading in pairs:
            word = PLACES.get(surface) or fold_latin(reading.replace("ッ", ""))
            if word:
                yield word
