"""Cells of a workbook that hold an error are quarantined, not silently blank."""

from pathlib import Path
from typing import Any

import pytest
import xlsxwriter  # type: ignore[import-untyped]

from ingest.pipeline import run_ingest
from ingest.store.settings import IngestSettings
from ingest.tables.workbook_errors import error_cells


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """300 rows below a title and a blank row; in row 5 `#DIV/0!`, in row 6 a formula's 2."""
    path = tmp_path / "book.xlsx"
    with xlsxwriter.Workbook(str(path)) as written:
        written.add_worksheet("empty")
        sheet: Any = written.add_worksheet("売上 & co")
        sheet.write(0, 0, "Sales of 2026")
        sheet.write_row(2, 0, ["id", "qty", "rate"])
        for line in range(3, 303):
            sheet.write_row(line, 0, [line, 1, 2])
        sheet.write_formula(4, 1, "=1/0", None, "#DIV/0!")
        sheet.write_formula(5, 1, "=1+1", None, 2)
    return path


def test_an_error_is_found_where_it_stands(book: Path) -> None:
    assert error_cells(book) == [{}, {(4, 1): "#DIV/0!"}]


def test_an_error_goes_to_quarantine_and_is_counted(book: Path) -> None:
    report = run_ingest(book.parent / "data", [book], settings=IngestSettings())
    (cell,) = report.quarantined
    assert (cell.row, cell.column, cell.value) == (5, "qty", "#DIV/0!")


def test_a_file_that_is_no_archive_has_none(tmp_path: Path) -> None:
    path = tmp_path / "old.xls"
    path.write_bytes(b"\xd0\xcf\x11\xe0")
    assert error_cells(path) == []
