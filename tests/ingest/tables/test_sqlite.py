import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import date
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from ingest.store.errors import FileRejected
from ingest.store.settings import IngestSettings
from ingest.tables import TableImport, import_tables

Take = Callable[..., TableImport]


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.sqlite"
    with closing(sqlite3.connect(path)) as database:
        database.executescript(
            """
            CREATE TABLE 商品 (code TEXT PRIMARY KEY, 単価 NUMERIC, 登録日 TEXT);
            INSERT INTO 商品 VALUES ('007', 198.5, '2026-01-05'), ('008', 20, NULL);
            CREATE TABLE stock (code TEXT, qty INTEGER);
            INSERT INTO stock VALUES ('007', 0);
            CREATE VIEW cheap AS SELECT code FROM 商品 WHERE 単価 < 100;
            """
        )
    return path


def test_each_table_and_view_of_a_sqlite_file_is_a_typed_table(
    shop: Path, connection: duckdb.DuckDBPyConnection
) -> None:
    result = import_tables(connection, shop, "shop.sqlite", IngestSettings())
    found = {t.name: [c.type for c in t.columns] for t in result.tables}
    assert found == {
        "shop_cheap": ["VARCHAR"],
        "shop_stock": ["VARCHAR", "BIGINT"],
        "shop_商品": ["VARCHAR", "DECIMAL(18,1)", "DATE"],
    }
    assert [t.name for t in result.tables if t.notes] == ["shop_cheap"]
    assert connection.execute("SELECT * FROM shop_商品").fetchall() == [
        ("007", Decimal("198.5"), date(2026, 1, 5)),
        ("008", Decimal("20.0"), None),
    ]


def test_bytes_are_never_taken_for_a_number(
    tmp_path: Path, connection: duckdb.DuckDBPyConnection
) -> None:
    path = tmp_path / "b.sqlite"
    with closing(sqlite3.connect(path)) as database:
        database.executescript("CREATE TABLE t (k, v); INSERT INTO t VALUES (1, x'78')")
    import_tables(connection, path, path.name, IngestSettings())
    assert connection.execute("SELECT v FROM b").fetchall() == [("x'78'",)]


def test_reading_leaves_the_file_and_its_folder_as_they_were(
    shop: Path, connection: duckdb.DuckDBPyConnection
) -> None:
    before = shop.read_bytes()
    import_tables(connection, shop, "shop.sqlite", IngestSettings())
    assert shop.read_bytes() == before
    assert [path.name for path in shop.parent.iterdir()] == ["shop.sqlite"]


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"no database", "is not a SQLite file"), (b"SQLite format 3\0" + b"x" * 200, "as SQLite")],
)
def test_what_is_no_sqlite_file_is_refused(take: Take, content: bytes, said: str) -> None:
    with pytest.raises(FileRejected, match=said):
        take(content, name="x.db")


def test_a_sqlite_file_without_tables_is_refused(
    tmp_path: Path, connection: duckdb.DuckDBPyConnection
) -> None:
    path = tmp_path / "empty.sqlite"
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA user_version = 1")
    with pytest.raises(FileRejected, match="holds no table"):
        import_tables(connection, path, path.name, IngestSettings())
