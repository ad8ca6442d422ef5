"""What a person says in `catalog.yaml` beside descriptions: measures, money, joins, metrics."""

from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from ingest.store.errors import StoreBroken
from ingest.store.overlay import overlay_edits
from ingest.store.records import Catalog, ColumnRecord, MetricRecord, TableRecord


def column(name: str, type: str = "BIGINT", **more: object) -> ColumnRecord:
    values = {"name": name, "type": type, "original": name, "distinct": 4, **more}
    return ColumnRecord.model_validate(values)


SALES = TableRecord(
    name="sales",
    source="s.csv",
    rows=8,
    columns=(
        column("sku", "VARCHAR"),
        column("sold_on", "DATE"),
        column("amount", measure="flow"),
        column("unit_price", measure="rate"),
    ),
)
PRODUCTS = TableRecord(
    name="products", source="p.csv", rows=4, columns=(column("sku", "VARCHAR"), column("cost"))
)
CATALOG = Catalog(
    tables=(SALES, PRODUCTS),
    metrics=(
        MetricRecord(name="sales", formula="sum of amount", sql="SELECT 1", synonyms=("売上",)),
    ),
)

Overlay = Callable[[str], Catalog]


@pytest.fixture
def overlay(tmp_path: Path) -> Overlay:
    def run(text: str) -> Catalog:
        path = tmp_path / "catalog.yaml"
        path.write_text(text, encoding="utf-8")
        return overlay_edits(CATALOG, path)

    return run


def refused(overlay: Overlay, text: str) -> StoreBroken:
    with pytest.raises(StoreBroken) as error:
        overlay(text)
    return error.value


def test_measure_currency_tax_grain_and_time_zone_may_be_said(overlay: Overlay) -> None:
    catalog = overlay(
        "time_zone: Asia/Tokyo\ncurrency: JPY\ntables:\n  sales:\n    grain: one row a line\n"
        "    columns:\n      amount: {measure: stock, currency: USD, tax: included}\n"
    )
    table = catalog.tables[0]
    amount = table.column("amount")
    assert amount is not None
    assert (catalog.time_zone, catalog.currency, table.grain) == (
        "Asia/Tokyo",
        "JPY",
        "one row a line",
    )
    assert (amount.measure, amount.currency, amount.tax) == ("stock", "USD", "included")


def test_a_table_said_to_be_stock_makes_its_flows_stock(overlay: Overlay) -> None:
    table = overlay("tables:\n  sales: {snapshot: true}\n").tables[0]
    assert [c.measure for c in table.columns] == [None, None, "stock", "rate"]


def test_a_measure_that_is_said_comes_before_what_the_table_is(overlay: Overlay) -> None:
    text = "tables:\n  sales: {snapshot: true, columns: {amount: {measure: flow}}}\n"
    assert overlay(text).tables[0].columns[2].measure == "flow"


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("currency: yen\n", 1, "JPY"),
        ("currency: YEN\n", 1, "JPY"),
        ("currency: XXQ\n", 1, "JPY"),
        ("\ntime_zone: Tokyo\n", 2, "Asia/Tokyo"),
        ("tables:\n  sales:\n    columns:\n      amount:\n        measure: sum\n", 5, "'stock'"),
        ("tables:\n  sales:\n    columns:\n      amount: {tax: 税込}\n", 4, "'included'"),
        ("closing_day: 20\ncurrency: JPY\nclosing_day: 25\n", 3, "twice"),
    ],
)
def test_a_wrong_value_names_its_line_and_what_is_allowed(
    overlay: Overlay, text: str, line: int, said: str
) -> None:
    message = refused(overlay, text).message
    assert f", line {line}: " in message and said in message


JOIN = "joins:\n  - {{left_table: {}, left_column: sku, right_table: {}, right_column: sku}}\n"


def test_the_multiplicity_of_a_said_join_is_proved(overlay: Overlay) -> None:
    (join,) = overlay(JOIN.format("sales", "products")).joins
    assert (join.right_table, join.one_to_one) == ("products", False)


def test_a_join_whose_right_side_repeats_is_refused(overlay: Overlay) -> None:
    error = refused(overlay, JOIN.format("products", "sales"))
    assert ", line 2: sales.sku repeats" in error.message
    assert "swap left and right" in error.message


METRIC = "metrics:\n  basket:\n    formula: amount ÷ sales\n    sql: {}\n    synonyms: [客単価]\n"


def test_a_metric_of_ones_own_is_bound_and_knows_its_tables(overlay: Overlay) -> None:
    sql = "SELECT SUM(s.amount - p.cost) FROM sales s JOIN products p USING (sku)"
    sql += " WHERE sold_on BETWEEN :start AND :end"
    metric = overlay(METRIC.format(sql)).metrics[-1]
    assert (metric.name, metric.tables, metric.drafted) == ("basket", ("sales", "products"), False)
    assert metric.synonyms == ("客単価",)


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT SUM(total) FROM sales", '"total"'),
        ("SELECT SUM(amount) FROM sale", "The tables are: sales, products"),
        ("SELECT SUM(amount FROM sales", "yntax"),
        ("SELECT 1; SELECT 2", "one SELECT"),
        ("DROP TABLE sales", "one SELECT"),
        ("SELECT * FROM read_csv('/etc/passwd')", "does not bind"),
    ],
)
def test_a_metric_that_does_not_bind_names_its_line(overlay: Overlay, sql: str, said: str) -> None:
    error = refused(overlay, METRIC.format(sql))
    assert ", line 4: the SQL of 'basket' does not bind" in error.message
    assert said in error.message


def test_a_drafted_metric_may_be_called_otherwise_or_taken_away(overlay: Overlay) -> None:
    (called,) = overlay("metrics:\n  sales: {synonyms: [出荷高]}\n").metrics
    assert (called.synonyms, called.sql, called.drafted) == (("出荷高",), "SELECT 1", True)
    assert overlay("metrics:\n  sales: null\n").metrics == ()


def test_a_metric_needs_a_formula_and_sql(overlay: Overlay) -> None:
    error = refused(overlay, "metrics:\n  basket:\n    sql: SELECT 1\n")
    assert ", line 2: the metric 'basket' needs a formula" in error.message


def test_an_unknown_key_of_a_metric_lists_the_keys(overlay: Overlay) -> None:
    error = refused(overlay, "metrics:\n  sales:\n    query: SELECT 1\n")
    assert ", line 3: unknown key 'query'" in error.message
    assert error.hint == "Allowed here: formula, sql, description, synonyms, unit."


def test_only_a_drafted_metric_can_be_taken_away(overlay: Overlay) -> None:
    error = refused(overlay, "metrics:\n  turnover: null\n")
    assert "no metric 'turnover' to take away" in error.message
    assert error.hint == "Allowed here: sales."


@pytest.mark.parametrize(
    ("left", "right", "said"),
    [
        (("sales", "sku"), ("sales", "sku"), "sales.sku is joined with itself"),
        (("sales", "sold_on"), ("products", "cost"), "they are never equal"),
    ],
)
def test_a_join_that_can_never_meet_is_refused_with_its_line(
    overlay: Overlay, left: tuple[str, str], right: tuple[str, str], said: str
) -> None:
    keys = ("left_table", "left_column", "right_table", "right_column")
    join = ", ".join(f"{key}: {name}" for key, name in zip(keys, (*left, *right), strict=True))
    message = refused(overlay, f"joins:\n  - {{{join}}}\n").message
    assert ", line 2: " in message and said in message


def test_an_alias_inside_of_its_own_anchor_is_an_error_of_the_file(overlay: Overlay) -> None:
    assert "inside of its own anchor" in refused(overlay, "tables: &all\n  sales: *all\n").message


def test_the_period_of_a_stock_table_may_be_said(overlay: Overlay) -> None:
    table = overlay("tables:\n  sales: {snapshot: true, period: [sold_on]}\n").tables[0]
    assert (table.period, table.snapshot) == (("sold_on",), True)


def test_a_period_names_columns_of_the_table(overlay: Overlay) -> None:
    error = refused(overlay, "tables:\n  sales: {period: [month]}\n")
    assert "has no column 'month'" in str(error)
    assert "sold_on" in (error.hint or "")


@pytest.fixture
def warehouse(tmp_path: Path) -> Path:
    """Eight sales: two days of four articles; `amount` has a blank."""
    path = tmp_path / "warehouse.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE sales AS SELECT 'A' || (i % 4) AS sku, DATE '2026-01-01' + (i // 4)::INT "
            "AS sold_on, nullif(i, 5) AS amount, 1 AS unit_price FROM range(8) AS r(i)"
        )
    return path


def _said(tmp_path: Path, key: str) -> Path:
    path = tmp_path / "catalog.yaml"
    path.write_text(f"tables:\n  sales:\n    primary_key: [{key}]\n", encoding="utf-8")
    return path


def test_a_key_that_tells_all_rows_apart_is_taken(tmp_path: Path, warehouse: Path) -> None:
    found = overlay_edits(CATALOG, _said(tmp_path, "SKU, sold_on"), warehouse).table("sales")
    assert found is not None and found.primary_key == ("sku", "sold_on")


@pytest.mark.parametrize(
    ("key", "told"),
    [("sku", "8 rows have 4"), ("amount", "8 rows have 7"), ("sku, unit_price", "8 rows have 4")],
)
def test_a_key_that_repeats_or_has_a_blank_is_refused_with_its_line(
    tmp_path: Path, warehouse: Path, key: str, told: str
) -> None:
    with pytest.raises(StoreBroken, match=told) as error:
        overlay_edits(CATALOG, _said(tmp_path, key), warehouse)
    assert "line 3" in error.value.message
