import os
import shutil
from pathlib import Path

import pytest

from ingest.store.checksums import changed_files, cut_off_files, write_checksums
from ingest.store.errors import StoreBroken

HOLE = 1 << 20


@pytest.fixture
def generation(tmp_path: Path) -> Path:
    """A small file, an empty one, and one of 1 MiB that is a hole but for its last five bytes."""
    root = tmp_path / "7"
    (root / "index" / "default").mkdir(parents=True)
    (root / "manifest.json").write_text("{}")
    (root / "quarantine.jsonl").touch()
    with (root / "index" / "default" / "page.dat").open("wb") as file:
        file.seek(HOLE - 5)
        file.write(b"hello")
    write_checksums(root)
    return root


def said(generation: Path) -> list[str]:
    return [str(damage) for damage in changed_files(generation) or ()]


def test_a_generation_as_it_was_written_has_no_changed_file(generation: Path) -> None:
    assert changed_files(generation) == []
    assert cut_off_files(generation) == []


def test_one_changed_byte_is_seen_also_inside_a_hole(generation: Path) -> None:
    for place in (0, HOLE // 2, HOLE - 1):
        with (generation / "index" / "default" / "page.dat").open("r+b") as file:
            file.seek(place)
            before = file.read(1)
            file.seek(place)
            file.write(b"x")
            file.flush()
            assert said(generation) == [
                "index/default/page.dat has other content than when it was published"
            ]
            file.seek(place)
            file.write(before)
    assert said(generation) == []


def test_bytes_that_moved_by_a_block_are_a_change(tmp_path: Path) -> None:
    block = 1 << 16
    root = tmp_path / "1"
    root.mkdir()
    (root / "a").write_bytes(b"x" * block + bytes(block))
    write_checksums(root)
    (root / "a").write_bytes(bytes(block) + b"x" * block)
    assert said(root) == ["a has other content than when it was published"]


def test_lost_and_cut_off_files_are_seen_without_reading_any(generation: Path) -> None:
    (generation / "quarantine.jsonl").unlink()
    os.truncate(generation / "index" / "default" / "page.dat", 4096)
    expected = [
        "index/default/page.dat is damaged: 4,096 bytes, 1,048,576 expected",
        "quarantine.jsonl is missing",
    ]
    assert [str(d) for d in cut_off_files(generation)] == expected
    assert said(generation) == expected


def test_a_copy_without_holes_is_the_same(generation: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(generation, tmp_path / "copy"))
    page = copy / "index" / "default" / "page.dat"
    page.write_bytes(page.read_bytes())
    assert changed_files(copy) == []


def test_what_the_engine_writes_in_passing_does_not_count(generation: Path) -> None:
    passing = generation / "index" / "default" / ".atomicwriteAb12"
    passing.mkdir()
    (passing / "page.dat").write_text("half")
    write_checksums(generation)
    shutil.rmtree(passing)
    assert changed_files(generation) == []


def test_a_generation_of_an_earlier_version_has_no_checksums(generation: Path) -> None:
    (generation / "checksums.json").unlink()
    assert changed_files(generation) is None
    assert cut_off_files(generation) == []


def test_damaged_checksums_are_said(generation: Path) -> None:
    (generation / "checksums.json").write_text('{"files": 1}')
    with pytest.raises(StoreBroken, match=r"checksums\.json is damaged"):
        changed_files(generation)
