"""What a rule is: a pattern over folded text and what it reads."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date

from reranker.language import Language
from tools.dates import rolling
from tools.dates.calendar import CalendarSettings, Unit
from tools.dates.piece import Piece, Refers
from tools.dates.pieces import whole_period


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


_REFERS: dict[Unit, Refers | None] = {
    "day": "day", "week": "week", "month": "month", "quarter": "quarter", "half": "half", "year": None,
}  # fmt: skip


def same(unit: Unit, years: int, clock: Clock) -> Piece:
    """前年同月, same quarter last year: of one beside it in the text, else of the current one."""
    piece = whole_period(unit, 0, clock.today, clock.settings, False)
    return replace(piece, years_back=years, refers=_REFERS[unit])


def same_period(years: int, clock: Clock, fiscal: bool) -> Piece:
    """前年同期, same period last year: of the period beside it, else of this year up to today."""
    piece = rolling.to_date("year", clock.today, clock.settings, fiscal)
    if piece.span is not None:
        notes = (*piece.span.notes, "same_to_date")
        piece = replace(piece, span=replace(piece.span, notes=notes))
    return replace(piece, years_back=years, refers="period")
