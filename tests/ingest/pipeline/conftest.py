import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import duckdb
import pytest

from ingest.embedders import Vectors, make_embedder
from ingest.embedders.seeded import SeededEmbedder
from ingest.pipeline import run_ingest
from ingest.report import IngestReport
from ingest.store import IngestSettings, Store

STOCK = "sku,warehouse,quantity\nXR-4200,Osaka,12\n0012,Tokyo,7\nZ-9,Osaka,0\n"
RETURNS = """---
title: 返品規程
status: current
date: 2026-04-01
---
# 返品規程

お客様は商品到着後30日以内であれば返品できます。送料は当社が負担します。
"""
SUPPLIER = """# Supplier agreement Okada

Okada delivers within 14 days. The minimum order quantity is 200 pieces of XR-4200.
"""


class CountingEmbedder(SeededEmbedder):
    """Counts the passages it embeds."""

    passages = 0

    def _embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.passages += len(texts)
        return super()._embed_passages(texts)


@pytest.fixture
def embedder() -> CountingEmbedder:
    return CountingEmbedder()


@pytest.fixture
def company(tmp_path: Path) -> Path:
    """One table of 3 rows, two documents of one passage each."""
    root = tmp_path / "company"
    (root / "rules").mkdir(parents=True)
    (root / "stock.csv").write_text(STOCK, encoding="utf-8")
    (root / "rules" / "returns.md").write_text(RETURNS, encoding="utf-8")
    (root / "rules" / "okada.md").write_text(SUPPLIER, encoding="utf-8")
    return root


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def ingest(data_dir: Path, embedder: CountingEmbedder) -> Callable[..., IngestReport]:
    def run(*paths: Path, **options: object) -> IngestReport:
        given = {"settings": IngestSettings(lock_wait_s=0.1), "embedder": embedder, **options}
        return run_ingest(data_dir, paths, **given)  # type: ignore[arg-type]

    return run


@pytest.fixture
def opened(data_dir: Path) -> Iterator[Callable[[], Store]]:
    stores: list[Store] = []

    def open_store() -> Store:
        stores.append(Store.open(data_dir, embedder=make_embedder("seeded")))
        return stores[-1]

    yield open_store
    for store in stores:
        store.close()


@pytest.fixture
def contents(opened: Callable[[], Store]) -> Callable[[], dict[str, object]]:
    """What a fresh reader finds: rows of every table, passages and sources of every document."""

    def look() -> dict[str, object]:
        with opened() as store:
            return {
                "tables": table_rows(store),
                "documents": sorted((d.source, d.chunks) for d in store.documents()),
                "found": {kb.name: found(store, kb.name) for kb in store.knowledge_bases()},
            }

    return look


def table_rows(store: Store) -> dict[str, list[tuple[object, ...]]]:
    if store.warehouse is None:
        return {}
    with duckdb.connect(str(store.warehouse), read_only=True) as connection:
        names = [row[0] for row in connection.execute("SHOW TABLES").fetchall()]
        return {n: connection.execute(f'SELECT * FROM "{n}"').fetchall() for n in names}


def found(store: Store, kb: str) -> list[str]:
    """The source of every passage, through a search that wants them all."""
    hits = store.search(kb, "返品 supplier Okada 規程 agreement")
    return sorted(hit.chunk.source for hit in hits)


@pytest.fixture
def python_path() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
