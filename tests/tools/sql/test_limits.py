"""LIMITs that nobody asked for."""

import pytest
from sqlglot import parse_one

from tools.sql.limits import drop_unasked_limit


def _limited(sql: str, question: str) -> tuple[str, int]:
    tree = parse_one(sql, dialect="duckdb")
    notes = drop_unasked_limit(tree, question)
    return tree.sql(dialect="duckdb"), len(notes)


@pytest.mark.parametrize(
    "question",
    [
        "Show each state and the number of addresses.",
        "各平台的平均销售额是多少？",
        "倉庫ごとの在庫",
    ],
)
def test_a_limit_that_the_question_does_not_ask_for_is_left_out(question: str) -> None:
    assert _limited("SELECT a FROM t LIMIT 10", question) == ("SELECT a FROM t", 1)


@pytest.mark.parametrize(
    ("count", "question"),
    [
        (10, "先頭から全項目を10件表示せよ"),
        (5, "Find out five customers"),
        (10, "列出差异大的十家发行商"),
        (10, "Top customers by revenue"),
        (3, "最近の入荷は？"),
        (1, "Which store sells it?"),
        (12, "上位１２件"),
    ],
)
def test_a_limit_that_the_question_asks_for_stays(count: int, question: str) -> None:
    sql = f"SELECT a FROM t LIMIT {count}"
    assert _limited(sql, question) == (sql, 0)


def test_a_limit_inside_the_query_is_part_of_its_meaning() -> None:
    sql = "SELECT SUM(a) FROM (SELECT a FROM t LIMIT 10) AS q"
    assert _limited(sql, "the sum") == (sql, 0)
