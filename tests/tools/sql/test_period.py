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
        ColumnRecord(name="place", type="VARCHAR", original="place"),
    ),
    date_column="sold_on",
    data_from=date(2024, 12, 1),
    data_to=date(2026, 11, 30),
)
CATALOG = Catalog(tables=(SALES,), closing_day=20)
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
        (SEPTEMBER, "WHERE strftime(sold_on, '%Y-%m') = '2025-09'"),
        (SEPTEMBER, "WHERE EXTRACT(year FROM sold_on) = 2026"),
        (SEPTEMBER, "WHERE sold_on::VARCHAR LIKE '2026-10-%'"),
    ],
)
def test_another_period_than_the_questions_is_sent_back(question: str, where: str) -> None:
    with pytest.raises(ToolRetry, match="the question asks for 2026-09-0") as caught:
        _check(question, where)
    assert caught.value.kind == "other_period"
    assert "BETWEEN DATE '2026-09-0" in caught.value.hint


@pytest.mark.parametrize(
    ("question", "where", "asked"),
    [
        (
            "11月度の売上",
            "WHERE strftime(sold_on, '%Y-%m') = '2026-11'",
            "2026-10-21 to 2026-11-20",
        ),
        ("FY2025の売上", "WHERE year(sold_on) = 2025", "2025-04-01 to 2026-03-31"),
        ("先月の売上", "WHERE sold_on >= DATE '2026-11-01'", "2026-10-01 to 2026-10-31"),
        ("今月の売上", "WHERE sold_on >= DATE '2026-10-01'", "2026-11-01 to 2026-11-30"),
        ("Sales on 2026-10-31", "WHERE sold_on = DATE '2026-11-30'", "2026-10-31"),
    ],
)
def test_closing_fiscal_and_relative_periods_and_days_are_compared(
    question: str, where: str, asked: str
) -> None:
    with pytest.raises(ToolRetry) as caught:
        _check(question, where)
    assert f"the question asks for {asked}, the query for" in caught.value.message


def test_rows_that_show_their_dates_may_take_in_more_than_the_period() -> None:
    sql = (
        "SELECT strftime(sold_on, '%Y-%m') AS m, SUM(amount) FROM sales"
        " WHERE sold_on BETWEEN DATE '2026-09-01' AND DATE '2026-11-30' GROUP BY 1"
    )
    question = "2026年10月と2026年11月の売上を比べてください"
    assert check(sql, CATALOG, TODAY, question=question).sql
    with pytest.raises(ToolRetry, match="2026-10-01"):
        check(sql.replace("2026-09-01", "2026-11-01"), CATALOG, TODAY, question=question)


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
        (SEPTEMBER, "WHERE strftime(sold_on, '%Y-%m') = '2026-09'"),
        (SEPTEMBER, "WHERE date_trunc('month', sold_on) = DATE '2026-09-01'"),
        (SEPTEMBER, "WHERE year(sold_on) = 2026 AND month(sold_on) = 9"),
        (SEPTEMBER, "WHERE sold_on::VARCHAR LIKE '2026-09%'"),
        (SEPTEMBER, "WHERE starts_with(sold_on::VARCHAR, '2026-09')"),
        (SEPTEMBER, "WHERE last_day(sold_on) = DATE '2026-09-30'"),
        ("2026年の売上", "WHERE date_part('year', sold_on) = 2026"),
        ("2026年第3四半期の売上", "WHERE year(sold_on) = 2026 AND quarter(sold_on) = 3"),
        ("FY2025の売上", "WHERE sold_on BETWEEN '2025-04-01' AND '2026-03-31'"),
        ("11月度の売上", "WHERE sold_on BETWEEN '2026-10-21' AND '2026-11-20'"),
        ("Sales since 1 June 2026", "WHERE sold_on >= DATE '2026-06-01'"),
        ("今月の売上", "WHERE sold_on BETWEEN DATE '2026-11-01' AND DATE '2026-11-30'"),
        ("今月の売上", "WHERE sold_on >= DATE '2026-11-01'"),
        ("Sales of the last month", "WHERE sold_on > CURRENT_DATE - INTERVAL 30 DAY"),
        ("Sales of W01 in total", "WHERE place = 'W01' AND sold_on = DATE '2026-11-30'"),
        ("Sales on 2026-10-31", "WHERE sold_on = DATE '2026-10-31'"),
        ("Sales on 2026-10-31", "WHERE sold_on > DATE '2026-10-01'"),
    ],
)
def test_the_same_period_and_what_cannot_be_compared_pass(question: str, where: str) -> None:
    _check(question, where)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT place FROM (SELECT place, SUM(amount) AS sold FROM sales "
        "WHERE year(sold_on) = 2026 GROUP BY 1) AS s WHERE sold < 50",
        "SELECT SUM(CASE WHEN year(sold_on) = 2026 THEN amount END) FROM sales",
        "SELECT place FROM sales WHERE place IN (SELECT place FROM sales WHERE year(sold_on) = 2026)",
    ],
)
def test_a_year_worked_out_inside_a_subquery_or_a_sum_is_read(query: str) -> None:
    check(query, CATALOG, TODAY, question="2026年の売上")
    with pytest.raises(ToolRetry, match="the question asks for 2025"):
        check(query, CATALOG, TODAY, question="2025年の売上")


def test_a_query_by_hand_may_ask_for_any_period() -> None:
    check("SELECT SUM(amount) FROM sales WHERE sold_on = DATE '2020-01-01'", CATALOG, TODAY)


HEADS = TableRecord(
    name="heads",
    source="heads.csv",
    rows=20,
    columns=(
        ColumnRecord(name="day", type="DATE", original="day", distinct=10),
        ColumnRecord(name="dept", type="VARCHAR", original="dept", distinct=2),
        ColumnRecord(name="employees", type="BIGINT", original="employees", measure="stock"),
    ),
    date_column="day",
    period=("day",),
    data_from=date(2026, 1, 28),
    data_to=date(2026, 10, 28),
)
SHELF = TableRecord(
    name="shelf",
    source="shelf.csv",
    rows=20,
    columns=(
        ColumnRecord(name="ym", type="VARCHAR", original="ym", distinct=10),
        ColumnRecord(name="dept", type="VARCHAR", original="dept", distinct=2),
        ColumnRecord(name="qty", type="BIGINT", original="qty", measure="stock"),
    ),
    period=("ym",),
)
MONTHLY = Catalog(tables=(HEADS, SHELF))


@pytest.mark.parametrize("question", ["2026年9月末の人数", "2026年9月の人数"])
def test_a_table_of_one_day_a_month_is_asked_for_by_that_day(question: str) -> None:
    sql = "SELECT SUM(employees) FROM heads WHERE day = DATE '{}'"
    check(sql.format("2026-09-28"), MONTHLY, TODAY, question=question)
    with pytest.raises(ToolRetry, match="the question asks for 2026-09-"):
        check(sql.format("2026-08-28"), MONTHLY, TODAY, question=question)


def test_a_month_as_a_text_is_a_period_beside_a_dated_table() -> None:
    sql = (
        "SELECT SUM(s.qty) FROM shelf s JOIN (SELECT DISTINCT dept, day FROM heads"
        " WHERE day = DATE '2026-10-28') h ON s.dept = h.dept WHERE s.ym = '2026-09'"
    )
    check(sql, MONTHLY, TODAY, question="2026年9月の在庫")
