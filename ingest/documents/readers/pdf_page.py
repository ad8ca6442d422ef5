"""A PDF page's content: upright, without what fonts cannot spell, without its tables."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pymupdf

from ingest.documents.readers.pdf_cells import contains, meet
from ingest.documents.readers.pdf_columns import part_columns
from ingest.documents.readers.pdf_legible import raw_lines, unreadable_share
from ingest.documents.readers.pdf_lines import Line, TextBlock, blocks_of, join_columns
from ingest.documents.readers.pdf_rules import Word
from ingest.documents.readers.pdf_tables import MUPDF_ERRORS, PdfTable, page_words
from ingest.documents.readers.running import is_page_number, running_key

_BOLD = 16
_LEADERS = re.compile(r"(?:[.．·‥…・]\s?){5,}")
_MARGIN = 0.1
"""Share of the page's height at its top and bottom where running lines stand."""
_MIN_PAGES_WITH_RUNNING_LINES = 3
_MAX_UNREADABLE = 0.5
_MIN_WORD = 3
"""Shorter lines without Unicode values are symbols: boxes to tick, bullets."""


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
    for line in raw_lines(content):
        direction = (round(line["dir"][0]), round(line["dir"][1]))
        turn = {(0, 1): 270, (-1, 0): 180, (0, -1): 90}.get(direction, 0)
        letters[0 if line["wmode"] else turn] += sum(len(s["text"]) for s in line["spans"])
    return letters.most_common(1)[0][0] if letters else 0


def page_text(
    number: int,
    content: Any,
    page: Any,
    tables: Sequence[PdfTable],
    noisy: Collection[str] = (),
) -> PageText:
    """The text that no table's cell holds, in blocks. `number` is 1-based; what is set in one
    of the `noisy` fonts is left out."""
    words = page_words(page) if tables else []
    found: list[Sequence[Line]] = []
    unreadable = 0
    for raw in content["blocks"]:
        lines = [line for piece in raw.get("lines", []) if (line := _line(piece, noisy))]
        readable = [line for line in lines if unreadable_share(line.text) <= _MAX_UNREADABLE]
        unreadable += sum(1 for x in lines if len(x.text) >= _MIN_WORD and x not in readable)
        found.append([kept for line in readable if (kept := _outside(line, tables, words))])
    width, height = content["width"], content["height"]
    blocks = [block for lines in part_columns(found, width) for block in blocks_of(lines)]
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


def _line(raw: Any, noisy: Collection[str]) -> Line | None:
    spans = [span for span in raw["spans"] if span["text"].strip()]
    if not spans:
        return None
    pieces = ["\ufffd" * len(s["text"]) if s["font"] in noisy else s["text"] for s in raw["spans"]]
    text = _LEADERS.sub("… ", "".join(pieces))
    widest = max(spans, key=lambda span: len(span["text"].strip()))
    bold = all(span["flags"] & _BOLD or "bold" in span["font"].lower() for span in spans)
    return Line(text.strip(), tuple(raw["bbox"]), widest["size"], bold, raw["wmode"] == 1)


def drop_running_lines(pages: Sequence[PageText]) -> None:
    """Removes headers, footers and page numbers: what stands in the margin of most pages. What
    is more than a page number stays where it stands first."""
    if len(pages) < _MIN_PAGES_WITH_RUNNING_LINES:
        return
    seen = Counter(
        key for page in pages for key in {running_key(x.text) for x in _margin_lines(page)}
    )
    running = {key for key, count in seen.items() if count > len(pages) / 2}
    once = {key for key in running if not is_page_number(key)}
    for page in pages:
        dropped: set[int] = set()
        for line in _margin_lines(page):
            key = running_key(line.text)
            if key in once:
                once.remove(key)
            elif key in running:
                dropped.add(id(line))
        kept = [
            tuple(line for line in block.lines if id(line) not in dropped) for block in page.blocks
        ]
        page.blocks = [TextBlock(lines) for lines in kept if lines]


def _margin_lines(page: PageText) -> Iterator[Line]:
    for block in page.blocks:
        for line in block.lines:
            if line.box[3] < page.height * _MARGIN or line.box[1] > page.height * (1 - _MARGIN):
                yield line
