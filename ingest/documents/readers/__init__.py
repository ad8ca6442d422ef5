"""One reader a format; the factory imports a format's library only when it is needed."""

from importlib import import_module
from pathlib import Path

from ingest.documents.ocr import OcrSource, installed_ocr
from ingest.documents.readers.base import Reader
from ingest.store.errors import FileRejected

_READERS = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "text",
    ".html": "html",
    ".htm": "html",
    ".pdf": "pdf",
    ".docx": "docx",
    ".pptx": "pptx",
    **dict.fromkeys((".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp"), "image"),
}
_PACKAGES = {"pymupdf": "pymupdf", "docx": "python-docx", "pptx": "python-pptx"}

_NOTES = dict.fromkeys((".xlsx", ".xlsm", ".xls", ".ods"), "workbook")

DOCUMENT_SUFFIXES: frozenset[str] = frozenset(_READERS)
"""Without workbooks: these are tables, in which sheets of notes may stand."""


def reader_for(path: Path, ocr: OcrSource = installed_ocr) -> Reader:
    """The reader for `path`'s suffix; FileRejected for a format that has none, or whose
    library is not installed."""
    name = {**_READERS, **_NOTES}.get(path.suffix.lower())
    if name is None:
        raise FileRejected(
            f"{path.name}: no reader for {path.suffix or 'files without a suffix'}",
            f"convert it to one of {' '.join(sorted(DOCUMENT_SUFFIXES))}",
        )
    try:
        module = import_module(f"{__name__}.{name}")
    except ModuleNotFoundError as error:
        package = _PACKAGES.get(error.name or "", error.name)
        raise FileRejected(
            f"{path.name}: reading {path.suffix} needs {package}", f"pip install {package}"
        ) from error
    reader: Reader = getattr(module, f"{name.capitalize()}Reader")(ocr)
    return reader
