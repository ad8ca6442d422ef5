"""Metrics that a question names, and what is told of them."""

from datetime import date

import pytest

from agent.catalog_metrics import (
    MAX_SQL_TOKENS,
    metrics_for,
    named_first,
    render_metrics,
)
from ingest.store import Catalog, ColumnRecord, TableRecord
from ingest.store.records import MetricRecord
from tools.dates import DateRange

DAY = ColumnRecord(name="sold_on", type="DATE", original="sold_on")
SALES = TableRecord(
    name="sales",
    source="s.csv",
    rows=9,
    columns=(DAY,),
    date_column="sold_on",
    data_from=date(2025, 1, 1),
    data_to=date(2026, 11, 30),
)
PRODUCTS = TableRecord(name="products", source="p.csv", rows=9, columns=(DAY,))
MARGIN = MetricRecord(
    name="gross_margin",
    formula="profit ÷ amount, in percent",
    sql="SELECT SUM(profit) / SUM(amount) FROM sales WHERE sold_on BETWEEN :start AND :end",
    synonyms=("gross margin", "粗利率", "売上総利益", "毛利率"),
    unit="%",
    tables=("sales",),
)
SUM = MetricRecord(
    name="sales", formula="sum of amount", sql="SELECT 1", synonyms=("売上", "sales")
)
OWN = MetricRecord(
    name="basket", formula="a sum", sql="SELECT 2", synonyms=("客単価",), drafted=False
)
CATALOG = Catalog(tables=(PRODUCTS, SALES), metrics=(SUM, MARGIN, OWN))
OCTOBER = DateRange(date(2026, 10, 1), date(2026, 10, 31), "October")


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("What was the Gross-Margin in October?", ["gross_margin"]),
        ("先月の粗利率は？", ["gross_margin"]),
        ("10月の売上総利益", ["gross_margin"]),
        ("毛利率是多少", ["gross_margin"]),
        ("客単価と粗利率", ["basket", "gross_margin"]),
        ("売上はいくら", []),
        ("sales by month", []),
        ("engross margins", []),
    ],
)
def test_a_metric_is_named_by_name_or_synonym(question: str, names: list[str]) -> None:
    assert sorted(m.name for m in metrics_for(question, CATALOG)) == names


def test_the_period_of_the_question_stands_in_the_sql() -> None:
    told = render_metrics([MARGIN], CATALOG, OCTOBER)
    assert told == (
        "gross_margin = profit ÷ amount, in percent; in SQL: SELECT SUM(profit) / SUM(amount)"
        " FROM sales WHERE sold_on BETWEEN DATE '2026-10-01' AND DATE '2026-10-31'"
    )


def test_without_a_period_it_is_that_of_the_data() -> None:
    told = render_metrics([MARGIN], CATALOG, None)
    assert "BETWEEN DATE '2025-01-01' AND DATE '2026-11-30'" in told


def test_a_long_query_is_not_shown() -> None:
    long = MARGIN.model_copy(update={"sql": "SELECT " + "amount + " * MAX_SQL_TOKENS + "1"})
    assert render_metrics([long], CATALOG, OCTOBER) == "gross_margin = profit ÷ amount, in percent"


def test_nothing_named_tells_nothing() -> None:
    assert render_metrics([], CATALOG, OCTOBER) == ""


def test_tables_of_named_metrics_come_first_in_the_slice() -> None:
    assert [t.name for t in named_first([PRODUCTS, SALES], [MARGIN])] == ["sales", "products"]
    assert named_first([PRODUCTS, SALES], []) == [PRODUCTS, SALES]
