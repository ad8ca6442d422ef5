"""Words that change a period and that no rule applies are refused, with what to write instead.

Today is Monday 2026-11-30.
"""

from datetime import date

import pytest

from tools.dates import CalendarSettings, mentions, resolve
from tools.errors import ToolRetry

TODAY = date(2026, 11, 30)
APRIL = CalendarSettings()


@pytest.mark.parametrize(
    ("expression", "hint"),
    [
        ("10月累計", "2026-10-01"), ("10月の累計売上", "2026-10-01"), ("10月累计", "2026-10-01"),
        ("October cumulative", "2026-10-01"), ("Q2 to date", "2026-04-01"), ("下期累計", "2026-10-01"),
        ("3月頃", "exact"), ("3月ごろ", "exact"), ("around March 2026", "exact"), ("3月左右", "exact"),
        ("approximately 3 months ago", "exact"), ("about March 2026", "exact"), ("3月前後", "exact"),
        ("2026年（3月除く）", "part by part"), ("2026 excluding March", "part by part"),
        ("先月以外", "part by part"), ("不含3月", "part by part"), ("3月から5月を除く", "part by part"),
        ("毎年3月", "its year"), ("every March", "its year"), ("每年3月", "its year"),
        ("at least 3 months ago", "both ends"), ("more than 90 days ago", "both ends"),
        ("過去90日以内", "both ends"), ("2026年以前", "both ends"), ("3月より前", "both ends"),
        ("到上月为止", "both ends"), ("4月まで", "both ends"), ("as of last month", "2026-10-31"),
        ("截至2026年10月", "2026-10-31"), ("先月時点", "2026-10-31"), ("2026年半ば", "that part"),
        ("先月の土日", "that part"), ("fiscal week 10", "that part"), ("the last month but two", "last but one"),
        ("20日締め", "10月度"), ("月末締め", "10月度"),
    ],
)  # fmt: skip
def test_a_word_that_changes_the_period_is_never_dropped(expression: str, hint: str) -> None:
    with pytest.raises(ToolRetry) as caught:
        resolve(expression, TODAY, APRIL)
    assert caught.value.kind == "no_date"
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    "expression", ["先月末時点", "as of 2026-10-31", "within the last 90 days", "先月のみ", "3月中"]
)
def test_words_that_change_nothing_are_no_obstacle(expression: str) -> None:
    assert resolve(expression, TODAY, APRIL)


@pytest.mark.parametrize("expression", ["0日締めの10月度", "32日締めの10月度", "FY2025-27"])
def test_no_such_closing_day_or_year_is_an_error(expression: str) -> None:
    with pytest.raises(ToolRetry) as caught:
        resolve(expression, TODAY, APRIL)
    assert caught.value.kind == "no_such_date"


@pytest.mark.parametrize(
    ("question", "days"),
    [
        ("10月の売上と前年同期を比べて", ["2026-10-01", "2025-10-01"]),
        ("前年同期と比べて10月の売上は？", ["2025-10-01", "2026-10-01"]),
        ("2026年3月の売上と前年同月の差", ["2026-03-01", "2025-03-01"]),
        ("今年第三季度与去年同期相比", ["2026-07-01", "2025-07-01"]),
        ("March 2026 against the same period last year", ["2026-03-01", "2025-03-01"]),
        ("先月より増えた商品", ["2026-10-01"]),
        ("What about last month?", ["2026-10-01"]),
        ("20日締めで10月の請求額は？", ["2026-09-21"]),
        ("支払いは20日締め翌月末払い。10月の売上は？", ["2026-10-01"]),
    ],
)
def test_the_periods_of_a_question_begin_on_these_days(question: str, days: list[str]) -> None:
    found = [m for m in mentions(question, TODAY, APRIL) if "翌月" not in m.text]
    assert [str(m.range.start) for m in found if m.range] == days


@pytest.mark.parametrize(
    ("expression", "settings", "remark"),
    [
        ("FY2025", CalendarSettings(10), "named by the calendar year in which it begins"),
        ("FY2025", CalendarSettings(4, None, 0, True), "assumed"),
        ("2025年度", CalendarSettings(10), "年度名は始まる年"),
        ("10月", CalendarSettings(4, 20), "暦月"),
        ("先月度", CalendarSettings(4, 20), "11月度"),
        ("前々年同月", CalendarSettings(), "2年前"),
        ("from April 2026", CalendarSettings(), "that period alone"),
    ],
)
def test_the_label_says_what_may_be_misread(
    expression: str, settings: CalendarSettings, remark: str
) -> None:
    assert remark in resolve(expression, TODAY, settings).label


def test_a_year_that_cannot_be_misread_has_a_short_label() -> None:
    assert resolve("2025年度", TODAY, APRIL).label == (
        "2025年度 = 2025-04-01〜2026-03-31 (会計年度 (4月始まり))"
    )
