from collections.abc import Callable
from pathlib import Path

import pytest

from agent.pairs import PairLibrary
from ingest.embedders import make_embedder
from ingest.pipeline import run_ingest
from ingest.store import IngestSettings, Store
from tools.sql.tool import SqlTool

SALES = "sold_on,warehouse,sku,quantity\n" + "".join(
    f"2026-{month:02d}-15,{place},A-{month},{month}\n"
    for month in range(1, 12)
    for place in ("東京倉庫", "大阪倉庫")
)
Company = Callable[..., Path]
Open = Callable[..., PairLibrary]


@pytest.fixture
def company(tmp_path: Path) -> Company:
    """Writes sales.csv and ingests it; again with another text, it is another generation."""

    def build(text: str = SALES) -> Path:
        source = tmp_path / "files"
        source.mkdir(exist_ok=True)
        (source / "sales.csv").write_text(text, encoding="utf-8")
        embedder = make_embedder("seeded")
        run_ingest(tmp_path / "data", [source], settings=IngestSettings(), embedder=embedder)
        return tmp_path / "data"

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
