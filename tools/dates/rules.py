"""What a rule is: a pattern over folded text and what it reads."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Literal

from tools.dates.calendar import CalendarSettings
from tools.dates.pieces import Piece

Language = Literal["ja", "en", "zh"]


@dataclass(frozen=True)
class Clock:
    """What readings are counted from."""

    today: date
    settings: CalendarSettings
    language: Language


Read = Callable[[re.Match[str], Clock], Piece | None]
"""None: the pattern matched, but this is no date after all."""


@dataclass(frozen=True)
class Rule:
    pattern: re.Pattern[str]
    read: Read


def rule(pattern: str, read: Read, *, cased: bool = False) -> Rule:
    return Rule(re.compile(pattern, 0 if cased else re.IGNORECASE), read)


_KANA = re.compile(r"[ぁ-んァ-ヺー]")
_CHINESE = re.compile(
    r"[这個个过财结还与销库货单吗么对订总额间为产门开关们时从说让请让给]"
    r"|天|季度|星期|上周|本周|下周|上月|本月|下月|上年|上半年|下半年|至今|以来|多少|哪|的"
)
_HAN = re.compile(r"[\u4e00-\u9fff]")


def language_of(text: str) -> Language:
    """The language of a date expression or question; 2025-03-01 alone counts as English."""
    if _KANA.search(text):
        return "ja"
    if _HAN.search(text):
        return "zh" if _CHINESE.search(text) else "ja"
    return "en"
