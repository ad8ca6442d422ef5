"""HTML by the standard library's parser: headings, paragraphs, lists, tables."""

import re
from html.parser import HTMLParser
from pathlib import Path

from ingest.documents.encoding import decode
from ingest.documents.model import BlockKind, Part, RawDocument
from ingest.documents.readers.base import Reader
from ingest.documents.tables import header_depth, to_markdown

_DROPPED = {"script", "style", "template", "noscript", "svg", "iframe", "object"}
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = {
    "p",
    "div",
    "section",
    "article",
    "main",
    "header",
    "footer",
    "nav",
    "aside",
    "blockquote",
    "pre",
    "address",
    "figure",
    "figcaption",
    "dl",
    "dt",
    "dd",
    "form",
    "fieldset",
    "hr",
    "body",
    "html",
    "details",
    "summary",
}
_CHARSET = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?([\w-]+)", re.IGNORECASE)


_WESTERN = ("iso-8859-1", "latin1", "ascii", "us-ascii", "windows-1252", "cp1252")
_LABELS = {
    **dict.fromkeys(_WESTERN, ("utf-8", "cp1252")),
    **dict.fromkeys(("shift_jis", "shift-jis", "sjis", "x-sjis"), ("cp932",)),
    **dict.fromkeys(("gb2312", "gbk"), ("gb18030",)),
}
"""What browsers mean by a label (WHATWG Encoding Standard, section 4.2). To the Western ones
nearly all bytes are text, so that UTF-8, which is not mistaken, comes first."""


class HtmlReader(Reader):
    def _read(self, path: Path) -> RawDocument:
        collector = _Collector()
        collector.feed(_decode(path.read_bytes(), path))
        collector.finish()
        return RawDocument(collector.parts, title=" ".join(collector.title.split()))


def _decode(data: bytes, path: Path) -> str:
    declared = _CHARSET.search(data[:4096])
    label = declared.group(1).decode("ascii").lower() if declared else ""
    if label.startswith("utf-16"):  # what can be read as ASCII is none
        return decode(data, path)
    for encoding in _LABELS.get(label, (label,)):
        try:
            return data.decode(encoding)
        except (LookupError, UnicodeDecodeError):
            pass  # a wrong declaration is common: look at the bytes instead
    return decode(data, path)


class _Collector(HTMLParser):
    """Gathers text until a block ends. A table inside a table is read as its cell's text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[Part] = []
        self.title = ""
        self._text: list[str] = []
        self._dropped: list[str] = []
        self._in_title = False
        self._preformatted = 0
        self._heading = 0
        self._lists: list[int | None] = []
        self._items: list[str] = []
        self._tables = 0
        self._rows: list[list[str | None]] = []
        self._spans: dict[tuple[int, int], str | None] = {}
        self._cell: tuple[int, int] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._dropped or tag in _DROPPED:
            if tag in _DROPPED:
                self._dropped.append(tag)
            return
        if tag == "title":
            self._in_title = True
        elif tag == "br":
            self._text.append("\n")
        elif tag in ("table", "tr", "td", "th"):
            self._start_table(tag, dict(attrs))
        elif self._tables:
            self._text.append(" " if tag in _BLOCKS or tag in ("li", "option") else "")
        elif tag == "option":
            self._text.append("\n")
        else:
            self._start_flow(tag)

    def _start_flow(self, tag: str) -> None:
        if tag in _HEADINGS:
            self.flush()
            self._heading = _HEADINGS[tag]
        elif tag in ("ul", "ol"):
            self._end_item()
            if not self._lists:
                self.flush()
            self._lists.append(0 if tag == "ol" else None)
        elif tag == "li":
            self._end_item()
            if self._lists and self._lists[-1] is not None:
                self._lists[-1] += 1
        elif tag in _BLOCKS and not self._lists:
            self.flush()
            self._preformatted += tag == "pre"

    def handle_endtag(self, tag: str) -> None:
        if self._dropped:
            if tag == self._dropped[-1]:
                self._dropped.pop()
            return
        if tag == "title":
            self._in_title = False
        elif tag in ("table", "tr", "td", "th"):
            self._end_table(tag)
        elif self._tables:
            return
        elif tag in ("ul", "ol") and self._lists:
            self._end_item()
            self._lists.pop()
            if not self._lists:
                self.flush()
        elif tag == "li":
            self._end_item()
        elif tag in _HEADINGS or (tag in _BLOCKS and not self._lists):
            self.flush()
            self._preformatted -= tag == "pre" and self._preformatted > 0

    def handle_data(self, data: str) -> None:
        if self._dropped:
            return
        if self._in_title:
            self.title += data
        else:
            self._text.append(data if self._preformatted else re.sub(r"\s+", " ", data))

    def finish(self) -> None:
        """Ends whatever the file left open."""
        self.close()
        self._dropped = []
        while self._tables:
            self._end_table("table")
        self._end_item()
        self.flush()

    def flush(self) -> None:
        """Ends the block being gathered."""
        if self._tables:
            return
        kind: BlockKind = "heading" if self._heading else "paragraph"
        if self._items:
            self.parts.append(Part("list", "\n".join(self._items)))
            self._items = []
        text = self._take()
        if text:
            text = " ".join(text.split()) if self._heading else text
            self.parts.append(Part(kind, text, self._heading))
        self._heading = 0

    def _take(self) -> str:
        text = "".join(self._text)
        self._text = []
        if not self._preformatted:
            text = "\n".join(" ".join(line.split()) for line in text.split("\n"))
        return text.strip("\n ")

    def _end_item(self) -> None:
        if not self._lists:
            return
        text = " ".join(self._take().split())
        if text:
            number = self._lists[-1]
            mark = "-" if number is None else f"{max(number, 1)}."
            self._items.append(f"{'  ' * (len(self._lists) - 1)}{mark} {text}")

    def _start_table(self, tag: str, attrs: dict[str, str | None]) -> None:
        if tag == "table":
            if not self._tables:
                self._end_item()
                self.flush()
                self._rows, self._spans = [], {}
            self._tables += 1
        elif self._tables > 1:
            self._text.append(" ")
        elif self._tables == 1:
            self._close_cell()
            if outside := self._take():  # a caption
                self.parts.append(Part("paragraph", outside))
            if tag == "tr":
                self._rows.append([])
            else:
                self._cell = (_span(attrs.get("rowspan")), _span(attrs.get("colspan")))

    def _end_table(self, tag: str) -> None:
        if self._tables == 1:
            self._close_cell()
        if tag == "table" and self._tables:
            self._tables -= 1
            if not self._tables:
                self._text = []
                markdown = to_markdown(self._rows, header_depth(self._rows))
                if markdown:
                    self.parts.append(Part("table", markdown))

    def _close_cell(self) -> None:
        if self._cell is None:
            return
        down, across = self._cell
        self._cell = None
        text = " ".join(self._take().split())
        if not self._rows:
            self._rows.append([])
        row, index = self._rows[-1], len(self._rows) - 1
        self._fill(row, index)
        column = len(row)
        row.extend([text, *[None] * (across - 1)])
        for below in range(1, down):
            for right in range(across):
                self._spans[index + below, column + right] = None if right else text
        self._fill(row, index)

    def _fill(self, row: list[str | None], index: int) -> None:
        while (index, len(row)) in self._spans:
            row.append(self._spans.pop((index, len(row))))


def _span(value: str | None) -> int:
    return min(int(value), 100) if value and value.strip().isdecimal() and int(value) else 1
