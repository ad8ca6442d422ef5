"""Columns that a program wrote line by line across the page, so that MuPDF put lines of several
columns into one block: searchable scans, some typesetting programs."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from ingest.documents.readers.pdf_lines import Line, rows_of

_MIN_GAP = 6.0
_MIN_COLUMN_SHARE = 0.2
"""As in the reading order: a narrower column is one of a table or a form."""
_MIN_ROWS = 4
_FULL, _MIN_FULL_SHARE = 0.7, 0.5
"""In running text at least half of a column's lines are about as wide as the column."""

Block = Sequence[Line]


def part_columns(blocks: Sequence[Block], page_width: float) -> list[Block]:
    """The blocks, with those parted that hold lines at both sides of a gutter of the page."""
    gutters = [
        gutter for gutter in _gutters(blocks) if _is_running_text(blocks, gutter, page_width)
    ]
    return [part for block in blocks for part in _cut(block, gutters)]


def _gutters(blocks: Sequence[Block]) -> list[float]:
    """Where on the page the gap before a piece is free in many rows that have text at both sides."""
    gaps = [gap for block in blocks for gap in _gaps(block)]
    found: list[float] = []
    while gaps:
        places = [right - _MIN_GAP / 2 for _, right in gaps]
        best = max(places, key=lambda place: sum(1 for gap in gaps if _is_in(place, gap)))
        through = [gap for gap in gaps if _is_in(best, gap)]
        if len(through) < _MIN_ROWS:
            break
        found.append(best)
        gaps = [gap for gap in gaps if gap not in through]
    return sorted(found)


def _gaps(block: Block) -> Iterator[tuple[float, float]]:
    if any(line.vertical for line in block):
        return
    for row in rows_of(block):
        for left, right in pairwise(row):
            if right.box[0] - left.box[2] >= _MIN_GAP:
                yield left.box[2], right.box[0]


def _is_in(place: float, gap: tuple[float, float]) -> bool:
    return gap[0] <= place - _MIN_GAP / 2 and place + _MIN_GAP / 2 <= gap[1]


def _is_running_text(blocks: Sequence[Block], gutter: float, page_width: float) -> bool:
    parted = [sides for block in blocks if all(sides := _sides(block, gutter))]
    return all(
        _is_column([line for sides in parted for line in sides[side]], page_width)
        for side in (0, 1)
    )


def _sides(block: Block, gutter: float) -> tuple[list[Line], list[Line]]:
    """The lines left and right of the gutter; none of a block that a line of it crosses."""
    if any(line.box[0] < gutter < line.box[2] for line in block):
        return [], []
    left = [line for line in block if line.box[2] <= gutter]
    return left, [line for line in block if line.box[0] >= gutter]


def _is_column(lines: Sequence[Line], page_width: float) -> bool:
    widths = [line.box[2] - line.box[0] for line in lines]
    if len(widths) < _MIN_ROWS or max(widths) < _MIN_COLUMN_SHARE * page_width:
        return False
    full = sum(1 for width in widths if width >= _FULL * max(widths))
    return full >= _MIN_FULL_SHARE * len(widths)


def _cut(block: Block, gutters: Sequence[float]) -> Iterator[Block]:
    for gutter in gutters:
        left, right = _sides(block, gutter)
        if left and right:
            yield left
            block = right
    yield block
