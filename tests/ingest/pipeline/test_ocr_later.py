"""A file that waits for OCR is taken in again once the program is there, and only then."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from ingest.documents import NEEDS_OCR
from ingest.report import IngestReport

mupdf: Any = pymupdf
Ingest = Callable[..., IngestReport]
TESSERACT = """#!/bin/sh
if [ "$1" = --list-langs ]; then echo "List"; echo eng; exit; fi
/bin/cat > /dev/null
if [ "$4" = 0 ]; then exit 1; fi
printf 'level\\tpage_num\\tblock_num\\tpar_num\\tline_num\\tword_num\\tleft\\ttop\\twidth\\theight\\tconf\\ttext\\n'
printf '5\\t1\\t1\\t1\\t1\\t1\\t100\\t200\\t300\\t60\\t95\\tPalletizing\\n'
"""


@pytest.fixture
def scanned(company: Path) -> Path:
    """A page of text and a page that is an image."""
    pdf = mupdf.open()
    pdf.new_page().insert_text((72, 100), "The warehouse counts every item each month.")
    page = pdf.new_page()
    page.insert_image(page.rect, pixmap=mupdf.Pixmap(mupdf.csRGB, mupdf.IRect(0, 0, 300, 400)))
    path = company / "rules" / "scan.pdf"
    pdf.save(path)
    return path


def test_what_waited_for_ocr_is_read_once_it_is_installed(
    ingest: Ingest, company: Path, scanned: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    monkeypatch.setenv("PATH", str(programs))
    first = ingest(company)
    assert [f.reason for f in first.documents.failed] == [
        f"page 2 left out, the rest was taken in: no text; {NEEDS_OCR}"
    ]
    assert ingest(company).documents.unchanged == 3
    (programs / "tesseract").write_text(TESSERACT, encoding="utf-8")
    (programs / "tesseract").chmod(0o755)
    later = ingest(company).documents
    assert (later.updated, later.unchanged, later.failed) == (1, 2, [])
    again = ingest(company).documents
    assert (again.updated, again.unchanged) == (0, 3)
