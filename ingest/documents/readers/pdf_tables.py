"""Ruled tables of a PDF page, every figure checked against the page's words.

PyMuPDF's table extraction has been seen to move the points and commas of figures to the end
of their cell. A cell whose characters do not come in the order of the words printed inside
its box is therefore read from those words, which also keep low glyphs (`_`) in their place.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pymupdf

from ingest.documents.model import Box
from ingest.documents.tables import (
    has_figure,
    header_depth,
    is_wrapped_number,
    join_lines,
    to_markdown,
)

_MAX_DRAWINGS = 5_000
"""A page with more is a map or a plan, on which the search for tables takes minutes."""
MUPDF_ERRORS = (pymupdf.mupdf.FzErrorBase, RuntimeError, ValueError)
_FINDER_ERRORS = (*MUPDF_ERRORS, LookupError, ArithmeticError, TypeError, AttributeError)
"""The search for tables is Python code that trips over odd drawings in many ways."""
_FULL_WIDTH = 0.6
_COLUMN_TOLERANCE = 3.0
_MIN_RECORDS, _MIN_FRAME_LINES = 3, 6
Word = tuple[float, float, float, float, str]


@dataclass
class PdfTable:
    """`rows`: cell texts, those merged downwards repeated, None for a cell merged with the one
    at its left; `edges`: left edges of the columns, points."""

    box: Box
    rows: list[list[str | None]]
    header_rows: int
    edges: tuple[float, ...]
    cells: tuple[Box, ...]
    vertical: bool = False

    @property
    def header(self) -> list[list[str | None]]:
        return self.rows[: self.header_rows]

    def holds(self, word: Word) -> bool:
        """Does the word stand in one of the cells? The box may also hold text between them."""
        return any(contains(cell, word) for cell in self.cells)

    def markdown(self) -> str:
        return to_markdown(self.rows, self.header_rows)


def read_tables(page: Any) -> list[PdfTable]:
    """The page's tables with at least two columns and some text, as displayed."""
    drawings = page.get_cdrawings()
    if not 0 < len(drawings) <= _MAX_DRAWINGS:
        return []
    found = _find(page, "lines_strict") or _find(page, "lines")
    if not found:
        return []
    words = [tuple(word[:5]) for word in page.get_text("words")]
    return [table for raw in found if (table := _table(page, raw, words)) is not None]


def _find(page: Any, strategy: str) -> list[Any]:
    try:
        tables = page.find_tables(strategy=strategy).tables
    except _FINDER_ERRORS:
        return []
    return [table for table in tables if table.col_count > 1 and len(table.cells) > 2]


def _table(page: Any, raw: Any, words: Sequence[Word]) -> PdfTable | None:
    box: Box = tuple(raw.bbox)
    inside = [word for word in words if contains(box, word)]
    frames = {cell for cell in raw.cells if _is_frame([w for w in inside if contains(cell, w)])}
    boxes: list[list[Box | None]] = []
    shape: list[list[str | None]] = []
    for row, extracted in zip(raw.rows, raw.extract(), strict=True):
        for cells, texts in _records(row.cells, extracted, inside):
            read = [
                None
                if cell is None or cell in frames
                else _cell_text(page, cell, text or "", inside)
                for cell, text in zip(cells, texts, strict=True)
            ]
            if any(read):
                boxes.append(cells)
                shape.append(read)
    if sum(1 for row in shape for text in row if text) < 2:
        return None
    edges = tuple(sorted({cell[0] for cells in boxes for cell in cells if cell is not None}))
    return PdfTable(
        box,
        _fill(shape, boxes),
        header_depth(shape),
        edges,
        tuple(cell for cell in raw.cells if cell not in frames),
    )


def meet(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def contains(box: Box, word: Word) -> bool:
    """Is the word's middle in the box?"""
    x, y = (word[0] + word[2]) / 2, (word[1] + word[3]) / 2
    return box[0] <= x < box[2] and box[1] <= y < box[3]


def _records(
    cells: Sequence[Box | None], texts: Sequence[str | None], words: Sequence[Word]
) -> list[tuple[list[Box | None], Sequence[str | None]]]:
    """The row, or its lines as rows of their own where the rules between them were not drawn:
    all columns then hold equally many lines, side by side. Text and figures that were only
    wrapped do not: they are centred, or fill their column."""
    present = [cell for cell in cells if cell is not None]
    columns = [_rows([w for w in words if contains(cell, w)]) for cell in present]
    filled = [(cell, own) for cell, own in zip(present, columns, strict=True) if own]
    count = len(filled[0][1]) if filled else 0
    if len(filled) < 2 or count < _MIN_RECORDS or any(len(own) != count for _, own in filled):
        return [(list(cells), texts)]
    first = filled[0][1]
    aligned = all(
        abs(_middle(line) - _middle(lead)) < 0.3 * (lead[0][3] - lead[0][1])
        for _, own in filled
        for line, lead in zip(own, first, strict=True)
    )
    if not aligned or any(_is_wrapped(cell, own) for cell, own in filled):
        return [(list(cells), texts)]
    cuts = [(_middle(above) + _middle(below)) / 2 for above, below in pairwise(first)]
    edges = [min(cell[1] for cell in present), *cuts, max(cell[3] for cell in present)]
    return [_slice(cells, top, bottom, words) for top, bottom in pairwise(edges)]


def _is_wrapped(cell: Box, lines: Sequence[Sequence[Word]]) -> bool:
    full = [line for line in lines[:-1] if line[-1][2] - line[0][0] >= 0.75 * (cell[2] - cell[0])]
    return len(full) > len(lines) / 2 or is_wrapped_number(_texts(lines))


def _is_frame(words: Sequence[Word]) -> bool:
    """Does the cell hold a table of its own, columns parted by gaps? It is read as text."""
    lines = _rows(words)
    if len(lines) < _MIN_FRAME_LINES:
        return False
    parted = [line for line in lines if _has_gap(line)]
    return len(parted) >= len(lines) / 3


def _has_gap(line: Sequence[Word]) -> bool:
    return any(b[0] - a[2] > 1.5 * (a[3] - a[1]) for a, b in pairwise(line))


def _texts(lines: Sequence[Sequence[Word]]) -> list[str]:
    return [" ".join(word[4] for word in line) for line in lines]


def _middle(line: Sequence[Word]) -> float:
    return (line[0][1] + line[0][3]) / 2


def _slice(
    cells: Sequence[Box | None], top: float, bottom: float, words: Sequence[Word]
) -> tuple[list[Box | None], list[str | None]]:
    parts = [None if cell is None else (cell[0], top, cell[2], bottom) for cell in cells]
    texts = [
        None if part is None else "\n".join(_texts(_rows([w for w in words if contains(part, w)])))
        for part in parts
    ]
    return list(parts), list(texts)


def _cell_text(page: Any, cell: Box, extracted: str, words: Sequence[Word]) -> str:
    lines = _rows([word for word in words if contains(cell, word)])
    if not _same_characters(extracted, lines):
        # A word printed over the edge of the cell: take the part that lies inside.
        clipped = [tuple(word[:5]) for word in page.get_text("words", clip=cell)]
        lines = _rows([word for word in clipped if contains(cell, word)])
    if _same_characters(extracted, lines) or has_figure(extracted) or not extracted.strip():
        extracted = "\n".join(_texts(lines))
    return join_lines(extracted.split("\n"), full_width=_fills(cell, lines))


def _same_characters(extracted: str, lines: Sequence[Sequence[Word]]) -> bool:
    printed = "".join(word[4] for line in lines for word in line)
    return sorted("".join(extracted.split())) == sorted("".join(printed.split()))


def _rows(words: Sequence[Word]) -> list[list[Word]]:
    """Words by line, left to right; a word belongs to a line when their heights overlap."""
    rows: list[list[Word]] = []
    for word in sorted(words, key=lambda w: ((w[1] + w[3]) / 2, w[0])):
        middle = (word[1] + word[3]) / 2
        if rows and middle < rows[-1][0][3] - 0.2 * (word[3] - word[1]):
            rows[-1].append(word)
        else:
            rows.append([word])
    return [sorted(row, key=lambda w: w[0]) for row in rows]


def _fills(cell: Box, lines: Sequence[Sequence[Word]]) -> bool:
    widest = max((line[-1][2] - line[0][0] for line in lines), default=0.0)
    return widest >= _FULL_WIDTH * (cell[2] - cell[0])


def _fill(shape: list[list[str | None]], boxes: list[list[Box | None]]) -> list[list[str | None]]:
    """Cells merged downwards repeated in each of their rows, so that a row stands alone."""
    known = [
        (cell, text)
        for cells, row in zip(boxes, shape, strict=True)
        for cell, text in zip(cells, row, strict=True)
        if cell is not None and text
    ]
    lefts = [
        min((c[0] for c in column if c is not None), default=-1.0)
        for column in zip(*boxes, strict=True)
    ]
    filled: list[list[str | None]] = []
    for cells, row in zip(boxes, shape, strict=True):
        y = min(((cell[1] + cell[3]) / 2 for cell in cells if cell is not None), default=0.0)
        filled.append(
            [
                text if text is not None else _covering(known, left, y)
                for left, text in zip(lefts, row, strict=True)
            ]
        )
    return filled


def _covering(known: Sequence[tuple[Box, str]], left: float, y: float) -> str | None:
    """The text of the cell that begins at `left` and reaches over the height `y`."""
    for cell, text in known:
        if abs(cell[0] - left) < 1.0 and cell[1] <= y < cell[3]:
            return text
    return None


def continue_tables(ordered: Sequence[Any], previous: PdfTable | None) -> PdfTable | None:
    """Gives the page's first table the header of the table that the page before ended with,
    when nothing stands between them and the columns are the same. Returns the page's last
    item when that is a table."""
    first = ordered[0] if ordered else None
    if previous is not None and isinstance(first, PdfTable) and _same_columns(previous, first):
        header = previous.header
        if first.rows[: len(header)] != header:
            first.rows = [*header, *first.rows]
        first.header_rows = previous.header_rows
    last = ordered[-1] if ordered else None
    return last if isinstance(last, PdfTable) else None


def _same_columns(a: PdfTable, b: PdfTable) -> bool:
    return len(a.edges) == len(b.edges) and all(
        abs(x - y) <= _COLUMN_TOLERANCE for x, y in zip(a.edges, b.edges, strict=True)
    )
