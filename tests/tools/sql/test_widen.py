"""Columns beside those asked for: rows and their order stay as they are."""

import duckdb
import pytest
from sqlglot import parse_one

from ingest.store import Catalog, ColumnRecord, JoinRecord, TableRecord
from tools.sql.widen import widen

SCHEMA = """
CREATE TABLE customers (id INTEGER, company_name VARCHAR, city VARCHAR);
INSERT INTO customers VALUES (1, 'Aoki', 'Tokyo'), (2, 'Baba', 'Osaka'), (3, 'Chen', 'Tokyo');
CREATE TABLE orders (no INTEGER, customer_id INTEGER, amount INTEGER);
INSERT INTO orders VALUES (10, 1, 5), (11, 1, 7), (12, 2, 9);
"""


def _column(name: str, kind: str = "INTEGER") -> ColumnRecord:
    return ColumnRecord(name=name, type=kind, original=name)


CATALOG = Catalog(
    tables=(
        TableRecord(
            name="customers",
            source="customers.csv",
            rows=3,
            columns=(_column("id"), _column("company_name", "VARCHAR"), _column("city", "VARCHAR")),
            primary_key=("id",),
        ),
        TableRecord(
            name="orders",
            source="orders.csv",
            rows=3,
            columns=(_column("no"), _column("customer_id"), _column("amount")),
            primary_key=("no",),
        ),
    ),
    joins=(
        JoinRecord(
            left_table="orders",
            left_column="customer_id",
            right_table="customers",
            right_column="id",
        ),
    ),
)


def _rows(sql: str) -> list[tuple[object, ...]]:
    with duckdb.connect() as connection:
        connection.execute(SCHEMA)
        return connection.execute(sql).fetchall()


def _wide(sql: str) -> list[tuple[object, ...]]:
    wide = widen(parse_one(sql, dialect="duckdb"), CATALOG).sql(dialect="duckdb")
    narrow, rows = _rows(sql), _rows(wide)
    width = len(narrow[0])
    if "ORDER BY" in sql:
        assert [row[:width] for row in rows] == narrow
    assert sorted(row[:width] for row in rows) == sorted(narrow)
    return rows


def test_what_is_filtered_and_sorted_by_is_shown() -> None:
    query = "SELECT no FROM orders WHERE customer_id IN (1, 3) ORDER BY amount DESC"
    assert _wide(query) == [(11, 7, 1), (10, 5, 1)]


def test_a_column_that_is_the_same_in_all_rows_is_not_shown() -> None:
    assert sorted(_wide("SELECT no FROM orders WHERE customer_id = 1 AND amount > 5")) == [(11, 7)]
    assert sorted(_wide("SELECT no FROM orders WHERE customer_id = 1 OR amount = 9")) == [
        (10, 1, 5),
        (11, 1, 7),
        (12, 2, 9),
    ]


def test_an_id_of_another_table_is_shown_with_its_name() -> None:
    assert _wide("SELECT customer_id, amount FROM orders ORDER BY no") == [
        (1, 5, "Aoki", 10),
        (1, 7, "Aoki", 11),
        (2, 9, "Baba", 12),
    ]


def test_a_group_is_shown_with_its_key_its_name_and_what_it_is_sorted_by() -> None:
    query = "SELECT customer_id FROM orders GROUP BY customer_id HAVING COUNT(*) > 1 ORDER BY SUM(amount)"
    assert _wide(query) == [(1, "Aoki", 12, 2)]
    assert sorted(_wide("SELECT AVG(amount) FROM orders GROUP BY customer_id")) == [
        (6.0, "Aoki", 1),
        (9.0, "Baba", 2),
    ]


def test_distinct_rows_and_set_operations_get_names_only() -> None:
    distinct = "SELECT DISTINCT customer_id FROM orders WHERE amount > 1"
    assert sorted(_wide(distinct)) == [(1, "Aoki"), (2, "Baba")]
    never = "SELECT id FROM customers EXCEPT SELECT customer_id FROM orders"
    assert _wide(never) == [(3, "Chen")]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT COUNT(*) FROM orders WHERE amount > 5",
        "SELECT * FROM orders WHERE amount > 5 ORDER BY no",
        "SELECT id FROM customers EXCEPT SELECT customer_id FROM orders ORDER BY id LIMIT 1",
        "SELECT amount FROM orders GROUP BY amount",
        "SELECT amount AS a FROM orders ORDER BY a",
        "SELECT company_name FROM customers",
    ],
)
def test_what_needs_no_column_is_left_as_it_is(query: str) -> None:
    tree = parse_one(query, dialect="duckdb")
    before = tree.sql(dialect="duckdb")
    assert widen(tree, CATALOG).sql(dialect="duckdb") == before


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (("title", "last_name", "first_name"), ["last_name", "first_name"]),
        (("company_name", "contact_name"), ["company_name"]),
        (("商品名", "商品名カナ", "分類"), ["商品名"]),
    ],
)
def test_a_thing_has_one_name_and_a_person_two(names: tuple[str, ...], shown: list[str]) -> None:
    columns = (_column("id"), *(_column(n, "VARCHAR") for n in names))
    table = TableRecord(name="t", source="t.csv", rows=9, columns=columns, primary_key=("id",))
    wide = widen(parse_one("SELECT id FROM t", dialect="duckdb"), Catalog(tables=(table,)))
    assert [e.name for e in wide.expressions] == ["id", *shown]


def test_a_column_of_an_inner_query_is_not_shown_outside() -> None:
    query = (
        "SELECT city FROM customers WHERE id IN (SELECT customer_id FROM orders WHERE amount = 9)"
    )
    assert _wide(query) == [("Osaka", 2)]
