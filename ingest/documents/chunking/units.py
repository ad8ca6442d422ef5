"""A document as units that chunks are packed from: sentences, list lines, table rows."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ingest.documents.chunking.sentences import sentences, soft_break
from ingest.documents.model import Block

CountTokens = Callable[[str], int]
_HEADER_LINES = 2
_MAX_NOTE = 40
_NAMES_UNIT = re.compile(
    r"[单單単]位\s*[:：]|[千万億亿][円元]|\b(?:unit|in (?:million|thousand))s?\b", re.I
)
_WINDOW = 8
"""More letters than a token stands for on average in any language."""
_SLACK = 4
"""Tokens left free: prefix, header and text may count for more together than one by one."""


@dataclass(frozen=True)
class Unit:
    """The smallest piece a chunk is made of; `block` is the index of its block.

    `header` is what to repeat when a chunk begins with this unit of a table. `first` marks
    a block's first unit.
    """

    start: int
    end: int
    tokens: int
    block: int
    header: str = ""
    first: bool = False
    in_table: bool = False


@dataclass(frozen=True)
class Section:
    """The blocks `[first, last)` under one heading path; the headings come first."""

    heading: tuple[str, ...]
    first: int
    last: int


def sections(blocks: Sequence[Block]) -> Iterator[Section]:
    """A new section at each heading, but headings without text of their own go with the next."""
    path: list[tuple[int, str]] = []
    first, body = 0, False
    for index, block in enumerate(blocks):
        if block.kind != "heading":
            body = True
            continue
        if body:
            yield Section(tuple(text for _, text in path), first, index)
            first, body = index, False
        path = [entry for entry in path if entry[0] < block.level]
        path.append((block.level, block.text))
    if first < len(blocks):
        yield Section(tuple(text for _, text in path), first, len(blocks))


def units(
    text: str, blocks: Sequence[Block], section: Section, count: CountTokens, room: int
) -> list[Unit]:
    """The section's units in order, none of more than `room` tokens with its table header."""
    found: list[Unit] = []
    room = max(1, room - _SLACK)
    for index in range(section.first, section.last):
        block = blocks[index]
        if block.kind == "table" and block.text.count("\n") >= _HEADER_LINES:
            found += _table_units(text, blocks, index, count, room)
        else:
            found += _text_units(text, block, index, count, room)
    return found


def _text_units(
    text: str, block: Block, index: int, count: CountTokens, room: int
) -> Iterator[Unit]:
    if len(block.text) <= room and (whole := count(block.text)) <= room // 4:
        yield Unit(block.start, block.end, whole, index, first=True)
        return
    for start, end in sentences(text, block.start, block.end):
        for piece in _fitting(text, start, end, count, room):
            yield Unit(*piece, index, first=piece[0] == block.start)


def _table_units(
    text: str, blocks: Sequence[Block], index: int, count: CountTokens, room: int
) -> Iterator[Unit]:
    """The header is a unit of its own; it is repeated, with the line above the table that
    names the unit of its figures, unless that takes half of the room."""
    block = blocks[index]
    lines = _lines(block)
    head_end = lines[_HEADER_LINES - 1][1]
    note = unit_note(blocks, index)
    header = "\n".join(filter(None, [note, text[block.start : head_end].rstrip("\n")]))
    cost = count(header)
    repeated = header if cost <= room // 2 else ""
    for piece in _fitting(text, block.start, head_end, count, room):
        first = piece[0] == block.start
        yield Unit(*piece, index, header=note if first else "", first=first, in_table=True)
    for start, end in lines[_HEADER_LINES:]:
        for piece in _fitting(text, start, end, count, room - (cost if repeated else 0)):
            yield Unit(*piece, index, header=repeated, in_table=True)


def unit_note(blocks: Sequence[Block], index: int) -> str:
    """`単位：千円` and the like above the table, or above the pages it continues from."""
    header = blocks[index].text.partition("\n")[0]
    above = index - 1
    while above >= 0 and blocks[above].kind == "table" and blocks[above].text.startswith(header):
        above -= 1
    if above < 0 or blocks[above].kind != "paragraph":
        return ""
    note = blocks[above].text.rpartition("\n")[2].strip()
    return note if len(note) <= _MAX_NOTE and _NAMES_UNIT.search(note) else ""


def _lines(block: Block) -> list[tuple[int, int]]:
    spans, start = [], block.start
    for line in block.text.splitlines(keepends=True):
        spans.append((start, start + len(line)))
        start += len(line)
    return spans


def _fitting(
    text: str, start: int, end: int, count: CountTokens, room: int
) -> Iterator[tuple[int, int, int]]:
    """(start, end, tokens) pieces of `text[start:end]`, each within `room` where one character
    is. Only a window is counted at a time: the cost stays linear in the text."""
    while start < end:
        stop = min(end, start + room * _WINDOW)
        tokens = count(text[start:stop])
        if tokens > room and stop - start > 1:
            length = max(1, (stop - start) * room // tokens)
            stop = soft_break(text, start, min(start + length, stop - 1))
            tokens = count(text[start:stop])
        while tokens > room and stop - start > 1:
            stop = start + max(1, (stop - start) * 3 // 4)
            tokens = count(text[start:stop])
        yield start, stop, tokens
        start = stop
