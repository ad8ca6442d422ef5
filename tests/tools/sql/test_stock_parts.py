"""Averages of stock over days, days added part by part, and the day that a query picks."""

from collections.abc import Callable

import pytest

from tools.errors import ToolRetry
from tools.sql.result import SqlResult

Ask = Callable[[str], SqlResult]
OLD, NEW = "day = DATE '2026-11-29'", "day = DATE '2026-11-30'"
OF_OLD = f"(SELECT sum(on_hand) FROM stock WHERE {OLD})"
OF_NEW = f"(SELECT sum(on_hand) FROM stock WHERE {NEW})"
BOTH = (
    f"(SELECT on_hand AS q FROM stock WHERE {OLD} UNION ALL SELECT on_hand FROM stock WHERE {NEW})"
)


@pytest.mark.parametrize(
    ("sql", "first"),
    [
        ("SELECT sum(on_hand) / 2.0 FROM stock", 15.5),
        ("SELECT round(sum(on_hand) * 1.0 / count(DISTINCT day), 1) FROM stock WHERE sku = 'A'",
         8.5),
        ("SELECT sum(on_hand) / NULLIF(count(DISTINCT day), 0) FROM stock", 15.5),
        ("SELECT sum(on_hand) / (SELECT count(DISTINCT day) FROM stock) FROM stock", 15.5),
        ("WITH t AS (SELECT sum(on_hand) AS s, count(DISTINCT day) AS d FROM stock)"
         " SELECT s / d FROM t", 15.5),
        ("SELECT sum(q) / 2.0 FROM (SELECT sum(on_hand) AS q FROM stock GROUP BY day)", 15.5),
        ("SELECT sum(CASE WHEN sku = 'A' THEN on_hand END) * 100.0 / sum(on_hand) FROM stock",
         pytest.approx(1700 / 31)),
        (f"SELECT ({OF_OLD} + {OF_NEW}) / 2.0", 15.5),
        (f"SELECT sum(q) / 2.0 FROM {BOTH} AS t", 15.5),
        (f"SELECT {OF_NEW} - {OF_OLD}", "1"),
        (f"SELECT (SELECT sum(on_hand) FROM stock WHERE {OLD} AND sku = 'A')"
         f" + (SELECT sum(on_hand) FROM stock WHERE {NEW} AND sku = 'B')", "19"),
        (f"SELECT sum(q) FROM (SELECT 'old' AS k, on_hand AS q FROM stock WHERE {OLD} UNION ALL"
         f" SELECT 'new', on_hand FROM stock WHERE {NEW}) GROUP BY k ORDER BY 1", "15"),
        (f"SELECT sum(on_hand) FILTER (WHERE {NEW}) - sum(on_hand) FILTER (WHERE {OLD})"
         " FROM stock", "1"),
    ],
)  # fmt: skip
def test_an_average_a_share_and_a_difference_of_stock_run(
    asked: Ask, sql: str, first: object
) -> None:
    assert asked(sql).rows.rows[0][0] == first


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT sum(on_hand) / 30.0 FROM stock",
        "SELECT sum(on_hand) / count(DISTINCT sku) FROM stock WHERE sku = 'A'",
        "SELECT sum(q) / 30.0 FROM (SELECT sum(on_hand) AS q FROM stock GROUP BY day)",
        "WITH t AS (SELECT sum(on_hand) AS s, count(DISTINCT day) AS d FROM stock)"
        " SELECT s, s / d FROM t",
        f"SELECT sum(q) FROM {BOTH} AS t",
        f"WITH t AS {BOTH} SELECT sum(q) FROM t WHERE q > 0",
        f"SELECT sum(q) FROM (SELECT sum(on_hand) AS q FROM stock WHERE {OLD} UNION ALL"
        f" SELECT sum(on_hand) FROM stock WHERE {NEW}) AS t",
        f"SELECT {OF_OLD} + {OF_NEW}",
        f"SELECT coalesce({OF_OLD}, 0) + coalesce({OF_NEW}, 0) AS total",
        f"SELECT sum(on_hand) FILTER (WHERE {OLD}) + sum(on_hand) FILTER (WHERE {NEW}) FROM stock",
        f"SELECT sum(CASE WHEN {OLD} THEN on_hand ELSE 0 END)"
        f" + sum(CASE WHEN {NEW} THEN on_hand ELSE 0 END) FROM stock",
        f"WITH a AS (SELECT sku, on_hand AS q FROM stock WHERE {OLD}), b AS (SELECT sku, on_hand"
        f" AS q FROM stock WHERE {NEW}) SELECT sku, a.q + b.q FROM a JOIN b USING (sku)",
    ],
)
def test_days_that_are_added_in_parts_or_divided_by_something_else_are_refused(
    asked: Ask, sql: str
) -> None:
    with pytest.raises(ToolRetry) as caught:
        asked(sql)
    assert caught.value.kind == "stock_over_dates"


def test_a_divisor_that_is_not_the_number_of_days_is_told_it(asked: Ask) -> None:
    with pytest.raises(ToolRetry) as caught:
        asked("SELECT sum(on_hand) / 30.0 FROM stock")
    assert caught.value.message == (
        "SUM(on_hand) / 30.0 is no average: the rows hold the stock of 2 days of day"
    )


PICKED = "row_number() OVER (PARTITION BY sku ORDER BY day DESC)"
LATEST = "stock as of 2026-11-30 (stock)"
BOTH_DAYS = "stock of 2026-11-29 to 2026-11-30 (stock)"


@pytest.mark.parametrize(
    ("sql", "note"),
    [
        (f"SELECT sku, on_hand FROM stock QUALIFY {PICKED} = 1", LATEST),
        (f"WITH r AS (SELECT *, {PICKED} AS n FROM stock) SELECT sum(on_hand) FROM r WHERE n = 1",
         LATEST),
        (f"SELECT sum(q) FROM (SELECT sku, on_hand AS q, {PICKED} AS n FROM stock) WHERE n = 2",
         "stock as of 2026-11-29 (stock)"),
        ("SELECT sum(q) FROM (SELECT sku, arg_max(on_hand, day) AS q FROM stock GROUP BY 1)", LATEST),
        ("SELECT DISTINCT ON (sku) sku, on_hand FROM stock ORDER BY sku, day DESC", LATEST),
        ("SELECT day, sum(on_hand) FROM stock GROUP BY day ORDER BY day DESC LIMIT 1", LATEST),
        ("SELECT sku, (SELECT s.on_hand FROM stock s WHERE s.sku = l.sku ORDER BY s.day DESC"
         " LIMIT 1) FROM order_lines l", LATEST),
        ("SELECT l.sku, s.on_hand FROM (SELECT sku, DATE '2026-11-29' AS at FROM order_lines) l"
         " ASOF JOIN stock s ON s.sku = l.sku AND l.at >= s.day", "stock as of 2026-11-29 (stock)"),
        (f"SELECT sum(on_hand) FILTER (WHERE {NEW}), count(*) FILTER (WHERE {NEW}) FROM stock",
         LATEST),
        (f"SELECT sum(on_hand) FILTER (WHERE {NEW}) - sum(on_hand) FILTER (WHERE {OLD})"
         " FROM stock", BOTH_DAYS),
        ("SELECT count(*) FROM stock WHERE day = (SELECT max(day) FROM stock) AND on_hand > 99",
         LATEST),
        (f"SELECT 'old' AS k, sum(on_hand) FROM stock WHERE {OLD} UNION ALL"
         f" SELECT 'new', sum(on_hand) FROM stock WHERE {NEW}", BOTH_DAYS),
        ("SELECT avg(q) FROM (SELECT day, sum(on_hand) AS q FROM stock GROUP BY day)", BOTH_DAYS),
    ],
)  # fmt: skip
def test_stock_is_as_of_the_day_that_the_query_picks(asked: Ask, sql: str, note: str) -> None:
    assert [n for n in asked(sql).answer_notes if n.startswith("stock ")] == [note]
