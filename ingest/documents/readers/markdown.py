"""Markdown: front matter, ATX and setext headings, pipe tables, lists, fenced code."""

import re
from collections.abc import Callable
from pathlib import Path

from ingest.documents.encoding import decode
from ingest.documents.metadata import split_front_matter
from ingest.documents.model import BlockKind, Part, RawDocument
from ingest.documents.readers.base import Reader

_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?$")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_LIST = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\S")
_DELIMITER = re.compile(r":?-+:?$")
_RULE = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")


class MarkdownReader(Reader):
    def _read(self, path: Path) -> RawDocument:
        metadata, body = split_front_matter(decode(path.read_bytes(), path))
        return RawDocument(parse_markdown(body), metadata)


def parse_markdown(text: str) -> list[Part]:
    """The blocks of a Markdown text; inline markup is kept as it is written."""
    lines = _without_comments(text).expandtabs(4).split("\n")
    parts: list[Part] = []
    index = 0
    while index < len(lines):
        if not lines[index].strip() or _RULE.match(lines[index]):
            index += 1
            continue
        part, index = _next_block(lines, index)
        parts.append(part)
    return parts


def _next_block(lines: list[str], index: int) -> tuple[Part, int]:
    line = lines[index]
    if heading := _ATX.match(line):
        words = (heading.group(2) or "").split()
        if words and not words[-1].strip("#"):
            words.pop()  # the closing marks of `## Title ##`
        return Part("heading", " ".join(words), len(heading.group(1))), index + 1
    if fence := _FENCE.match(line):
        end = _fence_end(lines, index, fence.group(1))
        return Part("paragraph", "\n".join(lines[index:end])), end
    if _is_table(lines, index):
        end = _run(lines, index + 2, lambda text: "|" in text)
        return Part("table", "\n".join(row.strip() for row in lines[index:end])), end
    kind: BlockKind = "list" if _LIST.match(line) else "paragraph"
    end = _text_end(lines, index, kind)
    setext = _SETEXT.match(lines[end]) if end < len(lines) else None
    if kind == "paragraph" and setext:
        level = 1 if setext.group(1)[0] == "=" else 2
        return Part("heading", " ".join(text.strip() for text in lines[index:end]), level), end + 1
    return Part(kind, "\n".join(lines[index:end])), end


def _run(lines: list[str], start: int, belongs: Callable[[str], bool]) -> int:
    end = start
    while end < len(lines) and lines[end].strip() and belongs(lines[end]):
        end += 1
    return end


def _fence_end(lines: list[str], start: int, fence: str) -> int:
    closing = re.compile(rf"[ \t]*{re.escape(fence[0])}{{{len(fence)},}}[ \t]*$")
    for index in range(start + 1, len(lines)):
        if closing.match(lines[index]):
            return index + 1
    return len(lines)


def _is_table(lines: list[str], index: int) -> bool:
    below = lines[index + 1] if index + 1 < len(lines) else ""
    if "|" not in lines[index] or "|" not in below:
        return False
    cells = below.strip().strip("|").split("|")
    return all(_DELIMITER.match(cell.strip()) for cell in cells)


def _without_comments(text: str) -> str:
    """The text without `<!-- … -->`; one that is never closed is kept as text."""
    kept: list[str] = []
    position = 0
    while (start := text.find("<!--", position)) >= 0 and (end := text.find("-->", start)) >= 0:
        kept.append(text[position:start])
        position = end + len("-->")
    return "".join([*kept, text[position:]])


def _text_end(lines: list[str], start: int, kind: BlockKind) -> int:
    """The line after a paragraph or a list (whose items may be parted by blank lines)."""
    index = start + 1
    while index < len(lines):
        line = lines[index]
        if not line.strip():
            following = lines[index + 1] if index + 1 < len(lines) else ""
            if kind == "list" and (_LIST.match(following) or following.startswith("  ")):
                index += 1
                continue
            return index
        if _ATX.match(line) or _FENCE.match(line) or _is_table(lines, index):
            return index
        if kind == "paragraph" and (_LIST.match(line) or _SETEXT.match(line)):
            return index
        index += 1
    return index
