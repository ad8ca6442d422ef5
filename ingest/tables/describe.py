"""What is in a table once it is written: counts, examples, its key, its main date."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from itertools import combinations
from typing import Any

import duckdb

from ingest.store.quoting import quoted
from ingest.store.records import PERIOD_COLUMN, ColumnRecord, TableRecord
from ingest.tables.names import names_key, words
from ingest.tables.series import is_added

_CHUNK = 40
_SHORT = 40
_STOCK_WORDS = frozenset(
    ["stock", "stocks", "inventory", "inventories", "snapshot", "snapshots", "balance", "balances"]
)
_STOCK_ENDS = ("在庫", "库存", "残高", "棚卸", "盘点", "結存", "结存", "余额")
_FLOW_WORDS = frozenset(
    [
        "movement",
        "movements",
        "moves",
        "transaction",
        "transactions",
        "adjustment",
        "adjustments",
        "receipt",
        "receipts",
        "transfer",
        "transfers",
    ]
)
_FLOW_PARTS = ("移動", "入出庫", "受払", "調整", "流水", "出入库", "调整")
_RECORD_DATES = frozenset(["created", "updated", "modified", "deleted", "registered"])
_RECORD_PARTS = ("更新", "作成", "登録", "创建", "修改")
_OTHER_DATES = frozenset(
    ["birth", "birthday", "dob", "due", "expiry", "expected", "expires", "required", "end", "to"]
)
_OTHER_PARTS = ("生年月日", "誕生", "期限", "予定", "生日", "到期", "预计")


def describe_table(
    connection: duckdb.DuckDBPyConnection,
    table: TableRecord,
    distinct: Mapping[str, int] | None = None,
) -> TableRecord:
    """The record with everything filled in that is read off the written table. `distinct` are
    the numbers of values that are known already, by column."""
    columns = describe_columns(connection, table.name, table.columns, distinct or {})
    table = table.model_copy(update={"columns": columns})
    dated = main_date(table)
    first, last = date_range(connection, table.name, dated) if dated else (None, None)
    table = table.model_copy(
        update={
            "primary_key": primary_key(connection, table),
            "date_column": dated,
            "data_from": first,
            "data_to": last,
        }
    )
    return table.model_copy(update={"snapshot": is_snapshot(table)})


def describe_columns(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    columns: Sequence[ColumnRecord],
    distinct: Mapping[str, int],
) -> tuple[ColumnRecord, ...]:
    """The columns with `distinct`, `nulls` and `examples` filled from the table."""
    described = []
    for start in range(0, len(columns), _CHUNK):
        chunk = columns[start : start + _CHUNK]
        parts = ", ".join(
            f"{distinct.get(c.name, f'count(DISTINCT {quoted(c.name)})')}, "
            f"count(*) - count({quoted(c.name)})"
            for c in chunk
        )
        row = _one(connection, f"SELECT {parts} FROM {quoted(table)}")
        for i, column in enumerate(chunk):
            counted = column.model_copy(update={"distinct": row[2 * i], "nulls": row[2 * i + 1]})
            examples = _examples(connection, table, counted)
            described.append(counted.model_copy(update={"examples": examples}))
    return tuple(described)


def _examples(
    connection: duckdb.DuckDBPyConnection, table: str, column: ColumnRecord
) -> tuple[str, ...]:
    """The most frequent short values: of text, and of anything with at most 8 distinct values."""
    few = 0 < column.distinct <= 8
    if not few and column.type != "VARCHAR":
        return ()
    name = quoted(column.name)
    rows = connection.execute(
        f"SELECT {name}::VARCHAR FROM {quoted(table)} WHERE {name} IS NOT NULL "
        f"AND length({name}::VARCHAR) <= {_SHORT} "
        f"GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT {8 if few else 3}"
    ).fetchall()
    return tuple(row[0] for row in rows)


def primary_key(connection: duckdb.DuckDBPyConnection, table: TableRecord) -> tuple[str, ...]:
    """A unique column without NULL, id-like names first; else a unique pair; else ()."""
    if not table.rows:
        return ()
    full = [c for c in table.columns if not c.nulls and c.type in _KEY_TYPES]
    unique = [c.name for c in full if c.distinct == table.rows]
    liked = [name for name in unique if names_key(name)]
    if liked:
        return (min(liked, key=lambda name: (not _own_key(table.name, name), unique.index(name))),)
    first = table.columns[0].name
    if first in unique:
        return (first,)
    halves = [c for c in full if names_key(c.name) or c.type == "DATE"][:6]
    for left, right in combinations(halves, 2):
        if left.distinct * right.distinct < table.rows:
            continue
        pair = f"{quoted(left.name)}, {quoted(right.name)}"
        count = _one(
            connection, f"SELECT count(*) FROM (SELECT DISTINCT {pair} FROM {quoted(table.name)})"
        )
        if count[0] == table.rows:
            return (left.name, right.name)
    return ()


_KEY_TYPES = frozenset(["VARCHAR", "BIGINT", "INTEGER", "DATE", "UUID", "HUGEINT", "SMALLINT"])


def _own_key(table: str, column: str) -> bool:
    return words(column) == ["id"] or singular(table) in "".join(words(column))


def singular(table: str) -> str:
    """`Order_Items` is "orderitem", `categories` is "category"."""
    name = "".join(words(table))
    if name.endswith("ies"):
        return name[:-3] + "y"
    if name.endswith(("sses", "shes", "ches", "xes")):
        return name[:-2]
    return name[:-1] if name.endswith("s") and not name.endswith("ss") else name


def main_date(table: TableRecord) -> str | None:
    """The column whose range is the table's period: of its dates the first that is filled and
    not about a birth, a change of the record or a deadline; of joined files the period in their
    names, where they have one as a column."""
    if any(c.name == PERIOD_COLUMN and is_added(c) for c in table.columns):
        return PERIOD_COLUMN
    dates = [c for c in table.columns if c.type.startswith(("DATE", "TIMESTAMP"))]
    dates = [c for c in dates if c.nulls < table.rows]
    if not dates:
        return None
    return min(dates, key=lambda c: (_side_rank(c.name), c.nulls * 2 > table.rows)).name


def _side_rank(name: str) -> int:
    """0 for an event, 1 for a change of the record, 2 for a birth, a plan or a deadline."""
    parts = set(words(name))
    if _OTHER_DATES & parts or any(part in name for part in _OTHER_PARTS):
        return 2
    return int(bool(_RECORD_DATES & parts) or any(part in name for part in _RECORD_PARTS))


def date_range(
    connection: duckdb.DuckDBPyConnection, table: str, column: str
) -> tuple[date | None, date | None]:
    name = quoted(column)
    row = _one(connection, f"SELECT min({name})::DATE, max({name})::DATE FROM {quoted(table)}")
    return row[0], row[1]


def is_snapshot(table: TableRecord) -> bool:
    """A stock or balance table: said by its name or a numeric column's name, and dated by more
    than the change of its records. Movements of stock are flows, which may be summed."""
    dated = table.date_column is not None and not _side_rank(table.date_column)
    return dated and holds_stock(table)


def has_own_date(table: TableRecord) -> bool:
    """Whether a date in the table says when its rows happened or were counted. In one of stock
    the change of a record does not."""
    dated = main_date(table)
    rank = _side_rank(dated) if dated else 2
    return rank == 0 or (rank == 1 and not holds_stock(table))


def holds_stock(table: TableRecord) -> bool:
    """By its name or a numeric column's. Movements of stock are flows."""
    if _is_flow(table.name):
        return False
    numeric = [
        c.name
        for c in table.columns
        if c.type.startswith(("BIGINT", "DECIMAL", "DOUBLE", "INTEGER"))
    ]
    return is_stock_name(table.name) or any(
        is_stock_name(name) for name in numeric if not names_key(name)
    )


def _is_flow(name: str) -> bool:
    return bool(_FLOW_WORDS & set(words(name))) or any(part in name for part in _FLOW_PARTS)


def is_stock_name(name: str) -> bool:
    parts = words(name)
    return (
        bool(_STOCK_WORDS & set(parts))
        or parts[-2:] == ["on", "hand"]
        or "onhand" in parts
        or any(word in name for word in _STOCK_ENDS)
    )


def _one(connection: duckdb.DuckDBPyConnection, query: str) -> tuple[Any, ...]:
    row = connection.execute(query).fetchone()
    assert row is not None
    return row
