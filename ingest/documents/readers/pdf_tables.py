"""Ruled tables of a PDF page, every figure checked against the page's words.

PyMuPDF's table extraction has been seen to move the points and commas of figures to the end
of their cell. A cell whose characters do not come in the order of the words printed inside
its box is therefore read from those words, which also keep low glyphs (`_`) in their place.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ingest.documents.model import Box
from ingest.documents.tables import has_figure, header_depth, join_lines, to_markdown

_FULL_WIDTH = 0.6
_COLUMN_TOLERANCE = 3.0
Word = tuple[float, float, float, float, str]


@dataclass
class PdfTable:
    """`rows`: cell texts, those merged downwards repeated, None for a cell merged with the one
    at its left; `edges`: left edges of the columns, points."""

    box: Box
    rows: list[list[str | None]]
    header_rows: int
    edges: tuple[float, ...]
    vertical: bool = False

    @property
    def header(self) -> list[list[str | None]]:
        return self.rows[: self.header_rows]

    def markdown(self) -> str:
        return to_markdown(self.rows, self.header_rows)


def read_tables(page: Any) -> list[PdfTable]:
    """The page's tables with at least two columns and some text, as displayed."""
    if page is None or not page.get_cdrawings():
        return []
    found = _find(page, "lines_strict") or _find(page, "lines")
    if not found:
        return []
    words = [tuple(word[:5]) for word in page.get_text("words")]
    return [table for raw in found if (table := _table(page, raw, words)) is not None]


def _find(page: Any, strategy: str) -> list[Any]:
    try:
        tables = page.find_tables(strategy=strategy).tables
    except (RuntimeError, ValueError, IndexError):
        return []
    return [table for table in tables if table.col_count > 1 and len(table.cells) > 2]


def _table(page: Any, raw: Any, words: Sequence[Word]) -> PdfTable | None:
    box: Box = tuple(raw.bbox)
    inside = [word for word in words if _contains(box, word)]
    boxes: list[list[Box | None]] = []
    shape: list[list[str | None]] = []
    for row, texts in zip(raw.rows, raw.extract(), strict=True):
        cells = [
            None if cell is None else _cell_text(page, cell, text or "", inside)
            for cell, text in zip(row.cells, texts, strict=True)
        ]
        if any(cells):
            boxes.append(list(row.cells))
            shape.append(cells)
    if sum(1 for row in shape for text in row if text) < 2:
        return None
    edges = tuple(sorted({cell[0] for cells in boxes for cell in cells if cell is not None}))
    return PdfTable(box, _fill(shape, boxes), header_depth(shape), edges)


def _contains(box: Box, word: Word) -> bool:
    x, y = (word[0] + word[2]) / 2, (word[1] + word[3]) / 2
    return box[0] <= x < box[2] and box[1] <= y < box[3]


def _cell_text(page: Any, cell: Box, extracted: str, words: Sequence[Word]) -> str:
    lines = _rows([word for word in words if _contains(cell, word)])
    if not _same_characters(extracted, lines):
        # A word printed over the edge of the cell: take the part that lies inside.
        clipped = [tuple(word[:5]) for word in page.get_text("words", clip=cell)]
        lines = _rows([word for word in clipped if _contains(cell, word)])
    if _same_characters(extracted, lines) or has_figure(extracted):
        extracted = "\n".join(" ".join(word[4] for word in line) for line in lines)
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
