"""What a rule is: a pattern over folded text and what it reads."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from reranker.language import Language
from tools.dates.calendar import CalendarSettings
from tools.dates.pieces import Piece


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
