"""Guards that ask the data: joins, stock over dates, amounts that do not add up."""

from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import cast

import duckdb
import pytest

from ingest.store import Catalog, ColumnRecord, JoinRecord, Store, TableRecord
from ingest.store.records import Measure
from tools.base import ToolContext
from tools.errors import ToolRetry
from tools.sql.result import SqlResult
from tools.sql.tool import SqlArguments, SqlTool

Ask = Callable[[str], SqlResult]
SCHEMA = """
CREATE TABLE orders (id INTEGER, country VARCHAR, currency VARCHAR, freight DECIMAL(9, 2));
INSERT INTO orders VALUES (1, 'JP', 'JPY', 100), (2, 'JP', 'JPY', 200), (3, 'US', 'USD', 7);
CREATE TABLE items (
    order_id INTEGER, line INTEGER, sku VARCHAR, qty INTEGER, unit VARCHAR, amount DECIMAL(9, 2));
INSERT INTO items VALUES (1, 1, 'A', 2, '個', 10), (1, 2, 'B', 3, 'kg', 20),
    (2, 1, 'A', 1, '個', 5), (3, 1, 'A', 4, '個', 40);
CREATE TABLE rates (currency VARCHAR, to_jpy DECIMAL(9, 2));
INSERT INTO rates VALUES ('JPY', 1), ('USD', 150);
CREATE TABLE stock (id INTEGER, day DATE, sku VARCHAR, place VARCHAR, on_hand INTEGER);
INSERT INTO stock VALUES (1, '2026-10-31', 'A', 'east', 10), (2, '2026-10-31', 'B', 'east', 5),
    (3, '2026-11-30', 'A', 'east', 7), (4, '2026-11-30', 'B', 'west', 9);
CREATE TABLE counts (sku VARCHAR, counted DATE, place VARCHAR, on_hand INTEGER);
INSERT INTO counts VALUES ('A', '2026-11-01', 'east', 3), ('B', '2026-11-02', 'east', 4);
CREATE TABLE shelf (sku VARCHAR, on_hand INTEGER, jpy DECIMAL(9, 2), usd DECIMAL(9, 2),
    net DECIMAL(9, 2), gross DECIMAL(9, 2), kg INTEGER, pieces INTEGER);
INSERT INTO shelf VALUES ('A', 3, 100, 1, 100, 110, 2, 5);
"""
MEASURES: dict[tuple[str, str], Measure] = {
    ("stock", "on_hand"): "stock", ("rates", "to_jpy"): "rate", ("counts", "on_hand"): "stock", ("shelf", "on_hand"): "stock",
}  # fmt: skip
KNOWN = {
    "jpy": {"currency": "JPY"}, "usd": {"currency": "USD"}, "net": {"tax": "excluded"},
    "gross": {"tax": "included"}, "kg": {"unit": "kg"}, "pieces": {"unit": "個"},
}  # fmt: skip
KEYS = {"orders": ("id",), "items": ("order_id", "line"), "stock": ("id",), "counts": ("sku",)}
DATES = {"stock": "day", "counts": "counted"}


class _Store:
    """The part of a store that the tool reads."""

    def __init__(self, warehouse: Path, catalog: Catalog) -> None:
        self.warehouse, self.catalog, self.revision = warehouse, catalog, 1

    def find_values(self, word: str, **_: object) -> list[object]:
        return []


def _record(connection: duckdb.DuckDBPyConnection, name: str) -> TableRecord:
    dated = DATES.get(name)
    ends = f"SELECT min({dated}), max({dated}) FROM {name}" if dated else "SELECT NULL, NULL"
    first, last = connection.execute(ends).fetchall()[0]
    (rows,) = connection.execute(f"SELECT count(*) FROM {name}").fetchall()[0]
    columns = []
    for column, kind, *_ in connection.execute(f"DESCRIBE {name}").fetchall():
        values = connection.execute(f"SELECT DISTINCT {column}::VARCHAR FROM {name}").fetchall()
        known = KNOWN.get(column, {}) if name == "shelf" else {}
        columns.append(
            ColumnRecord.model_validate(
                {
                    "name": column, "type": kind, "original": column, "distinct": len(values),
                    "examples": tuple(v for (v,) in values),
                    "measure": MEASURES.get((name, column)), **known,
                }
            )
        )  # fmt: skip
    return TableRecord(
        name=name, source=f"{name}.csv", rows=rows, columns=tuple(columns),
        primary_key=KEYS.get(name, ()), snapshot=dated is not None, date_column=dated,
        data_from=first, data_to=last,
    )  # fmt: skip


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    path = tmp_path_factory.mktemp("meaning") / "warehouse.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(SCHEMA)
        names = ("orders", "items", "rates", "stock", "counts", "shelf")
        tables = tuple(_record(connection, name) for name in names)
    join = JoinRecord(
        left_table="items", left_column="order_id", right_table="orders", right_column="id"
    )
    store = _Store(path, Catalog(tables=tables, joins=(join,)))
    context = ToolContext(store=cast(Store, store), today=date(2026, 11, 30))
    tool = SqlTool()
    yield lambda sql: tool.run(SqlArguments(query=sql), context)
    tool.close()


def _error(asked: Ask, sql: str) -> ToolRetry:
    with pytest.raises(ToolRetry) as caught:
        asked(sql)
    return caught.value


LINES = "FROM orders o JOIN items i ON i.order_id = o.id"


def test_a_join_that_repeats_nothing_in_these_rows_passes(asked: Ask) -> None:
    """Orders have several lines, but none has two of product A, nor two in the US."""
    one = asked(f"SELECT sum(o.freight) {LINES} WHERE i.sku = 'A' AND o.currency = 'JPY'")
    assert one.rows.rows == (("300.00",),)
    where = "WHERE o.country = 'US' AND o.currency = 'USD'"
    assert asked(f"SELECT sum(o.freight) {LINES} {where}").rows.rows == (("7.00",),)


def test_a_join_that_repeats_rows_is_refused(asked: Ask) -> None:
    error = _error(asked, f"SELECT sum(o.freight) {LINES} WHERE o.currency = 'JPY'")
    assert error.kind == "join_multiplies_rows"


def test_an_unknown_name_is_told_before_what_the_query_means(asked: Ask) -> None:
    assert _error(asked, f"SELECT sum(o.freight), zzz {LINES}").kind == "unknown_column"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT sum(on_hand) FROM stock",
        "SELECT sku, sum(on_hand) FROM stock GROUP BY sku",
        "SELECT sum(on_hand) FROM stock WHERE day >= DATE '2026-10-01'",
        "SELECT sum(on_hand * 2) FROM stock WHERE day IN ('2026-10-31', '2026-11-30')",
        "SELECT year(day), sum(on_hand) FROM stock GROUP BY 1",
        "SELECT sum(t) FROM (SELECT day, sum(on_hand) AS t FROM stock GROUP BY day) AS d",
    ],
)
def test_stock_is_not_added_up_over_dates(asked: Ask, sql: str) -> None:
    error = _error(asked, sql)
    assert error.kind == "stock_over_dates"
    assert "(2026-10-31, 2026-11-30)" in error.message
    assert '(SELECT max("day") FROM stock)' in error.hint


@pytest.mark.parametrize(
    ("sql", "first"),
    [
        ("SELECT sum(on_hand) FROM stock WHERE day = DATE '2026-11-30'", "16"),
        ("SELECT sum(on_hand) FROM stock WHERE day = (SELECT max(day) FROM stock)", "16"),
        ("SELECT sum(on_hand) FROM stock WHERE day >= DATE '2026-11-01'", "16"),
        ("SELECT sum(on_hand) FROM stock s WHERE day = (SELECT max(day) FROM stock t"
         " WHERE t.sku = s.sku)", "16"),
        ("SELECT sum(on_hand) FROM stock GROUP BY day ORDER BY day", "15"),
        ("SELECT sum(on_hand) FROM stock GROUP BY strftime(day, '%Y-%m') ORDER BY 1", "15"),
        ("SELECT sum(CASE WHEN day = DATE '2026-11-30' THEN on_hand END) FROM stock", "16"),
        ("SELECT sum(on_hand) FILTER (WHERE day = DATE '2026-11-30') FROM stock", "16"),
        ("SELECT sum(on_hand) / count(DISTINCT day) FROM stock", 15.5),
        ("SELECT avg(t) FROM (SELECT sum(on_hand) AS t FROM stock GROUP BY day) AS d", 15.5),
        ("SELECT sum(on_hand) FROM counts", "7"),
        ("SELECT sum(on_hand) FROM shelf", "3"),
    ],
)  # fmt: skip
def test_stock_of_one_day_of_each_thing_is_added_up(asked: Ask, sql: str, first: object) -> None:
    assert asked(sql).rows.rows[0][0] == first


@pytest.mark.parametrize(
    ("sql", "note"),
    [
        ("SELECT on_hand FROM stock WHERE day = DATE '2026-10-31'", "stock as of 2026-10-31 (stock)"),
        ("SELECT sum(on_hand) FROM stock WHERE day = (SELECT max(day) FROM stock WHERE day <"
         " DATE '2026-11-15')", "stock as of 2026-10-31 (stock)"),
        ("SELECT on_hand FROM stock WHERE day < DATE '2026-11-15'", "stock as of 2026-10-31 (stock)"),
        ("SELECT day, on_hand FROM stock", "stock of 2026-10-31 to 2026-11-30 (stock)"),
        ("SELECT on_hand FROM shelf", "stock as in shelf.csv, which gives no date (shelf)"),
    ],
)  # fmt: skip
def test_an_answer_on_stock_says_as_of_when(asked: Ask, sql: str, note: str) -> None:
    result = asked(sql)
    assert result.answer_notes == (note,)
    assert result.evidence()[0].notes == (note,)


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT sum(freight) FROM orders", "several currencies (JPY, USD)"),
        ("SELECT sum(amount) FROM items i JOIN orders o ON i.order_id = o.id", "currencies"),
        ("SELECT avg(freight) FROM orders WHERE country <> 'FR'", "currencies"),
        ("SELECT sum(qty) FROM items", "several units (kg, 個)"),
        ("SELECT jpy + usd FROM shelf", "shelf.jpy and shelf.usd are not in the same currency"),
        ("SELECT sum(jpy) - sum(usd) FROM shelf", "currency (JPY, USD)"),
        ("SELECT coalesce(net, 0) + gross FROM shelf", "tax treatment (excluded, included)"),
        ("SELECT kg + pieces FROM shelf", "unit (kg, 個)"),
        (
            "SELECT sum(a) FROM (SELECT currency c, sum(freight) a FROM orders GROUP BY c)",
            "several currencies (JPY, USD)",
        ),
        ("SELECT sum(a) FROM (SELECT sum(freight) a FROM orders GROUP BY currency)", "currencies"),
        (
            "WITH t AS (SELECT currency, id, sum(freight) a FROM orders GROUP BY ALL)"
            " SELECT id < 9, sum(a) FROM t GROUP BY 1",
            "several currencies (JPY, USD)",
        ),
        ("SELECT avg(a) FROM (SELECT DISTINCT currency, freight AS a FROM orders)", "currencies"),
        (
            "WITH t AS (SELECT currency, sum(freight) a FROM orders GROUP BY 1 HAVING sum(freight) > 1)"
            " SELECT sum(a) FROM t WHERE a > 6",
            "several currencies (JPY, USD)",
        ),
        ("SELECT sum(q) FROM (SELECT unit, sum(qty) q FROM items GROUP BY unit)", "units (kg, 個)"),
        (
            "SELECT sum(freight) FILTER (WHERE currency = 'USD')"
            " + sum(freight) FILTER (WHERE currency = 'JPY') FROM orders",
            "currencies (JPY, USD)",
        ),
        (
            "SELECT sum(CASE currency WHEN 'USD' THEN freight ELSE 0 END)"
            " - sum(CASE currency WHEN 'JPY' THEN freight ELSE 0 END) FROM orders",
            "(JPY, USD)",
        ),
        (
            "SELECT sum(CASE WHEN currency IN ('USD', 'JPY') THEN freight END) FROM orders",
            "(JPY, USD)",
        ),
        ("SELECT sum(if(currency = 'USD', freight, freight)) FROM orders", "(JPY, USD)"),
        (
            "SELECT (SELECT sum(freight) FROM orders WHERE currency = 'USD')"
            " + (SELECT sum(freight) FROM orders WHERE currency = 'JPY')",
            "currencies (JPY, USD)",
        ),
        (
            "WITH u AS (SELECT sum(freight) x FROM orders WHERE currency = 'USD'),"
            " j AS (SELECT sum(freight) y FROM orders WHERE currency = 'JPY') SELECT x + y FROM u, j",
            "x + y adds amounts of several currencies (JPY, USD)",
        ),
        (
            "WITH t AS (SELECT sum(freight) FILTER (WHERE currency = 'USD') x,"
            " sum(freight) FILTER (WHERE currency = 'JPY') y FROM orders) SELECT x + y FROM t",
            "several currencies (JPY, USD)",
        ),
        (
            "SELECT sum(a) FROM (SELECT freight a FROM orders WHERE currency = 'USD'"
            " UNION ALL SELECT freight FROM orders WHERE currency = 'JPY')",
            "currencies (JPY, USD)",
        ),
        (
            "SELECT sum(a) FROM (SELECT sum(freight) a FROM orders WHERE currency = 'USD'"
            " UNION ALL SELECT sum(freight) FROM orders WHERE currency = 'JPY')",
            "(JPY, USD)",
        ),
        (
            "WITH t AS (SELECT sum(net) n, sum(gross) g FROM shelf) SELECT n + g FROM t",
            "tax treatment (excluded, included)",
        ),
        ("SELECT (SELECT sum(jpy) FROM shelf) + (SELECT sum(usd) FROM shelf)", "(JPY, USD)"),
    ],
)
def test_amounts_of_different_kinds_are_not_added(asked: Ask, sql: str, said: str) -> None:
    error = _error(asked, sql)
    assert error.kind == "amounts_do_not_add_up"
    assert said in error.message
    assert error.hint


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT currency, sum(freight) FROM orders GROUP BY currency",
        "SELECT sum(freight) FROM orders WHERE currency = 'JPY'",
        "SELECT sum(freight) FROM orders WHERE country = 'JP'",
        "SELECT country, sum(freight) FROM orders GROUP BY country",
        "SELECT sum(o.freight * r.to_jpy) FROM orders o JOIN rates r ON r.currency = o.currency",
        "SELECT sum(CASE currency WHEN 'USD' THEN freight * 150 ELSE freight END) FROM orders",
        "SELECT unit, sum(qty) FROM items GROUP BY unit",
        "SELECT max(id) FROM orders",
        "SELECT gross - net FROM shelf",
        "SELECT jpy + usd * 150 FROM shelf",
        "SELECT c, sum(a) FROM (SELECT currency c, id, sum(freight) a FROM orders GROUP BY ALL)"
        " GROUP BY c",
        "SELECT sum(a) FROM (SELECT currency c, sum(freight) a FROM orders GROUP BY c) WHERE c = 'JPY'",
        "SELECT sum(a) FROM (SELECT currency c, sum(freight) a FROM orders GROUP BY c"
        " HAVING c = 'JPY')",
        "SELECT sum(CASE WHEN c = 'USD' THEN a * 150 ELSE a END)"
        " FROM (SELECT currency c, sum(freight) a FROM orders GROUP BY c)",
        "SELECT sum(freight) FILTER (WHERE currency = 'USD') * 150"
        " + sum(freight) FILTER (WHERE currency = 'JPY') FROM orders",
        "SELECT currency, sum(freight) FILTER (WHERE id > 1) - sum(freight) FILTER (WHERE id < 2)"
        " FROM orders GROUP BY currency",
        "SELECT country, sum(freight) FILTER (WHERE id > 1) - sum(freight) FILTER (WHERE id < 2)"
        " FROM orders GROUP BY country",
        "SELECT sum(freight) FILTER (WHERE currency = 'USD'),"
        " sum(freight) FILTER (WHERE currency = 'JPY') FROM orders",
        "SELECT (SELECT sum(freight) FROM orders WHERE currency = 'JPY' AND id > 1)"
        " - (SELECT sum(freight) FROM orders WHERE country = 'JP' AND id < 2)",
        "WITH a AS (SELECT currency, sum(freight) x FROM orders WHERE id > 1 GROUP BY 1),"
        " b AS (SELECT currency, sum(freight) x FROM orders WHERE id < 3 GROUP BY 1)"
        " SELECT a.x - b.x FROM a JOIN b USING (currency)",
        "SELECT c, sum(a) FROM (SELECT currency c, freight a FROM orders WHERE currency = 'USD'"
        " UNION ALL SELECT currency, freight FROM orders WHERE currency = 'JPY') GROUP BY c",
        "SELECT count(*) FROM (SELECT currency, sum(freight) a FROM orders GROUP BY currency)",
        "WITH t AS (SELECT sum(net) n, sum(gross) g FROM shelf) SELECT g - n FROM t",
        "SELECT jpy, usd FROM shelf",
    ],
)
def test_amounts_of_one_kind_and_converted_ones_are_added(asked: Ask, sql: str) -> None:
    assert asked(sql).rows.row_count


def test_an_empty_result_says_which_condition_emptied_it(asked: Ask) -> None:
    def why(sql: str) -> str:
        return asked(sql).notes[-1]

    assert why("SELECT id FROM orders WHERE country = 'JP' AND freight > 500") == (
        "freight > 500 leaves no row: without it 2 rows"
    )
    assert why("SELECT sum(freight) FROM orders WHERE freight > 500 AND id > 9") == (
        "freight > 500 is met by no row"
    )
    assert why("SELECT on_hand FROM stock WHERE day > DATE '2026-12-31'") == (
        "day > CAST('2026-12-31' AS DATE) leaves no row: without it 4 rows "
        "(stock has 2026-10-31 to 2026-11-30)"
    )
    assert why("SELECT country FROM orders GROUP BY country HAVING count(*) > 2") == (
        "HAVING COUNT(*) > 2 leaves no group"
    )
    assert why("SELECT id FROM orders WHERE freight > 50 AND currency = 'USD'") == (
        "freight > 50 leaves no row: without it 1 row"
    )
    assert why(
        "WITH big AS (SELECT * FROM orders WHERE freight > 500) SELECT count(*) FROM big"
        " JOIN items ON order_id = id"
    ) == ("freight > 500 leaves no row: without it 3 rows")
    assert why("SELECT country FROM orders ANTI JOIN rates USING (currency)") == (
        "ANTI JOIN rates USING (currency) leaves no row: without it 3 rows"
    )
    assert why("SELECT id FROM orders SEMI JOIN items ON order_id = id + 9 WHERE id > 1") == (
        "SEMI JOIN items ON order_id = id + 9 leaves no row: without it 2 rows"
    )
    assert why("SELECT o.id FROM orders o JOIN items i ON i.order_id = o.id + 9") == (
        "the join of orders, items has no row"
    )


def test_a_sum_of_rates_is_pointed_out_and_not_refused(asked: Ask) -> None:
    note = "SUM(to_jpy) adds up a rate: multiply it by its quantity, or take AVG"
    assert asked("SELECT sum(to_jpy) FROM rates").notes == (note,)
    assert asked("SELECT sum(to_jpy * 2), avg(to_jpy) FROM rates").notes == ()


@pytest.mark.parametrize(
    ("sql", "shown"),
    [
        ("SELECT sum(country) FROM orders",
         "e.g. SELECT country, COUNT(*) FROM orders GROUP BY country"),
        ("SELECT zzzz FROM orders JOIN items ON id = order_id",
         "e.g. SELECT b.country, COUNT(*) FROM items AS a JOIN orders AS b ON a.order_id = b.id"
         " GROUP BY b.country"),
    ],
)  # fmt: skip
def test_an_error_comes_with_one_query_that_runs(asked: Ask, sql: str, shown: str) -> None:
    error = _error(asked, sql)
    assert error.hint.endswith(shown)
    assert asked(shown.removeprefix("e.g. ")).rows.rows


def test_one_value_of_a_list_that_is_not_stored_is_said_with_the_answer(asked: Ask) -> None:
    result = asked("SELECT count(*) FROM orders WHERE country IN ('JP', 'Us')")
    assert result.rows.rows == ((2,),)
    assert result.answer_notes == ("no row has country = 'Us'; stored values like it: 'US'",)
    assert result.evidence()[0].unmatched == ()


@pytest.mark.parametrize(
    ("where", "note"),
    [
        ("place LIKE '%easd%'", "no row has place LIKE '%easd%'; stored values like it: 'east'"),
        ("lower(place) = 'easst'", "no row has place = 'easst'; stored values like it: 'east'"),
        ("place ILIKE 'wset'", "no row has place ILIKE '%wset%'; stored values like it: 'west'"),
    ],
)
def test_a_pattern_that_no_value_meets_names_the_values_like_it(
    asked: Ask, where: str, note: str
) -> None:
    notes = asked(f"SELECT on_hand FROM stock WHERE {where}").notes
    assert any(said.startswith(note) for said in notes)
