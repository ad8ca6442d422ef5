"""Opens the warehouse of a generation."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

_SMALL = 16 << 20
_LEAST, _SHARE = 150 << 20, 1.65


def open_duckdb(path: Path, *, read_only: bool = False) -> duckdb.DuckDBPyConnection:
    """DuckDB draws a progress bar on stdout for what takes long; stdout is for results."""
    connection = duckdb.connect(str(path), read_only=read_only)
    connection.execute("SET enable_progress_bar = false")
    return connection


@contextmanager
def bounded_memory(connection: duckdb.DuckDBPyConnection, size: int) -> Iterator[None]:
    """While a file of `size` bytes is read, what does not fit a multiple of its size goes to
    disk, beside the warehouse. Small files are let alone."""
    if size < _SMALL:
        yield
        return
    usual = connection.execute("SELECT current_setting('memory_limit')").fetchone()
    limit = max(_LEAST, int(size * _SHARE))
    connection.execute(f"SET memory_limit = '{limit >> 10}KiB'")
    try:
        yield
    finally:
        if usual is not None:
            connection.execute(f"SET memory_limit = '{usual[0]}'")
