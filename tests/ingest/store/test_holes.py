"""Files with holes: `BLOCK` is 64 KiB, a file system's own block 4 KiB or more."""

import os
from pathlib import Path

import pytest

from ingest.store.holes import BLOCK, copy_with_holes, filled_blocks

MEGABYTE = 1 << 20


def with_hole(path: Path, *, before: bytes = b"", after: bytes = b"") -> Path:
    """A file of 32 MB and more that is filled only at its ends."""
    with path.open("wb") as file:
        file.write(before)
        file.seek(32 * MEGABYTE)
        file.write(after)
        file.truncate()
    return path


@pytest.mark.parametrize("before", [b"", b"head", b"h" * (BLOCK + 1)])
@pytest.mark.parametrize("after", [b"", b"tail", b"t" * BLOCK + b"end"])
def test_a_copy_has_the_same_bytes_and_keeps_the_holes(
    tmp_path: Path, before: bytes, after: bytes
) -> None:
    source = with_hole(tmp_path / "page", before=before, after=after)
    copy_with_holes(source, tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == source.read_bytes()
    assert (tmp_path / "copy").stat().st_blocks * 512 <= 4 * BLOCK


@pytest.mark.parametrize("content", [b"", b"x", bytes(10), b"a" * (3 * BLOCK)])
def test_a_file_without_holes_is_copied_whole(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "file").write_bytes(content)
    copy_with_holes(tmp_path / "file", tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == content


def test_only_blocks_that_hold_something_are_read(tmp_path: Path) -> None:
    path = with_hole(tmp_path / "page", before=b"head", after=bytes(BLOCK) + b"tail")
    descriptor = os.open(path, os.O_RDONLY)
    try:
        found = [(start, block.strip(b"\0")) for start, block in filled_blocks(descriptor)]
    finally:
        os.close(descriptor)
    assert found == [(0, b"head"), (32 * MEGABYTE + BLOCK, b"tail")]
