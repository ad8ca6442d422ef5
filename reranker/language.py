"""The language of a short text, by its script; the one guess of the rooms `agent`, `tools` and
`reranker`.

It stands in this room because the other two may import it and it may import neither. A
document's language is another question (`ingest.documents.language`): there passages are long,
scripts are mixed, and "unknown" is an answer.
"""

import re
from typing import Literal

Language = Literal["ja", "en", "zh"]
Kanji = Literal["ja", "zh"]

KANA = re.compile(r"[\u3041-\u3096\u30a1-\u30faㇰ-ㇿ\uff66-\uff9d]")
HAN = re.compile(r"[々〆〇㐀-䶿一-鿿豈-﫿]")
LATIN = re.compile(r"[A-Za-zＡ-Ｚａ-ｚ]")
_KANA_SHARE = 0.1
_LETTERS_PER_CHARACTER = 4
"""Latin letters that say about as much as one kana or Han."""
_CJK_SHARE = 0.3
_JAPANESE = re.compile(r"仕入|棚卸|返品|(?<![任如为])何件")
_CHINESE = re.compile(
    r"[的是有在了几个从与天哪]|(?<![令昭])和|多少|可以|如何|季度|星期|至今|以来"
    r"|[上本下][周月]|上年|[上下]半年"
)
# Japan's charset holds the traditional forms too, which only Chinese still writes.
_TRADITIONAL = re.compile(
    r"[這們麼數單總發關對還據處變讓錢從與會當實圖國區廣應點號條訂貨銷]|庫存|個月"
)


def language_of(text: str, *, kanji: Kanji) -> Language:
    """ja, zh, or en for what has no kana and no Han, or hardly any (a name quoted in English).

    Han beside a few kana only may be Chinese that quotes a Japanese name. Han without kana is
    told by the national charsets (CP932, GB2312), then by words that only one language has;
    what could still be either (東京支店 is Japanese, 大阪 and 数量 are both) is `kanji`.
    """
    kana, han = len(KANA.findall(text)), "".join(HAN.findall(text))
    cjk, latin = kana + len(han), len(LATIN.findall(text)) / _LETTERS_PER_CHARACTER
    if not cjk or cjk < _CJK_SHARE * (cjk + latin):
        return "en"
    in_japanese = _fits(han, "cp932")
    if kana:
        return "ja" if in_japanese or kana > _KANA_SHARE * cjk else "zh"
    if not in_japanese or _TRADITIONAL.search(text):
        return "zh"
    if not _fits(han, "gb2312") or _JAPANESE.search(text):
        return "ja"
    return "zh" if _CHINESE.search(text) else kanji


def _fits(characters: str, charset: str) -> bool:
    return characters.encode(charset, "ignore").decode(charset) == characters
