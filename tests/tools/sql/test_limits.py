"""LIMITs that nobody asked for."""

import pytest
from sqlglot import parse_one

from ingest.store import Catalog, TableRecord
from tools.sql.limits import drop_unasked_limit

CATALOG = Catalog(
    tables=(TableRecord(name="stock", source="s.csv", rows=1, columns=(), snapshot=True),)
)


def _limited(sql: str, question: str) -> tuple[str, int]:
    tree = parse_one(sql, dialect="duckdb")
    notes = drop_unasked_limit(tree, question, CATALOG)
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
        (1, "Which store sells the most?"),
        (1, "Which of them costs more?"),
        (1, "一番売れた商品は？"),
        (1, "哪个平台的销售额最高？"),
        (1, "When did it begin?"),
        (12, "上位１２件"),
        (1, "Which is heavier, the lamp or the box?"),
        (1, "What is the main reason for returns?"),
        (1, "Which channel dominates?"),
        (1, "主な返品理由は？"),
        (1, "売れ筋商品は何ですか"),
        (1, "台灯和书架，谁卖得多？"),
        (1, "返品が多い商品はどれですか"),
        (1, "退货多的产品是哪款？"),
        (1, "台灯贵还是书架贵？"),
    ],
)
def test_a_limit_that_the_question_asks_for_stays(count: int, question: str) -> None:
    sql = f"SELECT a FROM t LIMIT {count}"
    assert _limited(sql, question) == (sql, 0)


@pytest.mark.parametrize(
    "question",
    [
        "Which store sells it?",
        "誰が返品しましたか",
        "有哪些客户？",
        "The name of who uses email",
        "Which customers ordered last year?",
        "Who ordered in the last 3 months?",
        "Who ordered more than 5 times?",
        "Who sent requests?",
        "1月に買った得意先は？",
        "Q1の得意先は？",
        "月末に買った得意先は？",
    ],
)
def test_one_row_is_not_taken_for_all_that_there_are(question: str) -> None:
    sql = "SELECT a FROM t ORDER BY b DESC LIMIT 1"
    assert _limited(sql, question) == ("SELECT a FROM t ORDER BY b DESC", 1)


def test_a_place_in_the_order_stays_one_row() -> None:
    sql = "SELECT a FROM t ORDER BY b DESC LIMIT 1 OFFSET 1"
    assert _limited(sql, "What was the runner-up?") == (sql, 0)


def test_the_last_day_of_stock_stays_one_row() -> None:
    sql = "SELECT on_hand FROM stock ORDER BY day DESC LIMIT 1"
    assert _limited(sql, "How many are there?") == (sql, 0)


def test_a_limit_inside_the_query_is_part_of_its_meaning() -> None:
    sql = "SELECT SUM(a) FROM (SELECT a FROM t LIMIT 10) AS q"
    assert _limited(sql, "the sum") == (sql, 0)
