"""Whether a row adds up others, or is their average: exact arithmetic over blocks of rows."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from ingest.tables.totals import Label

_HALF = Decimal("0.5")


class Candidate(NamedTuple):
    """A source row that may be a total. `figures` by column; `at` is the column of the word and
    `label` its kind, "" where the place of the word is blank."""

    number: int
    cells: tuple[str, ...]
    at: int
    label: Label
    figures: dict[int, Decimal]

    @property
    def bare(self) -> bool:
        return self.label in ("bare", "average")

    def told(self) -> list[int]:
        """The columns of its figures right of the word, else all: left of it stand codes."""
        right = [at for at in self.figures if at > self.at]
        return right if right and self.label else list(self.figures)

    def is_no_name(self) -> bool:
        """合計 is nothing else; `Total` and `Sum` may be a brand or a product."""
        return self.bare and not self.cells[self.at].isascii()


class Sum(NamedTuple):
    """Of a column over some rows; `low` and `high` are the least and the greatest figure."""

    total: Decimal
    low: Decimal
    high: Decimal

    def __add__(self, other: object) -> Sum:
        assert isinstance(other, Sum)
        return Sum(self.total + other.total, min(self.low, other.low), max(self.high, other.high))


class Block(NamedTuple):
    """Rows between two candidates; columns without any figure have no sum."""

    rows: int
    sums: dict[int, Sum]

    def __add__(self, other: object) -> Block:
        assert isinstance(other, Block)
        sums = dict(self.sums)
        for at, one in other.sums.items():
            sums[at] = sums[at] + one if at in sums else one
        return Block(self.rows + other.rows, sums)


def adds_up(row: Candidate, block: Block) -> bool:
    """At least one figure that is not zero is the exact sum over the block; what else stands
    right of the word is a rounded sum or, beside a word for a total, lies between the block's
    least and greatest figure, as a price, a share or a year does."""
    if row.label == "average":
        return False
    told = row.told()
    exact = [at for at in told if row.figures[at] and _is_sum(row.figures[at], at, block)]
    others = [at for at in told if at not in exact]
    return bool(exact) and all(_is_explained(row, at, block) for at in others)


def averages(row: Candidate, block: Block) -> bool:
    """At least one figure is the mean over the block, as rounded; the others lie between."""
    means = [at for at in row.told() if _is_mean(row, at, block)]
    others = [at for at in row.told() if at not in means]
    return block.rows > 1 and bool(means) and all(_is_between(row, at, block) for at in others)


def _is_sum(figure: Decimal, at: int, block: Block) -> bool:
    return at in block.sums and figure == block.sums[at].total


def _is_explained(row: Candidate, at: int, block: Block) -> bool:
    figure = row.figures[at]
    if at not in block.sums:
        return not figure
    if _is_sum(figure, at, block) or _is_between(row, at, block):
        return True
    off = abs(figure - block.sums[at].total)
    return row.label != "" and off <= _HALF * block.rows * _last_place(figure)


def _is_between(row: Candidate, at: int, block: Block) -> bool:
    found = block.sums.get(at)
    if found is None:
        return False
    if row.label == "":
        return row.figures[at] == found.low == found.high
    return found.low <= row.figures[at] <= found.high


def _is_mean(row: Candidate, at: int, block: Block) -> bool:
    found = block.sums.get(at)
    if found is None or not block.rows:
        return False
    return abs(row.figures[at] - found.total / block.rows) <= _HALF * _last_place(row.figures[at])


def _last_place(figure: Decimal) -> Decimal:
    return Decimal(1).scaleb(min(0, int(figure.as_tuple().exponent)))
