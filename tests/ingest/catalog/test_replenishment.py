"""Drafted sources of a reorder proposal: their SQL is run on small tables."""

from collections.abc import Callable, Sequence
from datetime import date
from decimal import Decimal

import duckdb
import pytest

from ingest.catalog import draft_catalog
from ingest.store.metrics import fill_period
from ingest.store.records import ReplenishmentRecord, TableRecord

pytestmark = pytest.mark.slow

Tables = Callable[..., list[TableRecord]]
PRODUCTS = (
    "sku,name,supplier_code,pack_size,status\n"
    "A-1,Lamp,S1,10,active\nB-2,Desk,S2,1,active\nC-3,Sofa,S2,1,discontinued\n"
)
SUPPLIERS = "supplier_code,name,lead_time_days,minimum_order_quantity\nS1,X,14,20\nS2,Y,30,5\n"
SALES = (
    "sale_id,sale_date,warehouse_code,sku,quantity,amount\n"
    "1,2026-11-02,W1,A-1,3,30\n2,2026-11-02,W1,A-1,4,40\n3,2026-11-05,W2,B-2,5,50\n"
    "4,2026-12-09,W2,B-2,5,50\n5,2026-11-11,W1,C-3,1,9\n"
)
STOCK = (
    "snapshot_date,warehouse_code,sku,on_hand\n"
    "2026-10-31,W1,A-1,30\n2026-10-31,W2,A-1,10\n2026-10-31,W1,B-2,7\n"
    "2026-11-30,W1,A-1,20\n2026-11-30,W2,A-1,5\n2026-11-30,W1,B-2,9\n"
    "2026-12-31,W1,A-1,99\n2026-12-31,W2,A-1,99\n2026-12-31,W1,B-2,99\n"
)
ORDERS = (
    "po_number,order_date,warehouse_code,sku,order_quantity,received_quantity,status\n"
    "P1,2026-11-20,W1,A-1,40,30,open\nP2,2026-11-25,W2,B-2,60,60,received\n"
    "P3,2026-11-28,W2,B-2,10,0,cancelled\nP4,2026-12-20,W2,B-2,10,0,open\n"
)
COMPANY = {
    "products": PRODUCTS, "suppliers": SUPPLIERS, "sales": SALES, "stock_snapshots": STOCK,
    "purchase_orders": ORDERS,
}  # fmt: skip


@pytest.fixture
def drafted(
    connection: duckdb.DuckDBPyConnection, tables: Tables
) -> Callable[..., ReplenishmentRecord]:
    return lambda **texts: draft_catalog(connection, tables(**texts)).replenishment


def rows(
    connection: duckdb.DuckDBPyConnection, drafted: ReplenishmentRecord, source: str
) -> Sequence[tuple[object, ...]]:
    """Of the source, as of 30 November, in order."""
    found = drafted.sources()[source]
    assert found is not None
    sql = fill_period(found.sql, date(2026, 11, 1), date(2026, 11, 30))
    run = connection.execute(sql)
    assert tuple(c[0] for c in run.description or ()) == found.columns
    return sorted(run.fetchall())


def test_stock_is_that_of_the_last_snapshot_that_is_not_in_the_future(
    connection: duckdb.DuckDBPyConnection, drafted: Callable[..., ReplenishmentRecord]
) -> None:
    day = date(2026, 11, 30)
    assert rows(connection, drafted(**COMPANY), "on_hand") == [
        ("A-1", "W1", 20, day), ("A-1", "W2", 5, day), ("B-2", "W1", 9, day)
    ]  # fmt: skip


def test_demand_is_added_up_by_day_and_place(
    connection: duckdb.DuckDBPyConnection, drafted: Callable[..., ReplenishmentRecord]
) -> None:
    assert rows(connection, drafted(**COMPANY), "demand") == [
        ("A-1", "W1", date(2026, 11, 2), 7),
        ("B-2", "W2", date(2026, 11, 5), 5),
        ("C-3", "W1", date(2026, 11, 11), 1),
    ]


def test_terms_come_from_the_supplier_and_leave_out_what_is_no_longer_bought(
    connection: duckdb.DuckDBPyConnection, drafted: Callable[..., ReplenishmentRecord]
) -> None:
    found = drafted(**COMPANY)
    assert rows(connection, found, "terms") == [("A-1", 14, 20, 10), ("B-2", 30, 5, 1)]
    assert found.leaves_out == ("discontinued",)


def test_what_has_come_was_cancelled_or_is_ordered_later_is_not_on_order(
    connection: duckdb.DuckDBPyConnection, drafted: Callable[..., ReplenishmentRecord]
) -> None:
    found = drafted(**COMPANY)
    assert rows(connection, found, "on_order") == [("A-1", "W1", 10)]
    assert (found.by, found.item) == (("warehouse_code",), ("products", "sku"))


def test_japanese_headers_are_understood(
    connection: duckdb.DuckDBPyConnection, drafted: Callable[..., ReplenishmentRecord]
) -> None:
    found = drafted(
        商品="商品コード,商品名,リードタイム日数,最小発注数量,入数,状態\nA1,灯,14,20,10,取扱中\nB2,机,7,5,1,廃番\n",
        売上="伝票番号,売上日,商品コード,数量,金額\n1,2026-11-02,A1,3,30\n2,2026-11-04,A1,3,30\n3,2026-11-05,B2,1,9\n",
    )
    assert rows(connection, found, "terms") == [("A1", 14, 20, 10)]
    assert rows(connection, found, "demand")[0] == ("A1", date(2026, 11, 2), 3)


@pytest.mark.parametrize(
    ("changed", "missing"),
    [
        # Two lead times: neither is certain.
        ({"suppliers": "supplier_code,lead_time_days,sea_lead_time_days\nS1,1,2\nS2,3,4\n"}, "terms"),
        ({"suppliers": "supplier_code,lead_time_weeks\nS1,1\nS2,3\n"}, "terms"),
        # By month: a day of it is none on which something was sold.
        (
            {"sales": "sale_date,sku,quantity,amount\n2026-09-01,A-1,3,3\n2026-10-01,A-1,3,3\n"
             "2026-11-01,A-1,4,4\n"},
            "demand",
        ),
        ({"stock_snapshots": "snapshot_date,shelf,on_hand\n2026-10-31,X,30\n2026-11-30,X,9\n"}, "on_hand"),
        ({"purchase_orders": "po_number,order_date,sku,order_quantity\nP1,2026-11-20,A-1,4\n"}, "on_order"),
    ],
)  # fmt: skip
def test_what_is_not_certain_is_not_drafted(
    changed: dict[str, str], missing: str, drafted: Callable[..., ReplenishmentRecord]
) -> None:
    sources = drafted(**{**COMPANY, **changed}).sources()
    assert [name for name, source in sources.items() if source is None] == [missing]


def test_stock_in_a_table_of_products_needs_no_day(
    connection: duckdb.DuckDBPyConnection, drafted: Callable[..., ReplenishmentRecord]
) -> None:
    found = drafted(
        products="product_id,name,units_in_stock,units_on_order,discontinued\n1,Chai,39,0,0\n2,Tea,7,40,1\n"
    )
    assert rows(connection, found, "on_hand") == [(1, 39), (2, 7)]
    assert rows(connection, found, "on_order") == [(1, 0), (2, 40)]
    assert (found.terms, found.by, found.service_level) == (None, (), Decimal("0.95"))
