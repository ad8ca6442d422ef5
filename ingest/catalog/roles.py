"""Which tables play which part in the business: sales lines with their cost, stock on hand."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import duckdb

from ingest.catalog.measures import CURRENCY_COLUMNS, is_money, is_numeric, word_set
from ingest.store.quoting import quoted
from ingest.store.records import ColumnRecord, JoinRecord, TableRecord
from ingest.tables.describe import singular
from ingest.tables.names import names_key, words

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SALES = (
    ({"sale"}, ("売上", "販売", "销售")),
    ({"order"}, ("受注", "注文", "订单")),
    ({"invoice"}, ()),
)
_NOT_SALES = word_set(
    "purchase po return refund quote target forecast budget plan adjustment transfer tax campaign "
    "cancellation status"
)
_NOT_SALES_PARTS = (
    *("発注", "仕入", "返品", "予算", "目標", "計画", "見積", "調整", "キャンセル"),
    *("采购", "退货", "预算", "目标", "计划", "报价", "调整"),
)
_AMOUNT_WORDS = word_set("amount amt total revenue sales subtotal turnover")
_AMOUNT_PARTS = ("金額", "売上", "販売額", "合計", "金额", "销售额", "营收", "合计")
_NOT_AMOUNT = word_set("tax discount freight refund cost paid due shipping fee points profit")
_NOT_AMOUNT_PARTS = (
    *("税額", "値引", "割引", "送料", "返金", "原価", "利益", "粗利"),
    *("税额", "折扣", "运费", "成本", "利润", "毛利"),
)
_COST_ENDS = ("原価", "仕入単価", "仕入価格", "成本", "进价", "采购单价")
_QUANTITY_WORDS = frozenset(["quantity", "qty", "units", "pieces"])
_QUANTITY_PARTS = ("数量", "個数", "点数", "件数")


class Names:
    """Names as SQL has them: quoted only where they have to be."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        found = connection.execute(
            "SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category <> 'unreserved'"
        ).fetchall()
        self._reserved = frozenset(name for (name,) in found)

    def __call__(self, name: str) -> str:
        plain = _PLAIN.fullmatch(name) and name.lower() not in self._reserved
        return name if plain else quoted(name)


@dataclass(frozen=True)
class Costed:
    """A FROM clause and what the pieces of a row cost, as SQL and in words."""

    source: str
    cost: str
    said: str
    tables: tuple[str, ...]


@dataclass(frozen=True)
class Lines:
    """Dated rows: a FROM clause and expressions over it. `day` is a DATE; `value` the money (with
    `said`, its words), `quantity` the pieces."""

    tables: tuple[str, ...]
    source: str
    day: str
    value: str = ""
    said: str = ""
    quantity: str | None = None
    costed: Costed | None = None


@dataclass(frozen=True)
class Business:
    """The tables to find parts in, and how their names are written."""

    tables: Sequence[TableRecord]
    joins: Sequence[JoinRecord]
    name: Names
    is_share: Callable[[str, str], bool]
    """Whether all of a table's column lies between 0 and 1."""

    def table(self, name: str) -> TableRecord:
        return next(t for t in self.tables if t.name == name)

    def joins_of(self, table: TableRecord) -> list[tuple[JoinRecord, TableRecord]]:
        joins = [j for j in self.joins if j.left_table == table.name != j.right_table]
        return [(join, self.table(join.right_table)) for join in joins]


def find_sales(business: Business) -> Lines | None:
    """The rows that say what was sold, with their amount; None where none is plainly so."""
    lines = (_sales_lines(table, business) for table in _called(business.tables))
    return next((found for found in lines if found is not None), None)


def find_demand(business: Business) -> Iterator[tuple[TableRecord, Lines]]:
    """The rows that say how many pieces were sold on which day, the likeliest table first."""
    for table in _called(business.tables):
        dated, pieces = _dated(table, business), _quantity(table)
        if dated is not None and pieces is not None:
            yield table, replace(dated, quantity=f"s.{business.name(pieces)}")


def find_stock(business: Business) -> Lines | None:
    """The pieces on hand by day."""
    name = business.name
    for table in business.tables:
        pieces = next((c for c in table.columns if c.measure == "stock" and not is_money(c)), None)
        if table.snapshot and table.date_column and pieces is not None:
            quantity = f"t.{name(pieces.name)}"
            lines = Lines((table.name,), f"{name(table.name)} AS t", _day(table, "t", name))
            costed = _costed(lines, table, "t", quantity, business)
            return replace(lines, quantity=quantity, costed=costed)
    return None


def find_orders(tables: Iterable[TableRecord]) -> tuple[TableRecord, str, str] | None:
    """(table, ordered, delivered): a table that says of each order how much of it came."""
    for table in tables:
        ordered = _quantity(
            table, ("order", "ordered", "発注", "受注", "注文", "采购", "订购", "订单")
        )
        done = _quantity(
            table,
            (
                "received",
                "shipped",
                "delivered",
                "fulfilled",
                "入荷",
                "出荷",
                "納品",
                "到货",
                "发货",
            ),
        )
        if table.date_column and not table.snapshot and ordered and done and ordered != done:
            return table, ordered, done
    return None


def _called(tables: Sequence[TableRecord]) -> Iterator[TableRecord]:
    """Tables that are named after sales, the plainest name first, lines before their heads."""
    for stems, parts in _SALES:
        found = []
        for table in tables:
            own = {singular(word) for word in words(table.name)}
            other = own & _NOT_SALES or any(part in table.name for part in _NOT_SALES_PARTS)
            named = own & stems or any(part in table.name for part in parts)
            if named and not other and not table.snapshot:
                found.append(table)
        yield from sorted(found, key=lambda t: _quantity(t) is None)


def _sales_lines(table: TableRecord, business: Business) -> Lines | None:
    name = business.name
    dated = _dated(table, business)
    pieces = _quantity(table)
    value = _value(table, pieces, business)
    if dated is None or value is None or _mixes_currencies(dated, business):
        return None
    quantity = f"s.{name(pieces)}" if pieces else None
    costed = _costed(dated, table, "s", quantity, business) if quantity else None
    return replace(dated, value=value[0], said=value[1], quantity=quantity, costed=costed)


def _mixes_currencies(lines: Lines, business: Business) -> bool:
    """Amounts of several currencies make no sum."""
    columns = [c for name in lines.tables for c in business.table(name).columns]
    return any(c.name.lower() in CURRENCY_COLUMNS and c.distinct > 1 for c in columns)


def _value(table: TableRecord, pieces: str | None, business: Business) -> tuple[str, str] | None:
    """What a line was sold for and how that is said: its amount, else price times quantity, less
    a discount that is a share of it."""
    name = business.name
    amounts = [c for c in table.columns if c.measure == "flow" and _is_amount(c)]
    if amounts:
        return f"s.{name(amounts[0].name)}", amounts[0].name
    prices = [
        c.name
        for c in table.columns
        if c.measure == "rate" and is_money(c) and not _is_cost(c.name)
    ]
    if pieces is None or len(prices) != 1:
        return None
    value = f"s.{name(pieces)} * s.{name(prices[0])}", f"{pieces} × {prices[0]}"
    lowered = [c.name for c in table.columns if is_numeric(c) and _is_discount(c.name)]
    if not lowered:
        return value
    if len(lowered) > 1 or not business.is_share(table.name, lowered[0]):
        return None
    return f"{value[0]} * (1 - s.{name(lowered[0])})", f"{value[1]} × (1 - {lowered[0]})"


def _is_discount(name: str) -> bool:
    return "discount" in words(name) or any(part in name for part in ("値引", "割引", "折扣"))


def _is_amount(column: ColumnRecord) -> bool:
    parts = set(words(column.name))
    other = parts & _NOT_AMOUNT or any(part in column.name for part in _NOT_AMOUNT_PARTS)
    named = parts & _AMOUNT_WORDS or any(part in column.name for part in _AMOUNT_PARTS)
    return is_money(column) and bool(named) and not other


def _dated(table: TableRecord, business: Business) -> Lines | None:
    """The table as it stands where it has a date, else joined to the one that dates it."""
    name = business.name
    source = f"{name(table.name)} AS s"
    if table.date_column:
        return Lines((table.name,), source, _day(table, "s", name))
    heads = list(_called(business.tables))
    for join, head in business.joins_of(table):
        if head in heads and head.date_column:
            on = f"s.{name(join.left_column)} = h.{name(join.right_column)}"
            source += f" JOIN {name(head.name)} AS h ON {on}"
            return Lines((table.name, head.name), source, _day(head, "h", name))
    return None


def _costed(
    lines: Lines, table: TableRecord, alias: str, quantity: str, business: Business
) -> Costed | None:
    """What the pieces cost: by a cost in the row itself, else by that of the item."""
    name, own = business.name, _cost_column(table)
    if own:
        cost = f"{quantity} * {alias}.{name(own)}"
        return Costed(lines.source, cost, f"{table.name}.{own}", lines.tables)
    for join, item in business.joins_of(table):
        unit = _cost_column(item)
        if unit:
            on = f"{alias}.{name(join.left_column)} = p.{name(join.right_column)}"
            source = f"{lines.source} JOIN {name(item.name)} AS p ON {on}"
            cost = f"{quantity} * p.{name(unit)}"
            return Costed(source, cost, f"{item.name}.{unit}", (*lines.tables, item.name))
    return None


def _cost_column(table: TableRecord) -> str | None:
    """What one piece costs to buy or make, known of every row."""
    return next(
        (
            c.name
            for c in table.columns
            if c.measure == "rate" and is_money(c) and not c.nulls and _is_cost(c.name)
        ),
        None,
    )


def _is_cost(name: str) -> bool:
    return words(name)[-1:] == ["cost"] or name.endswith(_COST_ENDS)


def _quantity(table: TableRecord, said: tuple[str, ...] = ()) -> str | None:
    """The column that counts pieces; the one whose name also has one of `said`, where given."""
    for column in table.columns:
        parts = set(words(column.name))
        counts = parts & _QUANTITY_WORDS or any(part in column.name for part in _QUANTITY_PARTS)
        if not counts or column.measure != "flow" or names_key(column.name):
            continue
        if not said or parts & set(said) or any(p in column.name for p in said if not p.isascii()):
            return column.name
    return None


def _day(table: TableRecord, alias: str, name: Names) -> str:
    assert table.date_column is not None
    column = table.column(table.date_column)
    written = f"{alias}.{name(table.date_column)}"
    timed = column is not None and column.type.startswith("TIMESTAMP")
    return f"CAST({written} AS DATE)" if timed else written
