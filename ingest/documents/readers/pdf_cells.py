"""The texts of a ruled table's cells, every figure checked against the page's words.

PyMuPDF's table extraction has been seen to move the points and commas of figures to the end
of their cell. A cell whose characters do not come in the order of the words printed inside
its box is therefore read from those words, which also keep low glyphs (`_`) in their place.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from ingest.documents.model import Box
from ingest.documents.readers.pdf_rules import Word
from ingest.documents.tables import has_figure, is_wrapped_number, join_lines

_FULL_WIDTH = 0.6
_MIN_RECORDS, _MIN_FRAME_LINES = 3, 6


def meet(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def contains(box: Box, word: Word) -> bool:
    """Is the word's middle in the box?"""
    x, y = (word[0] + word[2]) / 2, (word[1] + word[3]) / 2
    return box[0] <= x < box[2] and box[1] <= y < box[3]


def records(
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


def is_frame(words: Sequence[Word]) -> bool:
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


def cell_text(
    page: Any, cell: Box, extracted: str, words: Sequence[Word], illegible: Sequence[Box] = ()
) -> str:
    """`extracted` as PyMuPDF read the cell; `words` without those in the `illegible` boxes."""
    lines = _rows([word for word in words if contains(cell, word)])
    if any(meet(cell, area) for area in illegible):
        return join_lines(_texts(lines), full_width=_fills(cell, lines))
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
