"""Slides: the title as heading, text frames and tables from top to bottom, then the notes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pptx
from pptx.exc import PythonPptxError

from ingest.documents.model import Box, Part, RawDocument
from ingest.documents.readers.base import Reader, office_package
from ingest.documents.tables import header_depth, to_markdown

_EMU_PER_POINT = 12_700


class PptxReader(Reader):
    def _read(self, path: Path) -> RawDocument:
        with office_package(path, PythonPptxError):
            deck = pptx.Presentation(str(path))
            slides = list(deck.slides)
            parts = [
                part for number, slide in enumerate(slides, 1) for part in _slide(slide, number)
            ]
            return RawDocument(parts, title=deck.core_properties.title or "", pages=len(slides))


def _slide(slide: Any, number: int) -> Iterator[Part]:
    title = slide.shapes.title
    if title is not None:
        text = " ".join(title.text_frame.text.split())
        yield Part("heading", text, 1, number, _box(title))
    for shape in sorted(_leaves(slide.shapes), key=_position):
        if title is not None and shape.shape_id == title.shape_id:
            continue
        yield from _shape(shape, number)
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        yield Part("paragraph", slide.notes_slide.notes_text_frame.text, 0, number)


def _leaves(shapes: Any) -> Iterator[Any]:
    for shape in shapes:
        if hasattr(shape, "shapes"):
            yield from _leaves(shape.shapes)
        else:
            yield shape


def _shape(shape: Any, number: int) -> Iterator[Part]:
    if getattr(shape, "has_table", False):
        rows = [[_cell(cell) for cell in row.cells] for row in shape.table.rows]
        yield Part("table", to_markdown(rows, header_depth(rows)), 0, number, _box(shape))
    elif shape.has_text_frame:
        # A vertical tab is what the library makes of a line break.
        lines = [
            f"{'  ' * p.level}{line}"
            for p in shape.text_frame.paragraphs
            for line in p.text.split("\v")
        ]
        yield Part("paragraph", "\n".join(lines), 0, number, _box(shape))


def _cell(cell: Any) -> str | None:
    return None if cell.is_spanned else str(cell.text_frame.text)


def _position(shape: Any) -> tuple[int, int]:
    return (shape.top or 0, shape.left or 0)


def _box(shape: Any) -> Box | None:
    if None in (shape.left, shape.top, shape.width, shape.height):
        return None
    left, top = shape.left / _EMU_PER_POINT, shape.top / _EMU_PER_POINT
    return (left, top, left + shape.width / _EMU_PER_POINT, top + shape.height / _EMU_PER_POINT)
