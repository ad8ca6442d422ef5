from pathlib import Path
from typing import Any

import pymupdf
import pytest

from ingest.embedders import make_embedder
from tests.bench.ingest import main, measure, report

mupdf: Any = pymupdf


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "documents"
    root.mkdir()
    for name in ("rules", "notes"):
        (root / f"{name}.md").write_text(
            f"# {name}\n\nGoods are counted monthly.", encoding="utf-8"
        )
    pdf = mupdf.open()
    for number in range(3):
        pdf.new_page().insert_text((72, 80), f"The shelf {number} holds damaged goods.")
    pdf.save(root / "shelves.pdf")
    pdf.save(root / "locked.pdf", encryption=mupdf.PDF_ENCRYPT_AES_256, user_pw="x", owner_pw="y")
    return root


def test_a_run_is_measured_by_stage_and_what_cannot_be_read_is_left_out(folder: Path) -> None:
    result = measure(sorted(folder.iterdir()), 10, make_embedder("seeded"))
    assert (result.files, result.pages) == (3, 5)
    assert result.passages >= 3
    stages = result.times.cpu
    read = stages["until documents"]
    assert 0 < stages["embedder"] < result.total
    assert read + stages["until indexed"] <= result.total
    assert result.own == pytest.approx(result.total - stages["parser"] - stages["embedder"])
    assert "3 files, 5 pages" in report(result)


def test_no_more_pages_are_taken_than_asked_for(folder: Path) -> None:
    result = measure(sorted(folder.iterdir()), 2, make_embedder("seeded"))
    assert (result.files, result.pages) == (2, 2)


def test_a_folder_without_documents_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--data", str(tmp_path)]) == 2
    assert "name another --data DIR" in capsys.readouterr().err
