"""Phrases of sorting, counting and shares, as SQL."""

import pytest

from agent.phrases import phrases


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("顧客を高齢順に並べて", "高齢順 = oldest first: birth date ASC"),
        ("List the members from youngest to oldest", "birth date DESC"),
        ("在庫の多い順に10件", "多い順 = DESC"),
        ("按销售额从高到低列出", "从高到低 = DESC"),
        ("店舗と商品を直積し、件数を", "直積 = CROSS JOIN"),
        ("各仓库的库存占比", "占比 = 100.0 * part / whole"),
        ("sorted by price in ascending order", "ascending = ASC"),
        ("2026年の4月から9月まで、月ごとの売上", "月ごと = GROUP BY date_trunc('month', date)"),
        ("revenue by quarter", "GROUP BY date_trunc('quarter', date)"),
        ("各月的销售额", "各月 = GROUP BY date_trunc('month', date)"),
        ("100円以上の商品", "以上 = >="),
    ],
)
def test_a_phrase_is_told_in_sql(question: str, told: str) -> None:
    assert told in phrases(question)


@pytest.mark.parametrize(
    "question", ["How many stores are there?", "在庫は何個ですか", "有多少个组织？"]
)
def test_a_question_without_such_phrases_costs_nothing(question: str) -> None:
    assert phrases(question) == ""


def test_the_longer_of_two_phrases_counts() -> None:
    assert phrases("年齢の高い順") == "年齢の高い順 = oldest first: birth date ASC"
