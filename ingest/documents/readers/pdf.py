"""PDF by PyMuPDF: text in reading order, headings, tables, page numbers and boxes.

Text that a page's fonts cannot map to Unicode is never passed on: such pages and lines are left
out with a note in the metadata (`skipped_pages`, page to reason; `unreadable_lines`, page to
number of lines), a file of nothing else is rejected.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pymupdf

from ingest.documents.model import Part, RawDocument
from ingest.documents.readers.base import Reader
from ingest.documents.readers.pdf_headings import Headings
from ingest.documents.readers.pdf_lines import TextBlock
from ingest.documents.readers.pdf_order import in_reading_order
from ingest.documents.readers.pdf_page import (
    PageText,
    characters,
    drop_running_lines,
    page_text,
    unreadable_share,
    upright_content,
)
from ingest.documents.readers.pdf_paragraphs import join_paragraphs, join_title
from ingest.documents.readers.pdf_tables import MUPDF_ERRORS, PdfTable, continue_tables, read_tables
from ingest.store.errors import FileRejected

_MUPDF: Any = pymupdf  # its own annotations are partial
_OCR_HINT = (
    "needs OCR: install tesseract-ocr (for Japanese also tesseract-ocr-jpn), run "
    "`ocrmypdf` on the file, then ingest the result"
)
_MAX_UNREADABLE = 0.2
_TAIL_BYTES = 2048


class PdfReader(Reader):
    def _read(self, path: Path) -> RawDocument:
        # MuPDF writes its complaints to the streams on which our callers print JSON.
        _MUPDF.TOOLS.mupdf_display_errors(False)
        _MUPDF.TOOLS.mupdf_display_warnings(False)
        _MUPDF.no_recommend_layout()
        with _opened(path) as pdf:
            return _read_pages(pdf, path)


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


def _read_pages(pdf: Any, path: Path) -> RawDocument:
    pages: list[PageText] = []
    tables: list[list[PdfTable]] = []
    skipped: dict[int, str] = {}
    for number in range(1, pdf.page_count + 1):
        page = _page(pdf, number - 1)
        content = upright_content(page) if page is not None else None
        problem = _problem(content)
        if problem:
            skipped[number] = problem
            continue
        tables.append(read_tables(page))
        pages.append(page_text(number, content, page, tables[-1]))
    if not pages:
        raise _nothing_readable(path, skipped)
    drop_running_lines(pages)
    headings = Headings.of(pages, _outline(pdf))
    unreadable = {page.number: page.unreadable_lines for page in pages if page.unreadable_lines}
    notes = {"skipped_pages": skipped, "unreadable_lines": unreadable}
    metadata = {name: note for name, note in notes.items() if note}
    parts = _parts(pages, tables, headings)
    return RawDocument(parts, metadata, _own_title(pdf), pages=pdf.page_count)


def _problem(content: Any | None) -> str:
    """Why a page cannot be used; "" when it can."""
    if content is None:
        return "damaged page"
    text = characters(content)
    if not text:
        return "no text (an image?)"
    share = unreadable_share(text)
    if share > _MAX_UNREADABLE:
        return f"{share:.0%} of the characters have no Unicode value"
    return ""


def _page(pdf: Any, number: int) -> Any | None:
    try:
        page = pdf[number]
        if page.rotation:
            page.remove_rotation()  # all coordinates are then those of the page as displayed
    except MUPDF_ERRORS:
        return None
    return page


def _nothing_readable(path: Path, skipped: dict[int, str]) -> FileRejected:
    if all(reason.startswith("no text") for reason in skipped.values()):
        return FileRejected(f"{path.name}: no readable text (scanned pages?)", _OCR_HINT)
    first = next(iter(skipped.values()))
    return FileRejected(f"{path.name}: no readable text ({first})", _OCR_HINT)


def _parts(pages: list[PageText], tables: list[list[PdfTable]], headings: Headings) -> list[Part]:
    parts: list[Part] = []
    previous: PdfTable | None = None
    for page, found in zip(pages, tables, strict=True):
        items: list[TextBlock | PdfTable] = [*page.blocks, *found]
        ordered = in_reading_order(items, page.width)
        previous = continue_tables(ordered, previous)
        leveled = [
            (item, headings.level(item, page.number) if isinstance(item, TextBlock) else 0)
            for item in join_paragraphs(ordered)
        ]
        if page is pages[0]:
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
