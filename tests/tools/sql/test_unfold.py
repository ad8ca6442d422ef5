"""What a step hides from the guards, and what analysts write that must run: all on four orders."""

from collections.abc import Callable
from time import process_time

import pytest
from sqlglot import parse_one

from ingest.store import Catalog
from tools.errors import ToolRetry
from tools.sql.result import SqlResult
from tools.sql.unfold import unfolded

Ask = Callable[[str], SqlResult]
LINES = "FROM orders o JOIN order_lines l USING (order_no)"
JPY = "WHERE o.currency = 'JPY'"


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT sum(fee) FROM (SELECT o.shipping_fee AS fee {LINES} {JPY}) AS t",
        f"WITH t AS (SELECT * {LINES}) SELECT sum(shipping_fee) FROM t WHERE currency = 'JPY'",
        f"WITH t AS (SELECT * {LINES} {JPY}), u AS (SELECT customer, shipping_fee AS f FROM t)"
        " SELECT customer, sum(f) FROM u GROUP BY 1",
        f"WITH t(c, f) AS (SELECT o.customer, o.shipping_fee {LINES} {JPY}) SELECT sum(f) FROM t",
        "SELECT sum(x) FROM (SELECT shipping_fee AS x FROM orders WHERE currency = 'JPY'"
        f" UNION ALL SELECT o.shipping_fee {LINES} {JPY}) AS t",
        f"SELECT fsum(o.shipping_fee) {LINES} {JPY}",
        f"SELECT mean(o.shipping_fee) {LINES} {JPY}",
        f"SELECT quantile_cont(o.shipping_fee, 0.5) {LINES} {JPY}",
        f"SELECT list_sum(list(o.shipping_fee)) {LINES} {JPY}",
        f"SELECT list_aggregate(list(o.shipping_fee), 'sum') {LINES} {JPY}",
        f"SELECT o.shipping_fee.sum() {LINES} {JPY}",
        f"SELECT main.sum(o.shipping_fee) {LINES} {JPY}",
        f"SELECT sum(f) FROM (SELECT DISTINCT l.sku, o.shipping_fee AS f {LINES} {JPY}) AS t",
        f"SELECT sum(f) FROM (SELECT l.sku, any_value(o.shipping_fee) AS f {LINES} {JPY}"
        " GROUP BY l.sku, o.order_no) AS t",
    ],
)
def test_a_step_or_another_name_hides_no_repeated_rows(asked: Ask, sql: str) -> None:
    with pytest.raises(ToolRetry) as caught:
        asked(sql)
    assert caught.value.kind == "join_multiplies_rows"


@pytest.mark.parametrize(
    "sql",
    [
        "WITH t AS (SELECT * FROM stock) SELECT sum(on_hand) FROM t",
        "SELECT sum(on_hand) FROM (SELECT * EXCLUDE (day) FROM stock) AS t",
        "SELECT list_sum(list(on_hand)) FROM stock",
        "SELECT on_hand.sum() FROM stock",
        "SELECT sum(q) FROM (SELECT sum(on_hand) AS q FROM stock GROUP BY day) AS t",
        "SELECT sum(q) FROM (SELECT day, sku, max(on_hand) AS q FROM stock GROUP BY 1, 2)",
        "SELECT day, sum(on_hand) OVER (ORDER BY day) FROM stock WHERE sku = 'A'",
        "SELECT day, sum(sum(on_hand)) OVER (ORDER BY day) FROM stock GROUP BY day",
        "SELECT sum(q) FROM (SELECT on_hand AS q FROM stock WHERE sku = 'A'"
        " UNION ALL SELECT on_hand FROM stock WHERE sku = 'B') AS t",
    ],
)
def test_a_step_or_a_window_hides_no_stock_of_several_days(asked: Ask, sql: str) -> None:
    with pytest.raises(ToolRetry) as caught:
        asked(sql)
    assert caught.value.kind == "stock_over_dates"


@pytest.mark.parametrize(
    "sql",
    [
        "WITH t AS (SELECT shipping_fee AS f FROM orders) SELECT sum(f) FROM t",
        "SELECT sum(f) FROM (SELECT shipping_fee AS f, currency FROM orders) AS t",
        "SELECT currency, sum(sum(shipping_fee)) OVER () FROM orders GROUP BY currency",
    ],
)
def test_a_step_or_a_window_hides_no_mixed_currencies(asked: Ask, sql: str) -> None:
    with pytest.raises(ToolRetry) as caught:
        asked(sql)
    assert caught.value.kind == "amounts_do_not_add_up"


@pytest.mark.parametrize(
    ("sql", "first"),
    [
        ("WITH t AS (SELECT shipping_fee AS f, currency FROM orders) SELECT sum(f) FROM t"
         " WHERE currency = 'JPY'", "600"),
        ("WITH t AS (SELECT CASE WHEN currency = 'USD' THEN shipping_fee * 150 ELSE shipping_fee"
         " END AS f FROM orders) SELECT sum(f) FROM t", "1650"),
        (f"SELECT sum(f) FROM (SELECT DISTINCT o.order_no, o.shipping_fee AS f {LINES} {JPY})",
         "600"),
        (f"SELECT sum(f) FROM (SELECT o.order_no, max(o.shipping_fee) AS f {LINES} {JPY}"
         " GROUP BY 1)", "600"),
        (f"SELECT sum(q) FROM (SELECT o.customer, l.quantity AS q {LINES}) AS t", "21"),
        ("WITH s AS (SELECT * FROM stock) SELECT (SELECT sum(on_hand) FROM s WHERE day ="
         " DATE '2026-11-30') - (SELECT sum(on_hand) FROM s WHERE day = DATE '2026-11-29')", "1"),
        ("WITH r AS (SELECT *, row_number() OVER (PARTITION BY sku ORDER BY day DESC) AS n"
         " FROM stock) SELECT sum(on_hand) FROM r WHERE n = 1", "16"),
        ("SELECT sum(q) FROM (SELECT sku, arg_max(on_hand, day) AS q FROM stock GROUP BY 1)", "16"),
        ("SELECT sum(sum(on_hand)) OVER (ORDER BY day ROWS 1 PRECEDING) / 2.0 FROM stock"
         " GROUP BY day ORDER BY day DESC", 15.5),
        ("SELECT sum(q) FROM (SELECT quantity AS q FROM order_lines UNION ALL"
         " SELECT -quantity FROM order_lines WHERE sku = 'C') AS t", "16"),
        ("SELECT sum(sum(quantity)) OVER () FROM order_lines GROUP BY sku LIMIT 1", "21"),
    ],
)  # fmt: skip
def test_steps_that_repeat_nothing_run(asked: Ask, sql: str, first: object) -> None:
    assert asked(sql).rows.rows[0][0] == first


@pytest.mark.parametrize(
    ("sql", "is_told"),
    [
        ("SELECT sum(amount) FROM order_lines", True),
        ("SELECT sku, sum(amount) FROM order_lines GROUP BY sku", True),
        ("SELECT order_no, sum(amount) FROM order_lines GROUP BY order_no", False),
        ("SELECT sum(quantity) FROM order_lines", False),
        (f"SELECT sum(l.amount) {LINES} {JPY}", False),
    ],
)
def test_amounts_whose_orders_have_several_currencies_are_told(
    asked: Ask, sql: str, is_told: bool
) -> None:
    notes = [note for note in asked(sql).all_notes if "orders.currency says (JPY, USD)" in note]
    assert bool(notes) is is_told


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT sum(CASE WHEN bill = 'B1' THEN net ELSE gross END) FROM bills",
        "SELECT sum(x) FROM (SELECT net AS x FROM bills UNION ALL SELECT gross FROM bills) AS t",
    ],
)
def test_branches_hide_no_mixed_tax(asked: Ask, sql: str) -> None:
    with pytest.raises(ToolRetry) as caught:
        asked(sql)
    assert caught.value.kind == "amounts_do_not_add_up"
    assert "bills.net and bills.gross" in caught.value.message


@pytest.mark.parametrize(
    ("sql", "first"),
    [
        ("SELECT sum(CASE WHEN bill = 'B1' THEN net ELSE gross / 1.1 END) FROM bills", 300.0),
        ("SELECT kind, sum(x) FROM (SELECT 'net' AS kind, net AS x FROM bills UNION ALL SELECT"
         " 'gross', gross FROM bills) AS t GROUP BY kind ORDER BY 2", "net"),
        ("SELECT sum(gross - net) FROM bills", "30"),
    ],
)  # fmt: skip
def test_branches_that_are_told_apart_or_converted_run(asked: Ask, sql: str, first: object) -> None:
    assert asked(sql).rows.rows[0][0] == first


def test_nothing_is_as_of_a_day_that_has_no_stock(asked: Ask) -> None:
    notes = asked("SELECT sum(on_hand) FROM stock WHERE day = DATE '2026-12-05'").all_notes
    assert not any(note.startswith("stock as of") for note in notes)
    notes = asked("SELECT sum(on_hand) FROM stock WHERE day = DATE '2026-11-29'").all_notes
    assert "stock as of 2026-11-29 (stock)" in notes


def test_the_day_of_stock_is_told_through_a_step(asked: Ask) -> None:
    sql = "WITH s AS (SELECT * FROM stock) SELECT sum(on_hand) FROM s WHERE day >= '2026-11-30'"
    assert "stock as of 2026-11-30 (stock)" in asked(sql).all_notes


@pytest.mark.parametrize(
    "sql",
    [
        "WITH t AS (SELECT 1 AS x"
        + ", 1" * 400
        + ") SELECT count(*) FROM t"
        + "".join(f" UNION ALL SELECT count(*) FROM t AS t{n}" for n in range(150)),
        "SELECT sum(x) FROM (SELECT 1 AS x" + " UNION ALL SELECT 2" * 300 + ") AS t",
        "WITH t0 AS (SELECT 1 AS x)"
        + "".join(f", t{n} AS (SELECT a.x FROM t{n - 1} a, t{n - 1} b)" for n in range(1, 15))
        + " SELECT sum(x) FROM t14",
    ],
)
def test_unfolding_a_large_query_takes_no_time(sql: str) -> None:
    start = process_time()
    unfolded(parse_one(sql, dialect="duckdb"), Catalog())
    assert process_time() - start < 5
