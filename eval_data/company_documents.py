"""Renders the sample company's documents from the Markdown sources in `texts/`.

A source with `format: pdf` or `format: docx` in its front matter becomes that; all others stay
Markdown. The subset understood: headings, paragraphs, `- ` items and pipe tables.
"""

import io
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

import docx
import pymupdf

MARGIN, PAGE_WIDTH, PAGE_HEIGHT = 56.0, 595.0, 842.0
BODY_SIZE, CELL_SIZE, LINE = 10.5, 9.5, 1.6
HEADING_SIZE = {1: 17.0, 2: 12.5}
ZIP_EPOCH = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class Block:
    """`kind` is "heading", "paragraph", "item" or "table"; only a table has `rows`."""

    kind: str
    text: str = ""
    level: int = 0
    rows: tuple[tuple[str, ...], ...] = ()


def front_matter(source: str) -> tuple[dict[str, str], str]:
    """The keys of the front matter, and the text under it."""
    _, head, body = source.split("---\n", 2)
    pairs = (line.split(":", 1) for line in head.splitlines())
    return {key.strip(): value.strip() for key, value in pairs}, body


def blocks(body: str) -> Iterator[Block]:
    for part in re.split(r"\n{2,}", body.strip()):
        lines = part.splitlines()
        if heading := re.match(r"(#+) (.*)", part):
            yield Block("heading", heading[2], len(heading[1]))
        elif part.startswith("|"):
            cells = [tuple(c.strip() for c in line.strip("|").split("|")) for line in lines]
            yield Block("table", rows=(cells[0], *cells[2:]))
        elif part.startswith("- "):
            yield from (Block("item", line[2:]) for line in lines)
        else:
            yield Block("paragraph", " ".join(lines))


class PdfWriter:
    """Lays blocks out on A4 pages with one of MuPDF's built-in CJK fonts."""

    def __init__(self, font: str) -> None:
        self._font = font
        self._document: Any = pymupdf.open()  # type: ignore[no-untyped-call]
        self._new_page()

    def _new_page(self) -> None:
        self._page = self._document.new_page(width=PAGE_WIDTH, height=PAGE_HEIGHT)
        self._y = MARGIN

    def _runs(self, text: str) -> list[tuple[str, str]]:
        """(font, run) pairs: the CJK font would set Latin letters and digits full-width."""
        parts = re.findall(r"[ -~]+|[^ -~]+", text)
        return [("helv" if part.isascii() else self._font, part) for part in parts]

    def _width(self, text: str, size: float) -> float:
        runs = self._runs(text)
        return sum(pymupdf.get_text_length(run, fontname=font, fontsize=size) for font, run in runs)

    def _wrap(self, text: str, size: float, room: float) -> list[str]:
        lines, line = [], ""
        for word in re.findall(r"[A-Za-z0-9.,%:_\-]+|.", text):
            if line and self._width(line + word, size) > room and word not in "、。，；）":
                lines.append(line)
                line = ""
            line += word if line else word.lstrip()
        return [*lines, line]

    def _put(self, x: float, y: float, text: str, size: float) -> None:
        for font, run in self._runs(text):
            self._page.insert_text((x, y + size), run, fontname=font, fontsize=size)
            x += self._width(run, size)

    def text(self, text: str, size: float, indent: float = 0.0) -> None:
        lines = self._wrap(text, size, PAGE_WIDTH - 2 * MARGIN - indent)
        if self._y + len(lines) * size * LINE > PAGE_HEIGHT - MARGIN:
            self._new_page()
        for line in lines:
            self._put(MARGIN + indent, self._y, line, size)
            self._y += size * LINE
        self._y += size * 0.6

    def table(self, rows: tuple[tuple[str, ...], ...]) -> None:
        widths = self._column_widths(rows)
        wrapped = [
            [
                self._wrap(cell, CELL_SIZE, width - 8)
                for cell, width in zip(row, widths, strict=True)
            ]
            for row in rows
        ]
        heights = [max(map(len, row)) * CELL_SIZE * LINE + 5 for row in wrapped]
        if self._y + sum(heights) > PAGE_HEIGHT - MARGIN:
            self._new_page()
        for number, (row, height) in enumerate(zip(wrapped, heights, strict=True)):
            self._table_row(row, widths, height, shaded=number == 0)
        self._y += BODY_SIZE

    def _column_widths(self, rows: tuple[tuple[str, ...], ...]) -> list[float]:
        longest = [max(self._width(c, CELL_SIZE) for c in column) + 14 for column in zip(*rows)]  # noqa: B905
        scale = (PAGE_WIDTH - 2 * MARGIN) / sum(longest)
        return [width * min(scale, 1.6) for width in longest]

    def _table_row(
        self, row: list[list[str]], widths: list[float], height: float, *, shaded: bool
    ) -> None:
        x = MARGIN
        for lines, width in zip(row, widths, strict=True):
            box = (x, self._y, x + width, self._y + height)
            self._page.draw_rect(box, width=0.6, fill=(0.9, 0.9, 0.9) if shaded else None)
            for i, line in enumerate(lines):
                self._put(x + 4, self._y + 2 + i * CELL_SIZE * LINE, line, CELL_SIZE)
            x += width
        self._y += height

    def save(self, path: Path, title: str, day: date) -> None:
        for number, page in enumerate(self._document, 1):
            foot = f"{number} / {len(self._document)}"
            at = (PAGE_WIDTH / 2 - 10, PAGE_HEIGHT - 28)
            page.insert_text(at, foot, fontname="helv", fontsize=8)
        stamp = f"D:{day:%Y%m%d}090000+09'00'"
        self._document.set_metadata({"title": title, "creationDate": stamp, "modDate": stamp})
        path.write_bytes(self._document.tobytes(garbage=4, deflate=True, no_new_id=True))


def write_pdf(path: Path, meta: dict[str, str], body: str) -> None:
    writer = PdfWriter(meta["font"])
    for block in blocks(body):
        if block.kind == "table":
            writer.table(block.rows)
        elif block.kind == "heading":
            writer.text(block.text, HEADING_SIZE[block.level])
        else:
            writer.text(block.text, BODY_SIZE, 12.0 if block.kind == "item" else 0.0)
    writer.save(path, meta["title"], date.fromisoformat(meta["date"]))


def write_docx(path: Path, meta: dict[str, str], body: str) -> None:
    document = docx.Document()
    for block in blocks(body):
        if block.kind == "heading":
            document.add_heading(block.text, block.level)
        elif block.kind == "table":
            table = document.add_table(len(block.rows), len(block.rows[0]), style="Table Grid")
            for row, cells in zip(table.rows, block.rows, strict=True):
                for cell, text in zip(row.cells, cells, strict=True):
                    cell.text = text
        else:
            style = "List Bullet" if block.kind == "item" else None
            document.add_paragraph(block.text, style)
    properties = document.core_properties
    properties.title, properties.author = meta["title"], ""
    properties.created = properties.modified = datetime.fromisoformat(meta["date"])
    buffer = io.BytesIO()
    document.save(buffer)
    path.write_bytes(with_fixed_times(buffer.getvalue()))


def with_fixed_times(archive: bytes) -> bytes:
    """The same zip with all entries dated 1980-01-01, so that equal content is equal bytes."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as old, zipfile.ZipFile(made, "w") as new:
        for name in old.namelist():
            entry = zipfile.ZipInfo(name, ZIP_EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(entry, old.read(name))
    return made.getvalue()


def write_documents(texts: Path, out: Path) -> list[str]:
    """Renders every source of `texts` into `out`; the names of the files written."""
    names = []
    for source in sorted(texts.glob("*.md")):
        text = source.read_text(encoding="utf-8")
        meta, body = front_matter(text)
        target = out / f"{source.stem}.{meta.get('format', 'md')}"
        if target.suffix == ".pdf":
            write_pdf(target, meta, body)
        elif target.suffix == ".docx":
            write_docx(target, meta, body)
        else:
            target.write_text(text, encoding="utf-8", newline="\n")
        names.append(target.name)
    return names
