"""The tables of a document as grids of cells, with what names them and where they stand."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ingest.documents.chunking.units import unit_note
from ingest.documents.model import Block, Box, Document

_BAR = re.compile(r"(?<!\\)\|")
_MARKED = re.compile(r"(\*\*|__|\*|_|`)(.+)\1")
_MAX_CAPTION = 80


@dataclass(frozen=True)
class DocumentTable:
    """`rows`: the header, then the body, all equally long. `title`: the heading over it and the
    line above it. `unit`: that line when it names the unit of the figures. `page` and `box` are
    those of its beginning; a table that goes on over pages is one."""

    rows: tuple[tuple[str, ...], ...]
    title: str
    unit: str
    page: int | None
    box: Box | None


def document_tables(document: Document) -> list[DocumentTable]:
    """In document order."""
    found: list[DocumentTable] = []
    heading, last, last_page = "", -2, None
    for index, block in enumerate(document.blocks):
        if block.kind == "heading":
            heading = block.text
        if block.kind != "table":
            continue
        rows = tuple(_rows(block.text))
        goes_on = last == index - 1 and _is_next(last_page, block.page)
        if found and goes_on and found[-1].rows[:1] == rows[:1]:
            found[-1] = replace(found[-1], rows=(*found[-1].rows, *rows[1:]))
        elif len(rows) > 1:
            unit = unit_note(document.blocks, index)
            title = _title(document.blocks, index, heading)
            found.append(DocumentTable(rows, title, unit, block.page, block.box))
        last, last_page = index, block.page
    return found


def _is_next(before: int | None, page: int | None) -> bool:
    return before is not None and page is not None and page - before == 1


def _title(blocks: Sequence[Block], index: int, heading: str) -> str:
    above = blocks[index - 1] if index else None
    caption = above.text.strip() if above is not None and above.kind == "paragraph" else ""
    caption = caption if len(caption) <= _MAX_CAPTION and "\n" not in caption else ""
    return " › ".join(dict.fromkeys(filter(None, [heading, caption])))


def _rows(markdown: str) -> Iterator[tuple[str, ...]]:
    lines = markdown.split("\n")
    width = len(_cells(lines[0]))
    for line in (lines[0], *lines[2:]):
        cells = [_plain(cell) for cell in _cells(line)]
        yield tuple([*cells, *[""] * (width - len(cells))][:width])


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [cell.strip().replace("\\|", "|") for cell in _BAR.split(inner)]


def _plain(cell: str) -> str:
    """Without Markdown's emphasis around the whole cell."""
    marked = _MARKED.fullmatch(cell)
    return marked.group(2) if marked else cell
