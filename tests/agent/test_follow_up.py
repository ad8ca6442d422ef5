"""Follow-ups that name another period, value or code are read by rule; others are left alone."""

from datetime import date

import pytest

from agent.follow_up import stand_alone
from tools.dates import CalendarSettings

VALUES = {
    "東京倉庫": ("warehouses", "name"),
    "大阪倉庫": ("warehouses", "name"),
    "福岡倉庫": ("warehouses", "name"),
    "照明": ("categories", "name"),
    "文具": ("categories", "name"),
    "Tokyo": ("warehouses", "city"),
    "Osaka": ("warehouses", "city"),
}


def values(text: str) -> list[tuple[str, str, str]]:
    return [(*place, value) for value, place in VALUES.items() if value.lower() in text.lower()]


def read(question: str, before: str) -> str:
    return stand_alone(question, before, date(2026, 11, 30), CalendarSettings(), values)


@pytest.mark.parametrize(
    ("question", "before", "reading"),
    [
        ("先月は？", "今月の東京倉庫の売上は？", "先月の東京倉庫の売上は？"),
        ("では大阪倉庫は？", "先月の東京倉庫の売上は？", "先月の大阪倉庫の売上は？"),
        ("那大阪倉庫呢？", "福岡倉庫11月的销售额是多少？", "大阪倉庫11月的销售额是多少？"),
        ("文具は？", "照明の返品の受付期間は何日ですか？", "文具の返品の受付期間は何日ですか？"),
        ("And for CS-0300?", "How many CS-0200 did we sell?", "How many CS-0300 did we sell?"),
        ("What about osaka?", "Stock in Tokyo in May 2026?", "Stock in osaka in May 2026?"),
        ("And in May 2026?", "Sales in Tokyo in June 2026?", "Sales in Tokyo in May 2026?"),
        ("前年同月は？", "先月の売上は？", "2025年10月の売上は？"),
        (
            "And in the same month a year earlier?",
            "How many did we sell in September 2026?",
            "How many did we sell in September 2025?",
        ),
    ],
)
def test_what_is_named_takes_the_place_of_its_counterpart(
    question: str, before: str, reading: str
) -> None:
    assert read(question, before) == reading


@pytest.mark.parametrize(
    ("question", "before"),
    [
        ("なぜ？", "今月の売上は？"),
        ("在庫は？", "東京倉庫の売上は？"),  # another measure
        ("文具は？", "東京倉庫の売上は？"),  # of no value there is it the counterpart
        ("大阪倉庫は？", "東京倉庫と福岡倉庫の売上は？"),  # of two
        ("先月は？", "東京倉庫の売上は？"),  # no period there
        ("前月は？", "2026年9月の売上は？"),  # before what?
        ("前年同月は？", "直近3か月の売上は？"),  # no month
        ("and CS-0300 in May?", "How many CS-0200 in June 2026?"),  # two things at once
        ("List the warehouses", "Sales in Tokyo?"),
        ("Osaka", "Sales in Tokyo?"),  # no sign that it goes on
    ],
)
def test_what_is_not_certain_is_left_to_the_model(question: str, before: str) -> None:
    assert read(question, before) == ""
