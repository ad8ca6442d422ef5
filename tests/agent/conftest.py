import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agent.settings import Settings
from ingest.embedders import make_embedder
from ingest.pipeline import run_ingest
from ingest.store import IngestSettings, KnowledgeBaseSettings
from tests.support.copies import copied
from tests.support.desk import Desk, open_desk

STOCK = """as_of,sku,warehouse,quantity
2026-11-30,XR-4200,Osaka,12
2026-11-30,XR-4200,Tokyo,7
2026-11-30,0012,Osaka,0
2026-11-30,Z-9,Nagoya,40
"""
PRODUCTS = """sku,name,price
XR-4200,Desk lamp,1200.50
0012,Green tea,80.00
Z-9,Mug,450.25
"""
RETURNS = """# Return policy

Customers may return goods within 30 days of delivery. The company pays the shipping.
"""
DELIVERY = """# 配送規程

大阪倉庫からの配送は2営業日以内に行います。
"""


def sales() -> str:
    """150 sales, one a day from 2026-01-01, quantities 1, 2, 3, 4, 5, 1, …; one unreadable."""
    lines = ["sale_id,sku,quantity,note"]
    for n in range(1, 151):
        quantity = "about 3" if n == 150 else str((n - 1) % 5 + 1)
        lines.append(f"{n},{('XR-4200', '0012', 'Z-9')[n % 3]},{quantity},EU")
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="session")
def company(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory with three tables and two documents; to be copied, not changed."""
    root = tmp_path_factory.mktemp("company")
    files = {
        "stock.csv": STOCK, "products.csv": PRODUCTS, "sales.csv": sales(),
        "returns.md": RETURNS, "delivery.md": DELIVERY,
    }  # fmt: skip
    for name, content in files.items():
        (root / name).write_text(content, encoding="utf-8")
    data_dir = tmp_path_factory.mktemp("store") / "data"
    embedder = make_embedder("seeded")
    run_ingest(data_dir, [root], settings=IngestSettings(), embedder=embedder)
    return data_dir


@pytest.fixture
def data_dir(company: Path, tmp_path: Path) -> Path:
    """A copy of one's own."""
    return copied(company, tmp_path / "data")


@pytest.fixture(scope="session")
def settings() -> Settings:
    """Every passage counts as found: the seeded embedder says nothing of relevance."""
    return Settings(kb={"default": KnowledgeBaseSettings(threshold=0.0)})


@pytest.fixture(scope="session")
def shared_desk(
    company: Path, settings: Settings, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Desk]:
    copy = copied(company, tmp_path_factory.mktemp("shared") / "data")
    desk = open_desk(copy, settings)
    yield desk
    desk.agent.close()


@pytest.fixture
def desk(shared_desk: Desk, settings: Settings) -> Desk:
    """One agent for many tests; each asks in threads of its own."""
    shared_desk.clock.seconds = 1000.0
    shared_desk.agent.settings = settings
    return shared_desk


@pytest.fixture
def opened(data_dir: Path, settings: Settings) -> Iterator[Callable[..., Desk]]:
    """Opens agents over the test's own data directory; all are closed at its end."""
    desks: list[Desk] = []

    def open_one(*, settings: Settings = settings, **options: Any) -> Desk:
        desks.append(open_desk(data_dir, settings, **options))
        return desks[-1]

    yield open_one
    for one in desks:
        one.agent.close()


@pytest.fixture(scope="session")
def python_path() -> dict[str, str]:
    """The environment of a child process that imports the project."""
    return {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
