"""Figures the business has a name for, drafted where the tables allow them.

Each is one SELECT with a period as `:start` and `:end`; one that DuckDB cannot bind over the
tables is not drafted. The formulas are those of stock control textbooks: turnover is the cost of
goods sold over average stock at cost, days of stock the stock on hand over the daily sales of the
period, sell-through the pieces sold over those there were to sell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import duckdb

from ingest.catalog.roles import Business, Lines, Names, find_orders, find_sales, find_stock
from ingest.catalog.terms import metric_synonyms
from ingest.store.metrics import fill_period
from ingest.store.quoting import quoted
from ingest.store.records import JoinRecord, MetricRecord, TableRecord
from ingest.tables.names import words

_DUE_WORDS = frozenset(["due", "required", "promised", "expected"])
_DUE_PARTS = ("納期", "期日", "期限", "交期", "交货")
_YEAR_BEFORE = (
    ":start - INTERVAL 1 YEAR",
    "CASE WHEN :end = last_day(:end) THEN last_day(:end - INTERVAL 1 YEAR)"
    " ELSE :end - INTERVAL 1 YEAR END",
)
_PERIOD_BEFORE = (
    "CASE WHEN day(:start) = 1 AND :end = last_day(:end)"
    " THEN :start - to_months(date_diff('month', :start, :end) + 1)"
    " ELSE :start - to_days(date_diff('day', :start, :end) + 1) END",
    ":start - INTERVAL 1 DAY",
)


def draft_metrics(
    connection: duckdb.DuckDBPyConnection,
    tables: Sequence[TableRecord],
    joins: Sequence[JoinRecord],
) -> tuple[MetricRecord, ...]:
    """The metrics that bind over the tables, which must be in the connection's current schema."""
    business = business_of(connection, tables, joins)
    sales, stock = find_sales(business), find_stock(business)
    drafted = [
        *(_of_sales(sales) if sales is not None else ()),
        *(_of_stock(sales, stock) if sales is not None and stock is not None else ()),
        *_fill_rate(business),
    ]
    return tuple(metric for metric in drafted if binds(connection, metric.sql))


def business_of(
    connection: duckdb.DuckDBPyConnection,
    tables: Sequence[TableRecord],
    joins: Sequence[JoinRecord],
) -> Business:
    return Business(tables, joins, Names(connection), partial(_is_share, connection))


def _is_share(connection: duckdb.DuckDBPyConnection, table: str, column: str) -> bool:
    found = connection.execute(
        f"SELECT min({quoted(column)}) >= 0 AND max({quoted(column)}) <= 1 FROM {quoted(table)}"
    ).fetchone()
    return found == (True,)


def binds(connection: duckdb.DuckDBPyConnection, sql: str) -> bool:
    try:
        connection.execute(f"EXPLAIN {fill_period(sql)}")
    except duckdb.Error:
        return False
    return True


def _of_sales(sales: Lines) -> Iterator[MetricRecord]:
    day = f"{sales.day} BETWEEN :start AND :end"
    yield _metric(
        "sales",
        f"sum of {sales.said}",
        f"SELECT SUM({sales.value}) AS sales FROM {sales.source} WHERE {day}",
        sales.tables,
    )
    costed = sales.costed
    if costed is not None:
        profit = f"SUM({sales.value} - {costed.cost})"
        yield _metric(
            "gross_margin",
            f"({sales.said} - quantity × {costed.said}) ÷ {sales.said}, in percent",
            f"SELECT {profit} AS gross_profit,"
            f" ROUND(100.0 * {profit} / NULLIF(SUM({sales.value}), 0), 1) AS gross_margin_percent"
            f" FROM {costed.source} WHERE {day}",
            costed.tables,
        )
    yield _growth(sales, "growth_yoy", "the same period a year before", _YEAR_BEFORE)
    yield _growth(sales, "growth_mom", "the period just before", _PERIOD_BEFORE)


def _growth(sales: Lines, name: str, base: str, before: tuple[str, str]) -> MetricRecord:
    now = f"SUM({sales.value}) FILTER (WHERE {sales.day} BETWEEN :start AND :end)"
    then = f"SUM({sales.value}) FILTER (WHERE {sales.day} BETWEEN {before[0]} AND {before[1]})"
    sql = (
        f"SELECT q.sales, q.base, ROUND(100.0 * (q.sales - q.base) / NULLIF(q.base, 0), 1)"
        f" AS {name}_percent FROM (SELECT {now} AS sales, {then} AS base FROM {sales.source}) AS q"
    )
    said = f"(sales - base) ÷ base, in percent; base: sales of {base}"
    return _metric(name, said, sql, sales.tables)


def _of_stock(sales: Lines, stock: Lines) -> Iterator[MetricRecord]:
    if sales.quantity is None:
        return
    tables = tuple(dict.fromkeys((*sales.tables, *stock.tables)))
    sold = _sold(sales, sales.quantity, sales.source)
    closing = (
        f"SELECT SUM({stock.quantity}) FROM {stock.source} WHERE {stock.day} ="
        f" (SELECT MAX({stock.day}) FROM {stock.source} WHERE {stock.day} <= :end)"
    )
    yield _turnover(sales, stock)
    yield _metric(
        "days_of_stock",
        "stock on hand at the end ÷ pieces sold a day in the period",
        f"SELECT ROUND(({closing}) * (date_diff('day', :start, :end) + 1.0)"
        f" / NULLIF(({sold}), 0), 1) AS days_of_stock",
        tables,
    )
    yield _metric(
        "sell_through",
        "pieces sold ÷ (pieces sold + stock on hand at the end), in percent",
        f"SELECT ROUND(100.0 * ({sold}) / NULLIF(({sold}) + ({closing}), 0), 1)"
        " AS sell_through_percent",
        tables,
    )


def _turnover(sales: Lines, stock: Lines) -> MetricRecord:
    """At cost where both sides have one, else in pieces."""
    assert sales.quantity is not None and stock.quantity is not None
    goods, held = sales.costed, stock.costed
    if goods is not None and held is not None:
        sold, average = (
            _sold(sales, goods.cost, goods.source),
            _average(stock, held.cost, held.source),
        )
        said = f"cost of goods sold ÷ average stock at cost ({held.said})"
        tables = (*goods.tables, *held.tables)
    else:
        sold = _sold(sales, sales.quantity, sales.source)
        average = _average(stock, stock.quantity, stock.source)
        said, tables = "pieces sold ÷ average stock on hand", (*sales.tables, *stock.tables)
    sql = f"SELECT ROUND(1.0 * ({sold}) / NULLIF(({average}), 0), 2) AS inventory_turnover"
    return _metric("inventory_turnover", said, sql, tuple(dict.fromkeys(tables)))


def _sold(sales: Lines, value: str, source: str) -> str:
    return f"SELECT SUM({value}) FROM {source} WHERE {sales.day} BETWEEN :start AND :end"


def _average(stock: Lines, value: str, source: str) -> str:
    """Over the counts of the period and the one at its opening, the day before."""
    return (
        f"SELECT AVG(q.held) FROM (SELECT SUM({value}) AS held FROM {source}"
        f" WHERE {stock.day} BETWEEN :start - INTERVAL 1 DAY AND :end GROUP BY {stock.day}) AS q"
    )


def _fill_rate(business: Business) -> Iterator[MetricRecord]:
    found = find_orders(business.tables)
    if found is None:
        return
    table, ordered, delivered = found
    name, day = business.name, _due(table)
    yield _metric(
        "fill_rate",
        f"{delivered} ÷ {ordered}, in percent, of rows whose {day} is in the period",
        f"SELECT ROUND(100.0 * SUM({name(delivered)}) / NULLIF(SUM({name(ordered)}), 0), 1)"
        f" AS fill_rate_percent FROM {name(table.name)}"
        f" WHERE CAST({name(day)} AS DATE) BETWEEN :start AND :end",
        (table.name,),
    )


def _due(table: TableRecord) -> str:
    """By when an order was to be delivered; its main date where nothing says that."""
    dates = [c.name for c in table.columns if c.type.startswith(("DATE", "TIMESTAMP"))]
    due = (d for d in dates if _DUE_WORDS & set(words(d)) or any(p in d for p in _DUE_PARTS))
    return next(due, table.date_column or "")


def _metric(name: str, formula: str, sql: str, tables: tuple[str, ...]) -> MetricRecord:
    percent = formula.endswith("in percent") or "in percent" in formula
    return MetricRecord(
        name=name,
        formula=formula,
        sql=sql,
        synonyms=metric_synonyms(name),
        unit="%" if percent else None,
        tables=tables,
    )
