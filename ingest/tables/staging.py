"""Rows of text on their way into DuckDB: a clean UTF-8 file, then a temporary table of VARCHAR."""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

STAGE = "zaiko_stage"
"""Columns: `n` (source row, 1-based) and `c0`, `c1`, … (text, NULL where blank)."""
TYPED = "zaiko_typed"
"""The stage with two more columns for each column that `Body.kinds` names: `k3` is the value of a
cell that is written as its type is, `x3` the text of every other cell."""

_SLACK = 64 * 1024


@contextmanager
def staged(
    connection: duckdb.DuckDBPyConnection, rows: Iterable[tuple[int, list[str]]], width: int
) -> Iterator[int]:
    """Fills the stage with `rows` (each of `width` cells), yields their number, drops it."""
    with tempfile.TemporaryDirectory(prefix="zaiko-") as folder:
        path = Path(folder) / "rows.csv"
        count, longest = _write(path, rows)
        try:
            _load(connection, path, width, longest)
            path.unlink()
            yield count
        finally:
            drop_stage(connection)


def drop_stage(connection: duckdb.DuckDBPyConnection) -> None:
    """The stage is a table, or a view over one."""
    rows = connection.execute(
        "SELECT table_name, table_type FROM information_schema.tables WHERE table_name IN (?, ?)",
        [STAGE, TYPED],
    ).fetchall()
    for name, type_ in rows:
        connection.execute(f"DROP {'VIEW' if type_ == 'VIEW' else 'TABLE'} temp.{name}")


def _write(path: Path, rows: Iterable[tuple[int, list[str]]]) -> tuple[int, int]:
    count, longest = 0, 0
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
        for number, cells in rows:
            longest = max(longest, writer.writerow([number, *cells]))
            count += 1
    return count, longest


def _load(connection: duckdb.DuckDBPyConnection, path: Path, width: int, longest: int) -> None:
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(width))
    cells = ", ".join(f"nullif(c{i}, '') AS c{i}" for i in range(width))
    line = longest * 4 + _SLACK
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE {STAGE} AS SELECT n, {cells} FROM read_csv("
        f"?, columns = {{'n': 'BIGINT', {columns}}}, header = false, auto_detect = false, "
        """delim = ',', quote = '"', escape = '"', new_line = '\\n', encoding = 'utf-8', """
        f"parallel = false, null_padding = false, max_line_size = {max(line, 2_097_152)}, "
        f"buffer_size = {max(line * 2, 8_388_608)})",
        [str(path)],
    )
