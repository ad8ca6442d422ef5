"""The language of a question, by its script."""

import re
from typing import Literal

Language = Literal["ja", "en", "zh"]

_KANA = re.compile(r"[\u3041-\u3096\u30a1-\u30fa\uff66-\uff9d]")
_HAN = re.compile(r"[\u4e00-\u9fff]")
# Characters and words that only Japanese writing has; kanji without kana is Chinese otherwise.
_JAPANESE = re.compile(
    r"[気円売仕払倉庫価商単数量売発注覧納込働峠]{2}|在庫|売上|発注|仕入|倉庫別|商品別|月別"
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
