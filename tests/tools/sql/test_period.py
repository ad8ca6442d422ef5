"""The period of the question and that of the query."""

from datetime import date

import pytest

from ingest.store import Catalog, ColumnRecord, TableRecord
from tools.errors import ToolRetry
from tools.sql.guard import check

TODAY = date(2026, 11, 30)
SALES = TableRecord(
    name="sales",
    source="sales.csv",
    rows=9,
    columns=(
        ColumnRecord(name="sold_on", type="DATE", original="sold_on"),
        ColumnRecord(name="amount", type="BIGINT", original="amount"),
    ),
    date_column="sold_on",
    data_from=date(2024, 12, 1),
    data_to=date(2026, 11, 30),
)
CATALOG = Catalog(tables=(SALES,))
QUARTER = "What were the sales of the last 90 days?"
SEPTEMBER = "2026年9月の売上金額はいくらですか"


def _check(question: str, where: str) -> None:
    check(f"SELECT SUM(amount) FROM sales {where}", CATALOG, TODAY, question=question)


@pytest.mark.parametrize(
    ("question", "where"),
    [
        (QUARTER, "WHERE sold_on BETWEEN DATE '2026-01-31' AND DATE '2026-11-30'"),
        (QUARTER, ""),
        (SEPTEMBER, "WHERE sold_on >= DATE '2026-10-01' AND sold_on < DATE '2026-11-01'"),
        (SEPTEMBER, "WHERE sold_on = '2025-09-30'"),
    ],
)
def test_another_period_than_the_questions_is_sent_back(question: str, where: str) -> None:
    with pytest.raises(ToolRetry, match="the question asks for 2026-09-0") as caught:
        _check(question, where)
    assert caught.value.kind == "other_period"
    assert "BETWEEN DATE '2026-09-0" in caught.value.hint


@pytest.mark.parametrize(
    ("question", "where"),
    [
        (QUARTER, "WHERE sold_on BETWEEN DATE '2026-09-02' AND DATE '2026-11-30'"),
        (SEPTEMBER, "WHERE sold_on >= '2026-09-01' AND sold_on < '2026-10-01'"),
        (SEPTEMBER, "WHERE EXTRACT(month FROM sold_on) = 9 AND EXTRACT(year FROM sold_on) = 2026"),
        ("2026年9月末の残高", "WHERE sold_on = DATE '2026-09-30'"),
        ("What were the sales in May 2023?", ""),
        ("How many sales are there?", "WHERE sold_on > DATE '2026-01-01'"),
        ("Sales as of today", "WHERE sold_on <= DATE '2026-11-01'"),
    ],
)
def test_the_same_period_and_what_cannot_be_compared_pass(question: str, where: str) -> None:
    _check(question, where)


def test_a_query_by_hand_may_ask_for_any_period() -> None:
    check("SELECT SUM(amount) FROM sales WHERE sold_on = DATE '2020-01-01'", CATALOG, TODAY)
