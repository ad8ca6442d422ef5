"""A PDF page that has no usable text, read from its image."""

from collections.abc import Sequence
from itertools import groupby
from statistics import median
from typing import Any

from ingest.documents.model import Box
from ingest.documents.ocr import Ocr, OcrLine
from ingest.documents.readers.pdf_lines import Line, TextBlock
from ingest.documents.readers.pdf_page import PageText

_DPI, _MAX_PIXELS = 300, 5_000
"""Resolution of the image, and the most pixels at its longer side."""
_SAME_SIZE = 0.4
_LETTER = 0.75
"""A letter's size as a share of the height of a line's box."""


def ocr_text(number: int, page: Any, engine: Ocr) -> PageText | None:
    """The page's text, None when the engine sees none. The page is turned upright, in memory,
    for good. Raises OcrFailed."""
    zoom = min(_DPI, _MAX_PIXELS * 72 / max(page.rect.width, page.rect.height)) / 72

    def render(turn: int) -> bytes:
        page.set_rotation(turn)
        image: bytes = page.get_pixmap(dpi=round(zoom * 72), alpha=False).tobytes("png")
        page.set_rotation(0)
        return image

    found = engine.read(render)
    if not found.lines:
        return None
    if found.turn:
        page.set_rotation(found.turn)
        page.remove_rotation()
    blocks = _blocks(found.lines, zoom)
    return PageText(number, page.rect.width, page.rect.height, blocks, 0)


def _blocks(lines: Sequence[OcrLine], zoom: float) -> list[TextBlock]:
    heights = {id(line): (line.box[3] - line.box[1]) * _LETTER / zoom for line in lines}
    usual = median(heights.values())
    blocks = []
    for _, group in groupby(lines, key=lambda line: line.paragraph):
        own = list(group)
        size = median(heights[id(line)] for line in own)
        # Heights of boxes vary with the letters in them; only a clear difference is a size.
        size = usual if abs(size - usual) <= _SAME_SIZE * usual else size
        placed = [Line(line.text, _points(line.box, zoom), size, False, False) for line in own]
        blocks.append(TextBlock(tuple(placed)))
    return blocks


def _points(box: Box, zoom: float) -> Box:
    x0, y0, x1, y1 = (value / zoom for value in box)
    return (x0, y0, x1, y1)
