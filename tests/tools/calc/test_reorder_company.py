"""A reorder proposal for the sample company, against whole-number arithmetic in plain SQL."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import duckdb

from ingest.store import Store
from tools.base import ToolContext
from tools.calc.tool import CalculationArguments, CalculationTool
from tools.evidence import Column, Evidence

TABLES = Path(__file__).parents[3] / "eval_data" / "company" / "tables"
STOCK = """SELECT warehouse_code || ' ' || sku AS sku, on_hand FROM stock_snapshots
    WHERE snapshot_date = DATE '2026-11-30'"""
ORDERS = """SELECT warehouse_code || ' ' || sku AS sku, order_quantity - received_quantity AS on_order
    FROM purchase_orders WHERE status <> 'received'"""
SALES = """SELECT warehouse_code || ' ' || sku AS sku, sale_date AS date, quantity FROM sales
    WHERE sale_date BETWEEN DATE '2026-09-02' AND DATE '2026-11-30'"""
TERMS = """SELECT warehouse_code || ' ' || sku AS sku, lead_time_days, minimum_order_quantity, pack_size,
        CASE abc_rank WHEN 'A' THEN 40 WHEN 'B' THEN 30 ELSE 20 END AS safety_days
    FROM products JOIN suppliers USING (supplier_code), warehouses WHERE status = 'active'"""
EXPECTED = f"""
WITH found AS (
    SELECT t.*, coalesce(s.on_hand, 0) + coalesce(o.on_order, 0) AS position, d.quantity AS sold,
        (d.quantity * (lead_time_days + safety_days) + 89) // 90 AS point
    FROM ({TERMS}) t JOIN (SELECT sku, sum(quantity) AS quantity FROM ({SALES}) GROUP BY 1) d USING (sku)
    LEFT JOIN ({STOCK}) s USING (sku)
    LEFT JOIN (SELECT sku, sum(on_order) AS on_order FROM ({ORDERS}) GROUP BY 1) o USING (sku))
SELECT sku, position, point, pack_size * ((greatest(3 * (point - position) + sold,
        3 * minimum_order_quantity) + 3 * pack_size - 1) // (3 * pack_size)) AS proposed
FROM found WHERE position <= point ORDER BY sku"""


def rows_of(database: duckdb.DuckDBPyConnection, query: str) -> Sequence[tuple[object, ...]]:
    return database.execute(query).fetchall()


def as_evidence(database: duckdb.DuckDBPyConnection, name: str, query: str) -> Evidence:
    cursor = database.execute(query)
    columns = [Column(name=str(d[0]), type=str(d[1])) for d in cursor.description or ()]
    rows = [
        tuple(v.isoformat() if isinstance(v, date) else v for v in row) for row in cursor.fetchall()
    ]
    return Evidence.model_validate(
        {
            "id": name, "kind": "rows", "tool": "sql", "source": "company", "columns": columns,
            "rows": rows, "row_count": len(rows),
        }
    )  # fmt: skip


def test_the_quantities_for_each_warehouse_are_those_of_plain_sql(tool: CalculationTool) -> None:
    with duckdb.connect() as database:
        for path in TABLES.glob("*.csv"):
            database.execute(f"CREATE VIEW {path.stem} AS SELECT * FROM read_csv('{path}')")
        queries = (STOCK, SALES, TERMS, ORDERS)
        evidence = [as_evidence(database, f"E{n}", q) for n, q in enumerate(queries, start=1)]
        expected = rows_of(database, EXPECTED)
    context = ToolContext(
        store=cast(Store, SimpleNamespace()),
        today=date(2026, 11, 30),
        evidence={e.id: e for e in evidence},
    )
    code = "reorder_proposal('E1', 'E2', 'E3', on_order='E4', days=90)"
    (found,) = tool.run(CalculationArguments(code=code), context).evidence()
    assert len(expected) >= 20
    assert sorted((r[0], r[6]) for r in found.rows) == [(sku, q) for sku, _, _, q in expected]
    for row in found.rows:
        quantity, minimum, pack = (int(str(v)) for v in (row[6], row[4], row[5]))
        assert quantity >= minimum
        assert quantity % pack == 0
    reasons = {str(r[0]): str(r[7]) for r in found.rows}
    for sku, position, point, _ in expected:
        assert f"stock and orders {position} ≤ reorder point {point} (" in reasons[str(sku)]
