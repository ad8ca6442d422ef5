"""Which questions the catalog's own query answers, and that it does so without a model's."""

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from agent.metric_questions import metric_call
from ingest.catalog.terms import metric_synonyms
from ingest.store import Catalog, ColumnRecord, TableRecord
from ingest.store.records import MetricRecord
from tests.support.desk import Desk, said

TODAY = date(2026, 11, 30)
SALES = TableRecord(
    name="sales",
    source="s.csv",
    rows=9,
    columns=(ColumnRecord(name="day", type="DATE", original="day"),),
    date_column="day",
    data_from=date(2024, 12, 2),
    data_to=date(2026, 11, 30),
)


def metric(name: str, formula: str = "a ÷ b") -> MetricRecord:
    sql = f"SELECT {name} FROM sales WHERE day BETWEEN :start AND :end"
    synonyms = metric_synonyms(name)
    return MetricRecord(name=name, formula=formula, sql=sql, synonyms=synonyms, tables=("sales",))


NAMES = ("gross_margin", "growth_yoy", "growth_mom", "inventory_turnover", "days_of_stock",
         "sell_through", "fill_rate")  # fmt: skip
CATALOG = Catalog(
    tables=(SALES,), metrics=(metric("sales", "sum of amount"), *(metric(n) for n in NAMES))
)
OCTOBER = ("2026-10-01", "2026-10-31")
ALL_DAYS = ("2024-12-02", "2026-11-30")
FY2025 = ("2025-04-01", "2026-03-31")


@pytest.mark.parametrize(
    ("question", "name", "days"),
    [
        ("What was the gross margin in October 2026?", "gross_margin", OCTOBER),
        ("What was the fill rate last month?", "fill_rate", OCTOBER),
        (
            "Please show me the company's inventory turnover for FY2025.",
            "inventory_turnover",
            FY2025,
        ),
        ("How many days of stock did we have in October 2026?", "days_of_stock", OCTOBER),
        ("What was the year over year growth of sales in October 2026?", "growth_yoy", OCTOBER),
        ("Sell-through rate, October 2026", "sell_through", OCTOBER),
        ("先月の粗利率は？", "gross_margin", OCTOBER),
        ("2026年10月の在庫回転率を教えてください", "inventory_turnover", OCTOBER),
        ("在庫回転率は？", "inventory_turnover", ALL_DAYS),
        ("10月の売上の前年同月比は？", "growth_yoy", OCTOBER),
        ("10月の売上高の前月比を教えて", "growth_mom", OCTOBER),
        ("先月の消化率は何%ですか？", "sell_through", OCTOBER),
        ("先月の充足率", "fill_rate", OCTOBER),
        ("10月的毛利率是多少", "gross_margin", OCTOBER),
        ("上个月的售罄率", "sell_through", OCTOBER),
        ("2026年10月的库存周转率是多少？", "inventory_turnover", OCTOBER),
        ("10月销售额的同比增长是多少？", "growth_yoy", OCTOBER),
        ("10月销售额环比增长多少", "growth_mom", OCTOBER),
    ],
)
def test_one_metric_over_one_period_is_asked_of_the_catalog(
    question: str, name: str, days: tuple[str, str]
) -> None:
    call = metric_call(question, CATALOG, TODAY)
    assert call is not None
    start, end = days
    assert call.query == (
        f"SELECT {name} FROM sales WHERE day BETWEEN DATE '{start}' AND DATE '{end}'"
    )
    assert call.dated == (days != ALL_DAYS)


@pytest.mark.parametrize(
    "question",
    [
        "What was the gross margin by warehouse in October?",
        "Which category has the highest gross margin?",
        "What was the gross margin in October and November?",
        "What is the gross margin of XR-4200?",
        "What was the fill rate of Okada last month?",
        "What is our target fill rate?",
        "What is the definition of fill rate?",
        "Was the gross margin in October above 30%?",
        "What was the gross margin excluding returns in October 2026?",
        "大阪倉庫の先月の粗利率は？",
        "粗利率が高い商品は？",
        "粗利率と在庫回転率を教えて",
        "粗利率の推移",
        "先月と今月の粗利率",
        "月別の在庫回転率",
        "在庫回転率の計算式は？",
        "粗利率は30%以上ですか",
        "粗利率はなぜ下がったか",
        "10月の粗利率の前年同月比",
        "返品の粗利率",
        "各仓库的毛利率",
        "毛利率最低的产品",
        "10月各品类的毛利率是多少",
        "昨日の在庫回転率",  # a rate of one day
        "2031年の粗利率",  # no data
        "同比",  # over which period?
        "10月の売上は？",  # a plain sum: its column says as much
    ],
)
def test_whatever_filters_groups_or_compares_goes_to_the_model(question: str) -> None:
    assert metric_call(question, CATALOG, TODAY) is None


def test_a_metric_is_computed_by_its_own_query_without_a_model(
    data_dir: Path, opened: Callable[..., Desk]
) -> None:
    (data_dir / "catalog.yaml").write_text(
        "metrics:\n  held_stock:\n    formula: pieces held\n    synonyms: [held stock]\n"
        "    sql: SELECT SUM(quantity) AS held FROM stock WHERE as_of BETWEEN :start AND :end\n",
        encoding="utf-8",
    )
    desk = opened()
    # 12 + 7 + 0 + 40; the script has the answer only.
    answer = desk.ask(
        "What was the held stock in November 2026?", said("59 pieces were held.", "E1")
    )
    assert (answer.status, answer.evidence[0].rows) == ("answered", (("59",),))
    assert "BETWEEN CAST('2026-11-01' AS DATE)" in (answer.evidence[0].query or "")
