"""What the question plainly asks for against what its query does."""

from collections.abc import Iterator

import duckdb
import pytest

from ingest.store import Catalog, ColumnRecord, TableRecord
from tools.sql.guard import examine
from tools.sql.mended import OtherShape

SCHEMA = """
CREATE TABLE customers (id INTEGER, name VARCHAR, town VARCHAR);
INSERT INTO customers VALUES (1, 'Aoki', 'Kobe'), (2, 'Baba', 'Nara'), (3, 'Chiba', 'Kobe');
CREATE TABLE orders (customer_id INTEGER, product VARCHAR, amount INTEGER);
INSERT INTO orders VALUES (1, 'Tea', 5), (1, 'Rice', 70), (2, 'Tea', 30), (2, 'Tea', 8);
"""
COUNTS = {"customers": {"id": 3, "name": 3, "town": 2}, "orders": {"customer_id": 2, "product": 2}}


def _table(name: str, columns: dict[str, str], rows: int) -> TableRecord:
    known = COUNTS[name]
    return TableRecord(
        name=name,
        source=f"{name}.csv",
        rows=rows,
        columns=tuple(
            ColumnRecord(name=column, type=kind, original=column, distinct=known.get(column, 0))
            for column, kind in columns.items()
        ),
    )


CATALOG = Catalog(
    tables=(
        _table(
            "customers",
            {
                "id": "INTEGER",
                "name": "VARCHAR",
                "town": "VARCHAR",
                "town_size": "INTEGER",
                "num_of_shops": "INTEGER",
            },
            3,
        ),
        _table("orders", {"customer_id": "INTEGER", "product": "VARCHAR", "amount": "INTEGER"}, 4),
    )
)
JOINED = "FROM customers AS c JOIN orders AS o ON o.customer_id = c.id"


@pytest.fixture(scope="module")
def shop() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute(SCHEMA)
        yield connection


def _found(sql: str, question: str) -> OtherShape | None:
    try:
        examine(sql, CATALOG, question=question, alone=True)
    except OtherShape as error:
        return error
    return None


@pytest.mark.parametrize(
    ("question", "sql", "kind"),
    [
        ('Which customers live in "Nara"?', "SELECT name FROM customers", "value_left_out"),
        ("「奈良」の顧客は？", "SELECT name FROM customers", "value_left_out"),
        ("Which products begin with 'C'?", "SELECT product FROM orders", "value_left_out"),
        ("金額の欠損数は？", "SELECT COUNT(*) FROM orders", "no_null_test"),
        (
            "How many missing values has each product?",
            "SELECT product, COUNT(*) FROM orders GROUP BY product",
            "no_null_test",
        ),
        (
            "What is the most expensive product?",
            "SELECT product, COUNT(*) FROM orders GROUP BY product ORDER BY 2 DESC LIMIT 1",
            "no_price",
        ),
        (
            "Which orders are over 50?",
            "SELECT product FROM orders ORDER BY amount DESC LIMIT 1",
            "value_left_out",
        ),
        (
            "金額が3万円以上の注文は？",
            "SELECT product FROM orders WHERE amount > 5",
            "value_left_out",
        ),
        ("平均の金額は？", "SELECT SUM(amount) AS average FROM orders", "no_average"),
        ("How many orders has each customer?", "SELECT COUNT(*) FROM orders", "no_groups"),
        (
            "What is the most expensive product?",
            "SELECT product FROM orders ORDER BY customer_id DESC LIMIT 1",
            "no_price",
        ),
        (
            "What is the most expensive product?",
            "SELECT product FROM orders ORDER BY market_rate DESC, parent_id LIMIT 1",
            "no_price",
        ),
        (
            "最贵的商品是什么？",
            "SELECT product FROM orders ORDER BY customer_id DESC LIMIT 1",
            "no_price",
        ),
        (
            "What is the number of orders of each customer?",
            "SELECT customer_id, SUM(customer_id) FROM orders GROUP BY customer_id",
            "no_count",
        ),
        (
            "How many customers are there in each town?",
            "SELECT town_size, COUNT(*) FROM customers GROUP BY town_size",
            "figure_as_group",
        ),
        (
            "Who has the largest number of shops?",
            "SELECT name, COUNT(*) FROM customers GROUP BY name ORDER BY 2 DESC LIMIT 1",
            "stored_count",
        ),
        ("各商品の金額の合計は？", "SELECT SUM(amount) FROM orders", "no_groups"),
        ("每个商品的总金额是多少？", "SELECT SUM(amount) FROM orders", "no_groups"),
        ("商品ごとに合計を出してください", "SELECT SUM(amount) FROM orders", "no_groups"),
        (
            "每个客户有多少订单？",
            "SELECT COUNT(*) FROM orders WHERE customer_id IN (SELECT id FROM customers)",
            "no_groups",
        ),
        (
            "Who bought both Tea and Rice?",
            f"SELECT c.name {JOINED} WHERE o.product IN ('Tea', 'Rice')",
            "either_for_both",
        ),
        (
            "TeaとRiceの両方を買った顧客は？",
            f"SELECT c.name {JOINED} WHERE o.product = 'Tea' OR o.product = 'Rice'",
            "either_for_both",
        ),
        (
            "Which customers never bought Rice?",
            f"SELECT DISTINCT c.name {JOINED} WHERE o.product <> 'Rice'",
            "never_by_row",
        ),
        (
            "一度もRiceを買ったことがない顧客は？",
            f"SELECT c.name {JOINED} WHERE NOT o.product IN ('Rice')",
            "never_by_row",
        ),
        (
            "Which towns are without a customer called Aoki?",
            "SELECT town FROM customers WHERE name <> 'Aoki'",
            "never_by_row",
        ),
        (
            "Show customers with Kobe in the address",
            "SELECT name FROM customers ORDER BY town LIKE '%Kobe%' LIMIT 1",
            "sorted_condition",
        ),
    ],
)
def test_a_query_that_does_not_do_what_the_words_say_is_sent_back(
    question: str, sql: str, kind: str
) -> None:
    error = _found(sql, question)
    assert error is not None and error.kind == kind
    assert error.hint


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ('Which customers live in "Nara"?', "SELECT name FROM customers WHERE town = 'Nara'"),
        ("Which products begin with 'C'?", "SELECT product FROM orders WHERE product LIKE 'C%'"),
        ("Which are the customers' towns and shops' names?", "SELECT town, name FROM customers"),
        ("金額の欠損数は？", "SELECT COUNT(*) - COUNT(amount) FROM orders"),
        ("金額の欠損数は？", "SELECT COUNT(*) FROM orders WHERE amount IS NULL"),
        ("欠損に注意して金額の合計を出してください", "SELECT SUM(amount) FROM orders"),
        ('Whose name contains "ok"?', "SELECT name FROM customers WHERE name LIKE '%ok%'"),
        ('What is in the column "town"?', "SELECT town FROM customers"),
        ("Which orders are over 50?", "SELECT product FROM orders WHERE amount > 50"),
        ("金額が3万円以上の注文は？", "SELECT product FROM orders WHERE amount >= 30000"),
        ("金額が50万を超える注文は？", "SELECT product FROM orders WHERE amount > 0.5"),
        ("What is the most expensive product?", "SELECT product FROM orders ORDER BY amount DESC"),
        ("How many customers in each town?", "SELECT town, COUNT(*) FROM customers GROUP BY town"),
        ("How many towns are there, and which?", "SELECT DISTINCT town FROM customers"),
        ("What is the number of customers?", "SELECT COUNT(*) FROM customers"),
        ("Who has the most shops?", "SELECT name FROM customers ORDER BY num_of_shops DESC LIMIT 1"),
        ("Top 3 customers?", "SELECT name FROM customers ORDER BY id LIMIT 3"),
        ("How many orders were there in 2026?", "SELECT COUNT(*) FROM orders"),
        (
            "What is the number of orders over 50?",
            "SELECT SUM(CASE WHEN amount > 50 THEN 1 ELSE 0 END) FROM orders",
        ),
        ("Orders of '24?", "SELECT product FROM orders WHERE ordered_year = 2024"),
        ("Which order is the most expensive?", "SELECT id FROM orders ORDER BY salary DESC LIMIT 1"),
        (
            "How many orders has each customer?",
            "SELECT customer_id, COUNT(*) FROM orders GROUP BY customer_id",
        ),
        (
            "What is the average number of orders per customer?",
            "SELECT COUNT(*) / COUNT(DISTINCT customer_id) FROM orders",
        ),
        (
            "For each customer the name and the product",
            f"SELECT c.name, o.product {JOINED}",
        ),
        (
            "Show both the name and the town of customers in Kobe or Nara",
            "SELECT name, town FROM customers WHERE town IN ('Kobe', 'Nara')"
        ),
        (
            "Who bought Tea or Rice?",
            f"SELECT c.name {JOINED} WHERE o.product IN ('Tea', 'Rice')",
        ),
        (
            "Which customers never ordered?",
            "SELECT name FROM customers WHERE id NOT IN (SELECT customer_id FROM orders)",
        ),
        (
            "Which customers never ordered?",
            "SELECT c.name FROM customers AS c LEFT JOIN orders AS o ON o.customer_id = c.id "
            "WHERE o.customer_id IS NULL",
        ),
        (
            "Which orders are not for Rice?",
            "SELECT customer_id FROM orders WHERE product <> 'Rice'",
        ),
        (
            "Which customers are without the town Kobe?",
            "SELECT name FROM customers WHERE town <> 'Kobe'",
        ),
        (
            "List the customers, those of Kobe first",
            "SELECT name FROM customers ORDER BY town = 'Kobe' DESC",
        ),
    ],
)  # fmt: skip
def test_a_query_that_does_what_the_words_say_passes(question: str, sql: str) -> None:
    assert _found(sql, question) is None


@pytest.mark.parametrize(
    ("question", "sql", "rows"),
    [
        (
            "How many different products were ordered?",
            "SELECT DISTINCT product FROM orders ORDER BY product",
            [(2,)],
        ),
        ("商品は何種類ありますか？", "SELECT DISTINCT product FROM orders", [(2,)]),
        (
            "Who bought both Tea and Rice?",
            f"SELECT DISTINCT c.name {JOINED} WHERE o.product = 'Tea' OR o.product = 'Rice'",
            [("Aoki",)],
        ),
        (
            "TeaとRiceの両方を買ったKobeの顧客は？",
            f"SELECT c.name {JOINED} WHERE o.product = 'Tea' AND o.product = 'Rice' AND town = 'Kobe'",
            [("Aoki",)],
        ),
        (
            "Who bought both Tea and Rice?",
            f"SELECT c.name {JOINED} WHERE o.product = 'Tea' AND o.product = 'Rice' "
            "GROUP BY c.name HAVING COUNT(DISTINCT o.amount) = 2",
            [("Aoki",)],
        ),
        (
            "Which customers never bought Rice?",
            f"SELECT c.name {JOINED} WHERE o.product <> 'Rice'",
            [("Baba",), ("Chiba",)],
        ),
        (
            "Which customers have never ordered?",
            "SELECT c.name FROM orders AS o JOIN customers AS c ON o.customer_id = c.id "
            "WHERE c.town IS NULL ORDER BY c.name",
            [("Chiba",)],
        ),
        (
            "Which towns are without a customer called Aoki?",
            "SELECT town FROM customers WHERE name <> 'Aoki' AND id IS NULL",
            [("Nara",)],
        ),
        (
            "Show customers with Kobe in the address",
            "SELECT name FROM customers ORDER BY town LIKE '%Kobe%' LIMIT 1",
            [("Aoki",), ("Chiba",)],
        ),
    ],
)
def test_the_mended_query_finds_what_was_asked(
    shop: duckdb.DuckDBPyConnection, question: str, sql: str, rows: list[tuple[object]]
) -> None:
    error = _found(sql, question)
    assert error is not None and error.mended is not None
    assert sorted(shop.execute(error.mended).fetchall()) == rows
    assert _found(error.mended, question) is None


def test_a_query_for_a_part_of_the_question_is_not_judged() -> None:
    question = 'Which orders are over 50, and what says the "returns" policy?'
    examine("SELECT product FROM orders", CATALOG, question=question)
