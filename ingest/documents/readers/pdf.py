"""PDF by PyMuPDF: text in reading order, headings, tables, page numbers and boxes.

Text that a page's fonts cannot map to Unicode is never passed on: such pages are left out
with a note in the metadata (`skipped_pages`), a file of nothing else is rejected.
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
from ingest.documents.readers.pdf_lines import (
    PageText,
    TextBlock,
    drop_running_lines,
    read_lines,
)
from ingest.documents.readers.pdf_order import in_reading_order, overlaps
from ingest.documents.readers.pdf_paragraphs import join_paragraphs, join_title
from ingest.documents.readers.pdf_tables import PdfTable, continue_tables, read_tables
from ingest.store.errors import FileRejected

_MUPDF: Any = pymupdf  # its own annotations are partial
_OCR_HINT = (
    "needs OCR: install tesseract-ocr (for Japanese also tesseract-ocr-jpn), run "
    "`ocrmypdf` on the file, then ingest the result"
)
_MAX_UNREADABLE = 0.2
_TAIL_BYTES = 2048
_UNREADABLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\ufffd\ue000-\uf8ff\U000f0000-\U0010ffff"
    # Archaic Greek and Coptic: what Calibri's digits and ligatures become without a map.
    "\u03d0-\u03ff\u0358\u0372-\u0373]"
)


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
    except (pymupdf.FileDataError, RuntimeError, ValueError) as error:
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
    skipped: dict[int, str] = {}
    for number in range(pdf.page_count):
        page = _page(pdf, number)
        text = read_lines(page) if page is not None else None
        if text is None:
            skipped[number + 1] = "damaged page"
        elif (share := _unreadable_share(text.characters)) > _MAX_UNREADABLE:
            skipped[number + 1] = f"{share:.0%} of the characters have no Unicode value"
        elif not text.characters:
            skipped[number + 1] = "no text (an image?)"
        else:
            pages.append(text)
    if not pages:
        raise _nothing_readable(path, skipped)
    drop_running_lines(pages)
    headings = Headings.of(pages, pdf.get_toc(simple=True))
    metadata: dict[str, object] = {"skipped_pages": skipped} if skipped else {}
    return RawDocument(
        _parts(pdf, pages, headings), metadata, _own_title(pdf), pages=pdf.page_count
    )


def _page(pdf: Any, number: int) -> Any | None:
    try:
        page = pdf[number]
        if page.rotation:
            page.remove_rotation()  # all coordinates are then those of the page as displayed
    except (RuntimeError, ValueError):
        return None
    return page


def _unreadable_share(characters: str) -> float:
    return len(_UNREADABLE.findall(characters)) / max(1, len(characters))


def _nothing_readable(path: Path, skipped: dict[int, str]) -> FileRejected:
    if all(reason.startswith("no text") for reason in skipped.values()):
        return FileRejected(f"{path.name}: no readable text (scanned pages?)", _OCR_HINT)
    first = next(iter(skipped.values()))
    return FileRejected(f"{path.name}: no readable text ({first})", _OCR_HINT)


def _parts(pdf: Any, pages: list[PageText], headings: Headings) -> list[Part]:
    tables = [read_tables(_page(pdf, page.number - 1)) for page in pages]
    parts: list[Part] = []
    previous: PdfTable | None = None
    for page, found in zip(pages, tables, strict=True):
        items: list[TextBlock | PdfTable] = [
            block for block in page.blocks if not any(overlaps(block.box, t.box) for t in found)
        ]
        items += found
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


def _own_title(pdf: Any) -> str:
    title = ((pdf.metadata or {}).get("title") or "").strip()
    title = re.sub(r"^Microsoft (?:Word|Excel|PowerPoint) - ", "", title)
    return "" if re.match(r"<[0-9A-Fa-f]+>$", title) or "\ufffd" in title else title
