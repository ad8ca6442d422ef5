"""Lines an order: O1 two, O2 one, O3 two, O4 one. Fees are all different."""

from collections.abc import Callable

import pytest

from tools.sql.result import SqlResult

Ask = Callable[[str], SqlResult]
LINES = "SELECT order_no, count(*) AS n FROM order_lines GROUP BY order_no"
NUMBERED = "row_number() OVER (ORDER BY count(*) DESC)"


@pytest.mark.parametrize(
    ("sql", "note"),
    [
        (f"{LINES} ORDER BY n DESC LIMIT 1",
         "2 rows share the first place by COUNT(*); only one of them is shown"),
        (f"{LINES} ORDER BY 2 DESC, order_no LIMIT 1",
         "2 rows share the first place by COUNT(*); only one of them is shown"),
        (f"WITH t AS ({LINES}) SELECT order_no FROM t ORDER BY n LIMIT 1",
         "2 rows share the first place by n; only one of them is shown"),
        (f"{LINES} ORDER BY n DESC LIMIT 3", "1 more row has the same COUNT(*) as the last one shown"),
        ("SELECT DISTINCT line_no, order_no FROM order_lines ORDER BY line_no LIMIT 1",
         "4 rows share the first place by line_no; only one of them is shown"),
        (f"SELECT order_no, count(*) FROM order_lines GROUP BY 1 QUALIFY {NUMBERED} = 1",
         "1 more row shares a place that row_number() gives to one alone: rank() shows all of them"),
    ],
)  # fmt: skip
def test_rows_that_share_a_place_behind_a_limit_are_counted(
    asked: Ask, sql: str, note: str
) -> None:
    result = asked(sql)
    assert note in result.answer_notes
    assert note in result.evidence()[0].notes


@pytest.mark.parametrize(
    "sql",
    [
        f"{LINES} ORDER BY n DESC LIMIT 2",
        f"{LINES} ORDER BY n DESC LIMIT 9",
        f"{LINES} ORDER BY n DESC",
        "SELECT order_no FROM orders ORDER BY shipping_fee DESC LIMIT 1",
        "SELECT order_no FROM order_lines ORDER BY line_no, order_no LIMIT 1",
        "SELECT order_no FROM order_lines LIMIT 1",
        "SELECT order_no, row_number() OVER (ORDER BY order_no) AS n FROM orders",
    ],
)
def test_an_order_that_settles_its_places_needs_no_note(asked: Ask, sql: str) -> None:
    assert asked(sql).answer_notes == ()
