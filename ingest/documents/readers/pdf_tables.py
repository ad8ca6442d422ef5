"""Ruled tables of a PDF page."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pymupdf

from ingest.documents.model import Box
from ingest.documents.readers.pdf_cells import cell_text, contains, is_frame, meet, records
from ingest.documents.readers.pdf_rules import Word, undrawn_rules
from ingest.documents.tables import header_depth, to_markdown

_MAX_DRAWINGS = 5_000
"""A page with more is a map or a plan, on which the search for tables takes minutes."""
MUPDF_ERRORS = (pymupdf.mupdf.FzErrorBase, RuntimeError, ValueError)
_FINDER_ERRORS = (*MUPDF_ERRORS, LookupError, ArithmeticError, TypeError, AttributeError)
"""The search for tables is Python code that trips over odd drawings in many ways."""
_WORDS = pymupdf.TEXTFLAGS_WORDS & ~pymupdf.TEXT_CID_FOR_UNKNOWN_UNICODE
_COLUMN_TOLERANCE = 3.0
_CUT, _MAX_CUT_WORDS = 0.12, 0.1


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


def read_tables(page: Any, illegible: Sequence[Box] = ()) -> list[PdfTable]:
    """The page's tables with at least two columns and some text, as displayed; what stands in
    the `illegible` boxes is left out."""
    drawings = page.get_cdrawings()
    if not 0 < len(drawings) <= _MAX_DRAWINGS:
        return []
    words = page_words(page)
    added = undrawn_rules(drawings, words)
    found = _find(page, "lines_strict", added) or _find(page, "lines", added)
    return [table for raw in found if (table := _table(page, raw, words, illegible)) is not None]


def page_words(page: Any) -> list[Word]:
    """Glyphs without a Unicode value are U+FFFD, not their number in the font."""
    return [tuple(word[:5]) for word in page.get_text("words", flags=_WORDS)]


def _find(page: Any, strategy: str, added: Sequence[Any]) -> list[Any]:
    try:
        tables = page.find_tables(strategy=strategy, add_lines=added or None).tables
    except _FINDER_ERRORS:
        return []
    return [table for table in tables if table.col_count > 1 and len(table.cells) > 2]


def _table(page: Any, raw: Any, words: Sequence[Word], illegible: Sequence[Box]) -> PdfTable | None:
    box: Box = tuple(raw.bbox)
    inside = [word for word in words if contains(box, word)]
    if _cuts_words(raw.cells, inside):
        return None
    blind = [area for area in illegible if meet(box, area)]
    inside = [word for word in inside if not any(contains(area, word) for area in blind)]
    frames = {cell for cell in raw.cells if is_frame([w for w in inside if contains(cell, w)])}
    boxes: list[list[Box | None]] = []
    shape: list[list[str | None]] = []
    for row, extracted in zip(raw.rows, raw.extract(), strict=True):
        for cells, texts in records(row.cells, extracted, inside):
            read = [
                None
                if cell is None or cell in frames
                else cell_text(page, cell, text or "", inside, blind)
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


def _cuts_words(cells: Sequence[Box], words: Sequence[Word]) -> bool:
    """Do the cells' sides go through the words? Boxes drawn around words are no table."""
    cut = sum(1 for word in words if any(_cuts(cell, word) for cell in cells))
    return cut > max(2, _MAX_CUT_WORDS * len(words))


def _cuts(cell: Box, word: Word) -> bool:
    if not contains(cell, word):
        return False
    outside = max(cell[0] - word[0], word[2] - cell[2])
    return outside > _CUT * (word[2] - word[0])


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
