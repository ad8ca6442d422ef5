"""Levels by period: a name proposes them, the rows prove them."""

from collections.abc import Callable

import duckdb
import pytest

from ingest.catalog import draft_catalog
from ingest.store.records import TableRecord

Tables = Callable[..., list[TableRecord]]
Draft = Callable[[str, str, list[str]], TableRecord]
MONTHS = {
    "2026-01 2026-02": ("2026-01", "2026-02"),
    "202601 202602": ("202601", "202602"),
    "2026/1 2026/2": ("2026/1", "2026/2"),
    "2026年1月 2026年2月": ("2026年1月", "2026年2月"),
    "2026-01-31 2026-02-28": ("2026-01-31", "2026-02-28"),
}


@pytest.fixture
def draft(connection: duckdb.DuckDBPyConnection, tables: Tables) -> Draft:
    def run(name: str, header: str, rows: list[str]) -> TableRecord:
        records = tables(**{name: "\n".join([header, *rows]) + "\n"})
        return draft_catalog(connection, records).tables[0]

    return run


def by_month(*things: str, months: tuple[str, ...] = ("2026-01", "2026-02")) -> list[str]:
    return [f"{month},{thing}" for month in months for thing in things]


@pytest.mark.parametrize("months", MONTHS.values(), ids=MONTHS)
def test_stock_by_month_is_a_level_however_the_month_is_written(
    draft: Draft, months: tuple[str, str]
) -> None:
    table = draft("在庫月末", "年月,倉庫,在庫数", by_month("東京,10", "大阪,20", months=months))
    assert (table.period, table.snapshot) == (("年月",), True)
    assert table.columns[2].measure == "stock"


@pytest.mark.parametrize(
    ("name", "header", "thing"),
    [
        ("balances", "month_end,account,balance", "A1"),
        ("headcount", "period,dept,employees", "HR"),
        ("人員", "年月,部署,人数", "営業"),
        ("ar", "period,customer,outstanding_amount", "Aoki"),
        ("orders_open", "period,customer,open_orders", "Aoki"),
        ("受注", "年月,得意先,受注残", "甲"),
        ("库存", "账期,仓库,库存数量", "上海"),
        ("科目", "期间,科目,期末余额", "现金"),
    ],
)
def test_balances_heads_and_open_orders_are_levels_in_three_languages(
    draft: Draft, name: str, header: str, thing: str
) -> None:
    table = draft(name, header, by_month(f"{thing},10", "other,20"))
    assert table.period == (header.split(",", maxsplit=1)[0],)
    assert table.columns[2].measure == "stock"


def test_year_and_month_in_two_columns_are_one_period(draft: Draft) -> None:
    rows = [f"2026,{month},{w},5" for month in (9, 10) for w in ("東京", "大阪")]
    assert draft("在庫", "年,月,倉庫,在庫数", rows).period == ("年", "月")


@pytest.mark.parametrize(
    ("name", "header", "thing"),
    [
        ("月次売上", "年月,店舗,売上金額", "銀座"),
        ("採用", "年月,部署,人数", "営業"),
        ("visits", "period,shop,visitors", "Ginza"),
        ("調整", "年月,品番,在庫調整数", "X1"),
        ("moves", "period,sku,stock_movements", "X1"),
        ("売上", "年月,店舗,人数", "銀座"),
    ],
)
def test_what_happened_in_a_month_is_no_level(
    draft: Draft, name: str, header: str, thing: str
) -> None:
    table = draft(name, header, by_month(f"{thing},10", "other,20"))
    assert (table.period, table.snapshot) == ((), False)
    assert table.columns[2].measure != "stock"


def test_what_came_in_beside_the_stock_of_a_month_stays_a_flow(draft: Draft) -> None:
    rows = by_month("東京,10,5,4,11", "大阪,20,5,4,21")
    table = draft("受払", "年月,倉庫,期首在庫,入庫数,出庫数,期末在庫", rows)
    assert (table.period, table.snapshot) == (("年月",), False)
    assert [c.measure for c in table.columns[2:]] == ["stock", "flow", "flow", "stock"]


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        # Two rows a warehouse and month: what tells them apart is not known.
        ("年月,倉庫,在庫数", by_month("東京,10", "東京,20")),
        # Each lot is counted once, so that all of them may be added up.
        ("年月,ロット,在庫数", ["2026-01,L1,5", "2026-01,L2,6", "2026-02,L3,7", "2026-02,L4,8"]),
        # A code that only looks like a year and month.
        ("コード,倉庫,在庫数", by_month("東京,10", "大阪,20", months=("202601", "202602"))),
    ],
)
def test_what_the_rows_do_not_prove_stays_unknown(
    draft: Draft, header: str, rows: list[str]
) -> None:
    assert draft("棚", header, rows).period == ()


def test_a_bank_statement_with_a_balance_is_no_stock_table(draft: Draft) -> None:
    rows = [f"{n},2026-01-{n:02d},x{n},{n},{n * 5}" for n in range(1, 6)]
    table = draft("bank", "txn_id,date,description,amount,balance", rows)
    assert table.snapshot is False
    assert table.columns[3].measure == "flow"


def test_a_month_that_no_two_rows_of_a_product_share_is_not_read_as_its_period(
    draft: Draft,
) -> None:
    rows = [f"S{n},2026-{n:02d},name {n},{n}" for n in range(1, 6)]
    assert draft("products", "sku,launched,name,units_in_stock", rows).period == ()
