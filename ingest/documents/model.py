"""What a reader hands over, and the document it becomes."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal
from unicodedata import normalize

BlockKind = Literal["heading", "paragraph", "table", "list"]
Language = Literal["ja", "en", "zh", "unknown"]
Box = tuple[float, float, float, float]

SEPARATOR = "\n\n"
_UNSAFE = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u200b\u2060\ud800-\udfff\ufeff]")
_BLANKS = re.compile("[\x0b\x0c\x85\u2028\u2029\xa0\u2000-\u200a\u202f]")
"""Page, line and paragraph separators among them: words at both sides of one are two."""
_COMPATIBLE = re.compile("[\u2e80-\u2fdf\ufb00-\ufb06]")
"""Radicals and ligatures that PDF fonts put in place of the characters that people search."""


@dataclass(frozen=True)
class Part:
    """A piece of a file in reading order. `level` is 1–6 for headings, else 0.

    `page` is 1-based (a slide counts as a page); `box` is (x0, y0, x1, y1) in points from
    the page's upper left corner, as the page is displayed.
    """

    kind: BlockKind
    text: str
    level: int = 0
    page: int | None = None
    box: Box | None = None


@dataclass(frozen=True)
class RawDocument:
    """A reader's result: the parts, what the file declares about itself, its own title."""

    parts: Sequence[Part]
    metadata: Mapping[str, object] = field(default_factory=dict)
    title: str = ""
    pages: int | None = None


@dataclass(frozen=True)
class Block:
    """A part placed in its document: `start`/`end` are offsets in `Document.text`."""

    kind: BlockKind
    text: str
    level: int
    page: int | None
    box: Box | None
    start: int
    end: int


@dataclass(frozen=True)
class Document:
    """A file as text. Outside of the blocks `text` holds only white space."""

    title: str
    language: Language
    text: str
    blocks: tuple[Block, ...]
    pages: int | None
    metadata: Mapping[str, object]


def clean(text: str) -> str:
    """Without invisible characters, trailing blanks and blank edges; one kind of blank, one
    kind of line end, radicals and ligatures as the characters they stand for."""
    text = _UNSAFE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    text = _COMPATIBLE.sub(lambda found: normalize("NFKC", found.group()), text)
    lines = _BLANKS.sub(" ", text).split("\n")
    return "\n".join(line.rstrip() for line in lines).strip("\n \u3000")


def place(parts: Sequence[Part]) -> tuple[str, tuple[Block, ...]]:
    """The parts' texts joined by blank lines, and each part with its offsets in that text."""
    blocks: list[Block] = []
    pieces: list[str] = []
    offset = 0
    for part in parts:
        text = clean(part.text)
        if not text.strip():
            continue
        if pieces:
            offset += len(SEPARATOR)
        pieces.append(text)
        end = offset + len(text)
        blocks.append(Block(part.kind, text, part.level, part.page, part.box, offset, end))
        offset = end
    return SEPARATOR.join(pieces), tuple(blocks)
