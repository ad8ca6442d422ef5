from collections.abc import Callable

import duckdb
import pytest

from ingest.catalog import draft_catalog
from ingest.store.records import TableRecord

Tables = Callable[..., list[TableRecord]]
Joins = list[tuple[str, str]]


@pytest.fixture
def joins(connection: duckdb.DuckDBPyConnection, tables: Tables) -> Callable[..., Joins]:
    def run(**texts: str) -> Joins:
        catalog = draft_catalog(connection, tables(**texts))
        return [
            (f"{j.left_table}.{j.left_column}", f"{j.right_table}.{j.right_column}")
            for j in catalog.joins
        ]

    return run


CUSTOMERS = "id,name\n1,Aoki\n2,Baba\n3,Chiba\n"


def test_a_table_id_points_at_the_table(joins: Callable[..., Joins]) -> None:
    found = joins(customers=CUSTOMERS, orders="id,customer_id\n10,1\n11,1\n12,3\n")
    assert found == [("orders.customer_id", "customers.id")]


def test_one_value_that_is_missing_disproves_a_join(joins: Callable[..., Joins]) -> None:
    assert joins(customers=CUSTOMERS, orders="id,customer_id\n10,1\n11,9\n") == []


def test_null_on_the_left_disproves_nothing(joins: Callable[..., Joins]) -> None:
    found = joins(customers=CUSTOMERS, orders="id,customer_id\n10,1\n11,\n")
    assert found == [("orders.customer_id", "customers.id")]


def test_a_right_side_that_repeats_is_no_target(joins: Callable[..., Joins]) -> None:
    found = joins(
        visits="visit_id,Customer_ID\n1,5\n2,5\n", calls="call_id,customer_id\n7,5\n8,5\n"
    )
    assert found == []


def test_the_same_key_name_joins_without_regard_to_case(joins: Callable[..., Joins]) -> None:
    found = joins(
        Customers="Customer_ID,Name\n1,A\n2,B\n", orders="order_id,customer_id\n1,2\n2,2\n"
    )
    assert found == [("orders.customer_id", "Customers.Customer_ID")]


def test_codes_with_leading_zeros_join_as_text(joins: Callable[..., Joins]) -> None:
    found = joins(
        商品マスタ="商品コード,商品名\n0012,ペン\n0013,紙\n",
        売上="伝票番号,商品コード,数量\nA1,0012,3\nA2,0012,5\n",
    )
    assert found == [("売上.商品コード", "商品マスタ.商品コード")]


def test_a_role_before_the_key_name_still_joins(joins: Callable[..., Joins]) -> None:
    found = joins(
        store="store_cd,pref\nS1,x\nS2,y\n", members="member_id,application_store_cd\n1,S2\n2,S2\n"
    )
    assert found == [("members.application_store_cd", "store.store_cd")]


def test_two_ids_do_not_join_because_both_are_called_id(joins: Callable[..., Joins]) -> None:
    assert joins(albums="id,title\n1,a\n2,b\n", invoices="id,total\n1,5\n2,6\n") == []


def test_a_parent_points_into_its_own_table(joins: Callable[..., Joins]) -> None:
    found = joins(employees="employee_id,name,reports_to\n1,A,\n2,B,1\n3,C,1\n")
    assert found == [("employees.reports_to", "employees.employee_id")]


def test_the_table_whose_name_fits_is_chosen_among_several(joins: Callable[..., Joins]) -> None:
    found = joins(
        product_categories="id,name\n1,a\n2,b\n",
        ticket_categories="id,name\n1,c\n2,d\n",
        tickets="id,category_id\n1,2\n2,2\n3,1\n",
    )
    assert found == [("tickets.category_id", "ticket_categories.id")]


def test_targets_that_fit_equally_well_give_no_join(joins: Callable[..., Joins]) -> None:
    found = joins(
        product_categories="id,name\n1,a\n2,b\n",
        ticket_categories="id,name\n1,c\n2,d\n",
        notes="id,category_id\n1,2\n2,2\n3,1\n",
    )
    assert found == []


def test_text_and_numbers_do_not_join(joins: Callable[..., Joins]) -> None:
    found = joins(items="item_id,name\n001,a\n002,b\n", lines="line_id,item_id\n1,1\n2,1\n")
    assert found == []


def test_an_empty_column_proves_nothing(joins: Callable[..., Joins]) -> None:
    assert joins(customers=CUSTOMERS, orders="id,customer_id,qty\n1,,5\n2,,6\n") == []


def test_two_tables_of_the_same_key_are_joined_one_way(joins: Callable[..., Joins]) -> None:
    text = "sku,qty\nA-1,1\nB-2,2\n"
    assert joins(plan=text, fact=text) == [("plan.sku", "fact.sku")]


def test_the_draft_keeps_the_tables_and_the_defaults(
    connection: duckdb.DuckDBPyConnection, tables: Tables
) -> None:
    records = tables(customers=CUSTOMERS)
    catalog = draft_catalog(connection, records)
    (table,) = catalog.tables
    assert (table.name, table.rows, table.primary_key) == ("customers", 3, ("id",))
    assert [(c.name, c.type, c.examples) for c in table.columns] == [
        (c.name, c.type, c.examples) for c in records[0].columns
    ]
    assert (table.synonyms, table.grain) == (("顧客", "得意先", "客户"), "one row a id")
    assert (catalog.fiscal_year_start, catalog.closing_day, catalog.week_start) == (4, None, 0)
    assert catalog.assumed == ("fiscal_year_start",)


def test_a_key_of_three_columns_is_proved_and_says_the_grain(
    connection: duckdb.DuckDBPyConnection, tables: Tables
) -> None:
    records = tables(
        stock_snapshots="snapshot_date,warehouse_code,sku,on_hand\n"
        + "".join(
            f"2026-10-{day},{warehouse},{sku},5\n"
            for day in ("30", "31")
            for warehouse in ("W01", "W02")
            for sku in ("A-1", "B-2")
        )
    )
    (table,) = draft_catalog(connection, records).tables
    assert table.primary_key == ("snapshot_date", "warehouse_code", "sku")
    assert table.grain == "one row a snapshot_date, warehouse_code, sku"


def test_a_table_whose_rows_repeat_has_no_grain(
    connection: duckdb.DuckDBPyConnection, tables: Tables
) -> None:
    row = "2026-10-30,W01,A-1,5\n"
    records = tables(moves="day,warehouse_code,sku,qty\n" + row + row + "2026-10-31,W02,B-2,5\n")
    (table,) = draft_catalog(connection, records).tables
    assert (table.primary_key, table.grain) == ((), "")


@pytest.mark.parametrize(
    ("orders", "one_to_one"), [("10,1\n11,2\n", True), ("10,1\n11,1\n", False)]
)
def test_a_join_of_two_unique_columns_is_one_to_one(
    connection: duckdb.DuckDBPyConnection, tables: Tables, orders: str, one_to_one: bool
) -> None:
    records = tables(customers=CUSTOMERS, orders="id,customer_id\n" + orders)
    (join,) = draft_catalog(connection, records).joins
    assert join.one_to_one is one_to_one
