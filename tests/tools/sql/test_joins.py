"""Aggregates over rows that a join repeats, judged by what ingest counted."""

import pytest

from ingest.store import Catalog, ColumnRecord, JoinRecord, TableRecord
from ingest.store.records import Measure
from tools.errors import ToolRetry
from tools.sql.guard import check, examine


def _column(name: str, distinct: int, measure: Measure | None = None) -> ColumnRecord:
    return ColumnRecord(name=name, type="BIGINT", original=name, distinct=distinct, measure=measure)


def _table(name: str, rows: int, key: tuple[str, ...], *columns: ColumnRecord) -> TableRecord:
    return TableRecord(name=name, source=f"{name}.csv", rows=rows, columns=columns, primary_key=key)


def _join(left: str, right: str, column: str) -> JoinRecord:
    return JoinRecord(left_table=left, left_column=column, right_table=right, right_column=column)


CATALOG = Catalog(
    tables=(
        _table(
            "sales", 100, (), _column("sale_id", 100), _column("sku", 10), _column("quantity", 9)
        ),
        _table(
            "returns", 20, (), _column("sale_id", 18), _column("sku", 8), _column("quantity", 3)
        ),
        _table("products", 10, (), _column("sku", 10), _column("price", 7, "rate")),
        _table(
            "orders", 50, ("order_id",), _column("order_id", 50), _column("freight", 40),
            _column("country", 5), _column("customer_id", 20),
        ),
        _table(
            "items", 200, ("order_id", "sku"), _column("order_id", 50), _column("sku", 10),
            _column("quantity", 9), _column("amount", 80),
        ),
        _table("customers", 20, ("customer_id",), _column("customer_id", 20), _column("city", 4)),
        _table("visits", 60, ("visit_id",), _column("visit_id", 60), _column("customer_id", 20)),
        _table(
            "parcels", 300, (), _column("order_id", 50), _column("sku", 10), _column("weight", 90)
        ),
    ),
    joins=(
        _join("returns", "sales", "sale_id"),
        _join("items", "orders", "order_id"),
        _join("orders", "customers", "customer_id"),
        _join("visits", "customers", "customer_id"),
    ),
)  # fmt: skip
LINES = "FROM orders o JOIN items i ON o.order_id = i.order_id"
CHAIN = f"{LINES} JOIN customers c ON c.customer_id = o.customer_id"


def _refused(sql: str) -> ToolRetry:
    with pytest.raises(ToolRetry) as refused:
        check(sql, CATALOG)
    assert refused.value.kind == "join_multiplies_rows"
    return refused.value


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT sum(s.quantity) FROM sales s JOIN returns r ON s.sku = r.sku",
        "SELECT count(*) FROM sales JOIN returns USING (sku)",
        "SELECT avg(s.quantity) FROM sales s, returns r WHERE s.sku = r.sku AND s.sku = 3",
        "SELECT * FROM (SELECT sum(s.quantity) FROM sales s JOIN returns r ON r.sku = s.sku) t",
    ],
)
def test_an_aggregate_over_multiplied_rows_is_refused_with_the_proved_join(sql: str) -> None:
    error = _refused(sql)
    assert "returns.sku = sales.sku" in error.message
    assert "join by returns.sale_id = sales.sale_id" in error.hint


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT sum(o.freight) {LINES}",
        f"SELECT o.country, sum(freight) {LINES} GROUP BY o.country",
        f"SELECT c.city, sum(o.freight * 1.1) {CHAIN} GROUP BY 1",
        f"SELECT c.city, avg(o.freight) {CHAIN} GROUP BY ALL",
        f"SELECT sum(i.amount + o.freight) {LINES}",
        f"SELECT sum(CASE WHEN i.quantity > 3 THEN o.freight ELSE 0 END) {LINES}",
        f"SELECT sum(o.freight) FILTER (WHERE o.country = 3) {LINES}",
        f"SELECT sum(o.freight) OVER (PARTITION BY o.country) {LINES}",
        "SELECT sum(freight) FROM orders JOIN items USING (order_id)",
        "SELECT sum(freight) FROM orders NATURAL JOIN items",
        "SELECT sum(o.freight) FROM orders o, items i WHERE i.order_id IN (7) AND o.freight > 9",
        "WITH t AS (SELECT order_id, freight FROM orders) SELECT sum(t.freight) FROM t"
        " JOIN items i ON t.order_id = i.order_id",
        "SELECT sum(a.quantity) FROM sales a JOIN sales b ON a.sku = b.sku",
        f"SELECT count(o.order_id) {LINES} WHERE i.quantity > 3",
        "SELECT count(*) FROM customers c JOIN orders o ON o.customer_id = c.customer_id"
        " JOIN visits v ON v.customer_id = c.customer_id",
    ],
)
def test_a_figure_of_the_one_side_is_not_added_up_once_for_each_of_the_many(sql: str) -> None:
    error = _refused(sql)
    assert "multiplies rows" in error.message
    assert error.hint


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT sum(s.quantity) FROM sales s JOIN products p ON s.sku = p.sku",
        "SELECT sum(r.quantity) FROM returns r JOIN sales s ON r.sale_id = s.sale_id",
        "SELECT s.sku FROM sales s JOIN returns r ON s.sku = r.sku",
        "SELECT count(DISTINCT s.sale_id) FROM sales s JOIN returns r ON s.sku = r.sku",
        "SELECT max(s.quantity) FROM sales s JOIN returns r ON s.sku = r.sku",
        "SELECT s.sku, (SELECT sum(r.quantity) FROM returns r WHERE r.sku = s.sku) FROM sales s",
        "SELECT count(*) FROM sales s WHERE EXISTS (SELECT 1 FROM returns r WHERE r.sku = s.sku)",
        "WITH a AS (SELECT sku, sum(quantity) q FROM sales GROUP BY 1), b AS"
        " (SELECT sku, sum(quantity) q FROM returns GROUP BY 1)"
        " SELECT sum(a.q - b.q) FROM a JOIN b ON a.sku = b.sku",
        # The child's own figures, and products of both sides, are of the finest rows.
        f"SELECT c.city, sum(i.amount), count(*) {CHAIN} GROUP BY c.city",
        "SELECT sum(i.quantity * p.price) FROM items i JOIN products p ON p.sku = i.sku",
        # A rate is looked up for each row: its sum is of the rows looked up for.
        "SELECT sum(p.price) FROM items i JOIN products p ON p.sku = i.sku",
        # Within a group each order has one line: the group's own keys count.
        f"SELECT i.sku, sum(o.freight) {LINES} GROUP BY i.sku",
        f"SELECT sum(o.freight) {LINES} WHERE i.sku = 3",
        f"SELECT sum(o.freight) OVER (PARTITION BY i.sku) {LINES}",
        # Counted per order, its lines are meant; without one, pairs are.
        f"SELECT o.order_id, count(o.order_id) {LINES} GROUP BY o.order_id",
        "SELECT count(*) FROM orders CROSS JOIN products",
        "SELECT count(*) FROM sales a JOIN sales b ON a.sku = b.sku",
        # What only looks a row up, or is one row, adds none.
        "SELECT sum(o.freight) FROM orders o SEMI JOIN items i ON o.order_id = i.order_id",
        "SELECT sum(o.freight), any_value(t.n) FROM orders o, (SELECT count(*) n FROM items) t",
        "SELECT sum(o.freight / n.n) FROM orders o JOIN items i ON o.order_id = i.order_id"
        " JOIN (SELECT order_id, count(*) n FROM items GROUP BY 1) n ON n.order_id = o.order_id",
        # Nothing is known of VALUES.
        "SELECT sum(o.freight * f.k) FROM orders o, (VALUES (0.9), (1.1)) f(k)",
    ],
)
def test_joins_that_multiply_nothing_that_counts_pass(sql: str) -> None:
    assert check(sql, CATALOG).sql


def test_the_fix_adds_the_many_rows_up_before_the_join() -> None:
    error = _refused(f"SELECT o.country, sum(o.freight), sum(i.amount) {LINES} GROUP BY 1")
    assert error.message == (
        "items.order_id = orders.order_id multiplies rows: several of items meet one of orders, "
        "so SUM(o.freight) takes it several times"
    )
    assert "WITH m AS (SELECT order_id, SUM(…) AS … FROM items GROUP BY order_id)" in error.hint


def test_the_fix_of_a_table_that_only_filters_is_a_subquery() -> None:
    error = _refused(f"SELECT sum(o.freight) {LINES} WHERE i.quantity > 3")
    assert error.hint == "WHERE o.order_id IN (SELECT order_id FROM items WHERE …)"


def test_the_fix_of_a_counted_key_is_to_count_it_once() -> None:
    error = _refused(f"SELECT count(o.order_id) {LINES} WHERE i.quantity > 3")
    assert error.hint.startswith("COUNT(DISTINCT o.order_id)")


def test_what_the_catalog_cannot_prove_is_left_to_the_data() -> None:
    """(order_id, sku) may be unique in parcels; nobody counted pairs."""
    sql = (
        "SELECT sum(i.amount) FROM items i JOIN parcels p"
        " ON p.order_id = i.order_id AND p.sku = i.sku"
    )
    (doubt,) = examine(sql, CATALOG).doubts
    assert not doubt.proved
    assert check(sql, CATALOG).sql
