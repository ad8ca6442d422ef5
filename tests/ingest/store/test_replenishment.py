"""The sources of a reorder proposal and its policy, as a person says them in `catalog.yaml`."""

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

from ingest.store.errors import StoreBroken
from ingest.store.overlay import overlay_edits
from ingest.store.records import (
    Catalog,
    ColumnRecord,
    ReplenishmentRecord,
    SourceRecord,
    TableRecord,
)
from ingest.store.replenishment import without_tables


def table(name: str, **types: str) -> TableRecord:
    columns = tuple(ColumnRecord(name=n, type=t, original=n) for n, t in types.items())
    return TableRecord(name=name, source=f"{name}.csv", rows=4, columns=columns)


STOCK = SourceRecord(
    sql="SELECT sku, warehouse_code, on_hand FROM stock",
    tables=("stock",),
    columns=("sku", "warehouse_code", "on_hand"),
)
CATALOG = Catalog(
    tables=(
        table("stock", sku="VARCHAR", warehouse_code="VARCHAR", on_hand="BIGINT"),
        table("sales", sku="VARCHAR", sold_on="DATE", pieces="BIGINT"),
        table("items", sku="VARCHAR", days="BIGINT"),
    ),
    replenishment=ReplenishmentRecord(
        on_hand=STOCK, by=("warehouse_code",), leaves_out=("discontinued",)
    ),
)
Overlay = Callable[[str], ReplenishmentRecord]
TERMS = "SELECT sku, days AS lead_time_days FROM items"


@pytest.fixture
def overlay(tmp_path: Path) -> Overlay:
    def run(lines: str) -> ReplenishmentRecord:
        path = tmp_path / "catalog.yaml"
        path.write_text(f"replenishment:\n  {lines}\n", encoding="utf-8")
        return overlay_edits(CATALOG, path).replenishment

    return run


def test_sources_of_ones_own_are_bound_and_know_their_tables_and_columns(overlay: Overlay) -> None:
    found = overlay(f"terms: {TERMS}")
    assert found.terms == SourceRecord(
        sql=TERMS, tables=("items",), columns=("sku", "lead_time_days"), drafted=False
    )
    assert found.on_hand == STOCK
    # What the drafted terms left out, these may not.
    assert found.leaves_out == ()


def test_the_policy_is_kept_exactly(overlay: Overlay) -> None:
    found = overlay("service_level: 0.98\n  cover_days: 14\n  safety_days: 8\n  demand_days: 60")
    assert (found.service_level, found.safety_days) == (Decimal("0.98"), Decimal(8))
    assert (found.cover_days, found.demand_days) == (14, 60)


def test_a_drafted_source_may_be_taken_away(overlay: Overlay) -> None:
    assert overlay("on_hand: null").on_hand is None


def test_a_source_that_does_not_tell_the_place_ends_the_drafted_proposal_by_place(
    overlay: Overlay,
) -> None:
    demand = "SELECT sku, sold_on AS day, pieces AS quantity FROM sales"
    assert overlay("cover_days: 7").by == ("warehouse_code",)
    assert overlay(f"demand: {demand}").by == ()


@pytest.mark.parametrize(
    ("lines", "line", "said"),
    [
        ("terms: SELECT sku FROM items", 2, "'terms' has no column lead_time_days; it has sku"),
        ("cover_days: 7\n  terms: SELECT sku, lead FROM items", 3, "'terms' does not bind"),
        ("demand: DELETE FROM sales", 2, "write one SELECT"),
        ("service_level: 1.5", 2, "service_level"),
        ("demand_days: 1", 2, "demand_days"),
        ("lead_time: 3", 2, "unknown key 'lead_time'"),
        ("cover_days: 7\n  by: [shelf]", 3, "'shelf' is no column"),
    ],
)
def test_what_cannot_be_used_names_its_line(
    lines: str, line: int, said: str, overlay: Overlay
) -> None:
    with pytest.raises(StoreBroken) as error:
        overlay(lines)
    assert f", line {line}: " in error.value.message
    assert said in error.value.message


def test_a_source_that_reads_a_hidden_table_is_hidden_with_it() -> None:
    assert without_tables(CATALOG.replenishment, {"stock"}).on_hand is None
    assert without_tables(CATALOG.replenishment, {"items"}).on_hand == STOCK
