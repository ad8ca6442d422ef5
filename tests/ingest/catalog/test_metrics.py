"""Drafted metrics: their SQL is run on small tables; the expected figures are worked by hand."""

from collections.abc import Callable
from datetime import date

import duckdb
import pytest

from ingest.catalog import draft_catalog
from ingest.store.metrics import fill_period
from ingest.store.records import TableRecord

Tables = Callable[..., list[TableRecord]]
Figures = dict[str, tuple[object, ...]]

PRODUCTS = "sku,name,unit_cost\nA-1,Lamp,60\nB-2,Desk,100\n"
# October: 10 × 100 and 5 × 200 = 2000; September: 1600; October a year before: 1000.
SALES = (
    "sale_id,sale_date,sku,quantity,amount\n"
    "1,2025-10-31,A-1,10,1000\n2,2026-09-01,A-1,6,600\n3,2026-09-30,B-2,5,1000\n"
    "4,2026-10-01,A-1,10,1000\n5,2026-10-31,B-2,5,1000\n6,2026-11-01,A-1,1,100\n"
)
STOCK = (
    "snapshot_date,warehouse_code,sku,on_hand\n"
    "2026-09-30,W01,A-1,30\n2026-09-30,W01,B-2,10\n"
    "2026-10-31,W01,A-1,20\n2026-10-31,W01,B-2,5\n"
    "2026-11-30,W01,A-1,99\n2026-11-30,W01,B-2,99\n"
)
ORDERS = (
    "po_number,order_date,due_date,order_quantity,received_quantity\n"
    "P1,2026-09-20,2026-10-05,40,30\nP2,2026-09-25,2026-10-31,60,60\nP3,2026-10-20,2026-11-05,10,0\n"
)


@pytest.fixture
def october(connection: duckdb.DuckDBPyConnection, tables: Tables) -> Callable[..., Figures]:
    """Each drafted metric's first row for October 2026."""

    def run(**texts: str) -> Figures:
        figures: Figures = {}
        for metric in draft_catalog(connection, tables(**texts)).metrics:
            sql = fill_period(metric.sql, date(2026, 10, 1), date(2026, 10, 31))
            row = connection.execute(sql).fetchone()
            assert row is not None
            figures[metric.name] = tuple(float(v) if v is not None else None for v in row)
        return figures

    return run


def test_all_metrics_of_a_trading_company(october: Callable[..., Figures]) -> None:
    assert october(
        products=PRODUCTS, sales=SALES, stock_snapshots=STOCK, purchase_orders=ORDERS
    ) == {
        "sales": (2000,),
        # cost 10 × 60 + 5 × 100 = 1100; 900 of 2000
        "gross_margin": (900, 45.0),
        "growth_yoy": (2000, 1000, 100.0),
        "growth_mom": (2000, 1600, 25.0),
        # at cost 30 × 60 + 10 × 100 = 2800 and 20 × 60 + 5 × 100 = 1700: average 2250; 1100 / 2250
        "inventory_turnover": (0.49,),
        # 25 on hand, 15 sold in 31 days: 25 × 31 / 15
        "days_of_stock": (51.7,),
        # 15 of 15 + 25
        "sell_through": (37.5,),
        # of P1 and P2, due in October: 90 of 100
        "fill_rate": (90.0,),
    }


def test_turnover_is_in_pieces_where_no_cost_is_known(october: Callable[..., Figures]) -> None:
    figures = october(sales=SALES, stock_snapshots=STOCK)
    # 15 sold; 40 and 25 on hand: average 32.5
    assert figures["inventory_turnover"] == (0.46,)
    assert "gross_margin" not in figures


def test_a_cost_that_is_not_known_of_every_row_makes_no_margin(
    october: Callable[..., Figures],
) -> None:
    figures = october(products="sku,name,unit_cost\nA-1,Lamp,60\nB-2,Desk,\n", sales=SALES)
    assert "gross_margin" not in figures


def test_lines_are_dated_by_their_head_and_lowered_by_their_discount(
    october: Callable[..., Figures],
) -> None:
    figures = october(
        orders="order_id,order_date\n1,2026-10-05\n2,2026-11-05\n",
        order_details="line_id,order_id,unit_price,quantity,discount\n"
        "1,1,10.50,2,0.5\n2,1,3.00,1,0\n3,2,9.00,9,0\n",
    )
    # 10.50 × 2 × 0.5 + 3.00
    assert figures["sales"] == (13.5,)


def test_a_discount_that_is_no_share_makes_no_sales_figure(
    october: Callable[..., Figures],
) -> None:
    lines = "sale_id,sale_date,unit_price,quantity,discount\n1,2026-10-05,10,2,5\n"
    assert "sales" not in october(sales=lines)


def test_amounts_of_several_currencies_make_no_sales_figure(
    october: Callable[..., Figures],
) -> None:
    lines = "sale_id,sale_date,amount,currency\n1,2026-10-05,10,JPY\n2,2026-10-06,10,USD\n"
    assert october(sales=lines) == {}


def test_japanese_tables_have_the_same_metrics(october: Callable[..., Figures]) -> None:
    figures = october(
        商品マスタ="商品コード,商品名,原価\nA-1,灯,60\nB-2,机,100\n",
        売上="伝票番号,売上日,商品コード,数量,売上金額\n1,2026-10-01,A-1,10,1000\n2,2026-10-31,B-2,5,1000\n",
    )
    assert figures["gross_margin"] == (900, 45.0)


def test_purchases_returns_and_plans_are_no_sales(october: Callable[..., Figures]) -> None:
    text = "id,day,sku,quantity,amount\n1,2026-10-01,A,1,100\n2,2026-10-02,A,1,100\n"
    assert october(purchase_orders=text, sales_returns=text, sales_plan=text) == {}


@pytest.mark.parametrize(
    ("start", "end", "base"),
    [
        # Whole months: the month before, and a leap year's February to its last day.
        ((2026, 10, 1), (2026, 10, 31), 1600),
        # 10 days before
        ((2026, 10, 1), (2026, 10, 10), 1000),
        # the quarter before has nothing of July to September but September
        ((2026, 10, 1), (2026, 12, 31), 1600),
    ],
)
def test_the_period_just_before_is_as_many_months_or_days(
    connection: duckdb.DuckDBPyConnection,
    tables: Tables,
    start: tuple[int, int, int],
    end: tuple[int, int, int],
    base: int,
) -> None:
    metrics = {m.name: m for m in draft_catalog(connection, tables(sales=SALES)).metrics}
    sql = fill_period(metrics["growth_mom"].sql, date(*start), date(*end))
    assert connection.execute(sql).fetchall()[0][1] == base


def test_a_whole_february_is_compared_with_a_whole_february(
    connection: duckdb.DuckDBPyConnection, tables: Tables
) -> None:
    sales = "sale_id,sale_date,amount\n1,2024-02-29,7\n2,2024-03-01,100\n3,2025-02-28,5\n4,2024-02-01,2\n"
    metrics = {m.name: m for m in draft_catalog(connection, tables(sales=sales)).metrics}
    sql = fill_period(metrics["growth_yoy"].sql, date(2025, 2, 1), date(2025, 2, 28))
    assert connection.execute(sql).fetchall()[0][:2] == (5, 9)


def test_a_time_of_day_does_not_cut_the_last_day_off(october: Callable[..., Figures]) -> None:
    lines = "sale_id,sold_at,amount\n1,2026-10-31 23:59:00,10\n2,2026-11-01 00:00:00,90\n"
    assert october(sales=lines)["sales"] == (10,)


def test_names_that_sql_reserves_are_quoted(october: Callable[..., Figures]) -> None:
    lines = "id,date,sku,quantity,total amount\n1,2026-10-05,A,1,10\n2,2026-10-06,A,1,5\n"
    assert october(order=lines)["sales"] == (15,)
