"""A PDF page's content: upright, without what fonts cannot spell, without its tables."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pymupdf

from ingest.documents.readers.pdf_lines import Line, TextBlock, blocks_of, join_columns
from ingest.documents.readers.pdf_tables import MUPDF_ERRORS, PdfTable, Word, contains, meet

_BOLD = 16
_LEADERS = re.compile(r"(?:[.．·‥…・]\s?){5,}")
_MARGIN = 0.1
"""Share of the page's height at its top and bottom where running lines stand."""
_MIN_PAGES_WITH_RUNNING_LINES = 3
_UNREADABLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\ufffd\ue000-\uf8ff\U000f0000-\U0010ffff"
    # Archaic Greek and Coptic: what Calibri's digits and ligatures become without a map.
    "\u03d0-\u03ff\u0358\u0372-\u0373]"
)
_MAX_UNREADABLE = 0.5


@dataclass
class PageText:
    """A page's text outside of its tables."""

    number: int
    width: float
    height: float
    blocks: list[TextBlock]
    unreadable_lines: int


def upright_content(page: Any) -> Any | None:
    """PyMuPDF's `dict` of the page; None when the page cannot be interpreted.

    A page whose text mostly lies on its side is turned upright, in memory, for good.
    """
    content = _content(page)
    if content is not None and (turn := _turn(content)):
        page.set_rotation(turn)
        page.remove_rotation()
        content = _content(page)
    return content


def characters(content: Any) -> str:
    """All that is visible on the page, without white space."""
    text = "".join(span["text"] for raw in _raw_lines(content) for span in raw["spans"])
    return "".join(text.split())


def unreadable_share(text: str) -> float:
    """Share of the characters that are controls, unknown or for private use: no language."""
    return len(_UNREADABLE.findall(text)) / max(1, len(text))


def _raw_lines(content: Any) -> Iterator[Any]:
    for block in content["blocks"]:
        yield from block.get("lines", [])


def _content(page: Any) -> Any | None:
    # Without a Unicode value a glyph must show as U+FFFD, not as its number in the font.
    flags = pymupdf.TEXTFLAGS_DICT & ~(
        pymupdf.TEXT_CID_FOR_UNKNOWN_UNICODE | pymupdf.TEXT_PRESERVE_IMAGES
    )
    try:
        return page.get_text("dict", flags=flags)
    except MUPDF_ERRORS:
        return None


def _turn(content: Any) -> int:
    """Degrees clockwise that bring most of the text upright."""
    letters: Counter[int] = Counter()
    for line in _raw_lines(content):
        direction = (round(line["dir"][0]), round(line["dir"][1]))
        turn = {(0, 1): 270, (-1, 0): 180, (0, -1): 90}.get(direction, 0)
        letters[0 if line["wmode"] else turn] += sum(len(s["text"]) for s in line["spans"])
    return letters.most_common(1)[0][0] if letters else 0


def page_text(number: int, content: Any, page: Any, tables: Sequence[PdfTable]) -> PageText:
    """The text that no table's cell holds, in blocks. `number` is 1-based."""
    words = [tuple(word[:5]) for word in page.get_text("words")] if tables else []
    blocks: list[TextBlock] = []
    unreadable = 0
    for raw in content["blocks"]:
        lines = [line for piece in raw.get("lines", []) if (line := _line(piece)) is not None]
        readable = [line for line in lines if unreadable_share(line.text) <= _MAX_UNREADABLE]
        unreadable += len(lines) - len(readable)
        outside = [kept for line in readable if (kept := _outside(line, tables, words))]
        blocks += blocks_of(outside)
    width, height = content["width"], content["height"]
    return PageText(number, width, height, join_columns(blocks), unreadable)


def _outside(line: Line, tables: Sequence[PdfTable], words: Sequence[Word]) -> Line | None:
    """The line without the words that stand in a table's cells."""
    touched = [table for table in tables if meet(table.box, line.box)]
    if not touched:
        return line
    own = [word for word in words if contains(line.box, word)]
    kept = [word for word in own if not any(table.holds(word) for table in touched)]
    if not kept:
        return None
    if len(kept) == len(own):
        return line
    box = (min(w[0] for w in kept), line.box[1], max(w[2] for w in kept), line.box[3])
    return replace(line, text=" ".join(word[4] for word in kept), box=box)


def _line(raw: Any) -> Line | None:
    spans = [span for span in raw["spans"] if span["text"].strip()]
    if not spans:
        return None
    text = _LEADERS.sub("… ", "".join(span["text"] for span in raw["spans"]))
    widest = max(spans, key=lambda span: len(span["text"].strip()))
    bold = all(span["flags"] & _BOLD or "bold" in span["font"].lower() for span in spans)
    return Line(text.strip(), tuple(raw["bbox"]), widest["size"], bold, raw["wmode"] == 1)


def drop_running_lines(pages: Sequence[PageText]) -> None:
    """Removes headers, footers and page numbers: what stands in the margin of most pages."""
    if len(pages) < _MIN_PAGES_WITH_RUNNING_LINES:
        return
    seen = Counter(key for page in pages for key in {_key(line) for line in _margin_lines(page)})
    running = {key for key, count in seen.items() if count > len(pages) / 2}
    for page in pages:
        margin = {id(line) for line in _margin_lines(page) if _key(line) in running}
        kept = [
            tuple(line for line in block.lines if id(line) not in margin) for block in page.blocks
        ]
        page.blocks = [TextBlock(lines) for lines in kept if lines]


def _margin_lines(page: PageText) -> Iterator[Line]:
    for block in page.blocks:
        for line in block.lines:
            if line.box[3] < page.height * _MARGIN or line.box[1] > page.height * (1 - _MARGIN):
                yield line


def _key(line: Line) -> str:
    return re.sub(r"\d+", "#", "".join(line.text.split()))
