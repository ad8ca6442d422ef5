"""The language of a question, by its script."""

import re
from typing import Literal

Language = Literal["ja", "en", "zh"]

_KANA = re.compile(r"[\u3041-\u3096\u30a1-\u30fa\uff66-\uff9d]")
_HAN = re.compile(r"[\u4e00-\u9fff]")
# Characters and words that only Japanese writing has; kanji without kana is Chinese otherwise.
_JAPANESE = re.compile(
    r"[円気売払価単発覧込働峠図転広対総経検済帰県毎仮験拡戻様収継続変訳読説実営両択処応関産効権駅鉄伝]"
    r"|在庫|仕入|倉庫別|商品別|月別|棚卸|返品数|何個|何件"
)
_CHINESE = re.compile(r"[的吗么们这哪谁请个为时间库销额户单产东车书业务过还进]")


def language_of(text: str) -> Language:
    """ja when there is kana, zh or ja by their own characters when there is only Han, else en."""
    if _KANA.search(text):
        return "ja"
    if not _HAN.search(text):
        return "en"
    if _CHINESE.search(text):
        return "zh"
    return "ja" if _JAPANESE.search(text) else "zh"
