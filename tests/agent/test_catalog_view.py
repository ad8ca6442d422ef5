from datetime import date

import pytest

from agent.catalog_view import quoted, render_catalog, render_slice
from ingest.store import Catalog, ColumnRecord, JoinRecord, TableRecord
from ingest.store.records import MetricRecord
from tools.tokens import estimate_tokens


def column(name: str, type: str = "VARCHAR", **more: object) -> ColumnRecord:
    return ColumnRecord(name=name, type=type, original=name, **more)  # type: ignore[arg-type]


def table(name: str, *columns: ColumnRecord, **more: object) -> TableRecord:
    return TableRecord(name=name, source="f.csv", rows=100, columns=columns, **more)  # type: ignore[arg-type]


SALES = table(
    "sales",
    column("sku", examples=("A-1", "B-2", "C-3"), distinct=50),
    column("channel", examples=("web", "shop", "fax"), distinct=3),
    column("sold_on", "DATE"),
    column("amount", "DECIMAL(12,2)", unit="JPY"),
    date_column="sold_on",
    data_from=date(2026, 1, 1),
    data_to=date(2026, 11, 30),
)
PRODUCTS = table("商品 表", column("sku", examples=("A-1",)), column("qty", "BIGINT"))
JOIN = JoinRecord(left_table="sales", left_column="sku", right_table="商品 表", right_column="sku")
CATALOG = Catalog(tables=(SALES, PRODUCTS), joins=(JOIN,))


def test_a_catalog_that_fits_is_whole_with_values_units_and_dates() -> None:
    assert render_catalog(CATALOG, 1100) == (
        "Tables\n"
        "sales (100 rows): sku text, channel text web|shop|fax, "
        "sold_on date 2026-01-01..2026-11-30, amount decimal JPY\n"
        '"商品 表" (100 rows): sku text A-1, qty int\n'
        "Joins\n"
        'sales.sku = "商品 表".sku',
        True,
    )


def test_sample_values_are_given_up_first_and_closed_sets_next() -> None:
    full = estimate_tokens(render_catalog(CATALOG, 9999)[0])
    less, whole = render_catalog(CATALOG, full - 1)
    assert whole and "A-1" not in less and "web|shop|fax" in less
    least, whole = render_catalog(CATALOG, estimate_tokens(less) - 1)
    assert whole and "web" not in least and "2026-01-01" not in least and "amount" in least


def test_then_only_the_names_of_the_tables_are_left() -> None:
    text, whole = render_catalog(CATALOG, 20)
    assert (whole, text.endswith('sales, "商品 表"')) == (False, True)
    assert "amount" not in text


@pytest.mark.parametrize("budget", [20, 40, 60, 90, 1100])
def test_a_whole_catalog_keeps_to_its_budget(budget: int) -> None:
    text, whole = render_catalog(CATALOG, budget)
    assert not whole or estimate_tokens(text) <= budget


def test_a_slice_holds_the_first_tables_that_fit_and_their_joins() -> None:
    both = render_slice(CATALOG, [SALES, PRODUCTS], 1000)
    assert "Joins" in both
    one = render_slice(CATALOG, [SALES, PRODUCTS], estimate_tokens(both) - 1)
    assert "amount" in one and "商品" not in one and "Joins" not in one


def test_a_slice_is_never_empty() -> None:
    assert "amount" in render_slice(CATALOG, [SALES], 1)


def test_without_tables_it_says_so() -> None:
    assert render_catalog(Catalog(), 100) == ("There are no tables.", True)


@pytest.mark.parametrize(
    ("name", "written"),
    [("sku", "sku"), ("unit price", '"unit price"'), ('a"b', '"a""b"'), ("1a", '"1a"')],
)
def test_names_that_are_not_plain_are_quoted(name: str, written: str) -> None:
    assert quoted(name) == written


def test_tables_of_documents_give_their_columns_up_before_the_values_of_the_others() -> None:
    paper = table("policy_t1", *(column(f"limit_{n}", "BIGINT") for n in range(9)), doc_id="d1")
    catalog = Catalog(tables=(SALES, paper), joins=())
    text, whole = render_catalog(catalog, estimate_tokens(render_catalog(catalog, 999)[0]) - 20)
    assert whole
    assert "web|shop|fax" in text and "limit_1" not in text
    assert text.endswith("Tables that stand in documents: policy_t1")


def test_hundreds_of_names_that_fit_nowhere_are_counted() -> None:
    many = Catalog(
        tables=tuple(table(f"monthly_sales_report_{n}", column("a")) for n in range(400))
    )
    text, whole = render_catalog(many, 1100)
    assert (whole, text) == (False, "400 tables; those that matter are given with the question.")


def test_measures_and_metrics_take_no_room_in_the_catalog() -> None:
    amount = SALES.columns[3].model_copy(update={"measure": "flow", "currency": "JPY"})
    told = SALES.model_copy(
        update={"columns": (*SALES.columns[:3], amount), "grain": "one row a x"}
    )
    metric = MetricRecord(name="sales", formula="sum", sql="SELECT 1")
    more = CATALOG.model_copy(update={"tables": (told, PRODUCTS), "metrics": (metric,)})
    assert render_catalog(more, 1100) == render_catalog(CATALOG, 1100)
