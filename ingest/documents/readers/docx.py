"""Word documents in document order. Tracked deletions, furigana and duplicates are left out."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import docx
from docx.opc.exceptions import OpcError

from ingest.documents.model import Part, RawDocument
from ingest.documents.readers.base import Reader, office_package
from ingest.documents.tables import header_depth, to_markdown

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MC_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_SKIPPED = {_MC_FALLBACK, *(f"{_W}{tag}" for tag in ("del", "moveFrom", "rt", "txbxContent"))}
_MARKS = {f"{_W}tab": "\t", f"{_W}br": "\n", f"{_W}cr": "\n", f"{_W}noBreakHyphen": "-"}
_HEADING = re.compile(r"(?:heading|見出し|标题)\s*([1-9])", re.IGNORECASE)


class DocxReader(Reader):
    def _read(self, path: Path) -> RawDocument:
        with office_package(path, OpcError):
            document = docx.Document(str(path))
            styles = {style.style_id: _style_level(style) for style in document.styles}
            parts = list(_walk(document.element.body, styles))
            return RawDocument(parts, title=document.core_properties.title or "")


def _style_level(style: Any) -> int:
    """1–6 for a heading style or one based on it, -1 for a list style, else 0."""
    while style is not None:
        name = style.name or ""
        if name.lower() == "title":
            return 1
        if match := _HEADING.match(name):
            return min(int(match.group(1)), 6)
        if name.lower().startswith("list"):
            return -1
        style = getattr(style, "base_style", None)
    return 0


def _walk(container: Any, styles: dict[str, int]) -> Iterator[Part]:
    items: list[str] = []
    for element in container:
        if element.tag == f"{_W}p":
            level = _level(element, styles)
            text = _text(element)
            if level < 0 and text.strip():
                items.append(f"{'  ' * _list_depth(element)}- {' '.join(text.split())}")
                continue
        if items:
            yield Part("list", "\n".join(items))
            items = []
        if element.tag == f"{_W}p":
            yield from _paragraph(element, level, text, styles)
        elif element.tag == f"{_W}tbl":
            yield from _table(element)
        elif element.tag in (f"{_W}sdt", f"{_W}ins", f"{_W}customXml"):
            content = element.find(f"{_W}sdtContent")
            yield from _walk(element if content is None else content, styles)
    if items:
        yield Part("list", "\n".join(items))


def _paragraph(element: Any, level: int, text: str, styles: dict[str, int]) -> Iterator[Part]:
    if level > 0:
        yield Part("heading", " ".join(text.split()), level)
    else:
        yield Part("paragraph", text)
    for box in element.iter(f"{_W}txbxContent"):
        if not any(parent.tag == _MC_FALLBACK for parent in box.iterancestors()):
            yield from _walk(box, styles)


def _level(paragraph: Any, styles: dict[str, int]) -> int:
    properties = paragraph.find(f"{_W}pPr")
    if properties is None:
        return 0
    outline = properties.find(f"{_W}outlineLvl")
    if outline is not None and int(outline.get(f"{_W}val", "9")) < 6:
        return int(outline.get(f"{_W}val")) + 1
    style = properties.find(f"{_W}pStyle")
    level = styles.get(style.get(f"{_W}val"), 0) if style is not None else 0
    if level == 0 and properties.find(f"{_W}numPr") is not None:
        return -1
    return level


def _list_depth(paragraph: Any) -> int:
    depth = paragraph.find(f"{_W}pPr/{_W}numPr/{_W}ilvl")
    return int(depth.get(f"{_W}val", "0")) if depth is not None else 0


def _text(element: Any) -> str:
    pieces: list[str] = []
    for child in element:
        if child.tag in _SKIPPED:
            continue
        if child.tag == f"{_W}t":
            pieces.append(child.text or "")
        elif child.tag in _MARKS:
            pieces.append(_MARKS[child.tag])
        elif child.tag != f"{_W}pPr":
            pieces.append(_text(child))
    return "".join(pieces)


def _table(table: Any) -> Iterator[Part]:
    rows: list[list[str | None]] = []
    shape: list[list[str | None]] = []
    for row in table.iter(f"{_W}tr"):
        if next(row.iterancestors(f"{_W}tbl")) is not table:
            continue  # of a table inside a cell
        cells, outline = _row(row, rows[-1] if rows else [])
        if any(cells):
            rows.append(cells)
            shape.append(outline)
    markdown = to_markdown(rows, header_depth(shape))
    if markdown:
        yield Part("table", markdown)


def _row(row: Any, above: list[str | None]) -> tuple[list[str | None], list[str | None]]:
    """The cells' texts, those merged downwards repeated; and the same with None for them."""
    cells: list[str | None] = []
    outline: list[str | None] = []
    for cell in row.iter(f"{_W}tc"):
        if next(cell.iterancestors(f"{_W}tr")) is not row:
            continue
        span = cell.find(f"{_W}tcPr/{_W}gridSpan")
        width = int(span.get(f"{_W}val", "1")) if span is not None else 1
        merge = cell.find(f"{_W}tcPr/{_W}vMerge")
        text: str | None = " ".join(_text(p) for p in cell.iter(f"{_W}p"))
        continues = merge is not None and merge.get(f"{_W}val") != "restart"
        outline.extend([None if continues else text, *[None] * (width - 1)])
        if continues and len(cells) < len(above):
            text = above[len(cells)]
        cells.extend([text, *[None] * (width - 1)])
    return cells, outline
