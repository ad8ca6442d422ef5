"""Expected days were read off a calendar. Today is Monday 2026-11-30; fiscal years begin in April."""

import time
from datetime import date

import pytest

from tools.dates import CalendarSettings, mentions, resolve
from tools.errors import ToolRetry

TODAY = date(2026, 11, 30)
APRIL = CalendarSettings(fiscal_year_start=4)

JAPANESE = """
今日|2026-11-30|2026-11-30
昨日|2026-11-29|2026-11-29
一昨日|2026-11-28|2026-11-28
今週|2026-11-30|2026-12-06
先週|2026-11-23|2026-11-29
先々週|2026-11-16|2026-11-22
来週|2026-12-07|2026-12-13
先週の月曜日|2026-11-23|2026-11-23
前々週の月曜日|2026-11-16|2026-11-16
さ来週|2026-12-14|2026-12-20
再来週末|2026-12-19|2026-12-20
さきおととい|2026-11-27|2026-11-27
しあさって|2026-12-03|2026-12-03
前々四半期|2026-04-01|2026-06-30
再来年度|2028-04-01|2029-03-31
今月|2026-11-01|2026-11-30
当月|2026-11-01|2026-11-30
先月|2026-10-01|2026-10-31
前月|2026-10-01|2026-10-31
先々月|2026-09-01|2026-09-30
来月|2026-12-01|2026-12-31
今四半期|2026-10-01|2026-12-31
前四半期|2026-07-01|2026-09-30
今期|2026-04-01|2027-03-31
前期|2025-04-01|2026-03-31
来期|2027-04-01|2028-03-31
今年度|2026-04-01|2027-03-31
昨年度|2025-04-01|2026-03-31
上半期|2026-04-01|2026-09-30
上期|2026-04-01|2026-09-30
下期|2026-10-01|2027-03-31
前期の下期|2025-10-01|2026-03-31
今年|2026-01-01|2026-12-31
昨年|2025-01-01|2025-12-31
去年|2025-01-01|2025-12-31
前年|2025-01-01|2025-12-31
一昨年|2024-01-01|2024-12-31
昨年10月|2025-10-01|2025-10-31
前年同月|2025-11-01|2025-11-30
2025年3月の前年同月|2024-03-01|2024-03-31
2024年2月の前年同月|2023-02-01|2023-02-28
先月の前年同月|2025-10-01|2025-10-31
前月比|2026-10-01|2026-10-31
過去7日|2026-11-24|2026-11-30
過去30日間|2026-11-01|2026-11-30
直近2週間|2026-11-17|2026-11-30
直近3か月|2026-08-31|2026-11-30
直近3ヶ月|2026-08-31|2026-11-30
直近３カ月|2026-08-31|2026-11-30
過去1年|2025-12-01|2026-11-30
過去半年|2026-05-31|2026-11-30
過去3か月の月間|2026-08-01|2026-10-31
過去3か月の月間売上|2026-08-01|2026-10-31
3日前|2026-11-27|2026-11-27
2か月前|2026-09-01|2026-09-30
年初来|2026-01-01|2026-11-30
期初来|2026-04-01|2026-11-30
月初来|2026-11-01|2026-11-30
2025年3月1日|2025-03-01|2025-03-01
２０２５年３月１日|2025-03-01|2025-03-01
二〇二五年三月一日|2025-03-01|2025-03-01
2025年3月|2025-03-01|2025-03-31
2024年2月|2024-02-01|2024-02-29
3月|2026-03-01|2026-03-31
12月|2025-12-01|2025-12-31
11月|2026-11-01|2026-11-30
12月24日|2025-12-24|2025-12-24
2025年|2025-01-01|2025-12-31
2025年度|2025-04-01|2026-03-31
2025年度第3四半期|2025-10-01|2025-12-31
2025年度第4四半期|2026-01-01|2026-03-31
2025年第3四半期|2025-07-01|2025-09-30
2025年度上期|2025-04-01|2025-09-30
2025年度3月|2026-03-01|2026-03-31
2025年3月期|2024-04-01|2025-03-31
令和7年|2025-01-01|2025-12-31
令和7年度|2025-04-01|2026-03-31
令和7年4月1日|2025-04-01|2025-04-01
令和元年|2019-01-01|2019-12-31
㋿7年5月|2025-05-01|2025-05-31
R7.4.1|2025-04-01|2025-04-01
R7年度|2025-04-01|2026-03-31
H31.4.30|2019-04-30|2019-04-30
昭和64年1月7日|1989-01-07|1989-01-07
第45週|2026-11-02|2026-11-08
2025年第1週|2024-12-30|2025-01-05
月末|2026-11-30|2026-11-30
先月末|2026-10-31|2026-10-31
前四半期末|2026-09-30|2026-09-30
2024年2月末|2024-02-29|2024-02-29
期末|2027-03-31|2027-03-31
年度末|2027-03-31|2027-03-31
期初|2026-04-01|2026-04-01
11月上旬|2026-11-01|2026-11-10
2024年2月下旬|2024-02-21|2024-02-29
20日締め 11月度|2026-10-21|2026-11-20
20日締めの2025年3月度|2025-02-21|2025-03-20
20日締めの2025年3月|2025-02-21|2025-03-20
月末締め2025年2月度|2025-02-01|2025-02-28
2025年3月から5月|2025-03-01|2025-05-31
2025年3月から5月まで|2025-03-01|2025-05-31
2025年3月〜2025年5月|2025-03-01|2025-05-31
2025年3〜5月|2025-03-01|2025-05-31
3月から2025年5月|2025-03-01|2025-05-31
3月から5月|2026-03-01|2026-05-31
10月から12月|2026-10-01|2026-12-31
2025年3月1日から15日まで|2025-03-01|2025-03-15
2025/3/1～3/15|2025-03-01|2025-03-15
2025年4月から先月まで|2025-04-01|2026-10-31
今年度初めから今日まで|2026-04-01|2026-11-30
11/1から11/15まで|2026-11-01|2026-11-15
先週末|2026-11-28|2026-11-29
次の四半期|2027-01-01|2027-03-31
今年3月の前年同月|2025-03-01|2025-03-31
第2四半期末|2026-09-30|2026-09-30
直近1週間|2026-11-24|2026-11-30
2025年4月以降|2025-04-01|2026-11-30
2025年4月から2025年9月末|2025-04-01|2025-09-30
"""

ENGLISH = """
today|2026-11-30|2026-11-30
Yesterday|2026-11-29|2026-11-29
the day before yesterday|2026-11-28|2026-11-28
this week|2026-11-30|2026-12-06
last week|2026-11-23|2026-11-29
next week|2026-12-07|2026-12-13
last Monday|2026-11-23|2026-11-23
last Friday|2026-11-27|2026-11-27
this month|2026-11-01|2026-11-30
last month|2026-10-01|2026-10-31
sales for last month|2026-10-01|2026-10-31
this quarter|2026-10-01|2026-12-31
last quarter|2026-07-01|2026-09-30
this year|2026-01-01|2026-12-31
last year|2025-01-01|2025-12-31
last fiscal year|2025-04-01|2026-03-31
this fiscal year|2026-04-01|2027-03-31
last 7 days|2026-11-24|2026-11-30
the past 30 days|2026-11-01|2026-11-30
last 2 weeks|2026-11-17|2026-11-30
last three months|2026-08-31|2026-11-30
last 3 complete months|2026-08-01|2026-10-31
last 12 months|2025-12-01|2026-11-30
3 days ago|2026-11-27|2026-11-27
two months ago|2026-09-01|2026-09-30
YTD|2026-01-01|2026-11-30
MoM|2026-10-01|2026-10-31
MTD|2026-11-01|2026-11-30
QTD|2026-10-01|2026-11-30
FYTD|2026-04-01|2026-11-30
year to date|2026-01-01|2026-11-30
2025-03-01|2025-03-01|2025-03-01
2025/3/1|2025-03-01|2025-03-01
20250301|2025-03-01|2025-03-01
2025-03|2025-03-01|2025-03-31
March 2025|2025-03-01|2025-03-31
Mar 2025|2025-03-01|2025-03-31
march 2025|2025-03-01|2025-03-31
March|2026-03-01|2026-03-31
December|2025-12-01|2025-12-31
March 5, 2025|2025-03-05|2025-03-05
March 5th|2026-03-05|2026-03-05
5 March 2025|2025-03-05|2025-03-05
2025|2025-01-01|2025-12-31
in 2025|2025-01-01|2025-12-31
Q3 2025|2025-07-01|2025-09-30
2025Q3|2025-07-01|2025-09-30
2025 Q3|2025-07-01|2025-09-30
the third quarter of 2025|2025-07-01|2025-09-30
Q3 last year|2025-07-01|2025-09-30
H1 2025|2025-01-01|2025-06-30
FY2025|2025-04-01|2026-03-31
FY25|2025-04-01|2026-03-31
FY2025 Q3|2025-10-01|2025-12-31
Q4 FY2025|2026-01-01|2026-03-31
fiscal year 2025|2025-04-01|2026-03-31
week 45|2026-11-02|2026-11-08
week 45 of 2025|2025-11-03|2025-11-09
2025-W45|2025-11-03|2025-11-09
end of last quarter|2026-09-30|2026-09-30
the end of March 2025|2025-03-31|2025-03-31
end of the month|2026-11-30|2026-11-30
same month last year|2025-11-01|2025-11-30
March 2025 YoY|2024-03-01|2024-03-31
from March to May 2025|2025-03-01|2025-05-31
from 2025-03-01 to 2025-05-31|2025-03-01|2025-05-31
between March 2025 and May 2025|2025-03-01|2025-05-31
Jan-Mar 2025|2025-01-01|2025-03-31
March 1-15, 2025|2025-03-01|2025-03-15
2023 to 2025|2023-01-01|2025-12-31
fiscal Q2|2026-07-01|2026-09-30
FY2025-26|2025-04-01|2026-03-31
last weekend|2026-11-28|2026-11-29
the last day of February 2024|2024-02-29|2024-02-29
last 4 quarters|2025-12-01|2026-11-30
between Nov 1 and Nov 15|2026-11-01|2026-11-15
since April 2025|2025-04-01|2026-11-30
"""

CHINESE = """
大前天|2026-11-27|2026-11-27
大后天|2026-12-03|2026-12-03
大前年|2023-01-01|2023-12-31
上上季度|2026-04-01|2026-06-30
上上周末|2026-11-21|2026-11-22
下下周五|2026-12-18|2026-12-18
上周日|2026-11-29|2026-11-29
上周三的销量|2026-11-25|2026-11-25
上周一共卖了多少|2026-11-23|2026-11-29
上周日均销量|2026-11-23|2026-11-29
上周三种商品的销量|2026-11-23|2026-11-29
今天|2026-11-30|2026-11-30
昨天|2026-11-29|2026-11-29
前天|2026-11-28|2026-11-28
本周|2026-11-30|2026-12-06
上周|2026-11-23|2026-11-29
上周三|2026-11-25|2026-11-25
本月|2026-11-01|2026-11-30
这个月|2026-11-01|2026-11-30
上月|2026-10-01|2026-10-31
上个月|2026-10-01|2026-10-31
上個月|2026-10-01|2026-10-31
上上个月|2026-09-01|2026-09-30
下个月|2026-12-01|2026-12-31
本季度|2026-10-01|2026-12-31
上季度|2026-07-01|2026-09-30
上个季度|2026-07-01|2026-09-30
第三季度|2026-07-01|2026-09-30
2025年第三季度|2025-07-01|2025-09-30
去年第四季度|2025-10-01|2025-12-31
上半年|2026-01-01|2026-06-30
下半年|2026-07-01|2026-12-31
去年上半年|2025-01-01|2025-06-30
2025财年|2025-04-01|2026-03-31
去年同月|2025-11-01|2025-11-30
过去三个月|2026-08-31|2026-11-30
近三个月|2026-08-31|2026-11-30
最近30天|2026-11-01|2026-11-30
最近3个完整月|2026-08-01|2026-10-31
最近两周|2026-11-17|2026-11-30
过去一年|2025-12-01|2026-11-30
环比|2026-10-01|2026-10-31
年初至今|2026-01-01|2026-11-30
今年以来|2026-01-01|2026-11-30
2025年3月|2025-03-01|2025-03-31
三月|2026-03-01|2026-03-31
2025年3月5日|2025-03-05|2025-03-05
2025年3月5号|2025-03-05|2025-03-05
第45周|2026-11-02|2026-11-08
上月底|2026-10-31|2026-10-31
月底|2026-11-30|2026-11-30
从2025年3月到5月|2025-03-01|2025-05-31
2025年3月至2025年5月|2025-03-01|2025-05-31
2025年3月环比|2025-02-01|2025-02-28
2025年3月同比|2024-03-01|2024-03-31
"""


def _cases(table: str) -> list[tuple[str, str, str]]:
    rows = [line.split("|") for line in table.strip().splitlines()]
    return [(row[0], row[1], row[2]) for row in rows]


@pytest.mark.parametrize(
    ("expression", "start", "end"), _cases(JAPANESE + ENGLISH.lstrip() + CHINESE.lstrip())
)
def test_an_expression_resolves_to_the_days_on_the_calendar(
    expression: str, start: str, end: str
) -> None:
    found = resolve(expression, TODAY, APRIL)
    assert (found.start.isoformat(), found.end.isoformat()) == (start, end)
    assert start in found.label and end in found.label


@pytest.mark.parametrize(
    "expression",
    [
        "2月30日", "2025年2月29日", "13月", "2025年13月", "2025-13-01", "2025-02-30", "令和99年", "平成31年5月1日",
        "平成32年", "R99.1.1", "2025年第53週", "2025-05-31から2025-03-01", "from May 2025 to March 2025",
        "2025年11月から2月", "February 30", "2025Q5", "2025年第五季度", "令和元年4月1日",
    ],
)  # fmt: skip
def test_what_the_calendar_lacks_is_an_error(expression: str) -> None:
    with pytest.raises(ToolRetry) as caught:
        resolve(expression, TODAY, APRIL)
    assert caught.value.kind == "no_such_date"
    assert caught.value.hint


@pytest.mark.parametrize(
    "expression",
    [
        "", "在庫", "hello", "XR-4200", "3か所", "some time ago", "25年3月", "early November", "before March 2025",
        "2025年3月まで", "先月と今月", "the weekend after last month",
        "大大后天", "后后天", "明后天", "去去年", "上上年", "上上上个月", "上上上周五", "再々来週", "前前年",
        "last last month", "next next week", "the last last week",
        "week of November 9", "先月の平日", "2025/26", "3月の後半",
    ],
)  # fmt: skip
def test_a_text_without_one_readable_date_is_an_error(expression: str) -> None:
    with pytest.raises(ToolRetry) as caught:
        resolve(expression, TODAY, APRIL)
    assert caught.value.kind == "no_date"


@pytest.mark.parametrize(
    ("expression", "settings", "start", "end"),
    [
        ("11月度", CalendarSettings(closing_day=20), "2026-10-21", "2026-11-20"),
        ("2025年3月度", CalendarSettings(closing_day=31), "2025-03-01", "2025-03-31"),
        ("2025年3月度", CalendarSettings(closing_day=30), "2025-03-01", "2025-03-30"),
        ("11月度", CalendarSettings(), "2026-11-01", "2026-11-30"),
        ("今週", CalendarSettings(week_start=6), "2026-11-29", "2026-12-05"),
        ("FY2025", CalendarSettings(fiscal_year_start=1), "2025-01-01", "2025-12-31"),
        ("今期", CalendarSettings(fiscal_year_start=12), "2025-12-01", "2026-11-30"),
        ("FY2025 Q1", CalendarSettings(fiscal_year_start=2), "2025-02-01", "2025-04-30"),
        ("今四半期", CalendarSettings(fiscal_year_start=2), "2026-11-01", "2027-01-31"),
        ("本季度", CalendarSettings(fiscal_year_start=2), "2026-10-01", "2026-12-31"),
    ],
)  # fmt: skip
def test_the_company_calendar_is_followed(
    expression: str, settings: CalendarSettings, start: str, end: str
) -> None:
    found = resolve(expression, TODAY, settings)
    assert (found.start.isoformat(), found.end.isoformat()) == (start, end)


@pytest.mark.parametrize(
    ("today", "expression", "start", "end"),
    [
        ("2026-01-15", "先月", "2025-12-01", "2025-12-31"),
        ("2026-01-15", "今期", "2025-04-01", "2026-03-31"),
        ("2026-03-31", "last month", "2026-02-01", "2026-02-28"),
        ("2025-05-31", "直近3か月", "2025-03-01", "2025-05-31"),
        ("2026-06-10", "下期", "2025-10-01", "2026-03-31"),
        ("2026-02-10", "12月", "2025-12-01", "2025-12-31"),
        ("2027-01-02", "week 53", "2026-12-28", "2027-01-03"),
    ],
)
def test_today_moves_what_is_relative(today: str, expression: str, start: str, end: str) -> None:
    found = resolve(expression, date.fromisoformat(today), APRIL)
    assert (found.start.isoformat(), found.end.isoformat()) == (start, end)


def test_february_29_has_no_day_a_year_before() -> None:
    with pytest.raises(ToolRetry) as caught:
        resolve("2024年2月29日の前年同日", TODAY, APRIL)
    assert caught.value.kind == "no_such_date"


@pytest.mark.parametrize(
    ("expression", "remark"),
    [
        ("上期", "会計年度"), ("上半年", "日历年"), ("第三季度", "日历年"), ("3月", "直近"), ("March", "most recent"),
        ("last 7 days", "today included"), ("下期", "4月始まり"), ("2025年3月度", "締め日の設定がない"),
    ],
)  # fmt: skip
def test_the_label_says_which_reading_was_taken(expression: str, remark: str) -> None:
    assert remark in resolve(expression, TODAY, APRIL).label


def test_mentions_are_found_with_their_places_in_a_question() -> None:
    question = "２０２５年３月の東京倉庫の売上と先月の売上を比べて"
    found = mentions(question, TODAY, APRIL)
    assert [m.text for m in found] == ["２０２５年３月", "先月"]
    assert all(question[m.start : m.end] == m.text for m in found)
    assert [str(m.range.start) for m in found if m.range] == ["2025-03-01", "2026-10-01"]


@pytest.mark.parametrize(
    "question",
    [
        "XR-4200の在庫は？", "第3倉庫に20個ありますか", "May I see the stock of SKU 2025-113-4?", "top 5 products",
        "価格が2000円以上の商品", "Which of the 2025 units are left?", "電話は03-1234-5678です", "千葉と三重の店舗",
    ],
)  # fmt: skip
def test_a_question_without_dates_has_no_mentions(question: str) -> None:
    assert mentions(question, TODAY, APRIL) == []


def test_a_comparison_is_the_period_and_its_base() -> None:
    found = mentions("2025年11月の前月比は？", TODAY, APRIL)
    assert [m.text for m in found] == ["2025年11月", "2025年11月の前月比"]
    assert [str(m.range.start) for m in found if m.range] == ["2025-11-01", "2025-10-01"]


@pytest.mark.parametrize(
    ("question", "problem"),
    [
        ("sales before March 2026", "open at one end"),
        ("4月までの売上", "open at one end"),
        ("stock in early March 2026", "not understood"),
    ],
)
def test_a_mention_that_is_not_a_whole_range_says_so(question: str, problem: str) -> None:
    (found,) = mentions(question, TODAY, APRIL)
    assert found.range is None
    assert problem in found.problem


def test_an_impossible_day_is_called_by_month_and_day() -> None:
    with pytest.raises(ToolRetry, match="month 2 day 30"):
        resolve("2月30日", TODAY, APRIL)


def test_an_impossible_date_in_a_question_is_a_mention_with_a_problem() -> None:
    (found,) = mentions("2月30日の売上は？", TODAY, APRIL)
    assert found.range is None
    assert found.problem


def test_a_long_text_is_scanned_quickly() -> None:
    text = "先月の売上は12,345円で、2025年3月からは増えた。Sales in March 2025 rose. " * 700
    began = time.process_time()
    assert len(mentions(text, TODAY, APRIL)) == 2100
    assert time.process_time() - began < 5
