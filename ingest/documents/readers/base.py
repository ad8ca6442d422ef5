"""The shape of a reader, and the edge cases all formats share."""

import zipfile
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ingest.documents.model import RawDocument
from ingest.documents.ocr import OcrSource, installed_ocr
from ingest.store.errors import FileRejected

_OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_MAX_UNPACKED = 1 << 30
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    OSError,
    EOFError,
    SyntaxError,  # lxml's error for broken XML
    LookupError,
    AttributeError,
    TypeError,
    ValueError,
    RuntimeError,
)


class Reader(ABC):
    """Reads one format; knows nothing of chunks, titles or languages. `ocr` is asked for an
    engine when a page is an image."""

    def __init__(self, ocr: OcrSource = installed_ocr) -> None:
        self._ocr = ocr

    def read(self, path: Path) -> RawDocument:
        """The file's parts in reading order; FileRejected when it cannot be read."""
        try:
            size = path.stat().st_size
        except OSError as error:
            raise FileRejected(
                f"{path.name}: {error.strerror}", "check the path and its permissions"
            ) from error
        if size == 0:
            raise FileRejected(f"{path.name}: the file is empty", "remove it or fill it")
        return self._read(path)

    @abstractmethod
    def _read(self, path: Path) -> RawDocument: ...


@contextmanager
def office_package(path: Path, own: type[Exception]) -> Iterator[None]:
    """Reading a ZIP of XML. FileRejected before when `path` is no whole package of a sane
    size, and for what the Office libraries raise on damaged parts: of their `own` error, and
    whatever their code trips over when an element is missing."""
    _check_package(path)
    try:
        yield
    except (own, *_DAMAGE) as error:
        raise FileRejected(
            f"{path.name}: damaged, or not an Office file ({error})",
            f"open it in Office and save it again as {path.suffix}",
        ) from error


def _check_package(path: Path) -> None:
    with path.open("rb") as file:
        if file.read(len(_OLE_MAGIC)) == _OLE_MAGIC:
            raise FileRejected(
                f"{path.name}: encrypted, or in the format from before 2007",
                "open it in Office and save it without a password in the current format",
            )
    try:
        with zipfile.ZipFile(path) as package:
            unpacked = sum(info.file_size for info in package.infolist())
    except (zipfile.BadZipFile, OSError) as error:
        raise FileRejected(
            f"{path.name}: not a whole Office file (cut off or damaged)",
            "copy or download the file again",
        ) from error
    if unpacked > _MAX_UNPACKED:
        raise FileRejected(
            f"{path.name}: unpacks to {unpacked >> 20} MB", "split the document into smaller ones"
        )
