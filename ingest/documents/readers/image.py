"""Photographs and scans: each image, or page of a TIFF, is a page to be read by OCR."""

from pathlib import Path
from typing import Any

import pymupdf

from ingest.documents.model import RawDocument
from ingest.documents.readers.base import Reader
from ingest.documents.readers.pdf import quiet, read_pages
from ingest.documents.readers.pdf_tables import MUPDF_ERRORS
from ingest.store.errors import FileRejected

_MUPDF: Any = pymupdf  # its own annotations are partial


class ImageReader(Reader):
    def _read(self, path: Path) -> RawDocument:
        quiet()
        try:
            with _MUPDF.open(path) as image:
                pages = _MUPDF.open("pdf", image.convert_to_pdf())
        except MUPDF_ERRORS as error:
            raise FileRejected(
                f"{path.name}: not an image, or damaged", "open it in a viewer and save it again"
            ) from error
        with pages:
            return read_pages(pages, path, self._ocr)
