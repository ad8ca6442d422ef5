"""What the names and units of numeric columns say of how they add up, in which money."""

from collections.abc import Callable

import duckdb
import pytest

from ingest.catalog import draft_catalog
from ingest.catalog.measures import currency_of, tax_of
from ingest.store.records import Catalog, ColumnRecord, TableRecord

Tables = Callable[..., list[TableRecord]]


@pytest.fixture
def draft(connection: duckdb.DuckDBPyConnection, tables: Tables) -> Callable[..., Catalog]:
    return lambda **texts: draft_catalog(connection, tables(**texts))


def measures(catalog: Catalog, table: str) -> dict[str, str | None]:
    found = catalog.table(table)
    assert found is not None
    return {column.name: column.measure for column in found.columns}


def test_what_was_sold_is_a_flow_and_its_price_a_rate(draft: Callable[..., Catalog]) -> None:
    catalog = draft(
        sales="sale_id,sale_date,sku,quantity,unit_price,amount\n1,2026-10-01,A,2,50,100\n"
        "2,2026-10-02,A,3,50,150\n"
    )
    assert measures(catalog, "sales") == {
        "sale_id": None,
        "sale_date": None,
        "sku": None,
        "quantity": "flow",
        "unit_price": "rate",
        "amount": "flow",
    }


def test_japanese_and_chinese_headers_are_read_alike(draft: Callable[..., Catalog]) -> None:
    catalog = draft(
        売上="伝票番号,売上日,数量,単価,売上金額,粗利率\n1,2026-10-01,2,50,100,12.5\n",
        销售="单号,销售日期,数量,单价,金额\n1,2026-10-01,2,50,100\n",
    )
    assert list(measures(catalog, "売上").values())[2:] == ["flow", "rate", "flow", "rate"]
    assert list(measures(catalog, "销售").values())[2:] == ["flow", "rate", "flow"]


def test_profits_and_expenses_are_amounts_with_a_tax_and_their_shares_are_not(
    draft: Callable[..., Catalog],
) -> None:
    catalog = draft(
        売上="伝票番号,日付,金額（税込）,粗利（税抜）,粗利率（税抜）,経費（円）\n"
        "D1,2026-10-01,1100,300,30.5,900\nD2,2026-10-02,2200,600,30.1,1800\n",
        sales="sale_id,sale_date,amount,gross_profit\n1,2026-10-01,100,30\n2,2026-10-02,200,60\n",
    )
    found = catalog.table("売上")
    assert found is not None
    assert [c.tax for c in found.columns] == [None, None, "included", "excluded", None, None]
    assert list(measures(catalog, "売上").values())[2:] == ["flow", "flow", "rate", "flow"]
    assert measures(catalog, "sales")["gross_profit"] == "flow"


def test_a_price_stays_a_rate_where_its_header_says_tax_and_currency(
    draft: Callable[..., Catalog],
) -> None:
    catalog = draft(
        売上="伝票番号,売上日,数量,単価（税込）,定価(税抜),売上単価_円\n1,2026-10-01,2,50,100,7\n",
    )
    assert list(measures(catalog, "売上").values())[3:] == ["rate", "rate", "rate"]


def test_pieces_on_hand_are_stock_and_so_is_every_count_of_a_stock_table(
    draft: Callable[..., Catalog],
) -> None:
    catalog = draft(
        stock="day,sku,on_hand\n2026-10-31,A,5\n2026-10-31,B,5\n",
        在庫残高="基準日,品番,数量,金額\n2026-10-31,A,5,100\n2026-10-31,B,6,100\n",
        products="sku,name,units_in_stock,units_on_order\nA,x,5,2\nB,y,6,2\n",
    )
    assert measures(catalog, "stock")["on_hand"] == "stock"
    assert list(measures(catalog, "在庫残高").values())[2:] == ["stock", "stock"]
    assert list(measures(catalog, "products").values())[2:] == ["stock", "stock"]


def test_lines_without_a_date_count_as_their_dated_head_does(
    draft: Callable[..., Catalog],
) -> None:
    catalog = draft(
        orders="order_id,order_date\n1,2026-10-01\n2,2026-10-02\n",
        order_details="line_id,order_id,quantity\n1,1,5\n2,1,6\n3,2,7\n",
        packs="pack_id,quantity\n1,12\n2,24\n",
    )
    assert measures(catalog, "order_details")["quantity"] == "flow"
    assert measures(catalog, "packs")["quantity"] is None


def test_codes_references_and_limits_are_no_measures(draft: Callable[..., Catalog]) -> None:
    catalog = draft(
        suppliers="supplier_id,minimum_order_quantity,lead_time_days,credit_limit\n1,5,3,100\n2,6,4,9\n",
        sales="sale_id,sale_date,supplier_id,quantity\n1,2026-10-01,1,5\n2,2026-10-02,2,5\n",
    )
    assert set(measures(catalog, "suppliers").values()) == {None}
    assert measures(catalog, "sales")["supplier_id"] is None


def test_a_price_alone_in_a_table_of_events_may_be_that_of_the_whole_line(
    draft: Callable[..., Catalog],
) -> None:
    catalog = draft(visits="visit_id,visit_date,price\n1,2026-10-01,50\n2,2026-10-02,60\n")
    assert measures(catalog, "visits")["price"] is None


def number(name: str, **more: object) -> ColumnRecord:
    values = {"name": name, "type": "BIGINT", "original": name, "distinct": 9, **more}
    return ColumnRecord.model_validate(values)


def table(*columns: ColumnRecord, name: str = "sales") -> TableRecord:
    return TableRecord(name=name, source="f.csv", rows=9, columns=columns)


@pytest.mark.parametrize(
    ("column", "code"),
    [
        (number("amount", unit="JPY"), "JPY"),
        (number("amount_usd"), "USD"),
        (number("金額", original="金額(米ドル)"), "USD"),
        (number("金额_人民币"), "CNY"),
        (number("price_in_euros"), "EUR"),
        (number("amount"), None),
        (number("重量", unit="kg"), None),
        (number("quantity_usd_orders"), None),
    ],
)
def test_the_currency_is_read_off_unit_and_name(column: ColumnRecord, code: str | None) -> None:
    assert currency_of(table(column), column) == code


@pytest.mark.parametrize(
    ("values", "code"), [(("JPY",), "JPY"), (("JPY", "USD"), None), (("each",), None)]
)
def test_a_currency_column_with_one_value_says_it(
    values: tuple[str, ...], code: str | None
) -> None:
    amount = number("amount")
    said = ColumnRecord(
        name="currency",
        type="VARCHAR",
        original="currency",
        distinct=len(values),
        examples=values,
    )
    assert currency_of(table(amount, said), amount) == code


@pytest.mark.parametrize(
    ("header", "tax"),
    [
        ("売上金額(税込)", "included"),
        ("金額（税抜）", "excluded"),
        ("売価_税別", "excluded"),
        ("含税金额", "included"),
        ("不含税金额", "excluded"),
        ("amount incl. tax", "included"),
        ("amount_excl_tax", "excluded"),
        ("Price (excluding VAT)", "excluded"),
        ("price before tax", "excluded"),
        ("tax amount", None),
        ("amount", None),
        ("売上金額(税込・税抜)", None),
    ],
)
def test_tax_is_read_off_the_header(header: str, tax: str | None) -> None:
    column = number(header)
    assert tax_of(table(column), column) == tax


def test_the_tables_name_says_the_tax_of_its_amounts_only() -> None:
    amount, pieces = number("金額"), number("数量")
    told = table(amount, pieces, name="売上_税抜")
    assert (tax_of(told, amount), tax_of(told, pieces)) == ("excluded", None)
