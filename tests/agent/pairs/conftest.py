from collections.abc import Callable
from pathlib import Path

import pytest

from agent.pairs import PairLibrary
from ingest.embedders import make_embedder
from ingest.pipeline import run_ingest
from ingest.store import IngestSettings, Store
from tests.support.copies import copied
from tools.sql.tool import SqlTool

SALES = "sold_on,warehouse,sku,quantity\n" + "".join(
    f"2026-{month:02d}-15,{place},A-{month},{month}\n"
    for month in range(1, 12)
    for place in ("東京倉庫", "大阪倉庫")
)
Company = Callable[..., Path]
Open = Callable[..., PairLibrary]


def ingest_sales(root: Path, text: str) -> Path:
    source = root / "files"
    source.mkdir(exist_ok=True)
    (source / "sales.csv").write_text(text, encoding="utf-8")
    embedder = make_embedder("seeded")
    run_ingest(root / "data", [source], settings=IngestSettings(), embedder=embedder)
    return root / "data"


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first generation of every test; to be copied, not changed."""
    return ingest_sales(tmp_path_factory.mktemp("pairs"), SALES)


@pytest.fixture
def company(published: Path, tmp_path: Path) -> Company:
    """A copy of the ingested `SALES`; with a text, sales.csv is ingested here, also once more."""

    def build(text: str | None = None) -> Path:
        data_dir = tmp_path / "data"
        if text is None:
            return data_dir if data_dir.exists() else copied(published, data_dir)
        return ingest_sales(tmp_path, text)

    return build


@pytest.fixture
def library(company: Company, request: pytest.FixtureRequest) -> Open:
    """The pairs over the live generation; all stores and workers end with the test."""
    tool = SqlTool()
    request.addfinalizer(tool.close)

    def build(data_dir: Path | None = None) -> PairLibrary:
        path = data_dir or company()
        store = Store.open(path, embedder=make_embedder("seeded"))
        request.addfinalizer(store.close)
        return PairLibrary(path, store, tool.bind)

    return build
