"""The sample company's tables obey the arithmetic of the trade, shown with plain SQL, all rows."""

from collections.abc import Callable
from typing import Any

import pytest

Query = Callable[[str], list[tuple[Any, ...]]]

MOVEMENTS = """
    SELECT receipt_date AS day, warehouse_code, sku, quantity AS moved FROM receipts
    UNION ALL SELECT sale_date, warehouse_code, sku, -quantity FROM sales
    UNION ALL SELECT return_date, warehouse_code, sku, restocked_quantity FROM returns
    UNION ALL SELECT adjustment_date, warehouse_code, sku, quantity FROM stock_adjustments
"""


def test_stock_at_each_month_end_is_the_previous_one_plus_what_moved(query: Query) -> None:
    rows = query(f"""
        WITH steps AS (
            SELECT *, LAG(on_hand) OVER w AS before, LAG(snapshot_date) OVER w AS since
            FROM stock_snapshots
            WINDOW w AS (PARTITION BY warehouse_code, sku ORDER BY snapshot_date)
        )
        SELECT COUNT(*), COUNT(*) FILTER (WHERE on_hand <> before + moved) FROM (
            SELECT s.*, COALESCE(
                (SELECT SUM(m.moved) FROM ({MOVEMENTS}) m
                 WHERE m.sku = s.sku AND m.warehouse_code = s.warehouse_code
                   AND m.day > s.since AND m.day <= s.snapshot_date), 0) AS moved
            FROM steps s WHERE since IS NOT NULL)
    """)
    assert rows == [(24 * 49 * 4, 0)]


def test_every_movement_lies_in_the_period_of_the_snapshots(query: Query) -> None:
    rows = query(f"SELECT MIN(day)::VARCHAR, MAX(day)::VARCHAR FROM ({MOVEMENTS})")
    first, last = rows[0]
    assert first > "2024-11-30"
    assert last == "2026-11-30"


def test_stock_is_never_negative_on_any_day(query: Query) -> None:
    rows = query(f"""
        WITH opening AS (
            SELECT snapshot_date AS day, warehouse_code, sku, on_hand AS moved
            FROM stock_snapshots WHERE snapshot_date = '2024-11-30'
        ), days AS (
            SELECT day, warehouse_code, sku, SUM(moved) AS moved
            FROM (SELECT * FROM opening UNION ALL {MOVEMENTS}) GROUP BY ALL
        )
        SELECT MIN(stock) FROM (
            SELECT SUM(moved) OVER (PARTITION BY warehouse_code, sku ORDER BY day) AS stock
            FROM days)
    """)
    assert rows == [(0,)]


def test_the_amount_of_a_sale_is_quantity_times_unit_price(query: Query) -> None:
    rows = query(
        "SELECT COUNT(*), COUNT(*) FILTER (WHERE amount <> quantity * unit_price OR quantity < 1)"
        " FROM sales"
    )
    assert rows[0][0] >= 20_000
    assert rows[0][1] == 0


def test_unit_prices_follow_the_discount_policy(query: Query) -> None:
    rows = query("""
        SELECT COUNT(*) FROM sales JOIN products USING (sku) JOIN customers USING (customer_code)
        WHERE unit_price <> list_price * (100 - LEAST(14,
            CASE tier WHEN 'Gold' THEN 12 WHEN 'Silver' THEN 7 ELSE 0 END
            + CASE WHEN quantity >= 40 THEN 3 ELSE 0 END)) // 100
    """)
    assert rows == [(0,)]


def test_a_return_belongs_to_a_sale_and_is_refunded_by_the_return_policy(query: Query) -> None:
    rows = query("""
        SELECT COUNT(*), COUNT(*) FILTER (WHERE NOT (
            r.sku = s.sku AND r.warehouse_code = s.warehouse_code
            AND r.customer_code = s.customer_code AND r.return_date > s.sale_date
            AND r.quantity BETWEEN 1 AND s.quantity AND refund_amount = kept))
        FROM (SELECT r.*, r.quantity * s.unit_price * (100 - CASE
                WHEN reason <> '顧客都合' THEN 0
                WHEN return_date >= '2026-04-01' THEN 15 ELSE 10 END) // 100 AS kept
              FROM returns r JOIN sales s USING (sale_id)) r
        JOIN sales s USING (sale_id)
    """)
    assert rows == [(query("SELECT COUNT(*) FROM returns")[0][0], 0)]


def test_customers_return_goods_within_the_period_of_their_category(query: Query) -> None:
    rows = query("""
        SELECT category, MAX(return_date - sale_date)
        FROM returns JOIN sales USING (sale_id) JOIN products ON products.sku = sales.sku
        WHERE reason = '顧客都合' GROUP BY category
    """)
    limits = {"電動工具": 20, "照明": 14, "収納用品": 25, "キッチン用品": 10, "文具": 21}
    assert {category for category, _ in rows} == set(limits)
    assert all(days <= limits[category] for category, days in rows)


def test_only_good_returns_go_back_to_stock(query: Query) -> None:
    rows = query("""
        SELECT COUNT(*) FROM returns WHERE restocked_quantity <>
            CASE WHEN reason IN ('顧客都合', '誤出荷') THEN quantity ELSE 0 END
    """)
    assert rows == [(0,)]


def test_orders_keep_to_the_suppliers_terms(query: Query) -> None:
    rows = query("""
        SELECT COUNT(*) FROM purchase_orders o JOIN products p USING (sku) JOIN suppliers s
            ON s.supplier_code = o.supplier_code
        WHERE o.supplier_code <> p.supplier_code OR o.unit_cost <> p.unit_cost
            OR order_quantity % pack_size <> 0 OR order_quantity < minimum_order_quantity
            OR due_date <> order_date + lead_time_days::INTEGER
    """)
    assert rows == [(0,)]


def test_an_order_is_received_when_its_receipts_add_up_to_it(query: Query) -> None:
    rows = query("""
        WITH got AS (SELECT po_number, SUM(quantity) AS got, MAX(receipt_date) AS last
                     FROM receipts GROUP BY po_number)
        SELECT status, COUNT(*), BOOL_AND(COALESCE(got, 0) = received_quantity),
            BOOL_AND(CASE status
                WHEN 'received' THEN received_quantity = order_quantity AND received_date = last
                WHEN 'open' THEN received_quantity = 0 AND received_date IS NULL
                ELSE received_quantity BETWEEN 1 AND order_quantity - 1
                    AND received_date IS NULL END)
        FROM purchase_orders LEFT JOIN got USING (po_number) GROUP BY status
    """)
    assert {status for status, *_ in rows} == {"received", "partly_received", "open"}
    assert all(count and adds_up and consistent for _, count, adds_up, consistent in rows)


@pytest.mark.parametrize(
    ("table", "column", "master"),
    [
        ("sales", "sku", "products"),
        ("sales", "warehouse_code", "warehouses"),
        ("sales", "customer_code", "customers"),
        ("purchase_orders", "sku", "products"),
        ("receipts", "po_number", "purchase_orders"),
        ("returns", "sale_id", "sales"),
        ("stock_snapshots", "sku", "products"),
        ("stock_adjustments", "sku", "products"),
        ("customers", "warehouse_code", "warehouses"),
        ("products", "supplier_code", "suppliers"),
        ("products", "category", "categories"),
    ],
)
def test_every_code_is_found_once_in_its_master(
    query: Query, table: str, column: str, master: str
) -> None:
    missing = query(f"SELECT {column} FROM {table} EXCEPT SELECT {column} FROM {master}")
    counts = query(f"SELECT COUNT(*), COUNT(DISTINCT {column}) FROM {master}")
    assert missing == []
    assert counts[0][0] == counts[0][1]


def test_article_numbers_have_a_right_check_digit(query: Query) -> None:
    codes = [code for (code,) in query("SELECT jan_code FROM products")]
    assert len(set(codes)) == 49
    for code in codes:
        odd, even = sum(map(int, code[0::2])), sum(map(int, code[1::2]))
        assert len(code) == 13
        assert (odd + 3 * even) % 10 == 0


def test_the_company_has_something_to_find(query: Query) -> None:
    fell = query("""
        SELECT SUM(amount) FILTER (WHERE sale_date >= '2026-11-01') * 1.0
             / SUM(amount) FILTER (WHERE sale_date BETWEEN '2026-10-01' AND '2026-10-31')
        FROM sales JOIN products USING (sku) WHERE category = '照明'
    """)
    overdue = query(
        "SELECT COUNT(*) FROM purchase_orders WHERE status <> 'received' AND due_date < '2026-11-30'"
    )
    out = query(
        "SELECT COUNT(*) FROM stock_snapshots WHERE sku = 'LT-1010' AND on_hand = 0"
        " AND snapshot_date = '2026-11-30'"
    )
    zeros = query("SELECT COUNT(*) FROM products WHERE sku LIKE '00%'")
    assert fell[0][0] < 0.7
    assert overdue[0][0] > 10
    assert out[0][0] >= 2
    assert zeros[0][0] >= 5
