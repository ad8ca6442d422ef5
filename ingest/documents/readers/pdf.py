"""PDF by PyMuPDF: text in reading order, headings, tables, page numbers and boxes.

Text that a page's fonts cannot map to Unicode is never passed on: such pages, and scanned ones,
are read by OCR (`ocr_pages` in the metadata). Where that is not possible, pages and lines are left
out with a note (`skipped_pages`, page to reason; `unreadable_lines`, page to number of lines;
`image_pages`, those with little text beside an image), and a file of nothing else is rejected.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import pymupdf

from ingest.documents.model import Part, RawDocument
from ingest.documents.ocr import NEEDS_OCR, OcrSource
from ingest.documents.ocr.base import OcrFailed
from ingest.documents.readers.base import Reader
from ingest.documents.readers.pdf_headings import Headings
from ingest.documents.readers.pdf_legible import (
    illegible_boxes,
    is_blank,
    is_scan,
    noisy_fonts,
    problem_of,
)
from ingest.documents.readers.pdf_lines import TextBlock
from ingest.documents.readers.pdf_ocr import ocr_text
from ingest.documents.readers.pdf_order import in_reading_order
from ingest.documents.readers.pdf_page import (
    PageText,
    drop_running_lines,
    page_text,
    upright_content,
)
from ingest.documents.readers.pdf_paragraphs import join_paragraphs, join_title
from ingest.documents.readers.pdf_tables import MUPDF_ERRORS, PdfTable, continue_tables, read_tables
from ingest.store.errors import FileRejected

_MUPDF: Any = pymupdf  # its own annotations are partial
_TAIL_BYTES = 2048


class PdfReader(Reader):
    def _read(self, path: Path) -> RawDocument:
        quiet()
        with _opened(path) as pdf:
            return read_pages(pdf, path, self._ocr)


def quiet() -> None:
    """MuPDF writes its complaints to the streams on which our callers print JSON."""
    _MUPDF.TOOLS.mupdf_display_errors(False)
    _MUPDF.TOOLS.mupdf_display_warnings(False)
    _MUPDF.no_recommend_layout()


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    try:
        pdf = _MUPDF.open(path, filetype="pdf")
    except MUPDF_ERRORS as error:
        raise FileRejected(
            f"{path.name}: not a PDF, or damaged", "open it in a viewer and save it again"
        ) from error
    try:
        _check(pdf, path)
        yield pdf
    finally:
        pdf.close()


def _check(pdf: Any, path: Path) -> None:
    if pdf.needs_pass:
        raise FileRejected(
            f"{path.name}: encrypted", "save a copy without a password and ingest that"
        )
    if pdf.is_repaired and not _has_end(path):
        raise FileRejected(
            f"{path.name}: cut off (the end of the file is missing)",
            "copy or download the file again",
        )
    if pdf.page_count == 0:
        raise FileRejected(f"{path.name}: has no pages", "open it in a viewer and save it again")


def _has_end(path: Path) -> bool:
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - _TAIL_BYTES))
        return b"%%EOF" in file.read()


@dataclass
class _Pages:
    """What was read so far: texts and tables of the usable pages, reasons for the others."""

    texts: list[PageText] = field(default_factory=list)
    tables: list[list[PdfTable]] = field(default_factory=list)
    skipped: dict[int, str] = field(default_factory=dict)
    half_read: list[int] = field(default_factory=list)
    by_ocr: list[int] = field(default_factory=list)

    def add(self, text: PageText, tables: list[PdfTable]) -> None:
        self.texts.append(text)
        self.tables.append(tables)


def read_pages(pdf: Any, path: Path, ocr: OcrSource) -> RawDocument:
    """The document in an opened PDF. `ocr` is asked for an engine at the first page that has
    no usable text."""
    pages = _Pages()
    engine = lru_cache(ocr)
    for number in range(1, pdf.page_count + 1):
        _read_page(number, _page(pdf, number - 1), pages, engine)
    if not pages.texts:
        raise _nothing_readable(path, pages.skipped, engine)
    drop_running_lines(pages.texts)
    headings = Headings.of(pages.texts, _outline(pdf))
    unreadable = {text.number: text.unreadable_lines for text in pages.texts}
    notes: dict[str, object] = {
        "skipped_pages": pages.skipped,
        "unreadable_lines": {number: count for number, count in unreadable.items() if count},
        "ocr_pages": pages.by_ocr,
        "image_pages": pages.half_read,
    }
    metadata = {name: note for name, note in notes.items() if note}
    return RawDocument(_parts(pages, headings), metadata, _own_title(pdf), pages=pdf.page_count)


def _read_page(number: int, page: Any | None, pages: _Pages, ocr: OcrSource) -> None:
    content = upright_content(page) if page is not None else None
    if page is None or content is None:
        pages.skipped[number] = "damaged page"
        return
    noisy = noisy_fonts(content)
    problem = problem_of(content, noisy)
    if problem == "no text" and is_blank(page):
        return
    if problem or is_scan(page, content):
        read, problem = _by_ocr(number, page, problem, ocr)
        if read is not None:
            pages.add(read, [])
            pages.by_ocr.append(number)
            return
        if problem:
            pages.skipped[number] = problem
            return
        if ocr() is None:
            pages.half_read.append(number)
    tables = read_tables(page, illegible_boxes(content, noisy))
    pages.add(page_text(number, content, page, tables, noisy), tables)


def _by_ocr(number: int, page: Any, problem: str, ocr: OcrSource) -> tuple[PageText | None, str]:
    """The page as OCR reads it; else None and why it cannot be used, "" when its own text can."""
    engine = ocr()
    if engine is None:
        return None, problem and f"{problem}; {NEEDS_OCR}"
    try:
        read = ocr_text(number, page, engine)
    except OcrFailed as error:
        return None, problem and f"{problem}; OCR failed: {error}"
    return read, problem and f"{problem}; OCR found none either"


def _page(pdf: Any, number: int) -> Any | None:
    try:
        page = pdf[number]
        if page.rotation:
            page.remove_rotation()  # all coordinates are then those of the page as displayed
    except MUPDF_ERRORS:
        return None
    return page


def _nothing_readable(path: Path, skipped: dict[int, str], ocr: OcrSource) -> FileRejected:
    if not skipped:
        return FileRejected(f"{path.name}: all its pages are blank", "remove it or fill it")
    problem = next(iter(skipped.values())).removesuffix(f"; {NEEDS_OCR}")
    hint = "remove it, or replace it by a legible copy" if ocr() else NEEDS_OCR
    return FileRejected(f"{path.name}: no readable text ({problem})", hint)


def _parts(pages: _Pages, headings: Headings) -> list[Part]:
    parts: list[Part] = []
    previous: PdfTable | None = None
    for page, found in zip(pages.texts, pages.tables, strict=True):
        items: list[TextBlock | PdfTable] = [*page.blocks, *found]
        ordered = in_reading_order(items, page.width)
        previous = continue_tables(ordered, previous)
        leveled = [
            (item, headings.level(item, page.number) if isinstance(item, TextBlock) else 0)
            for item in join_paragraphs(ordered)
        ]
        if page is pages.texts[0]:
            leveled = join_title(leveled)
        parts += [_part(item, level, page.number) for item, level in leveled]
    return parts


def _part(item: TextBlock | PdfTable, level: int, page: int) -> Part:
    if isinstance(item, PdfTable):
        return Part("table", item.markdown(), 0, page, item.box)
    if level:
        return Part("heading", " ".join(item.text.split()), level, page, item.box)
    return Part("list" if item.is_list else "paragraph", item.text, 0, page, item.box)


def _outline(pdf: Any) -> list[list[Any]]:
    try:
        outline: list[list[Any]] = pdf.get_toc(simple=True)
    except MUPDF_ERRORS:
        return []
    return outline


def _own_title(pdf: Any) -> str:
    title = ((pdf.metadata or {}).get("title") or "").strip()
    title = re.sub(r"^Microsoft (?:Word|Excel|PowerPoint) - ", "", title)
    return "" if re.match(r"<[0-9A-Fa-f]+>$", title) or "\ufffd" in title else title
