from datetime import date

import pytest

from agent.pairs.masking import masked, normalised
from tools.dates import CalendarSettings, mentions

TODAY = date(2026, 11, 30)


@pytest.mark.parametrize(
    ("question", "values", "expected"),
    [
        ("先月の東京倉庫の出庫数は？", ["東京倉庫"], "dateのvalueの出庫数は"),
        ("２０２５年３月の売上は", [], "dateの売上は"),
        ("11月の前月比は？", [], "dateは"),
        ("Sales of XR-4200 in October 2026?", [], "sales of value in date"),
        ("Is the TV active?", ["TV"], "is the value active"),
        ("top 5 products over 1,200.50", [], "top 0 products over 0"),
        ("「緑茶」の在庫は", [], "valueの在庫は"),
        ("customers in 'New York'", [], "customers in value"),
        ("the customer's orders", [], "the customer's orders"),
        ("上个月北京仓库的出库量", ["北京仓库"], "datevalue的出库量"),
    ],
)
def test_dates_values_codes_and_numbers_are_masked(
    question: str, values: list[str], expected: str
) -> None:
    assert masked(question, mentions(question, TODAY, CalendarSettings()), values) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("在庫はいくつ？", "在庫はいくつ"),
        ("ＸＲ-4200の在庫は？", "XR-4200の在庫は?"),
        ("How many  units?", "how many units"),
        ("库存多少。", "库存多少"),
    ],
)
def test_width_case_spaces_and_the_end_mark_say_nothing(one: str, other: str) -> None:
    assert normalised(one) == normalised(other)


def test_other_words_are_another_question() -> None:
    assert normalised("先月の売上") != normalised("今月の売上")
