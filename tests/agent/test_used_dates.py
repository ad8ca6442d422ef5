import pytest

from agent.used_dates import used_dates
from ingest.store import Catalog, ColumnRecord, TableRecord
from tests.support.desk import Desk, calculate, said, split, sql

COLUMNS = {"sold_on": "DATE", "paid_at": "TIMESTAMP", "note": "VARCHAR"}
CATALOG = Catalog(
    tables=(
        TableRecord(
            name="sales",
            source="sales.csv",
            rows=1,
            columns=tuple(ColumnRecord(name=n, type=t, original=n) for n, t in COLUMNS.items()),
        ),
    )
)


@pytest.mark.parametrize(
    ("condition", "days"),
    [
        ("sold_on BETWEEN '2026-10-01' AND '2026-10-31'", ["2026-10-01..2026-10-31"]),
        (
            "sold_on >= DATE '2026-10-01' AND sold_on < DATE '2026-11-01' AND note = 'x'",
            ["2026-10-01..2026-10-31"],
        ),
        ("sold_on > '2026-09-30' AND (sold_on <= '2026-10-31')", ["2026-10-01..2026-10-31"]),
        ("s.sold_on = '2026-10-05'", ["2026-10-05"]),
        ("paid_at >= TIMESTAMP '2026-10-01 00:00:00'", ["2026-10-01.."]),
        ("sold_on <= '2026-10-31'", ["..2026-10-31"]),
        (
            "sold_on BETWEEN '2025-10-01' AND '2025-10-31'"
            " OR sold_on BETWEEN '2026-10-01' AND '2026-10-31'",
            ["2025-10-01..2025-10-31", "2026-10-01..2026-10-31"],
        ),
        ("note = '2026-10-01'", []),
        ("sold_on >= CURRENT_DATE - 7", []),
        ("note = 'x'", []),
    ],
)
def test_the_days_of_a_query_are_read_off_its_conditions(condition: str, days: list[str]) -> None:
    assert used_dates(f"SELECT count(*) FROM sales AS s WHERE {condition}", CATALOG) == days


def test_the_periods_of_filtered_sums_are_told_one_by_one() -> None:
    sql = (
        "SELECT sum(1) FILTER (WHERE sold_on BETWEEN '2026-09-01' AND '2026-09-30') AS a,"
        " sum(1) FILTER (WHERE sold_on BETWEEN '2026-10-01' AND '2026-10-31') AS b FROM sales"
    )
    assert used_dates(sql, CATALOG) == ["2026-09-01..2026-09-30", "2026-10-01..2026-10-31"]


def test_an_answer_says_the_days_of_its_query_where_the_question_names_none(desk: Desk) -> None:
    query = "SELECT count(*) AS n FROM stock WHERE as_of >= '2026-11-01' AND as_of < '2026-12-01'"
    answer = desk.ask("How many lines of stock are there?", sql(query), said("4 lines.", "E1"))
    assert "Dates used: 2026-11-01..2026-11-30" in answer.text


def test_the_dates_of_a_question_are_not_said_twice(desk: Desk) -> None:
    query = "SELECT count(*) AS n FROM stock WHERE as_of BETWEEN '2026-11-01' AND '2026-11-30'"
    question = "How many lines of stock are there in November 2026?"
    answer = desk.ask(question, sql(query), said("4 lines.", "E1"))
    assert "Dates used: November 2026 = 2026-11-01..2026-11-30" in answer.text
    assert answer.text.count("2026-11-01") == 1


def test_a_calculation_says_the_days_of_what_it_was_worked_out_from(desk: Desk) -> None:
    query = "SELECT count(*) AS n FROM stock WHERE as_of >= '2026-11-01' AND as_of < '2026-12-01'"
    tasks = split(("lines of stock", "rows"), ("twice the lines", "calculation"))
    question = "How many lines of stock are there, and what is twice that?"
    done = (sql(query), calculate("value('E1') * 2"), said("Twice that is 8.", "E2"))
    answer = desk.ask(question, tasks, *done)
    assert "Dates used: 2026-11-01..2026-11-30" in answer.text


def test_what_is_no_sql_uses_no_dates() -> None:
    assert used_dates("no SELECT (", CATALOG) == []
