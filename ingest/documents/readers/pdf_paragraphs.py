"""Blocks of a page joined where a paragraph or a cover title was laid out as several blocks."""

import re
from collections.abc import Sequence

from ingest.documents.readers.pdf_lines import BULLET, TextBlock
from ingest.documents.readers.pdf_tables import PdfTable

Item = TextBlock | PdfTable

_ENDED = re.compile(r"(?:[。．.!?！？:：;；」』)）]|… ?\d+)$")
_MAX_LINE_GAP = 1.5
_MAX_TITLE = 80


def join_paragraphs(items: Sequence[Item]) -> list[Item]:
    """The items with the lines of one paragraph in one block. Some programs write each line
    as a block; it is known by a full line without a sentence's end."""
    joined: list[Item] = []
    for item in items:
        last = joined[-1] if joined else None
        if (
            isinstance(item, TextBlock)
            and isinstance(last, TextBlock)
            and _goes_on(last, item, _right_edge(last, items))
        ):
            joined[-1] = TextBlock(last.lines + item.lines)
        else:
            joined.append(item)
    return joined


def join_title(items: list[tuple[Item, int]]) -> list[tuple[Item, int]]:
    """The headings of one level that a first page begins with are one title."""
    lines: list[TextBlock] = []
    for item, level in items:
        length = sum(len(block.text) for block in lines)
        if not isinstance(item, TextBlock) or level != items[0][1] or level == 0:
            break
        if length + len(item.text) > _MAX_TITLE:
            break
        lines.append(item)
    if len(lines) < 2:
        return items
    title = TextBlock(tuple(line for block in lines for line in block.lines))
    return [(title, items[0][1]), *items[len(lines) :]]


def _right_edge(block: TextBlock, items: Sequence[Item]) -> float:
    """Where the lines of the block's column end: of text that begins at its left, in its size."""
    return max(
        item.box[2]
        for item in items
        if isinstance(item, TextBlock)
        and abs(item.box[0] - block.box[0]) <= 3 * block.size
        and abs(item.size - block.size) <= 0.15 * block.size
    )


def _goes_on(above: TextBlock, below: TextBlock, right: float) -> bool:
    last, first = above.lines[-1], below.lines[0]
    if last.tabular or first.tabular or last.vertical or first.vertical:
        return False
    if abs(last.size - first.size) > 0.1 * last.size or last.bold != first.bold:
        return False
    if not -0.5 * last.size <= first.box[1] - last.box[3] <= _MAX_LINE_GAP * last.size:
        return False
    if _ENDED.search(last.text) or BULLET.match(first.text):
        return False
    ragged = 8 if last.text[-1].isascii() else 2
    return last.box[2] >= right - ragged * last.size
