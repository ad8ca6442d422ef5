"""A source of rows before it is a table."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from ingest.tables.captions import Stated
from ingest.tables.cells import NULL_WORDS, looks_typed

Row = Sequence[str]
Merge = tuple[tuple[int, int], tuple[int, int]]
"""A merged range, ((top, left), (bottom, right)), 0-based and inclusive."""

SAMPLE_ROWS = 500
_GROUP, _REST = re.compile(r"[-+▲△(¥￥$]*[1-9]\d{0,2}"), re.compile(r"\d{3}(\.\d+)?[)円元]*")


@dataclass(frozen=True)
class Plain:
    """A delimited text file that another reader than ours may read, too."""

    path: Path
    codec: str
    delimiter: str


class Unread(NamedTuple):
    """A cell that the format itself leaves open. `row` is 1-based, the column's place 0-based."""

    row: int
    at: int
    value: str
    reason: str


@dataclass(frozen=True)
class Grid:
    """Rows of text, blank ones included, that can be read more than once.

    `header` is given where the format itself names the columns; every row is then data. `hidden`
    are the names of the file's hidden sheets. `plain` says where the same rows stand as text.
    `unread` are cells that hold no usable value: they are blank in `rows`.
    """

    rows: Callable[[], Iterator[Row]]
    plain: Plain | None = None
    sheet: str | None = None
    header: tuple[str, ...] | None = None
    merges: tuple[Merge, ...] = ()
    notes: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    unread: tuple[Unread, ...] = ()


@dataclass(frozen=True)
class Layout:
    """`originals` are the header cells as written ("" where blank); `first` is the 1-based
    source row of the first data row. `units`: by column, what stands above the table for it."""

    originals: tuple[str, ...]
    first: int
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    units: Mapping[int, Stated] = field(default_factory=dict)


def split_figure(grid: Grid, row: Row, width: int) -> int | None:
    """Where a record with more cells than the header may begin to be shifted by a figure that is
    written with commas and without quotes: 1 in `x,1,234` under `a,b`. Which of the cells belong
    together cannot be told from there on."""
    if grid.plain is None or grid.plain.delimiter != "," or reach_of(row) <= width:
        return None
    pairs = [
        at
        for at, (left, right) in enumerate(pairwise(row))
        if _GROUP.fullmatch(left.strip()) and _REST.fullmatch(right.strip())
    ]
    return pairs[0] if len(pairs) >= reach_of(row) - width and pairs[0] < width else None


def column_kind(body: list[Row], index: int) -> str:
    kinds = Counter(
        looks_typed(row[index].strip())
        for row in body
        if index < len(row) and row[index].strip() and row[index].strip() not in NULL_WORDS
    )
    kind, count = kinds.most_common(1)[0] if kinds else ("", 0)
    return kind if count >= 0.9 * kinds.total() else ""


def has_typed(row: Row) -> bool:
    return any(looks_typed(cell.strip()) for cell in row)


def filled(row: Row) -> int:
    return sum(1 for cell in row if cell.strip())


def reach_of(row: Row) -> int:
    return max((i for i, cell in enumerate(row, 1) if cell.strip()), default=0)


def one_line(cell: str) -> str:
    return " ".join(cell.replace("\0", "").split())


def brief(row: Row) -> str:
    """What stands in the row, for a note."""
    text = " | ".join(one_line(cell) for cell in row if cell.strip() not in NULL_WORDS)
    return text if len(text) <= 120 else text[:119] + "…"
