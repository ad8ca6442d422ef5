"""The notes of a workbook: its sheets of sentences. Its tables are read by `ingest.tables`."""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from ingest.documents.model import Part, RawDocument
from ingest.documents.readers.base import Reader
from ingest.tables.grid import Grid
from ingest.tables.prose import is_prose
from ingest.tables.workbook import read_workbook

_MAX_UNPACKED = 1 << 30


class WorkbookReader(Reader):
    """Each sheet of notes is a section under the sheet's name; blank rows part paragraphs."""

    def _read(self, path: Path) -> RawDocument:
        sheets = [grid for grid in read_workbook(path, _MAX_UNPACKED) if is_prose(grid)]
        return RawDocument([part for sheet in sheets for part in _parts(sheet)])


def _parts(sheet: Grid) -> Iterator[Part]:
    if sheet.sheet:
        yield Part("heading", sheet.sheet, 1)
    lines = (" ".join(cell.strip() for cell in row if cell.strip()) for row in sheet.rows())
    for filled, paragraph in groupby(lines, key=bool):
        if filled:
            yield Part("paragraph", "\n".join(paragraph))
