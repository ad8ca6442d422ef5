"""Joins on a column that is unique on neither side, under an aggregate."""

import pytest

from ingest.store import Catalog, ColumnRecord, JoinRecord, TableRecord
from tools.errors import ToolRetry
from tools.sql.guard import check


def _column(name: str, distinct: int) -> ColumnRecord:
    return ColumnRecord(name=name, type="BIGINT", original=name, distinct=distinct)


SALES = TableRecord(
    name="sales",
    source="sales.csv",
    rows=100,
    columns=(_column("sale_id", 100), _column("sku", 10), _column("quantity", 9)),
)
RETURNS = TableRecord(
    name="returns",
    source="returns.csv",
    rows=20,
    columns=(_column("sale_id", 18), _column("sku", 8), _column("quantity", 3)),
)
PRODUCTS = TableRecord(
    name="products", source="p.csv", rows=10, columns=(_column("sku", 10), _column("price", 7))
)
CATALOG = Catalog(
    tables=(SALES, RETURNS, PRODUCTS),
    joins=(
        JoinRecord(
            left_table="returns",
            left_column="sale_id",
            right_table="sales",
            right_column="sale_id",
        ),
    ),
)


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
    with pytest.raises(ToolRetry) as refused:
        check(sql, CATALOG)
    assert refused.value.kind == "join_multiplies_rows"
    assert "returns.sku = sales.sku" in refused.value.message
    assert "join by returns.sale_id = sales.sale_id" in refused.value.hint


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT sum(s.quantity) FROM sales s JOIN products p ON s.sku = p.sku",
        "SELECT sum(r.quantity) FROM returns r JOIN sales s ON r.sale_id = s.sale_id",
        "SELECT s.sku FROM sales s JOIN returns r ON s.sku = r.sku",
        "SELECT count(DISTINCT s.sale_id) FROM sales s JOIN returns r ON s.sku = r.sku",
        "SELECT max(s.quantity) FROM sales s JOIN returns r ON s.sku = r.sku",
        "SELECT sum(a.quantity) FROM sales a JOIN sales b ON a.sku = b.sku",
        "SELECT sum(s.quantity) FROM sales s JOIN returns r ON s.sku = r.sku"
        " AND s.sale_id = r.sale_id",
        "SELECT s.sku, (SELECT sum(r.quantity) FROM returns r WHERE r.sku = s.sku) FROM sales s",
        "SELECT count(*) FROM sales s WHERE EXISTS (SELECT 1 FROM returns r WHERE r.sku = s.sku)",
        "WITH a AS (SELECT sku, sum(quantity) q FROM sales GROUP BY 1), b AS"
        " (SELECT sku, sum(quantity) q FROM returns GROUP BY 1)"
        " SELECT sum(a.q - b.q) FROM a JOIN b ON a.sku = b.sku",
    ],
)
def test_joins_that_multiply_nothing_that_counts_pass(sql: str) -> None:
    assert check(sql, CATALOG).sql
