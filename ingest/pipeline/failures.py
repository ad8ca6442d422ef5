"""What stops one file, and what stops the run."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from ingest.scan import printable
from ingest.store.errors import IngestError, StoreBroken, StoreError
from ingest.store.records import Failure

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)
_UNCHANGED = "what was ingested before is unchanged"


def failure_of(path: Path, error: Exception) -> Failure:
    """One line for the report: what happened, and the next step where it is known."""
    if isinstance(error, IngestError):
        reason = f"{error.message} ({error.hint})" if error.hint else error.message
    elif isinstance(error, OSError):
        reason = f"cannot be read: {error.strerror or error}"
    else:
        reason = f"cannot be read: {_first_line(error)}"
    return Failure(path=printable(path), reason=reason)


def is_of_the_disk(error: Exception) -> bool:
    """True when the run's own disk failed, not the file that was being read."""
    if isinstance(error, OSError):
        return error.errno in (*_FULL, errno.EROFS, errno.EIO)
    return isinstance(error, duckdb.IOException | duckdb.FatalException | duckdb.InternalException)


@contextmanager
def broken_parts() -> Iterator[None]:
    """A part that breaks while it is built is not a broken store."""
    try:
        yield
    except StoreBroken as error:
        raise StoreError(
            f"the new generation could not be built: {error.message}; {_UNCHANGED}",
            "check the free space and run the same command again; "
            "if it stays so: zaiko rollback, then ingest again",
        ) from error


@contextmanager
def disk_errors(data_dir: Path) -> Iterator[None]:
    """Errors of the disk under the data directory become a `StoreError` with a next step."""
    try:
        yield
    except OSError as error:
        raise StoreError(
            f"cannot write to {error.filename or data_dir}: {error.strerror or error}; {_UNCHANGED}",
            _hint(error),
        ) from error
    except duckdb.Error as error:
        raise StoreError(
            f"cannot write the tables: {_first_line(error)}; {_UNCHANGED}",
            "check the free space and the permissions of the data directory",
        ) from error


def _hint(error: OSError) -> str:
    if error.errno in _FULL:
        return "free some space on that disk, then run the same command again"
    if error.errno in _FORBIDDEN:
        return "check its permissions, or name another directory with --data-dir"
    return "check the disk, then run the same command again"


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n", 1)[0]
