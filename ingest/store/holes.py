"""Files that are mostly holes, as those of an index are: only what was written is read or copied."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path

BLOCK = 1 << 16
"""Bytes that are read, compared and copied at once."""
_EMPTY = bytes(BLOCK)


def filled_blocks(descriptor: int) -> Iterator[tuple[int, bytes]]:
    """Offset and bytes of each block of 64 KiB that is not all zeros, ascending."""
    for start in _outside_holes(descriptor):
        block = os.pread(descriptor, BLOCK, start)
        if block != _EMPTY[: len(block)]:
            yield start, block


def copy_with_holes(source: str | Path, target: str | Path) -> None:
    """Copies the content of a file; what is all zeros becomes a hole."""
    with Path(source).open("rb", buffering=0) as reader, Path(target).open("wb") as writer:
        for start, block in filled_blocks(reader.fileno()):
            writer.seek(start)
            writer.write(block)
        writer.truncate(os.fstat(reader.fileno()).st_size)


def _outside_holes(descriptor: int) -> Iterator[int]:
    start, size = 0, os.fstat(descriptor).st_size
    while start < size:
        try:
            data = os.lseek(descriptor, start, os.SEEK_DATA)
        except OSError as error:
            if error.errno == errno.ENXIO:  # only a hole is left
                return
            raise
        start = max(start, data - data % BLOCK)
        end = os.lseek(descriptor, data, os.SEEK_HOLE)
        yield from (blocks := range(start, end, BLOCK))
        start = blocks[-1] + BLOCK
