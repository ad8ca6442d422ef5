from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pytest

from ingest.store.records import TableRecord
from ingest.store.settings import IngestSettings
from ingest.tables import import_tables


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        yield opened


@pytest.fixture
def tables(
    connection: duckdb.DuckDBPyConnection, tmp_path: Path
) -> Callable[..., list[TableRecord]]:
    """`tables(orders="id,…\\n…", customers=…)` imports each text as a table of that name."""

    def run(**texts: str) -> list[TableRecord]:
        records: list[TableRecord] = []
        for name, text in texts.items():
            path = tmp_path / f"{name}.csv"
            path.write_text(text, encoding="utf-8")
            records += import_tables(connection, path, path.name, IngestSettings()).tables
        return records

    return run
