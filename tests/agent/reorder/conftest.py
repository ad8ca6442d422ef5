"""A trading company with two warehouses whose proposal can be worked out by hand."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agent.settings import Settings
from ingest.embedders import make_embedder
from ingest.pipeline import run_ingest
from ingest.store import IngestSettings, KnowledgeBaseSettings
from tests.support.desk import Desk, open_desk

FILES = {
    "products.csv": "sku,product_name,category,supplier_code,pack_size\n"
    "LT-1,Lamp,照明,S1,10\nLT-2,Torch,照明,S2,1\nTB-1,Table,家具,S2,4\n",
    "suppliers.csv": "supplier_code,supplier_name,lead_time_days,minimum_order_quantity\n"
    "S1,Lumen,10,20\nS2,Sora,20,5\n",
    "warehouses.csv": "warehouse_code,warehouse_name\nW1,東京倉庫\nW2,大阪倉庫\n",
    "stock_snapshots.csv": "snapshot_date,warehouse_code,sku,on_hand\n"
    "2026-09-30,W1,LT-1,30\n2026-09-30,W2,LT-1,8\n2026-09-30,W1,LT-2,100\n2026-09-30,W1,TB-1,3\n"
    "2026-11-30,W1,LT-1,5\n2026-11-30,W2,LT-1,90\n2026-11-30,W1,LT-2,100\n2026-11-30,W1,TB-1,7\n",
    "purchase_orders.csv": "po_number,order_date,warehouse_code,sku,order_quantity,received_quantity\n"
    "P1,2026-11-20,W1,LT-1,8,5\nP2,2026-11-21,W1,LT-2,10,10\n",
    "rules.md": "# Replenishment policy\n\nThe reorder point is the average of 90 days times the "
    "lead time plus a safety stock of five days.\n",
}


def sales() -> str:
    """LT-1: one a day in each warehouse over the 90 days to 30 November; TB-1: 9 in all, each
    tenth day; LT-2: nothing."""
    lines = ["sale_id,sale_date,warehouse_code,sku,quantity,amount"]
    days = [f"2026-09-{d:02}" for d in range(2, 31)]
    days += [f"2026-10-{d:02}" for d in range(1, 32)] + [f"2026-11-{d:02}" for d in range(1, 31)]
    for n, day in enumerate(days):
        lines += [f"{n}1,{day},{w},LT-1,1,100" for w in ("W1", "W2")]
        lines += [f"{n}2,{day},W1,TB-1,1,500"] if n % 10 == 0 else []
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="session")
def trader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("trader")
    for name, text in {**FILES, "sales.csv": sales()}.items():
        (root / name).write_text(text, encoding="utf-8")
    data_dir = tmp_path_factory.mktemp("trader_store") / "data"
    run_ingest(data_dir, [root], settings=IngestSettings(), embedder=make_embedder("seeded"))
    return data_dir


@pytest.fixture(scope="session")
def trade(trader: Path) -> Iterator[Desk]:
    settings = Settings(kb={"default": KnowledgeBaseSettings(threshold=0.0)})
    desk = open_desk(trader, settings)
    yield desk
    desk.agent.close()


@pytest.fixture
def edited(trader: Path) -> Iterator[Callable[[str], Desk]]:
    """The same company with a `catalog.yaml` of one's own, which is removed afterwards."""
    desks: list[Desk] = []
    path = trader / "catalog.yaml"

    def run(text: str) -> Desk:
        path.write_text(text, encoding="utf-8")
        settings = Settings(kb={"default": KnowledgeBaseSettings(threshold=0.0)})
        desks.append(open_desk(trader, settings))
        return desks[-1]

    yield run
    for desk in desks:
        desk.agent.close()
    path.unlink(missing_ok=True)
