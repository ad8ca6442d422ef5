"""The text lines of a PDF page, gathered into blocks of one style."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from ingest.documents.model import Box
from ingest.documents.readers.pdf_order import cut
from ingest.documents.tables import join_lines

_BLANK, _TABULAR = 0.2, 1.0
"""Gaps, in letter sizes, that read as a blank, and as the space between two columns."""
BULLET = re.compile(r"(?:[•●○■□◆◇・‣▪*–-]|[(（]?\d{1,2}[.)）、]|[①-⑳])\s*\S")


@dataclass(frozen=True)
class Line:
    """`size` in points; `vertical` for Japanese or Chinese set from top to bottom; `tabular`
    when gaps wider than a letter part it."""

    text: str
    box: Box
    size: float
    bold: bool
    vertical: bool
    tabular: bool = False


@dataclass(frozen=True)
class TextBlock:
    lines: tuple[Line, ...]

    @cached_property
    def box(self) -> Box:
        boxes = [line.box for line in self.lines]
        return (
            min(box[0] for box in boxes),
            min(box[1] for box in boxes),
            max(box[2] for box in boxes),
            max(box[3] for box in boxes),
        )

    @property
    def size(self) -> float:
        return max(line.size for line in self.lines)

    @property
    def bold(self) -> bool:
        return all(line.bold for line in self.lines)

    @property
    def vertical(self) -> bool:
        return self.lines[0].vertical

    @property
    def tabular(self) -> bool:
        return any(line.tabular for line in self.lines)

    @property
    def is_list(self) -> bool:
        return sum(1 for line in self.lines if BULLET.match(line.text)) > 1

    @cached_property
    def text(self) -> str:
        """Lines that reach the block's right edge run on; a shorter one ends its line."""
        if self.vertical:
            return join_lines([line.text for line in self.lines])
        paragraphs: list[list[str]] = [[]]
        for line, below in zip(self.lines, [*self.lines[1:], None], strict=True):
            paragraphs[-1].append(line.text)
            if below is not None and self._ends(line, below):
                paragraphs.append([])
        return "\n".join(join_lines(paragraph) for paragraph in paragraphs)

    def _ends(self, line: Line, below: Line) -> bool:
        if BULLET.match(below.text):
            return True
        if line.tabular or below.tabular:
            return True
        return line.box[2] < self.box[2] - max(2.5 * line.size, 0.12 * (self.box[2] - self.box[0]))


def blocks_of(lines: Sequence[Line]) -> list[TextBlock]:
    """Lines that the program wrote together, parted where the type changes."""
    return list(_split_by_style(_rows(lines)))


def _rows(found: Sequence[Line]) -> list[Line]:
    """Pieces that stand side by side as one line, from left to right."""
    if any(line.vertical for line in found):
        return list(found)
    return [_join_row(row) for row in rows_of(found)]


def rows_of(found: Sequence[Line]) -> list[list[Line]]:
    """The pieces by row, from top to bottom, each row from left to right."""
    rows: list[list[Line]] = []
    for line in sorted(found, key=lambda piece: (piece.box[1] + piece.box[3]) / 2):
        if rows and _same_row(rows[-1][0].box, line.box):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [sorted(row, key=lambda piece: piece.box[0]) for row in rows]


def _join_row(row: Sequence[Line]) -> Line:
    text, widest_gap = row[0].text, 0.0
    for left, right in pairwise(row):
        gap = (right.box[0] - left.box[2]) / max(left.size, right.size)
        text += (" " if gap > _BLANK else "") + right.text
        widest_gap = max(widest_gap, gap)
    longest = max(row, key=lambda piece: len(piece.text))
    box = TextBlock(tuple(row)).box
    bold = all(piece.bold for piece in row)
    return Line(text, box, longest.size, bold, False, widest_gap > _TABULAR)


def _same_row(a: Box, b: Box) -> bool:
    overlap = min(a[3], b[3]) - max(a[1], b[1])
    return overlap > 0.5 * min(a[3] - a[1], b[3] - b[1])


def _split_by_style(lines: Sequence[Line]) -> Iterator[TextBlock]:
    run: list[Line] = []
    for line in lines:
        if run and not _same_style(run[-1], line):
            yield TextBlock(tuple(run))
            run = []
        run.append(line)
    if run:
        yield TextBlock(tuple(run))


def _same_style(a: Line, b: Line) -> bool:
    if a.vertical != b.vertical:
        return False
    if a.vertical:
        return True
    return abs(a.size - b.size) <= 0.1 * max(a.size, b.size) and a.bold == b.bold


def join_columns(blocks: list[TextBlock]) -> list[TextBlock]:
    """Vertical text comes one column a block: neighbours of one size are one paragraph."""
    joined: list[TextBlock] = []
    columns = [block for block in blocks if block.vertical]
    for tier in cut(columns, lambda block: (block.box[1], block.box[3]), 0.0):
        first = len(joined)
        for block in sorted(tier, key=lambda block: -block.box[2]):
            last = joined[-1] if len(joined) > first else None
            if last and last.box[0] - block.box[2] <= 1.5 * block.size and last.size == block.size:
                joined[-1] = TextBlock(last.lines + block.lines)
            else:
                joined.append(block)
    return [block for block in blocks if not block.vertical] + joined
