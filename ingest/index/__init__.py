"""Vector indexes: `edge` (in process, a directory), `server` (a Qdrant server or cluster)."""

import os
import shutil
from pathlib import Path

from ingest.index.base import VectorIndex
from ingest.store.errors import StoreError

BLOCK = 1 << 16

__all__ = ["VectorIndex", "copy_index", "create_index", "open_index"]


def create_index(kind: str, path: Path, dimension: int) -> VectorIndex:
    """A new, empty, writable index in a directory that does not exist yet or is empty."""
    _check(kind)
    from ingest.index.edge import EdgeIndex  # noqa: PLC0415

    return EdgeIndex.create(path, dimension)


def open_index(kind: str, path: Path, *, read_only: bool = True) -> VectorIndex:
    """Raises `StoreMissing` when there is none, `StoreBroken` when it is damaged."""
    _check(kind)
    from ingest.index.edge import EdgeIndex  # noqa: PLC0415

    return EdgeIndex.open(path, read_only=read_only)


def copy_index(source: Path, target: Path) -> None:
    """Copies an index that its writer has closed, also while readers have it open.

    Opening an index rewrites small files with the same content through `.atomicwrite…`
    directories, which come and go under a copy's feet. The engine's files are mostly holes
    (108 MB of zeros for a small index), and stay so.
    """
    passing = shutil.ignore_patterns(".atomicwrite*")
    shutil.copytree(source, target, ignore=passing, copy_function=_copy_with_holes)


def _copy_with_holes(source: str, target: str) -> None:
    empty = bytes(BLOCK)
    with Path(source).open("rb") as reader, Path(target).open("wb") as writer:
        while block := reader.read(BLOCK):
            if block == empty[: len(block)]:
                writer.seek(len(block), os.SEEK_CUR)
            else:
                writer.write(block)
        writer.truncate()


def _check(kind: str) -> None:
    if kind != "edge":
        raise StoreError(
            f"The vector index {kind!r} is not available for a directory.", "Set `index` to edge."
        )
