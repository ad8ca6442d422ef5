"""The proposal for the sample company on 30 November 2026, against figures that were worked out
from its CSV files with `csv` and `statistics` alone: demand of the 90 days from 2 September, lead
times and minimums of the suppliers, what orders that are not `received` still have to bring."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.embedders import make_embedder
from ingest.pipeline import run_ingest
from ingest.store import IngestSettings
from tests.support.desk import Desk, open_desk

pytestmark = pytest.mark.slow

TABLES = Path(__file__).parents[3] / "eval_data" / "company" / "tables"
USED = ("products", "suppliers", "categories", "warehouses", "sales", "stock_snapshots")
# By service level 95% and 30 days more.
PROPOSED = {
    ("CS-0300", "W01"): 100, ("ST-0400", "W01"): 40,
    ("CS-0101", "W02"): 150, ("CS-0300", "W02"): 50, ("HN-0210", "W02"): 60, ("HN-0450", "W02"): 42,
    ("00151", "W03"): 80, ("CS-0300", "W03"): 50, ("CS-0301", "W03"): 40, ("HN-0210", "W03"): 40,
    ("XR-6100", "W03"): 24, ("XR-CH18", "W03"): 24,
    ("00150", "W04"): 80, ("CS-0300", "W04"): 50, ("KT-4001", "W04"): 36,
}  # fmt: skip
# As the company's policy for 2026 has it: safety stock of 12, 8 and 5 days by rank.
BY_RANK = {("00150", "W04"): 80, ("XR-6100", "W03"): 24, ("XR-CH18", "W03"): 24}
POLICY = """replenishment:
  terms: >
    SELECT p.sku, s.lead_time_days, s.minimum_order_quantity AS minimum_quantity, p.pack_size,
    CASE p.abc_rank WHEN 'A' THEN 12 WHEN 'B' THEN 8 ELSE 5 END AS safety_days
    FROM products p JOIN suppliers s USING (supplier_code) WHERE p.status = 'active'
"""


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("sample") / "data"
    files = [TABLES / f"{name}.csv" for name in (*USED, "purchase_orders")]
    run_ingest(found, files, settings=IngestSettings(), embedder=make_embedder("seeded"))
    return found


@pytest.fixture
def sample(data_dir: Path) -> Iterator[Desk]:
    desk = open_desk(data_dir)
    yield desk
    desk.agent.close()


def proposed(desk: Desk, question: str) -> dict[tuple[object, object], object]:
    (made,) = [e for e in desk.ask(question).evidence if e.kind == "calculation"]
    names = [c.name for c in made.columns]
    at = [names.index(n) for n in ("sku", "warehouse_code", "proposed_quantity")]
    return {(row[at[0]], row[at[1]]): row[at[2]] for row in made.rows}


def test_each_warehouse_gets_what_was_worked_out_by_hand(sample: Desk) -> None:
    assert proposed(sample, "何を発注すべきですか？") == PROPOSED


def test_one_warehouse_by_its_name_in_another_script(sample: Desk) -> None:
    own = {key: quantity for key, quantity in PROPOSED.items() if key[1] == "W02"}
    assert proposed(sample, "What should we reorder for the Osaka warehouse?") == own


def test_one_supplier(sample: Desk) -> None:
    """Of the SKUs above S01 delivers these two."""
    own = {key: q for key, q in PROPOSED.items() if key[0] in ("XR-6100", "XR-CH18")}
    assert proposed(sample, "供应商S01的补货建议") == own


def test_the_policy_of_the_documents_put_into_the_catalog(data_dir: Path) -> None:
    path = data_dir / "catalog.yaml"
    path.write_text(POLICY, encoding="utf-8")
    desk = open_desk(data_dir)
    try:
        assert proposed(desk, "What should we reorder?") == BY_RANK
    finally:
        desk.agent.close()
        path.unlink()
