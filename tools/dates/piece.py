"""A date expression as read, before today and the calendar settings fix it to days."""

from dataclasses import dataclass
from typing import Literal

from tools.dates.calendar import Span

PieceUnit = Literal[
    "span", "year", "half", "quarter", "month", "months", "day", "days", "week", "closing"
]
Refers = Literal["period", "day", "week", "month", "quarter", "half"]
Edge = Literal["first", "last", "early", "middle", "late"]


@dataclass(frozen=True)
class Piece:
    """What one expression says. `number` is the month, quarter, half or week; for `months` the
    first month and `day` the last; for `days` those from `day` to `last`; `fiscal` None means
    that the text does not say."""

    unit: PieceUnit
    number: int = 0
    day: int = 0
    last: int = 0
    year: int | None = None
    fiscal: bool | None = None
    fiscal_default: bool = False
    era: str | None = None
    span: Span | None = None
    edge: Edge | None = None
    closing_day: int | None = None
    relative: bool = False
    """Counted from today."""
    weak: bool = False
    """A bare number that is a year only beside another date or after a preposition."""
    years_back: int = 0
    periods_back: int = 0
    month_offset: int | None = None
    """Of a month, or a closing period, counted from the current one."""
    cumulative: bool = False
    """Of a quarter or half: from the first day of its year."""
    refers: Refers | None = None
    """前年同期, 前年同月: of such a period beside it in the text; `span` is what it is alone."""

    @property
    def takes_year(self) -> bool:
        return self.year is None and self.month_offset is None and self.unit not in ("span", "year")
