"""Which blocks of a PDF are headings: those of its outline, else by size, weight, numbering."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ingest.documents.readers.pdf_lines import TextBlock
from ingest.documents.readers.pdf_page import PageText

_LARGER, _COVER = 1.15, 1.3
_MAX_CHARS, _MAX_BOLD_CHARS = 120, 60
_MIN_OUTLINE = 3
_MAX_SIZES = 4
_SENTENCE_END = re.compile(r"[。．.；;,，、：:]$")
_CONTENTS_LINE = re.compile(r"…\d+$")
_HAN_NUMBER = "[一二三四五六七八九十百〇]+"
_NUMBERING = (
    (re.compile(rf"第(?:{_HAN_NUMBER}|\d+)[节節章編编部篇]"), 1),
    (re.compile(rf"{_HAN_NUMBER}[、．.]"), 2),
    (re.compile(rf"[(（]{_HAN_NUMBER}[)）]"), 3),
    (re.compile(r"\d+[、．.](?!\d)"), 4),
    (re.compile(r"[(（]\d+[)）]"), 5),
)


@dataclass(frozen=True)
class Headings:
    """`body`: the size of most text; `sizes`: the larger ones, largest first; `cover`: the
    size of the first page's title, 0 without one; `outline`: (page, text) to level."""

    body: float
    sizes: tuple[int, ...]
    cover: float
    first_page: int
    outline: dict[tuple[int, str], int]
    bold_marks: bool

    @classmethod
    def of(cls, pages: Sequence[PageText], toc: Sequence[Sequence[Any]]) -> "Headings":
        """`toc` as PyMuPDF gives it: [level, title, page] entries."""
        lines = [line for page in pages for block in page.blocks for line in block.lines]
        sizes: Counter[int] = Counter()
        for line in lines:
            sizes[round(line.size)] += len(line.text)
        body = float(sizes.most_common(1)[0][0]) if sizes else 0.0
        larger = sorted((s for s in sizes if s >= body * _LARGER), reverse=True)
        cover = max((block.size for block in pages[0].blocks), default=0.0)
        outline = {(page, _key(title)): level for level, title, page, *_ in toc if _key(title)}
        bold = sum(len(line.text) for line in lines if line.bold)
        return cls(
            body,
            tuple(larger[:_MAX_SIZES]),
            cover if cover >= body * _COVER else 0.0,
            pages[0].number,
            outline if len(outline) >= _MIN_OUTLINE else {},
            bold < 0.3 * sum(sizes.values()),
        )

    def level(self, block: TextBlock, page: int) -> int:
        """1–6, or 0 for running text."""
        text = "".join(block.text.split())
        if sum(char.isalpha() for char in text) < 2 or len(text) > _MAX_CHARS:
            return 0
        if _CONTENTS_LINE.search(text) or block.is_list or block.tabular:
            return 0
        if page == self.first_page and self.cover and block.size >= 0.9 * self.cover:
            return 1
        return self._by_outline(block, text, page) if self.outline else self._by_type(block, text)

    def _by_outline(self, block: TextBlock, text: str, page: int) -> int:
        found = self.outline.get((page, _key(text)), 0)
        if len(set(self.outline.values())) > 1:
            return min(found, 6)
        if not found and self._by_type(block, text) > len(self.sizes):
            return 0
        # A flat outline says what is a heading, not how deep: the numbering does.
        numbered = next((level for form, level in _NUMBERING if form.match(text)), 1)
        return numbered if found or self._by_type(block, text) else 0

    def _by_type(self, block: TextBlock, text: str) -> int:
        if len(block.lines) > 3 or _SENTENCE_END.search(text):
            return 0
        if round(block.size) in self.sizes:
            return 1 + self.sizes.index(round(block.size))
        if block.size >= self.body * _LARGER:
            return 1 + len(self.sizes)
        if self.bold_marks and block.bold and len(text) <= _MAX_BOLD_CHARS and len(block.lines) < 3:
            return min(6, 1 + len(self.sizes))
        return 0


def _key(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).lower()
