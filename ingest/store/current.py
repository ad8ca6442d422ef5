"""The file `CURRENT` of a data directory: it names the live generation."""

from __future__ import annotations

import os
from pathlib import Path

from ingest.store.errors import StoreBroken, StoreError

CURRENT = "CURRENT"
_MAX_DIGITS = 10


def read_current(data_dir: Path) -> int | None:
    """The revision it names; None where there is no such file. Raises `StoreBroken`, without a
    way out, when it cannot be read or names none."""
    path = data_dir / CURRENT
    try:
        text = path.read_text(encoding="utf-8").strip()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except IsADirectoryError as error:
        raise StoreBroken(f"{path} is a directory; it must be a file") from error
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise StoreBroken(f"{path} cannot be read: {reason}") from error
    if not (text.isascii() and text.isdigit() and len(text) < _MAX_DIGITS):
        says = f"it says {text[:40]!r}" if text else "it is empty"
        raise StoreBroken(f"{path} is damaged: {says}")
    return int(text)


def write_current(data_dir: Path, revision: int) -> None:
    """Atomic, and durable when it returns. Raises `StoreError` as `clear_way` does."""
    clear_way(data_dir)
    draft = data_dir / f"{CURRENT}.new"
    with draft.open("w", encoding="utf-8") as file:
        file.write(f"{revision}\n")
        file.flush()
        os.fsync(file.fileno())
    draft.replace(data_dir / CURRENT)
    sync_directory(data_dir)


def clear_way(data_dir: Path) -> None:
    """Removes an empty directory in its place. Raises `StoreError` when something is in it: that
    is not ours."""
    path = data_dir / CURRENT
    if not path.is_dir() or path.is_symlink():
        return
    try:
        path.rmdir()
    except OSError as error:
        raise StoreError(
            f"{path} is a directory ({error.strerror}); it must be a file",
            "move that directory away, then run the same command again",
        ) from error


def sync_tree(root: Path) -> None:
    """fsync every file and directory under `root`."""
    for parent, _, names in os.walk(root):
        for name in names:
            _fsync(Path(parent) / name)
        sync_directory(Path(parent))


def sync_directory(path: Path) -> None:
    _fsync(path)


def _fsync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
