"""Opens the warehouse of a generation."""

from __future__ import annotations

from pathlib import Path

import duckdb


def open_duckdb(path: Path, *, read_only: bool = False) -> duckdb.DuckDBPyConnection:
    """DuckDB draws a progress bar on stdout for what takes long; stdout is for results."""
    connection = duckdb.connect(str(path), read_only=read_only)
    connection.execute("SET enable_progress_bar = false")
    return connection
