import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from ingest.pipeline import run_ingest
from ingest.report import IngestReport
from ingest.store import IngestSettings
from ingest.store.errors import BadRequest, StoreBroken, StoreError

pytestmark = pytest.mark.slow

mupdf: Any = pymupdf  # its own annotations are partial
Ingest = Callable[..., IngestReport]
Contents = Callable[[], dict[str, Any]]
ON_A_FULL_DISK = """
import resource, sys
from pathlib import Path
from ingest.embedders.seeded import SeededEmbedder
from ingest.pipeline import run_ingest
from ingest.store import IngestSettings
from ingest.store.errors import StoreError

resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    run_ingest(Path(sys.argv[1]), [Path(sys.argv[2])], settings=IngestSettings(),
               embedder=SeededEmbedder())
except StoreError as error:
    print(error.message, error.hint)
"""
"""A file system that takes no file over 100 kB: writes fail with EFBIG."""


def test_a_path_that_does_not_exist_is_an_error_and_creates_nothing(
    ingest: Ingest, data_dir: Path, tmp_path: Path
) -> None:
    with pytest.raises(StoreError, match="no such file or directory") as caught:
        ingest(tmp_path / "nowhere")
    assert str(tmp_path / "nowhere") in caught.value.message
    assert not data_dir.exists()


def test_a_directory_without_a_readable_file_is_an_error(
    ingest: Ingest, data_dir: Path, tmp_path: Path
) -> None:
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "shelf.heic").write_bytes(b"photo")
    with pytest.raises(StoreError, match="no file that can be read") as caught:
        ingest(tmp_path / "photos")
    assert ".csv" in caught.value.hint and ".md" in caught.value.hint
    assert not data_dir.exists()


def test_a_known_directory_that_is_suddenly_empty_loses_nothing(
    ingest: Ingest, company: Path, contents: Contents
) -> None:
    ingest(company)
    before = contents()
    shutil.rmtree(company)
    company.mkdir()
    with pytest.raises(StoreError):
        ingest(company)
    assert contents() == before


def test_the_last_file_is_removed_by_naming_it(
    ingest: Ingest, tmp_path: Path, contents: Contents
) -> None:
    only = tmp_path / "only.csv"
    only.write_text("a,b\n1,2\n")
    ingest(only)
    only.unlink()
    assert ingest(only).tables.deleted == 1
    assert contents() == {"tables": {}, "documents": [], "found": {}}


def test_one_missing_path_among_others_is_a_failure_of_its_own(
    ingest: Ingest, company: Path, tmp_path: Path
) -> None:
    report = ingest(company, tmp_path / "nowhere")
    assert report.documents.added == 2
    assert [f.reason for f in report.documents.failed] == ["no such file or directory"]


def test_a_named_file_that_no_reader_knows_is_a_failure(
    ingest: Ingest, company: Path, tmp_path: Path
) -> None:
    program = tmp_path / "tool.exe"
    program.write_bytes(b"MZ")
    report = ingest(company, program)
    assert "'.exe'" in report.documents.failed[0].reason


def test_a_file_over_the_size_limit_is_a_failure(ingest: Ingest, company: Path) -> None:
    with (company / "big.csv").open("wb") as file:
        file.truncate(3 * 2**20)
    report = ingest(company, settings=IngestSettings(max_file_mb=2))
    assert "max_file_mb" in report.tables.failed[0].reason


def test_a_pipe_with_the_name_of_a_table_does_not_stop_the_run(
    ingest: Ingest, company: Path
) -> None:
    os.mkfifo(company / "pipe.csv")
    report = ingest(company)
    assert [f.reason for f in report.tables.failed] == ["is not a regular file"]
    assert report.tables.added == 1


def test_a_name_that_is_not_utf8_is_a_failure(ingest: Ingest, company: Path) -> None:
    bad = os.fsencode(company) + b"/\xff.csv"
    with open(bad, "wb") as file:  # noqa: PTH123
        file.write(b"a,b\n1,2\n")
    report = ingest(company)
    assert "UTF-8" in report.tables.failed[0].reason
    assert report.to_json()["tables"]["failed"][0]["path"].endswith("\ufffd.csv")


def test_a_data_directory_that_is_a_file_is_an_error(
    ingest: Ingest, company: Path, data_dir: Path
) -> None:
    data_dir.write_text("not a directory")
    with pytest.raises(StoreError, match="is a file") as caught:
        ingest(company)
    assert "--data-dir" in caught.value.hint
    assert data_dir.read_text() == "not a directory"


def test_a_data_directory_whose_name_is_not_utf8_is_refused_and_not_made(
    company: Path, embedder: Any, tmp_path: Path
) -> None:
    data_dir = tmp_path / os.fsdecode(b"d\xff")
    with pytest.raises(BadRequest, match="not valid UTF-8"):
        run_ingest(data_dir, [company], settings=IngestSettings(), embedder=embedder)
    assert not data_dir.exists()


@pytest.mark.slow
@pytest.mark.parametrize("changed", ["stock.csv", "rules/okada.md"])
def test_a_full_disk_leaves_the_live_generation_as_it_was(
    ingest: Ingest, company: Path, data_dir: Path, contents: Contents, changed: str
) -> None:
    ingest(company)
    before = contents()
    lines = "".join(f"Line {n},{n * n * 7919}\n" for n in range(20_000))
    (company / changed).write_text(f"line,number\n{lines}")
    command = [sys.executable, "-c", ON_A_FULL_DISK, str(data_dir), str(company)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "File too large" in done.stdout and "is unchanged" in done.stdout
    assert "free" in done.stdout
    assert contents() == before
    assert [p.name for p in (data_dir / "generations").iterdir()] == ["1"]


def test_a_damaged_live_generation_is_not_built_upon(
    ingest: Ingest, company: Path, data_dir: Path
) -> None:
    ingest(company)
    (company / "stock.csv").write_text("sku,quantity\nA,1\n")
    ingest(company)
    (data_dir / "generations" / "2" / "manifest.json").write_text("{}")
    with pytest.raises(StoreBroken) as caught:
        ingest(company)
    assert caught.value.hint == "run: zaiko rollback, then ingest again what changed since"


def test_where_nothing_intact_is_left_ingest_starts_anew(
    ingest: Ingest, company: Path, data_dir: Path, contents: Contents
) -> None:
    ingest(company)
    before = contents()
    (data_dir / "generations" / "1" / "manifest.json").write_text("{}")
    assert ingest(company).data_revision == 2
    assert contents() == before


def test_a_copy_that_went_wrong_is_not_published(
    ingest: Ingest, company: Path, contents: Contents, data_dir: Path
) -> None:
    ingest(company)
    before = contents()
    (company / "new.csv").write_text("a,b\n1,2\n")

    def damage(point: str) -> None:
        if point == "indexed":
            building = next((data_dir / "generations").glob(".building-*"))
            shutil.rmtree(building / "index" / "default" / "segments")

    with pytest.raises(StoreError):
        ingest(company, at=damage)
    assert contents() == before


def test_a_loop_of_links_is_walked_once(ingest: Ingest, company: Path) -> None:
    (company / "rules" / "up").symlink_to(company, target_is_directory=True)
    (company / "self.csv").symlink_to(Path("self.csv"))
    report = ingest(company)
    assert (report.documents.added, report.tables.added) == (2, 1)
    assert len(report.tables.failed) == 1


def test_the_data_directory_inside_the_root_is_not_ingested(company: Path, embedder: Any) -> None:
    from ingest.pipeline import run_ingest

    data_dir = company / "zaiko-data"
    settings = IngestSettings()
    run_ingest(data_dir, [company], settings=settings, embedder=embedder)
    (data_dir / "out.jsonl").write_text('{"a": 1}\n')
    report = run_ingest(data_dir, [company], settings=settings, embedder=embedder)
    assert (report.tables.unchanged, report.tables.added) == (1, 0)


def test_a_page_that_cannot_be_read_is_reported_and_the_others_are_taken_in(
    tmp_path: Path, ingest: Ingest
) -> None:
    pdf = mupdf.open()
    pdf.new_page().insert_text((72, 80), "Damaged goods are written off.")
    pdf.new_page().draw_rect((72, 72, 90, 90), fill=(0, 0, 0))
    pdf.save(tmp_path / "mixed.pdf")
    report = ingest(tmp_path / "mixed.pdf")
    assert (report.documents.added, report.ok) == (1, False)
    failure = report.documents.failed[0]
    assert failure.path == str(tmp_path / "mixed.pdf")
    assert failure.reason.startswith("page 2 left out, the rest was taken in: no text; ")
