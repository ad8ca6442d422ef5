"""A sheet of notes: sentences in cells, one below the other, that are no table."""

from __future__ import annotations

import re
import unicodedata
from itertools import islice

from ingest.tables.cells import looks_typed
from ingest.tables.grid import SAMPLE_ROWS, Grid

_SENTENCE = re.compile(r"[。．.!?！？:：][」』)）”\"]?$")
_MIN_SENTENCE, _LONG = 8, 30
_MIN_SINGLE, _MIN_SENTENCES, _MAX_TYPED = 0.7, 0.4, 0.1


def is_prose(grid: Grid) -> bool:
    """Do most of its rows hold one cell, and many of these a sentence?

    A list of names or codes is a table of one column; one of sentences is text.
    """
    rows = [[cell.strip() for cell in row] for row in islice(grid.rows(), SAMPLE_ROWS)]
    filled = [[cell for cell in row if cell] for row in rows if any(row)]
    cells = [cell for row in filled for cell in row]
    if not cells:
        return False
    single = sum(1 for row in filled if len(row) == 1)
    typed = sum(1 for cell in cells if looks_typed(cell))
    sentences = sum(1 for cell in cells if _is_sentence(cell))
    return (
        single >= _MIN_SINGLE * len(filled)
        and typed <= _MAX_TYPED * len(cells)
        and sentences >= _MIN_SENTENCES * len(cells)
    )


def _is_sentence(cell: str) -> bool:
    """By its end, or its width: a Chinese or Japanese character counts as two Latin letters."""
    width = sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in cell)
    return width >= _LONG or (width >= _MIN_SENTENCE and bool(_SENTENCE.search(cell)))
