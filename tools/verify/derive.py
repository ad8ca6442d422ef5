"""Figures that stand in no cell but can be worked out again from a few: totals, shares, changes.

Each kind is tried only where the sentence says that it is one ("in total", "more than", "%"),
so that a wrong figure is not excused by a chance combination of cells.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations

from tools.verify.facts import EvidenceFacts, NumericColumn
from tools.verify.numbers import says
from tools.verify.quantities import Quantity

_SUM = re.compile(
    r"合計|総|計|合わせ|合算|トータル|total|sum|combined|altogether|together|overall|合计|总|共",
    re.IGNORECASE,
)
_MEAN = re.compile(r"平均|average|mean|avg|per\s|均", re.IGNORECASE)
_GAP = re.compile(
    r"差|多い|多く|少な|増|減|上回|下回|不足|超|残|余|more|less|fewer|higher|lower|difference|increas|decreas|gap|exceed|"
    r"above|below|change|rose|fell|grew|drop|remain|short|left|surplus|多|少|增|减|升|降|变化|剩",
    re.IGNORECASE,
)
_TIMES = re.compile(r"倍|times|\bx\b|比率|ratio", re.IGNORECASE)
_PRODUCT = re.compile(
    r"金額|総額|価値|売上|額|value|worth|cost|amount|revenue|sales|金额|总额|价值", re.IGNORECASE
)
_LEADING = re.compile(
    r"上位|トップ|ベスト|top\b|first|largest|best|前[一二三四五六七八九十\d]", re.IGNORECASE
)
_SMALL_ROWS = 12
_NAMED_ROWS = 12
_POOL = 40


@dataclass(frozen=True)
class Cell:
    """A number with the place it stands at; `row` -1 is a column's total."""

    facts: EvidenceFacts
    column: NumericColumn
    row: int
    value: Decimal

    @property
    def place(self) -> str:
        return f"{self.column.name}[{self.row + 1}]"


@dataclass(frozen=True)
class Derived:
    evidence_id: str
    how: str


def derive(
    q: Quantity,
    sentence: str,
    named: Sequence[tuple[EvidenceFacts, Sequence[int]]],
    all_facts: Sequence[EvidenceFacts],
) -> Derived | None:
    """How the figure follows from the cited cells, or None. `named` are rows that the sentence
    names; without any, tables of at most 12 rows are looked at."""
    groups = [(f, rows[:_NAMED_ROWS]) for f, rows in named if rows]
    found = _from(q, sentence, groups, bool(groups)) if groups else None
    if found:
        return found
    if groups:
        return _aggregates(q, sentence, all_facts, counts=False)
    small = [
        (f, range(len(f.evidence.rows)))
        for f in all_facts
        if 0 < len(f.evidence.rows) <= _SMALL_ROWS
    ]
    return _aggregates(q, sentence, all_facts, counts=True) or _from(q, sentence, small, False)


def _from(
    q: Quantity, sentence: str, groups: Sequence[tuple[EvidenceFacts, Sequence[int]]], named: bool
) -> Derived | None:
    cells = [c for facts, rows in groups for c in _cells(facts, rows)][:_POOL]
    pairs = [p for p in _pairs(cells) if named or _are_neighbours(*p)]
    tries: list[Iterator[Derived]] = []
    if q.is_percent:
        tries += [_percent(q, sentence, pairs), _share(q, sentence, cells)]
    else:
        if _GAP.search(sentence):
            tries.append(_gap(q, sentence, pairs))
        if _TIMES.search(sentence) or q.unit_class == "times":
            tries.append(_ratio(q, pairs))
        whole = [g for g in groups if named or g[0].whole]
        if _SUM.search(sentence) or _MEAN.search(sentence):
            tries.append(_sums(q, sentence, whole))
        if _PRODUCT.search(sentence) or q.unit_class == "currency":
            tries.append(_product(q, pairs))
    return next((d for t in tries for d in t), None)


def _cells(facts: EvidenceFacts, rows: Sequence[int]) -> Iterator[Cell]:
    for row in rows:
        for column in facts.numeric:
            value = column.value(row)
            if value is not None:
                yield Cell(facts, column, row, value * column.scale)


def _pairs(cells: Sequence[Cell]) -> Iterator[tuple[Cell, Cell]]:
    """Cells of one column, of one row, or of two tables that are a single figure each."""
    for a, b in combinations(cells, 2):
        same = a.facts is b.facts
        if (same and (a.column.index == b.column.index or a.row == b.row)) or (not same and _is_single(a.facts) and _is_single(b.facts)):
            yield a, b


def _are_neighbours(a: Cell, b: Cell) -> bool:
    """Without a name in the sentence only rows that follow each other are compared."""
    return a.facts is not b.facts or abs(a.row - b.row) <= 1


def _is_single(facts: EvidenceFacts) -> bool:
    return len(facts.evidence.rows) == 1


def _derived(a: Cell, b: Cell, how: str) -> Derived:
    return Derived(a.facts.id, f"derived: {how}")


def _percent(q: Quantity, sentence: str, pairs: Sequence[tuple[Cell, Cell]]) -> Iterator[Derived]:
    for x, y in pairs:
        for a, b in ((x, y), (y, x)):
            if b.value == 0:
                continue
            if _GAP.search(sentence) and says(
                q, (a.value - b.value) / abs(b.value) * 100, sentence
            ):
                yield _derived(a, b, f"change from {b.place} to {a.place}")
            if says(q, a.value / b.value * 100):
                yield _derived(a, b, f"{a.place} as a share of {b.place}")
    for x, y in pairs:
        if x.column.percent and x.column.index == y.column.index:
            factor = 1 if x.column.whole or max(abs(x.value), abs(y.value)) > 1 else 100
            if _GAP.search(sentence) and says(q, abs(x.value - y.value) * factor):
                yield _derived(x, y, f"difference of {x.place} and {y.place}")


def _share(q: Quantity, sentence: str, cells: Sequence[Cell]) -> Iterator[Derived]:
    for cell in cells:
        total = _total(cell.facts, cell.column)
        if total and says(q, cell.value / total * 100):
            yield Derived(cell.facts.id, f"derived: {cell.place} as a share of the column's total")


def _total(facts: EvidenceFacts, column: NumericColumn) -> Decimal | None:
    if not facts.whole or len(column.cells) < 2:
        return None
    return column.total * column.scale


def _gap(q: Quantity, sentence: str, pairs: Sequence[tuple[Cell, Cell]]) -> Iterator[Derived]:
    for a, b in pairs:
        if says(q, a.value - b.value, sentence) or says(q, b.value - a.value, sentence):
            yield _derived(a, b, f"difference of {a.place} and {b.place}")


def _ratio(q: Quantity, pairs: Sequence[tuple[Cell, Cell]]) -> Iterator[Derived]:
    for x, y in pairs:
        for a, b in ((x, y), (y, x)):
            if b.value and says(q, a.value / b.value):
                yield _derived(a, b, f"{a.place} divided by {b.place}")


def _product(q: Quantity, pairs: Sequence[tuple[Cell, Cell]]) -> Iterator[Derived]:
    for a, b in pairs:
        if a.row == b.row and a.facts is b.facts and says(q, a.value * b.value):
            yield _derived(a, b, f"{a.place} times {b.place}")


def _sums(
    q: Quantity, sentence: str, groups: Sequence[tuple[EvidenceFacts, Sequence[int]]]
) -> Iterator[Derived]:
    for facts, rows in groups:
        for column in facts.numeric:
            values = [v * column.scale for row in rows if (v := column.value(row)) is not None]
            if len(values) < 2:
                continue
            total = sum(values, Decimal(0))
            if _SUM.search(sentence) and says(q, total):
                yield Derived(facts.id, f"derived: sum of {column.name} over {len(values)} rows")
            if _MEAN.search(sentence) and says(q, total / len(values)):
                yield Derived(facts.id, f"derived: mean of {column.name} over {len(values)} rows")
            yield from _leading(q, sentence, facts, column)
    yield from _across(q, sentence, groups)


def _leading(
    q: Quantity, sentence: str, facts: EvidenceFacts, column: NumericColumn
) -> Iterator[Derived]:
    """The sum of the first rows: "the top three together"."""
    if not (_LEADING.search(sentence) and _SUM.search(sentence)):
        return
    total = Decimal(0)
    for count, value in enumerate((column.value(r) for r in range(min(10, len(column.cells)))), 1):
        total += (value or Decimal(0)) * column.scale
        if count > 1 and says(q, total):
            yield Derived(facts.id, f"derived: sum of {column.name} over the first {count} rows")


def _across(
    q: Quantity, sentence: str, groups: Sequence[tuple[EvidenceFacts, Sequence[int]]]
) -> Iterator[Derived]:
    """Sums within a row, and of tables that are a single figure each."""
    if not _SUM.search(sentence):
        return
    cells = [c for facts, rows in groups for c in _cells(facts, rows)][:_POOL]
    for a, b in _pairs(cells):
        if (a.row == b.row or a.facts is not b.facts) and says(q, a.value + b.value):
            yield _derived(a, b, f"sum of {a.place} and {b.place}")


def _aggregates(
    q: Quantity, sentence: str, all_facts: Sequence[EvidenceFacts], *, counts: bool
) -> Derived | None:
    """A whole column's total, mean or number of different values."""
    for facts in all_facts:
        if not facts.whole:
            continue
        for column in facts.numeric:
            if column.count < 2:
                continue
            total = column.total * column.scale
            if _SUM.search(sentence) and says(q, total):
                return Derived(facts.id, f"derived: sum of {column.name}")
            if _MEAN.search(sentence) and says(q, total / column.count):
                return Derived(facts.id, f"derived: mean of {column.name}")
        if counts and q.is_whole and (how := _distinct(q, facts)):
            return Derived(facts.id, how)
    return None


def _distinct(q: Quantity, facts: EvidenceFacts) -> str | None:
    if q.unit_class not in ("count", "") or q.scale != 1:
        return None
    counts: dict[int, int] = {}
    for _, column in facts.labels:
        counts[column] = counts.get(column, 0) + 1
    for column, count in counts.items():
        if count > 1 and q.value == count:
            return f"derived: different values of {facts.evidence.columns[column].name}"
    return None
