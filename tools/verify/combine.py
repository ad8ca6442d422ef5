"""Pairs of cells and what a text may say about them: a change, a share, a gap, a product."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations

from tools.verify.cells import NumericColumn
from tools.verify.facts import EvidenceFacts
from tools.verify.numbers import says
from tools.verify.quantities import Quantity

GAP = re.compile(
    r"差|多い|多く|少な|増|減|上回|下回|不足|超|残|余|more|less|fewer|higher|lower|difference|increas|decreas|gap|exceed|"
    r"above|below|change|rose|fell|grew|drop|declin|remain|short|left|surplus|up\b|down\b|"
    r"多|少|增|减|升|降|变化|剩|比",
    re.IGNORECASE,
)
SUM = re.compile(
    r"合計|総|計|合わせ|合算|トータル|total|sum|combined|altogether|together|overall|合计|总|共",
    re.IGNORECASE,
)
TIMES = re.compile(r"倍|times|\bx\b|比率|ratio", re.IGNORECASE)
PRODUCT = re.compile(
    r"金額|総額|価値|売上|額|value|worth|cost|amount|revenue|sales|金额|总额|价值", re.IGNORECASE
)
_POOL = 48


@dataclass(frozen=True)
class Cell:
    """A number in base units (a column in thousands is multiplied) and where it stands."""

    facts: EvidenceFacts
    column: NumericColumn
    row: int
    value: Decimal

    @property
    def place(self) -> str:
        return f"{self.column.name}[{self.row + 1}]"


@dataclass(frozen=True)
class Derived:
    """`how` names the cells, so that the figure can be worked out again."""

    facts: EvidenceFacts
    how: str


Group = tuple[EvidenceFacts, Sequence[int]]
Pair = tuple[Cell, Cell]


def cells_of(groups: Sequence[Group]) -> list[Cell]:
    """At most 48 numbers, row by row."""
    found = []
    for facts, rows in groups:
        for row in rows[:_POOL]:
            for column in facts.numeric:
                value = column.value(row)
                if value is not None:
                    found.append(Cell(facts, column, row, value * column.scale))
    return found[:_POOL]


def pairs_of(groups: Sequence[Group]) -> list[Pair]:
    """Cells of one column or one row, or of two tables of which one row each is meant."""
    alone = {id(f) for f, rows in groups if len(rows) == 1}
    return [
        (a, b)
        for a, b in combinations(cells_of(groups), 2)
        if (a.facts is b.facts and (a.column.index == b.column.index or a.row == b.row))
        or (a.facts is not b.facts and id(a.facts) in alone and id(b.facts) in alone)
    ]


def combine(q: Quantity, near: str, pairs: Sequence[Pair]) -> Derived | None:
    """The first way in which two cells give the figure, among those that `near` speaks of."""
    ways: list[Callable[[Quantity, str, Pair], str]] = []
    if q.is_percent:
        ways = [_change, _points, _part] if GAP.search(near) else [_part]
    else:
        if GAP.search(near):
            ways.append(_gap)
        if TIMES.search(near) or q.unit_class == "times":
            ways.append(_ratio)
        if SUM.search(near):
            ways.append(_sum)
        if PRODUCT.search(near) or q.unit_class == "currency":
            ways.append(_product)
    found = ((pair, way(q, near, pair)) for way in ways for pair in pairs)
    return next((Derived(pair[0].facts, f"derived: {how}") for pair, how in found if how), None)


def _ordered(pair: Pair) -> Iterator[Pair]:
    yield pair
    yield pair[1], pair[0]


def _change(q: Quantity, near: str, pair: Pair) -> str:
    for a, b in _ordered(pair):
        if b.value and says(q, (a.value - b.value) / abs(b.value) * 100, near, signed=True):
            return f"change from {b.place} to {a.place}"
    return ""


def _points(q: Quantity, near: str, pair: Pair) -> str:
    a, b = pair
    if not (a.column.percent and a.column.index == b.column.index):
        return ""
    factor = 1 if a.column.whole or max(abs(a.value), abs(b.value)) > 1 else 100
    same = says(q, abs(a.value - b.value) * factor)
    return f"difference of {a.place} and {b.place}" if same else ""


def _part(q: Quantity, near: str, pair: Pair) -> str:
    for a, b in _ordered(pair):
        if b.value and says(q, a.value / b.value * 100):
            return f"{a.place} as a share of {b.place}"
    return ""


def _gap(q: Quantity, near: str, pair: Pair) -> str:
    a, b = pair
    if not (a.value and b.value):
        # The difference to nothing is the other cell itself.
        return ""
    gap = a.value - b.value
    same = says(q, gap, near) or says(q, -gap, near)
    return f"difference of {a.place} and {b.place}" if same else ""


def _ratio(q: Quantity, near: str, pair: Pair) -> str:
    for a, b in _ordered(pair):
        if b.value and says(q, a.value / b.value):
            return f"{a.place} divided by {b.place}"
    return ""


def _sum(q: Quantity, near: str, pair: Pair) -> str:
    a, b = pair
    return f"sum of {a.place} and {b.place}" if says(q, a.value + b.value) else ""


def _product(q: Quantity, near: str, pair: Pair) -> str:
    a, b = pair
    same = a.row == b.row and a.facts is b.facts and says(q, a.value * b.value)
    return f"{a.place} times {b.place}" if same else ""
