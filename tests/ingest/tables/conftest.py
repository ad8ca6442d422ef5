"""Helpers: a connection in memory, and a file of text or bytes imported into it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ingest.store.records import TableRecord
from ingest.store.settings import IngestSettings
from ingest.tables import TableImport, drop_tables, import_tables

Importer = Callable[..., TableImport]


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        yield opened


@pytest.fixture
def take(connection: duckdb.DuckDBPyConnection, tmp_path: Path) -> Importer:
    """`take("a,b\\n1,2\\n", name=…, share=…, taken=…)` writes the file and imports it."""

    def run(
        content: str | bytes, name: str = "sales.csv", share: float = 0.01, taken: Any = ()
    ) -> TableImport:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        settings = IngestSettings(max_quarantine_share=share)
        return import_tables(connection, path, name, settings, taken)

    return run


@pytest.fixture
def column(take: Importer, connection: duckdb.DuckDBPyConnection) -> Callable[..., tuple[str, Any]]:
    """The type and the values that a column of these cells gets."""

    def run(*cells: str, header: str = "x", share: float = 0.01) -> tuple[str, list[Any]]:
        rows = "".join(f'{i};"{cell}"\n' for i, cell in enumerate(cells, 1))
        result = take(f"row_id;{header}\n{rows}", share=share)
        table: TableRecord = result.tables[0]
        name = table.columns[1].name
        values = connection.execute(f'SELECT "{name}" FROM "{table.name}" ORDER BY row_id')
        found = [row[0] for row in values.fetchall()]
        drop_tables(connection, [table.name])
        return table.columns[1].type, found

    return run
