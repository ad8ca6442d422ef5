"""Confirmed on 2026-10-15 (先月: September), asked on 2026-11-30 (先月: October)."""

from datetime import date

import pytest

from agent.pairs.base import DatedWords, dated_words
from agent.pairs.dates import Moved, moved
from tools.dates import CalendarSettings, mentions

THEN, NOW = date(2026, 10, 15), date(2026, 11, 30)
HEAD = "SELECT SUM(quantity) FROM sales WHERE "


def words(question: str, day: date) -> tuple[DatedWords, ...]:
    return dated_words(mentions(question, day, CalendarSettings()))


def again(condition: str, question: str = "先月の売上は", then: date = THEN) -> Moved:
    sql = HEAD + condition
    return moved(sql, words(question, then), words(question, NOW), question, ["sold_on"])


@pytest.mark.parametrize(
    ("condition", "days"),
    [
        (
            "sold_on BETWEEN DATE '2026-09-01' AND DATE '2026-09-30'",
            ["2026-10-01", "2026-10-31"],
        ),
        ("sold_on >= '2026-09-01' AND sold_on < '2026-10-01'", ["2026-10-01", "2026-11-01"]),
        ("sold_on > '2026-08-31' AND sold_on <= '2026-09-30'", ["2026-09-30", "2026-10-31"]),
        ("sold_on <= TIMESTAMP '2026-09-30 23:59:59'", ["2026-10-31 23:59:59"]),
        ("date_trunc('month', sold_on) = DATE '2026-09-01'", ["2026-10-01"]),
    ],
)
def test_the_edges_of_a_period_are_moved_with_it(condition: str, days: list[str]) -> None:
    found = again(condition)
    assert found.is_sure
    assert [day for day in days if f"'{day}'" in found.sql] == days
    assert "2026-09-01" not in found.sql


@pytest.mark.parametrize(
    "condition",
    [
        "sold_on = DATE '2026-09-15'",
        "sold_on BETWEEN DATE '2026-09-01' AND DATE '2026-09-01' + INTERVAL 29 DAY",
        "EXTRACT(month FROM sold_on) = 9",
        "strftime(sold_on, '%Y-%m') = '2026-09'",
        "period = 202609",
        "sold_on > CURRENT_DATE - 30",
        "price_valid_from = DATE '2026-09-01'",
        "warehouse = 'Tokyo'",
    ],
)
def test_where_anything_else_depends_on_the_day_it_is_not_sure(condition: str) -> None:
    found = again(condition)
    assert found == Moved(HEAD + condition, False)


def test_two_periods_are_moved_each_by_its_own() -> None:
    condition = (
        "(sold_on BETWEEN '2026-09-01' AND '2026-09-30')"
        " OR (sold_on BETWEEN '2025-10-01' AND '2025-10-31')"
    )
    found = again(condition, "先月と前年同月の売上は", then=THEN)
    # 前年同月 of 先月 was September 2025 on that day: its SQL says October.
    assert not found.is_sure
    condition = condition.replace("2025-10-01", "2025-09-01").replace("2025-10-31", "2025-09-30")
    found = again(condition, "先月と前年同月の売上は", then=THEN)
    assert found.is_sure
    assert "'2025-10-01' AND '2025-10-31'" in found.sql


def test_a_period_that_the_sql_does_not_name_is_not_moved() -> None:
    """Its table may hold one month."""
    question = "先月の売上は"
    sql = "SELECT SUM(quantity) FROM sales_2026_09"
    found = moved(sql, words(question, THEN), words(question, NOW), question, ["sold_on"])
    assert not found.is_sure


@pytest.mark.parametrize(
    "condition",
    [
        "sold_on BETWEEN '2025-03-01' AND '2025-03-31'",
        "EXTRACT(year FROM sold_on) = 2025 AND sold_on <= '2025-03-31'",
    ],
)
def test_days_that_did_not_move_stay_as_they_are(condition: str) -> None:
    found = again(condition, "2025年3月の売上は")
    assert found == Moved(HEAD + condition, True)


def test_a_question_without_dates_may_read_the_clock_but_name_no_day() -> None:
    assert again("sold_on > CURRENT_DATE - 90", "動いていない商品は").is_sure
    assert not again("sold_on = '2026-09-30'", "最新の在庫は").is_sure
    assert not again("fiscal_year = 2026", "売上は").is_sure


def test_a_date_that_could_not_be_read_is_never_sure() -> None:
    question = "4月までの売上"
    assert not again("sold_on <= '2026-04-30'", question).is_sure


def test_a_day_at_the_edges_of_two_periods_must_move_to_one_day() -> None:
    """2026-10-01 is the day after September and the first of October. In November the first is
    the day after October, and so is the first of November; 直近15日 ends elsewhere."""
    split = "sold_on >= '2026-09-01' AND sold_on < '2026-10-01' OR sold_on < '2026-11-01'"
    assert again(split, "先月と今月の売上は").is_sure
    parted = "sold_on BETWEEN '2026-09-01' AND '2026-09-30' OR sold_on >= '2026-10-01'"
    assert not again(parted, "先月と直近15日の売上は").is_sure
