"""The kinds of wrong answers, on pairs of queries over a small shop; rows are worked out by hand."""

import json
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from tests.bench.kinds import Found, kind_of, kinds_of, read_verdicts
from tests.bench.records import Question, Record
from tests.bench.warehouse import Warehouse

SHOP = """
CREATE TABLE customers (customer_id INT, name TEXT, city TEXT);
CREATE TABLE orders (order_id INT, customer_id INT, day DATE, status TEXT, net INT, gross INT);
CREATE TABLE suppliers (supplier_id INT, name TEXT);
INSERT INTO customers VALUES (1, 'Abe', 'Osaka'), (2, 'Ito', 'Kobe'), (3, 'Ueda', 'Osaka');
INSERT INTO orders VALUES (10, 1, '2026-01-05', 'open', 100, 110),
    (11, 1, '2026-02-05', 'paid', 250, 275), (12, 2, '2025-12-31', 'open', 33, 36);
INSERT INTO suppliers VALUES (7, 'Sato');
"""
JOINED = "FROM customers c JOIN orders o ON c.customer_id = o.customer_id"


@pytest.fixture
def shop() -> Iterator[Warehouse]:
    connection = duckdb.connect()
    connection.execute(SHOP)
    with Warehouse(connection) as warehouse:
        yield warehouse


def _found(shop: Warehouse, gold: str, sql: str) -> Found:
    rows = shop.rows(gold)
    assert rows is not None, gold
    question = Question("q", "shop", "?", [list(row) for row in rows], gold)
    record = Record("q", "shop", "answered", "k", sql=[sql])
    return kind_of(record, question, shop.schema, shop.rows)


def _by_text(gold: str, sql: str) -> Found:
    """Without the database, from the queries alone."""
    record = Record("q", "shop", "answered", "k", sql=[sql])
    return kind_of(record, Question("q", "shop", "?", [[0], [0]], gold))


@pytest.mark.parametrize(
    ("gold", "sql", "kind", "why"),
    [
        (
            "SELECT name FROM customers",
            "SELECT name FROM suppliers",
            "wrong table",
            "suppliers read instead of customers (also wrong column)",
        ),
        (
            "SELECT name FROM customers WHERE city = 'Osaka'",
            "SELECT c.name FROM customers c JOIN orders o USING (customer_id) WHERE city = 'Osaka'",
            "wrong join",
            "table also joined: orders",
        ),
        (
            f"SELECT name, net {JOINED}",
            "SELECT name, net FROM customers c JOIN orders o ON c.customer_id = o.order_id - 9",
            "wrong join",
            "joined on none, gold on customers.customer_id = orders.customer_id (also extra filter)",
        ),
        (
            "SELECT name FROM customers WHERE customer_id NOT IN "
            "(SELECT customer_id FROM orders WHERE status = 'paid')",
            f"SELECT name {JOINED} WHERE status <> 'paid'",
            "wrong join",
            "rows without none, gold without orders (also wrong value)",
        ),
        (
            f"SELECT name {JOINED}",
            f"SELECT name {JOINED} JOIN orders p ON o.customer_id = p.customer_id",
            "wrong join",
            "orders joined with itself, gold none",
        ),
        (
            "SELECT sum(net) FROM orders WHERE day BETWEEN '2026-01-01' AND '2026-12-31'",
            "SELECT sum(net) FROM orders WHERE year(day) = 2025",
            "wrong period",
            "orders.day < 2026-01-01 AND orders.day >= 2025-01-01, "
            "gold orders.day < 2027-01-01 AND orders.day >= 2026-01-01",
        ),
        (
            "SELECT sum(net) FROM orders WHERE day >= '2026-01-01'",
            "SELECT sum(net) FROM orders",
            "wrong period",
            "no period, gold orders.day >= 2026-01-01",
        ),
        (
            "SELECT count(*) FROM orders WHERE status = 'open'",
            "SELECT count(*) FROM orders",
            "missing filter",
            "filter missing: orders.status = open",
        ),
        (
            f"SELECT net {JOINED} WHERE c.city = 'Osaka'",
            "SELECT net FROM orders",
            "missing filter",
            "filter missing: customers.city = Osaka",
        ),
        (
            "SELECT city FROM customers GROUP BY city HAVING count(*) > 1",
            "SELECT city FROM customers GROUP BY city",
            "missing filter",
            "HAVING missing: COUNT(*) > 1",
        ),
        (
            "SELECT order_id FROM orders WHERE NOT (status = 'paid' OR net > 50)",
            "SELECT order_id FROM orders WHERE NOT (status = 'paid' AND net > 50)",
            "missing filter",
            "orders.net, orders.status joined by OR, gold by AND",
        ),
        (
            f"SELECT name {JOINED} WHERE status = 'open' "
            f"INTERSECT SELECT name {JOINED} WHERE status = 'paid'",
            f"SELECT DISTINCT name {JOINED} WHERE status IN ('open', 'paid')",
            "missing filter",
            "both conditions must hold: INTERSECT missing",
        ),
        (
            "SELECT count(*) FROM orders",
            "SELECT count(*) FROM orders WHERE status = 'open'",
            "extra filter",
            "filter added: orders.status = open",
        ),
        (
            "SELECT count(*) FROM orders WHERE status IN ('open', 'paid')",
            "SELECT count(*) FROM orders WHERE status = 'open'",
            "wrong value",
            "orders.status = open, gold orders.status IN (open, paid)",
        ),
        (
            "SELECT customer_id FROM orders GROUP BY 1 HAVING count(*) >= 1",
            "SELECT customer_id FROM orders GROUP BY 1 HAVING count(*) > 1",
            "wrong value",
            "HAVING COUNT(*) > 1, gold COUNT(*) >= 1",
        ),
        (
            "SELECT sum(net) FROM orders",
            "SELECT avg(net) FROM orders",
            "wrong aggregate",
            "AVG(orders.net), gold SUM(orders.net) (also wrong column)",
        ),
        (
            "SELECT city, count(*) FROM customers GROUP BY city",
            "SELECT count(*) FROM customers",
            "wrong aggregate",
            "grouped by none, gold by customers.city (also wrong column)",
        ),
        (
            "SELECT name FROM customers",
            "SELECT count(*) FROM customers",
            "wrong aggregate",
            "COUNT(*), gold none (also wrong column)",
        ),
        (
            "SELECT order_id FROM orders ORDER BY net DESC LIMIT 1",
            "SELECT order_id FROM orders ORDER BY net LIMIT 1",
            "wrong aggregate",
            "ORDER BY orders.net LIMIT 1, gold ORDER BY orders.net DESC LIMIT 1",
        ),
        (
            "SELECT name FROM customers",
            "SELECT name FROM customers ORDER BY name LIMIT 2",
            "wrong aggregate",
            "ORDER BY customers.name LIMIT 2, gold none",
        ),
        (
            "SELECT DISTINCT city FROM customers",
            "SELECT city FROM customers",
            "wrong aggregate",
            "rows repeated: DISTINCT missing",
        ),
        (
            "SELECT order_id, net FROM orders",
            "SELECT order_id, gross FROM orders",
            "wrong column",
            "not shown: orders.net",
        ),
        (
            "SELECT order_id FROM orders WHERE net = 100",
            "SELECT order_id FROM orders WHERE gross = 100",
            "wrong column",
            "filter on orders.gross = 100, gold on orders.net = 100",
        ),
        (
            "SELECT customer_id, sum(net) FROM orders GROUP BY customer_id",
            f"SELECT name, sum(net) {JOINED} GROUP BY name",
            "loose question",
            "name instead of customer_id of customers",
        ),
        (
            "SELECT name FROM customers WHERE city = 'Kobe'",
            "SELECT customer_id FROM customers WHERE city = 'Kobe'",
            "loose question",
            "customer_id instead of name of customers",
        ),
        (
            "SELECT count(*) FILTER (status = 'open') / count(*) FROM orders",
            "SELECT count(*) FILTER (status = 'open') * 100 / count(*) FROM orders",
            "loose question",
            "a column times 100",
        ),
        (
            "SELECT avg(net) / 7 FROM orders",
            "SELECT round(avg(net) / 7, 1) FROM orders",
            "loose question",
            "rounded to 1 decimals",
        ),
        (
            "SELECT city FROM customers",
            "SELECT DISTINCT city FROM customers",
            "loose question",
            "each row once, which the gold repeats",
        ),
    ],
)
def test_a_wrong_answer_has_its_kind(
    shop: Warehouse, gold: str, sql: str, kind: str, why: str
) -> None:
    assert _found(shop, gold, sql) == Found(kind, why)


@pytest.mark.parametrize(
    ("gold", "sql"),
    [
        (
            "SELECT name FROM customers EXCEPT SELECT c.name FROM customers c JOIN orders o "
            "ON c.customer_id = o.customer_id",
            "SELECT name FROM customers WHERE customer_id NOT IN (SELECT customer_id FROM orders)",
        ),
        (
            "SELECT c.name FROM customers c LEFT JOIN orders o ON c.customer_id = o.customer_id "
            "WHERE o.order_id IS NULL",
            "SELECT name FROM customers c WHERE NOT EXISTS "
            "(SELECT 1 FROM orders o WHERE o.customer_id = c.customer_id)",
        ),
        (
            "SELECT order_id FROM orders ORDER BY net DESC LIMIT 1",
            "SELECT order_id FROM orders WHERE net = (SELECT max(net) FROM orders)",
        ),
        (
            "SELECT net FROM orders WHERE day BETWEEN '2026-01-01' AND '2026-12-31'",
            "SELECT net FROM orders WHERE year(day) = 2026",
        ),
        (
            "WITH sold AS (SELECT customer_id AS who, sum(net) AS total FROM orders GROUP BY 1) "
            "SELECT who, total FROM sold ORDER BY total DESC LIMIT 2",
            "SELECT customer_id, sum(net) AS s FROM orders GROUP BY customer_id ORDER BY s DESC "
            "LIMIT 2",
        ),
        (
            "SELECT net FROM orders WHERE status IN ('open', 'paid')",
            "SELECT net FROM orders WHERE status = 'open' OR 'paid' = status",
        ),
        (
            f"SELECT o.net {JOINED} WHERE c.city = 'Kobe'",
            "SELECT net FROM orders WHERE customer_id IN "
            "(SELECT customer_id FROM customers WHERE city = 'Kobe')",
        ),
    ],
)
def test_two_ways_to_write_one_query_do_not_differ(gold: str, sql: str) -> None:
    assert _by_text(gold, sql).why == "the queries differ at most in what they show"


def test_rows_that_tie_at_a_limit_are_a_loose_question(shop: Warehouse) -> None:
    one = "SELECT name FROM customers ORDER BY city = 'Osaka' DESC LIMIT 1"
    question = Question("q", "shop", "?", [["Ueda"]], one)
    record = Record("q", "shop", "answered", "k", sql=[one])
    found = kind_of(record, question, shop.schema, lambda sql: [("Abe",)])
    assert found == Found("loose question", "the same query: rows tie at the LIMIT")


def test_a_name_that_two_entities_share_is_no_other_reading(shop: Warehouse) -> None:
    gold, sql = "SELECT customer_id FROM customers", "SELECT city FROM customers"
    assert _found(shop, gold, sql) == Found("wrong column", "not shown: customers.customer_id")


def test_an_answer_without_a_query_has_no_query() -> None:
    question = Question("q", "shop", "?", [[1]], "SELECT 1")
    assert kind_of(Record("q", "shop", "answered", "k"), question).kind == "no query"
    assert _by_text("SELECT 1", "SELECT FROM WHERE").why == "the query cannot be read"


def test_right_rows_are_a_wrong_text() -> None:
    record = Record("q", "shop", "answered", "k", rows_ok=True, sql=["SELECT 1"])
    assert kind_of(record, Question("q", "shop", "?", [[1]], "SELECT 1")).kind == "wrong text"


def test_a_verdict_counts_before_the_comparison(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.jsonl"
    line = {"id": "q1", "kind": "gold disputable", "why": "compares a name with a size"}
    path.write_text(json.dumps(line) + "\n\n", encoding="utf-8")
    questions = [Question(i, "shop", "?", [[1]], "SELECT 1") for i in ("q1", "q2", "q3")]
    records = [Record(i, "shop", "answered", "k") for i in ("q1", "q2")]
    records.append(Record("q3", "shop", "answered", "k", correct=True))
    found = kinds_of(records, questions, tmp_path, read_verdicts(path))
    assert found["q1"] == Found("gold disputable", "compares a name with a size")
    assert found["q2"].kind == "no query" and "q3" not in found


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"id": "q1", "kind": "odd", "why": ""}', "line 1: no such kind: odd"),
        ('{"id": "q1", "kind": "no query"}', "line 1: no verdict {id, kind, why}"),
        ("q1", "line 1: no verdict"),
    ],
)
def test_what_is_no_verdict_is_refused_with_its_line(tmp_path: Path, line: str, told: str) -> None:
    path = tmp_path / "verdicts.jsonl"
    path.write_text(line, encoding="utf-8")
    with pytest.raises(SystemExit, match=told):
        read_verdicts(path)
    with pytest.raises(SystemExit, match="does not exist"):
        read_verdicts(tmp_path / "none.jsonl")
