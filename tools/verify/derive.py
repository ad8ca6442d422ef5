"""Figures that stand in no cell but can be worked out again from a few: totals, shares, changes.

Each kind is tried only where the words near the figure say that it is one ("in total", "more
than", "%"), so that a wrong figure is not excused by a chance combination of cells.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from tools.verify.cells import NumericColumn
from tools.verify.combine import GAP, SUM, Derived, Group, cells_of, combine, pairs_of
from tools.verify.dating import Stated
from tools.verify.facts import EvidenceFacts
from tools.verify.numbers import says
from tools.verify.quantities import Quantity

_MEAN = re.compile(r"平均|average|mean|avg|per\s|均", re.IGNORECASE)
_LEADING = re.compile(
    r"上位|トップ|ベスト|top\b|first|largest|best|前[一二三四五六七八九十\d]", re.IGNORECASE
)
_COUNTS = ("count", "")
_SMALL_ROWS = 12
_LEADING_ROWS = 10


@dataclass(frozen=True)
class Derivation:
    """A figure, the words near it, and the rows that its sentence names (None: it names none)."""

    q: Quantity
    near: str
    named: Sequence[Group]
    all_facts: Sequence[EvidenceFacts]

    def find(self) -> Derived | None:
        """Named rows first. Without any, whole columns and tables of at most 12 rows."""
        if self.named:
            return self._named() or self._whole_columns()
        return self._whole_columns() or self._distinct() or self._small()

    def _named(self) -> Derived | None:
        found = combine(self.q, self.near, pairs_of(self.named)) or self._sums(self.named)
        if found is None and self.q.is_percent:
            found = self._share(self.named)
        if found is None and GAP.search(self.near):
            wider = [(f, related) for f, rows in self.named if (related := _related(f, rows))]
            found = combine(self.q, self.near, pairs_of(wider))
        return found

    def _small(self) -> Derived | None:
        small = [(f, range(len(f.evidence.rows))) for f in self.all_facts if _is_small(f)]
        pairs = [
            (a, b) for a, b in pairs_of(small) if a.facts is not b.facts or abs(a.row - b.row) <= 1
        ]
        found = combine(self.q, self.near, pairs)
        if found is None and self.q.is_percent:
            found = self._share(small)
        return found

    def _sums(self, groups: Sequence[Group]) -> Derived | None:
        """Total and mean of the named rows, column by column."""
        if not (SUM.search(self.near) or _MEAN.search(self.near)):
            return None
        for facts, rows in groups:
            for column in facts.numeric:
                known = [v for row in rows if (v := column.value(row)) is not None]
                if len(known) > 1:
                    total = sum(known, Decimal(0)) * column.scale
                    how = self._total_or_mean(total, len(known))
                    if how:
                        return _over(facts, column, f"{how} of", f"over {len(known)} rows")
        return None

    def _total_or_mean(self, total: Decimal, count: int) -> str:
        if SUM.search(self.near) and says(self.q, total):
            return "sum"
        return "mean" if _MEAN.search(self.near) and says(self.q, total / count) else ""

    def _whole_columns(self) -> Derived | None:
        for facts in self.all_facts:
            for column in facts.numeric:
                if facts.whole and column.count > 1:
                    how = self._total_or_mean(column.total * column.scale, column.count)
                    if how:
                        return _over(facts, column, f"{how} of")
                count = self._leading(column)
                if count:
                    return _over(facts, column, "sum of", f"over the first {count} rows")
        return None

    def _leading(self, column: NumericColumn) -> int:
        """How many first rows add up to the figure: "the top three together"; 0 for none."""
        if not (_LEADING.search(self.near) and SUM.search(self.near)):
            return 0
        total = Decimal(0)
        for row in range(min(_LEADING_ROWS, len(column.cells))):
            total += (column.value(row) or Decimal(0)) * column.scale
            if row and says(self.q, total):
                return row + 1
        return 0

    def _share(self, groups: Sequence[Group]) -> Derived | None:
        for cell in cells_of(groups):
            column = cell.column
            if not (cell.facts.whole and column.count > 1 and column.total):
                continue
            if says(self.q, cell.value / (column.total * column.scale) * 100):
                how = f"derived: {cell.place} as a share of the column's total"
                return Derived(cell.facts, how)
        return None

    def _distinct(self) -> Derived | None:
        """The number of different values of a text column: "3 products"."""
        if not (self.q.is_whole and self.q.unit_class in _COUNTS and self.q.scale == 1):
            return None
        for facts in self.all_facts:
            counts: dict[int, int] = {}
            for _, column in facts.labels if facts.whole else ():
                counts[column] = counts.get(column, 0) + 1
            for column, count in counts.items():
                if count > 1 and self.q.value == count:
                    name = facts.evidence.columns[column].name
                    return Derived(facts, f"derived: different values of {name}")
        return None


def _over(facts: EvidenceFacts, column: NumericColumn, how: str, where: str = "") -> Derived:
    return Derived(facts, f"derived: {how} {column.name} {where}".rstrip())


def _is_small(facts: EvidenceFacts) -> bool:
    return facts.whole and 0 < len(facts.evidence.rows) <= _SMALL_ROWS


def _related(facts: EvidenceFacts, rows: Sequence[int]) -> list[int]:
    """A dated row with its neighbours and the row a year before it: what MoM and YoY compare."""
    if len(rows) != 1 or not facts.dates:
        return []
    row = rows[0]
    near = [row, *(r for r in (row - 1, row + 1) if 0 <= r < len(facts.evidence.rows))]
    for stated, places in facts.dates.items():
        if row in places and stated.year:
            before = Stated(stated.year - 1, stated.month, stated.day)
            near.extend(facts.dates.get(before, ())[:1])
    return near
