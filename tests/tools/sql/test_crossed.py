"""Rows that a query multiplies without a join of two tables: lists, series, LATERAL, all pairs."""

from collections.abc import Callable

import pytest

from tools.errors import ToolRetry
from tools.sql.result import SqlResult

Ask = Callable[[str], SqlResult]
JPY = "o.currency = 'JPY'"
FEES = "SELECT sum(o.shipping_fee) FROM orders o"
OWN_LINES = "SELECT l.sku FROM order_lines l WHERE l.order_no = o.order_no"


def _refusal(asked: Ask, sql: str) -> ToolRetry:
    with pytest.raises(ToolRetry) as caught:
        asked(sql)
    return caught.value


@pytest.mark.parametrize(
    "sql",
    [
        f"{FEES}, unnest([1, 2]) u(x) WHERE {JPY}",
        f"{FEES} CROSS JOIN unnest(string_split('a,b', ',')) u(x) WHERE {JPY}",
        f"{FEES} CROSS JOIN (VALUES (1), (2)) v(k) WHERE {JPY}",
        f"WITH v(k) AS (VALUES (1), (2)) {FEES}, v WHERE {JPY}",
        f"{FEES} CROSS JOIN generate_series(1, 2) g(i) WHERE {JPY}",
        f"{FEES}, range(2) WHERE {JPY}",
        f"{FEES}, LATERAL ({OWN_LINES}) t WHERE {JPY}",
        f"{FEES}, ({OWN_LINES}) t WHERE {JPY}",
        f"{FEES} LEFT JOIN LATERAL ({OWN_LINES}) t ON TRUE WHERE {JPY}",
        f"{FEES} JOIN LATERAL ({OWN_LINES} ORDER BY 1 LIMIT 2) t ON TRUE WHERE {JPY}",
        f"SELECT o.customer, avg(o.shipping_fee) FROM orders o, ({OWN_LINES}) t WHERE {JPY} GROUP BY 1",
        f"WITH t AS (SELECT o.shipping_fee AS f, unnest([1, 2]) AS k FROM orders o WHERE {JPY})"
        " SELECT sum(f) FROM t",
        f"SELECT sum(f) FROM (SELECT o.shipping_fee AS f, unnest([1, 2]) FROM orders o WHERE {JPY})",
        "SELECT count(*) FROM orders o, (VALUES (1), (2), (3)) v(k)",
        f"{FEES} JOIN orders p ON o.customer = p.customer WHERE {JPY} AND p.currency = 'JPY'",
        f"SELECT sum(t.fee) FROM (SELECT customer, sum(shipping_fee) AS fee FROM orders o WHERE {JPY}"
        " GROUP BY 1) t, bills",
    ],
)  # fmt: skip
def test_rows_that_are_made_beside_the_figures_repeat_them(asked: Ask, sql: str) -> None:
    error = _refusal(asked, sql)
    assert error.kind == "join_multiplies_rows"
    assert error.hint


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT b.bill, sum(o.shipping_fee) FROM orders o, bills b WHERE {JPY} GROUP BY 1",
        f"SELECT b.bill, sum(o.shipping_fee) FROM orders o CROSS JOIN bills b WHERE {JPY}"
        " GROUP BY 1",
        f"SELECT v.k, sum(o.shipping_fee) FROM orders o, (VALUES (1), (2)) v(k) WHERE {JPY}"
        " GROUP BY 1",
    ],
)
def test_the_same_total_for_each_row_of_a_table_that_nothing_joins_is_refused(
    asked: Ask, sql: str
) -> None:
    assert "is the same for each row of" in _refusal(asked, sql).message


@pytest.mark.parametrize(
    ("sql", "first"),
    [
        (f"{FEES}, LATERAL (SELECT count(*) AS n FROM order_lines l WHERE l.order_no ="
         f" o.order_no) t WHERE {JPY}", "600"),
        (f"{FEES}, LATERAL ({OWN_LINES} ORDER BY 1 LIMIT 1) t WHERE {JPY}", "600"),
        ("SELECT sum(t.quantity) FROM orders o, LATERAL (SELECT l.quantity FROM order_lines l"
         " WHERE l.order_no = o.order_no) t", "21"),
        (f"{FEES}, unnest([7]) u(x) WHERE {JPY}", "600"),
        (f"{FEES} JOIN (VALUES ('C1', 'one'), ('C2', 'two')) v(c, n) ON v.c = o.customer"
         f" WHERE {JPY} AND v.n = 'one'", "300"),
        ("SELECT sum(o.shipping_fee * v.k) FROM orders o CROSS JOIN (VALUES (1), (2)) v(k)"
         f" WHERE {JPY} GROUP BY v.k ORDER BY v.k", "600"),
        ("SELECT count(*) FROM order_lines l, unnest(string_split(l.sku || '-x', '-')) t(w)", 12),
        ("SELECT sum(l.quantity) FROM generate_series(1, 2) g(n) LEFT JOIN order_lines l"
         " ON l.line_no = g.n", "21"),
        ("SELECT sum(o.shipping_fee) FROM orders o CROSS JOIN (SELECT sum(quantity) AS s"
         f" FROM order_lines) t WHERE {JPY} GROUP BY o.customer ORDER BY 1", "300"),
        ("SELECT sum(CASE WHEN o.shipping_fee >= v.k THEN o.shipping_fee END) FROM orders o"
         f" CROSS JOIN (VALUES (100), (300)) v(k) WHERE {JPY} GROUP BY v.k ORDER BY 1", "300"),
        ("SELECT count(*) FROM orders CROSS JOIN bills", 8),
    ],
)  # fmt: skip
def test_rows_that_repeat_no_figure_run(asked: Ask, sql: str, first: object) -> None:
    assert asked(sql).rows.rows[0][0] == first


def test_a_list_is_named_and_the_fix_is_to_leave_it_out(asked: Ask) -> None:
    error = _refusal(asked, f"{FEES}, unnest([1, 2]) u(x) WHERE {JPY}")
    assert error.message == "SUM(o.shipping_fee) is too large: u multiplies rows of orders"
    assert error.hint == "leave u out, or add orders up in a WITH step before it"


def test_a_sum_of_distinct_figures_that_drops_rows_is_refused(asked: Ask) -> None:
    """Quantities are all different; the two customers' orders each have a line number 1."""
    error = _refusal(asked, "SELECT sum(DISTINCT line_no) FROM order_lines")
    assert error.kind == "distinct_drops_rows"
    assert "several rows of order_lines have 1" in error.message
    assert asked("SELECT sum(DISTINCT quantity) FROM order_lines").rows.rows == (("21",),)
