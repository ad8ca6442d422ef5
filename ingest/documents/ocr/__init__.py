"""Text of page images: Tesseract where it is installed, else nothing."""

from collections.abc import Callable

from ingest.documents.ocr.base import Ocr, OcrLine, OcrPage
from ingest.documents.ocr.tesseract import Tesseract

OcrSource = Callable[[], Ocr | None]
"""Asked only when a page needs it."""

NEEDS_OCR = (
    "needs OCR: install tesseract-ocr (for Japanese also tesseract-ocr-jpn, for Chinese "
    "tesseract-ocr-chi-sim), then ingest the file again"
)


def installed_ocr() -> Ocr | None:
    """Tesseract with the languages that are installed of eng, jpn, chi_sim; None without it."""
    return Tesseract.installed()


__all__ = ["NEEDS_OCR", "Ocr", "OcrLine", "OcrPage", "OcrSource", "Tesseract", "installed_ocr"]
