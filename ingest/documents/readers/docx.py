"""Word documents in document order; a note stands behind the block that refers to it, what runs
along the pages once before or behind all. Tracked deletions, furigana, page numbers and duplicates
are left out."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import docx
from docx.opc.exceptions import OpcError
from docx.oxml import parse_xml

from ingest.documents.model import Part, RawDocument
from ingest.documents.readers.base import Reader, office_package
from ingest.documents.readers.running import is_page_number
from ingest.documents.tables import header_depth, to_markdown

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MC_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_SKIPPED = {_MC_FALLBACK, *(f"{_W}{tag}" for tag in ("del", "moveFrom", "rt", "txbxContent"))}
_MARKS = {f"{_W}tab": "\t", f"{_W}br": "\n", f"{_W}cr": "\n", f"{_W}noBreakHyphen": "-"}
_NOTES = ("footnote", "endnote")
_BOX = f"{_W}txbxContent"
_HEADING = re.compile(r"(?:heading|見出し|标题)\s*([1-9])", re.IGNORECASE)


@dataclass(frozen=True)
class _Source:
    """`levels` of the styles; `notes` by kind and id."""

    levels: Mapping[str, int]
    notes: Mapping[tuple[str, str], str]


class DocxReader(Reader):
    def _read(self, path: Path) -> RawDocument:
        with office_package(path, OpcError):
            document = docx.Document(str(path))
            levels = {style.style_id: _style_level(style) for style in document.styles}
            source = _Source(levels, dict(_read_notes(document)))
            parts = [
                *_running(document, "header", source),
                *_walk(document.element.body, source),
                *_running(document, "footer", source),
            ]
            return RawDocument(parts, title=document.core_properties.title or "")


def _read_notes(document: Any) -> Iterator[tuple[tuple[str, str], str]]:
    for relation in document.part.rels.values():
        kind = relation.reltype.rpartition("/")[2].removesuffix("s")
        if kind not in _NOTES or relation.is_external:
            continue
        for note in parse_xml(relation.target_part.blob).iter(f"{_W}{kind}"):
            text = "\n".join(_text(paragraph).strip() for paragraph in note.iter(f"{_W}p"))
            yield (kind, note.get(f"{_W}id", "")), text


def _notes_of(element: Any, source: _Source) -> Iterator[Part]:
    """The notes to which the element refers; those of a text box come with the box."""
    for kind in _NOTES:
        for reference in element.iter(f"{_W}{kind}Reference"):
            if not any(parent.tag == _BOX for parent in reference.iterancestors()):
                text = source.notes.get((kind, reference.get(f"{_W}id", "")), "")
                yield Part("paragraph", text)


def _running(document: Any, where: str, source: _Source) -> Iterator[Part]:
    """What the headers, or the footers, of all sections say, each thing once."""
    told: set[str] = set()
    for section in document.sections:
        for name in (f"first_page_{where}", where, f"even_page_{where}"):
            running = getattr(section, name)
            if running.is_linked_to_previous:
                continue
            for part in _walk(running._element, source):
                if part.text not in told and not is_page_number(part.text):
                    yield part
                told.add(part.text)


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


def _walk(container: Any, source: _Source) -> Iterator[Part]:
    items: list[Any] = []
    for element in container:
        if element.tag == f"{_W}p":
            level = _level(element, source.levels)
            text = _text(element)
            if level < 0 and text.strip():
                items.append(element)
                continue
        yield from _list(items, source)
        items = []
        if element.tag == f"{_W}p":
            yield from _paragraph(element, level, text, source)
        elif element.tag == f"{_W}tbl":
            yield from _table(element)
            yield from _notes_of(element, source)
        elif element.tag in (f"{_W}sdt", f"{_W}ins", f"{_W}customXml"):
            content = element.find(f"{_W}sdtContent")
            yield from _walk(element if content is None else content, source)
    yield from _list(items, source)


def _list(items: list[Any], source: _Source) -> Iterator[Part]:
    lines = [f"{'  ' * _list_depth(item)}- {' '.join(_text(item).split())}" for item in items]
    if lines:
        yield Part("list", "\n".join(lines))
    yield from chain.from_iterable(_notes_of(item, source) for item in items)


def _paragraph(element: Any, level: int, text: str, source: _Source) -> Iterator[Part]:
    if level > 0:
        yield Part("heading", " ".join(text.split()), level)
    else:
        yield Part("paragraph", text)
    yield from _notes_of(element, source)
    for box in element.iter(_BOX):
        if not any(parent.tag == _MC_FALLBACK for parent in box.iterancestors()):
            yield from _walk(box, source)


def _level(paragraph: Any, styles: Mapping[str, int]) -> int:
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
