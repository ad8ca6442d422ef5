"""Cells as exact numbers, and numeric columns that are searched fast."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tools.dates.fold import fold_text
from tools.evidence import Evidence, Value
from tools.verify.units import column_scale, is_percent_column

_NUMERIC = re.compile(
    r"TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT|DECIMAL|NUMERIC|DOUBLE|FLOAT|REAL|INT"
)
_WHOLE = re.compile(r"U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?\d*$")
_NUMBER_TEXT = re.compile(r"[▲△+-]?\s?[¥$]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?\s?%?")
_NUMBER_START = re.compile(r"[\s¥￥$▲△+\-−－0-9０-９]")
_LEADING_ZERO = re.compile(r"[▲△+-]?0\d")
_NO_NUMBERS = ("DATE", "TIME", "BOOL", "BLOB")


@dataclass(frozen=True)
class NumericColumn:
    """`floats` finds candidates fast; `value` confirms them exactly. NaN where there is none."""

    name: str
    index: int
    cells: tuple[Value, ...]
    declared: bool
    """The column's type is numeric; else its text cells that are numbers count."""
    floats: NDArray[np.float64]
    whole: bool

    def value(self, row: int) -> Decimal | None:
        return number_of(self.cells[row], self.declared)

    @property
    def scale(self) -> Decimal:
        return column_scale(self.name)

    @property
    def percent(self) -> bool:
        return is_percent_column(self.name)

    @cached_property
    def total(self) -> Decimal:
        values = (number_of(cell, self.declared) for cell in self.cells)
        return sum((v for v in values if v is not None), Decimal(0))

    @cached_property
    def count(self) -> int:
        return int(np.count_nonzero(~np.isnan(self.floats)))

    def within(self, low: Decimal, high: Decimal, rows: Sequence[int] | None) -> int | None:
        """The first row (of `rows`) whose cell lies in the closed interval."""
        margin = 1e-9 * max(1.0, abs(float(high)), abs(float(low)))
        with np.errstate(invalid="ignore"):
            close = (self.floats >= float(low) - margin) & (self.floats <= float(high) + margin)
        places = np.flatnonzero(close)
        wanted = None if rows is None else set(rows)
        for place in places:
            value = self.value(int(place))
            if (
                value is not None
                and low <= value <= high
                and (wanted is None or int(place) in wanted)
            ):
                return int(place)
        return None


def numeric_column(evidence: Evidence, index: int) -> NumericColumn | None:
    """None when no cell of the column is a number."""
    column = evidence.columns[index]
    type_ = column.type.upper()
    if type_.startswith(_NO_NUMBERS):
        return None
    cells = tuple(row[index] for row in evidence.rows)
    declared = bool(_NUMERIC.match(type_))
    floats = np.array([_float(c, declared) for c in cells], dtype=np.float64)
    known = floats[~np.isnan(floats)]
    if not known.size:
        return None
    whole = bool(_WHOLE.match(type_)) or (not declared and bool(np.all(known == np.floor(known))))
    return NumericColumn(column.name, index, cells, declared, floats, whole)


def number_of(cell: object, declared: bool) -> Decimal | None:
    """A cell as an exact number. Text counts when it is one number; leading zeros make a code."""
    if isinstance(cell, bool):
        return None
    if isinstance(cell, int):
        return Decimal(cell)
    if isinstance(cell, float):
        return Decimal(repr(cell)) if np.isfinite(cell) else None
    if not isinstance(cell, str):
        return None
    return _declared(cell) if declared else _written(cell)


def is_figure(label: str) -> bool:
    return bool(_NUMBER_TEXT.fullmatch(label)) and not _LEADING_ZERO.match(label)


def _float(cell: Value, declared: bool) -> float:
    if isinstance(cell, (int, float)) and not isinstance(cell, bool):
        return float(cell)
    if not isinstance(cell, str):
        return math.nan
    if declared:
        try:
            return float(cell)
        except ValueError:
            return math.nan
    value = _written(cell)
    return math.nan if value is None else float(value)


def _declared(cell: str) -> Decimal | None:
    try:
        value = Decimal(cell)
    except InvalidOperation:
        return None
    return value if value.is_finite() else None


def _written(cell: str) -> Decimal | None:
    if not _NUMBER_START.match(cell):
        return None
    text = fold_text(cell).strip()
    if not _NUMBER_TEXT.fullmatch(text) or _LEADING_ZERO.match(text):
        return None
    sign = -1 if text[0] in "▲△-" else 1
    return sign * Decimal(re.sub(r"[▲△+\-\s¥$,%]", "", text))
