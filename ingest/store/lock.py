"""Locks: one writer a data directory; readers lease the generation they opened.

The writer holds `writer.lock`; `writer.json` beside it says who that is. A lease is a shared
`flock` on a generation's manifest: it needs no write permission, and the kernel drops it when
the reader dies, however it dies.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from ingest.store.errors import StoreError, StoreLocked
from ingest.store.manifest import MANIFEST

LOCK = "writer.lock"
HOLDER = "writer.json"


@contextmanager
def writer_lock(data_dir: Path, wait_s: float) -> Iterator[None]:
    """Hold the one writer's lock of a data directory, which must exist.

    Raises `StoreLocked`, naming the holder, when another writer still has it after `wait_s`
    seconds; `StoreError` when the directory cannot be written.
    """
    lock = FileLock(str(data_dir / LOCK), timeout=wait_s, thread_local=False)
    try:
        lock.acquire(poll_interval=0.05)
    except Timeout as error:
        raise StoreLocked(
            f"another writer is at work on {data_dir}{_holder(data_dir)}",
            "wait until it has finished, then run the same command again",
        ) from error
    except OSError as error:
        raise StoreError(
            f"cannot write to {data_dir}: {error.strerror}",
            "check its permissions, or name another directory with --data-dir",
        ) from error
    try:
        with suppress(OSError):
            _sign(data_dir)
        yield
    finally:
        with suppress(OSError):
            (data_dir / HOLDER).unlink()
        lock.release()


def _sign(data_dir: Path) -> None:
    command = " ".join([Path(sys.argv[0]).name, *sys.argv[1:]])
    since = datetime.now(UTC).astimezone().isoformat(timespec="seconds")
    text = json.dumps({"pid": os.getpid(), "since": since, "command": command}, ensure_ascii=False)
    draft = data_dir / f"{HOLDER}.new"
    # An argument may be a file name that is no UTF-8.
    draft.write_text(text + "\n", encoding="utf-8", errors="backslashreplace")
    draft.replace(data_dir / HOLDER)


def _holder(data_dir: Path) -> str:
    try:
        said = json.loads((data_dir / HOLDER).read_text(encoding="utf-8"))
        return f": process {said['pid']} since {said['since']} ({said['command']})"
    except (OSError, ValueError, KeyError, TypeError):
        return ""


class Lease:
    """A reader's hold on one generation; the generation is not removed while it is held."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor: int | None = descriptor

    @classmethod
    def take(cls, generation: Path) -> Lease | None:
        """None when the generation is gone or is just being removed."""
        path = generation / MANIFEST
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except (FileNotFoundError, NotADirectoryError):
            return None
        if _flock(descriptor, fcntl.LOCK_SH) and _is_file_at(descriptor, path):
            return cls(descriptor)
        os.close(descriptor)
        return None

    def release(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


@contextmanager
def sole_use(generation: Path) -> Iterator[bool]:
    """True when no reader has leased the generation; none can while the block runs."""
    try:
        descriptor = os.open(generation / MANIFEST, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        yield True
        return
    try:
        yield _flock(descriptor, fcntl.LOCK_EX)
    finally:
        os.close(descriptor)


def _flock(descriptor: int, mode: int) -> bool:
    try:
        fcntl.flock(descriptor, mode | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EAGAIN, errno.EACCES):
            return False
        # A file system without locks: read without a lease, and never count as sole user.
        return mode == fcntl.LOCK_SH
    return True


def _is_file_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except OSError:
        return False
