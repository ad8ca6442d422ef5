"""A small warehouse in a real DuckDB file, and the catalog that describes it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import cast

import duckdb
import pytest

from ingest.store import Catalog, ColumnRecord, JoinRecord, Store, TableRecord
from ingest.store.records import QuarantinedCell
from ingest.store.values import ValueMatch, read_values
from tools.base import ToolContext
from tools.sql.result import SqlResult
from tools.sql.settings import SqlSettings
from tools.sql.tool import SqlArguments, SqlTool

SCHEMA = """
CREATE TABLE sales (
    sale_id INTEGER, sold_on DATE, city VARCHAR, product_cd VARCHAR,
    quantity INTEGER, amount DECIMAL(12, 2));
INSERT INTO sales VALUES
    (1, '2026-01-05', 'Tokyo', '0013', 2, 200.00),
    (2, '2026-01-20', 'Osaka', '0042', 1, 50.50),
    (3, '2026-02-03', 'Tokyo', '0042', 3, 151.50),
    (4, '2026-02-14', 'Nagoya', '0013', 5, 500.00),
    (5, '2026-03-01', 'Osaka', '0013', 1, 100.00),
    (6, '2026-03-01', NULL, 'A077', 4, NULL);
CREATE TABLE products (product_cd VARCHAR, 商品名 VARCHAR, "unit price" DECIMAL(12, 2));
INSERT INTO products VALUES
    ('0013', 'りんごジュース', 100.00), ('0042', 'みかん', 50.50), ('A077', '茶', 20.00);
CREATE TABLE stock (day DATE, product_cd VARCHAR, on_hand INTEGER);
INSERT INTO stock VALUES
    ('2026-03-30', '0013', 10), ('2026-03-30', '0042', 5),
    ('2026-03-31', '0013', 7), ('2026-03-31', '0042', 9);
CREATE TABLE "order" (id INTEGER, qty INTEGER);
INSERT INTO "order" VALUES (1, 3), (2, 4);
"""


@dataclass(frozen=True)
class FakeStore:
    """The part of a store that the tool reads."""

    warehouse: Path | None
    catalog: Catalog
    revision: int = 1

    def quarantine(self, table: str | None = None) -> list[QuarantinedCell]:
        table_name, column = QUARANTINED
        cell = QuarantinedCell(table=table_name, column=column, row=7, value="?", reason="text")
        return [cell] if table in (None, table_name) else []

    def find_values(
        self, word: str, *, table: str | None = None, column: str | None = None, limit: int = 5
    ) -> list[ValueMatch]:
        if self.warehouse is None:
            return []
        index = read_values(self.warehouse, self.catalog)
        return index.find(word, table=table, column=column, limit=limit)


def table_record(connection: duckdb.DuckDBPyConnection, name: str) -> TableRecord:
    found = connection.execute(
        "SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = ?", [name]
    ).fetchall()
    columns = tuple(
        ColumnRecord(
            name=column, type=kind, original=column, quarantined=int((name, column) == QUARANTINED)
        )
        for column, kind in found
    )
    dated = {"sales": "sold_on", "stock": "day"}.get(name)
    return TableRecord(
        name=name,
        source=f"{name}.csv",
        rows=1,
        columns=columns,
        snapshot=name == "stock",
        date_column=dated,
        data_to=date(2026, 3, 31) if name == "stock" else None,
    )


QUARANTINED = ("sales", "amount")


@pytest.fixture(scope="session")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("generation") / "warehouse.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(SCHEMA)
    return path


@pytest.fixture(scope="session")
def catalog(warehouse: Path) -> Catalog:
    with duckdb.connect(str(warehouse), read_only=True) as connection:
        names = ("sales", "products", "stock", "order")
        return Catalog(tables=tuple(table_record(connection, n) for n in names))


@pytest.fixture(scope="session")
def context(warehouse: Path, catalog: Catalog) -> ToolContext:
    store = cast(Store, FakeStore(warehouse, catalog))
    return ToolContext(store=store, today=date(2026, 3, 31))


@pytest.fixture(scope="session")
def tool() -> Iterator[SqlTool]:
    tool = SqlTool()
    yield tool
    tool.close()


@pytest.fixture(scope="session")
def hasty_tool() -> Iterator[SqlTool]:
    """The same with a time limit of one second."""
    tool = SqlTool(SqlSettings(time_limit_s=1.0))
    yield tool
    tool.close()


@pytest.fixture(scope="session")
def ask(tool: SqlTool, context: ToolContext) -> Callable[[str], SqlResult]:
    return lambda sql: tool.run(SqlArguments(query=sql), context)


SHOP = """
CREATE TABLE orders (order_no VARCHAR, customer VARCHAR, currency VARCHAR, shipping_fee INTEGER);
INSERT INTO orders VALUES ('O1', 'C1', 'JPY', 100), ('O2', 'C1', 'JPY', 200),
    ('O3', 'C2', 'JPY', 300), ('O4', 'C2', 'USD', 7);
CREATE TABLE order_lines (order_no VARCHAR, line_no INTEGER, sku VARCHAR, quantity INTEGER,
    amount INTEGER);
INSERT INTO order_lines VALUES ('O1', 1, 'A', 2, 20), ('O1', 2, 'B', 3, 30), ('O2', 1, 'A', 1, 10),
    ('O3', 1, 'B', 4, 40), ('O3', 2, 'C', 5, 50), ('O4', 1, 'A', 6, 60);
CREATE TABLE stock (day DATE, sku VARCHAR, on_hand INTEGER);
INSERT INTO stock VALUES ('2026-11-29', 'A', 10), ('2026-11-29', 'B', 5),
    ('2026-11-30', 'A', 7), ('2026-11-30', 'B', 9);
CREATE TABLE bills (bill VARCHAR, net INTEGER, gross INTEGER);
INSERT INTO bills VALUES ('B1', 100, 110), ('B2', 200, 220);
"""
ORDERS_OF_LINES = JoinRecord(
    left_table="order_lines",
    left_column="order_no",
    right_table="orders",
    right_column="order_no",
)
SHOP_KEYS = {
    "orders": ("order_no",),
    "order_lines": ("order_no", "line_no"),
    "stock": ("day", "sku"),
    "bills": ("bill",),
}


class ShopStore:
    """The part of a store that the tool reads."""

    def __init__(self, warehouse: Path, catalog: Catalog) -> None:
        self.warehouse, self.catalog, self.revision = warehouse, catalog, 1

    def find_values(self, word: str, **_: object) -> list[object]:
        return []


def shop_record(connection: duckdb.DuckDBPyConnection, name: str) -> TableRecord:
    rows = connection.execute(f"SELECT * FROM {name}").fetchall()
    described = connection.execute(f"DESCRIBE {name}").fetchall()
    columns = []
    for at, (column, kind, *_) in enumerate(described):
        values = tuple(sorted({str(row[at]) for row in rows}))
        measure = {"on_hand": "stock", "quantity": "flow", "shipping_fee": "flow"}.get(column)
        tax = {"net": "excluded", "gross": "included"}.get(column)
        fields = {"tax": tax, "name": column, "type": kind, "original": column, "measure": measure}
        columns.append(
            ColumnRecord.model_validate(fields | {"distinct": len(values), "examples": values})
        )
    is_stock = name == "stock"
    days = (date(2026, 11, 29), date(2026, 11, 30)) if is_stock else (None, None)
    return TableRecord(
        name=name,
        source=f"{name}.csv",
        rows=len(rows),
        columns=tuple(columns),
        primary_key=SHOP_KEYS[name],
        snapshot=is_stock,
        date_column="day" if is_stock else None,
        data_from=days[0],
        data_to=days[1],
    )


@pytest.fixture(scope="session")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], SqlResult]]:
    """Queries over a shop of four orders and two days of stock."""
    path = tmp_path_factory.mktemp("shop") / "warehouse.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(SHOP)
        catalog = Catalog(
            tables=tuple(shop_record(connection, name) for name in SHOP_KEYS),
            joins=(ORDERS_OF_LINES,),
        )
    context = ToolContext(store=cast(Store, ShopStore(path, catalog)), today=date(2026, 11, 30))
    tool = SqlTool()
    yield lambda sql: tool.run(SqlArguments(query=sql), context)
    tool.close()
