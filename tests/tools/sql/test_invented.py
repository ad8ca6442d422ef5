"""Conditions that nobody asked for, and values looked for in the column that refers to them."""

from dataclasses import replace

import duckdb
import pytest
from sqlglot import parse_one

from ingest.store import Catalog, ColumnRecord, JoinRecord, TableRecord
from tools.evidence import Column
from tools.sql.client import Rows
from tools.sql.filters import TextFilter
from tools.sql.invented import drop_invented
from tools.sql.misplaced import look_up


def _table(name: str, *columns: str, distinct: int = 0) -> TableRecord:
    records = tuple(
        ColumnRecord(name=c, type="VARCHAR", original=c, distinct=distinct) for c in columns
    )
    return TableRecord(name=name, source=f"{name}.csv", rows=2, columns=records)


CATALOG = Catalog(
    tables=(
        _table("sales", "sku", "warehouse", "status"),
        _table("suppliers", "code", "supplier_name", distinct=2),
        _table("products", "sku", "supplier"),
    ),
    joins=(
        JoinRecord(
            left_table="products",
            left_column="supplier",
            right_table="suppliers",
            right_column="code",
        ),
    ),
)
SCHEMA = """
CREATE TABLE suppliers (code VARCHAR, supplier_name VARCHAR);
INSERT INTO suppliers VALUES ('S01', 'Aoki Ltd'), ('S02', 'Baba KK');
CREATE TABLE products (sku VARCHAR, supplier VARCHAR);
INSERT INTO products VALUES ('A-1', 'S01'), ('A-2', 'S01'), ('A-3', 'S02');
"""


def _left(where: str, said: str) -> str:
    tree = parse_one(f"SELECT COUNT(*) FROM sales WHERE {where}", dialect="duckdb")
    notes = drop_invented(tree, said, "", CATALOG)
    left = tree.args.get("where")
    assert bool(notes) == (left is None or left.this.sql() != where)
    return left.this.sql() if left else ""


@pytest.mark.parametrize(
    ("where", "said", "left"),
    [
        ("sku = 'P01' AND warehouse = 'W01'", "sales of August", ""),
        ("sku = 'XR-4200' AND warehouse = 'W01'", "sales of xr4200", "sku = 'XR-4200'"),
        ("(status = 'open' AND warehouse IN ('W01', 'W02'))", "open sales", "status = 'open'"),
        ("customer = 'any' AND status = 'open'", "未対応の売上", "status = 'open'"),
    ],
)
def test_a_code_that_nobody_named_is_left_out(where: str, said: str, left: str) -> None:
    assert _left(where, said).strip("()") == left


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("warehouse = 'W01'", "sales\nW01 | 東京倉庫"),
        ("status = 'open'", "未完了の売上"),
        ("warehouse = 'W01' OR sku = 'P01'", "sales"),
        ("warehouse <> 'W01'", "sales"),
        ("sku = warehouse", "sales"),
    ],
)
def test_what_may_be_meant_stays(where: str, said: str) -> None:
    assert _left(where, said) == where


@pytest.mark.parametrize(
    ("where", "question", "left"),
    [
        ("supplier_name = 'Aoki Ltd'", "Which suppliers are there?", ""),
        ("supplier_name IN ('Aoki Ltd', 'Baba KK')", "How many makers are there?", ""),
        ("supplier_name = 'Aoki Ltd'", "What does Aoki sell?", None),
        ("supplier_name = 'Aoki Ltd'", "What does AL sell?", None),
        ("supplier_name = 'Aoki Ltd'", "青木の商品は？", None),
        ("supplier_name <> 'Aoki Ltd'", "Which makers are there?", None),
        ("supplier_name <> 'Aoki Ltd' AND supplier_name <> 'Baba KK'", "Which are there?", ""),
        ("code = 'S01' OR code = 'X'", "仕入先の一覧", ""),
        ("code = 'S01' OR supplier_name = 'X'", "仕入先の一覧", None),
    ],
)
def test_a_name_without_a_word_in_common_with_the_question_is_left_out(
    where: str, question: str, left: str | None
) -> None:
    tree = parse_one(f"SELECT code FROM suppliers WHERE {where}", dialect="duckdb")
    drop_invented(tree, question, "", CATALOG)
    kept = tree.args.get("where")
    assert (kept.this.sql() if kept else "") == (where if left is None else left)


@pytest.mark.parametrize(
    ("where", "question", "left"),
    [
        ("supplier_id = 1234567", "Which suppliers are there?", ""),
        ("supplier_id = 1234567", "Which is supplier 1234567?", None),
        ("supplier_id = 12", "Which suppliers are there?", None),
        ("quantity = 1234567", "Which suppliers are there?", None),
    ],
)
def test_the_number_of_a_key_that_nobody_named_is_left_out(
    where: str, question: str, left: str | None
) -> None:
    tree = parse_one(f"SELECT code FROM suppliers WHERE {where}", dialect="duckdb")
    drop_invented(tree, question, "", CATALOG)
    kept = tree.args.get("where")
    assert (kept.this.sql() if kept else "") == (where if left is None else left)


def test_states_may_translate_a_word() -> None:
    sql = "SELECT sku FROM sales WHERE status <> 'done' AND status <> 'cancelled'"
    tree = parse_one(sql, dialect="duckdb")
    assert drop_invented(tree, "Which sales are unfinished?", "", CATALOG) == []


def test_a_day_is_no_code() -> None:
    stock = _table("stock", "sku").model_copy(
        update={"columns": (ColumnRecord(name="as_of", type="DATE", original="as_of"),)}
    )
    tree = parse_one("SELECT * FROM stock WHERE as_of = '2026-11-30'", dialect="duckdb")
    assert drop_invented(tree, "the stock of today", "", Catalog(tables=(stock,))) == []
    assert tree.args.get("where") is not None


@pytest.mark.parametrize(
    ("where", "kept"),
    [
        ("年月 = '2026-10'", True),
        ("年月 = '202610'", True),
        ("年月 = '2026年10月'", True),
        ("年月 = '2026Q3'", True),
        ("年月 = 'M-10'", False),
        ("sku = '202610'", False),
    ],
)
def test_a_month_as_a_text_is_no_code(where: str, kept: bool) -> None:
    tree = parse_one(f"SELECT SUM(qty) FROM stock WHERE {where}", dialect="duckdb")
    drop_invented(tree, "先月末の在庫", "", Catalog(tables=(_table("stock", "sku", "年月"),)))
    assert (tree.args.get("where") is not None) == kept


def _ask(sql: str) -> Rows:
    with duckdb.connect() as connection:
        connection.execute(SCHEMA)
        found = connection.execute(sql).fetchall()
    return Rows((Column(name="x", type="VARCHAR"),), tuple(found), len(found))


def test_a_name_in_the_column_of_the_code_is_looked_up_by_the_proved_join() -> None:
    wanted = TextFilter("products", "supplier", "Aoki Ltd")
    sql = look_up(
        "SELECT COUNT(*) FROM products WHERE supplier = 'Aoki Ltd'", wanted, CATALOG, _ask
    )
    assert sql is not None
    assert _ask(sql).rows == ((2,),)


def test_a_value_that_nothing_holds_is_not_looked_up() -> None:
    wanted = TextFilter("products", "supplier", "Chen Co")
    sql = "SELECT COUNT(*) FROM products WHERE supplier = 'Chen Co'"
    assert look_up(sql, wanted, CATALOG, _ask) is None
    assert look_up(sql, replace(wanted, column="sku"), CATALOG, _ask) is None
