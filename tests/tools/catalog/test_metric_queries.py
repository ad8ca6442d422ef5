"""Drafted metrics are queries that the SQL tool's guard lets through, and that run."""

from datetime import date
from pathlib import Path

import duckdb
import pytest

from ingest.catalog import draft_catalog
from ingest.store import Catalog, IngestSettings, TableRecord
from ingest.store.metrics import fill_period
from ingest.tables import import_tables
from tools.sql.guard import check

ROOT = Path(__file__).resolve().parents[3]
NAMES = [
    "sales",
    "gross_margin",
    "growth_yoy",
    "growth_mom",
    "inventory_turnover",
    "days_of_stock",
    "sell_through",
    "fill_rate",
]
TABLES = ("products", "sales", "stock_snapshots", "purchase_orders")


@pytest.fixture(scope="module")
def company() -> tuple[duckdb.DuckDBPyConnection, Catalog]:
    connection = duckdb.connect()
    records: list[TableRecord] = []
    for name in TABLES:
        path = ROOT / "eval_data" / "company" / "tables" / f"{name}.csv"
        records += import_tables(connection, path, path.name, IngestSettings()).tables
    return connection, draft_catalog(connection, records)


def test_the_sample_company_has_every_metric(
    company: tuple[duckdb.DuckDBPyConnection, Catalog],
) -> None:
    assert [metric.name for metric in company[1].metrics] == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_each_passes_the_guard_and_gives_one_figure(
    company: tuple[duckdb.DuckDBPyConnection, Catalog], name: str
) -> None:
    connection, catalog = company
    (metric,) = [m for m in catalog.metrics if m.name == name]
    sql = fill_period(metric.sql, date(2026, 10, 1), date(2026, 10, 31))
    query = check(sql, catalog)
    assert query.sql
    (row,) = connection.execute(query.sql).fetchall()
    assert row[-1] is not None
    assert set(query.tables) == set(metric.tables)
