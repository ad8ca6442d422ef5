"""The sample company opened with plain DuckDB and plain readers, without the product."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import docx
import duckdb
import pymupdf
import pytest

ROOT = Path(__file__).resolve().parents[2] / "eval_data"
TABLES = ROOT / "company" / "tables"
DOCUMENTS = ROOT / "company" / "documents"

Query = Callable[[str], list[tuple[Any, ...]]]


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def query() -> Query:
    """Runs SQL over all CSV files; every column is read as its text looks, codes as text."""
    connection = duckdb.connect()
    for path in TABLES.glob("*.csv"):
        header = path.read_text(encoding="utf-8").split("\n", 1)[0]
        codes = [name for name in ("sku", "jan_code") if name in header.split(",")]
        types = ", ".join(f"'{name}': 'VARCHAR'" for name in codes)
        options = f", types = {{{types}}}" if types else ""
        connection.execute(
            f"CREATE TABLE {path.stem} AS "
            f"SELECT * FROM read_csv('{path}', header = true, sample_size = -1{options})"
        )
    return lambda sql: connection.execute(sql).fetchall()


@pytest.fixture(scope="session")
def document_text() -> Callable[[str], str]:
    """The text of a document: a file name of the sample company, or a path of one's own."""

    def read(name: str) -> str:
        path = DOCUMENTS / name
        if path.suffix == ".pdf":
            with pymupdf.open(path) as document:  # type: ignore[no-untyped-call]
                return "\n".join(page.get_text() for page in document)
        if path.suffix == ".docx":
            document = docx.Document(str(path))
            cells = [c.text for t in document.tables for row in t.rows for c in row.cells]
            return "\n".join([p.text for p in document.paragraphs] + cells)
        return path.read_text(encoding="utf-8")

    return read


@pytest.fixture(scope="session")
def golden() -> list[dict[str, Any]]:
    lines = (ROOT / "golden.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]
