"""What a supplier asks for and what is on order: drafted sources of a reorder proposal."""

from __future__ import annotations

from collections.abc import Sequence

import duckdb

from ingest.catalog.items import (
    Draft,
    Stock,
    a_row_an_item,
    item_column,
    same_item,
    shared_places,
    values_like,
)
from ingest.catalog.roles import Business, find_orders
from ingest.catalog.supply_words import (
    CANCELLED,
    ENDED,
    TERMS,
    is_ended_flag,
    is_on_order,
    is_purchase,
    is_status,
    means,
)
from ingest.store.places import Place
from ingest.store.quoting import quoted
from ingest.store.records import REPLENISHMENT_COLUMNS, ColumnRecord, TableRecord


def terms_of_order(
    business: Business, connection: duckdb.DuckDBPyConnection, key: Place | None
) -> tuple[Draft | None, tuple[str, ...]]:
    """From the one table of items that has a lead time, itself or in the table it refers to; with
    the values of its status that say that an item is no longer bought."""
    found = []
    for table in business.tables:
        item = item_column(table, business)
        if item is None or not a_row_an_item(table, item):
            continue
        if key is not None and not same_item(key, Place(table.name, item), business.joins):
            continue
        columns = _term_columns(table, business)
        if "lead_time_days" in columns:
            found.append((table, item, columns))
    if len(found) != 1:
        return None, ()
    table, item, columns = found[0]
    name = business.name
    source, tables, shown = f"{name(table.name)} AS p", [table.name], ""
    for other in dict.fromkeys(p.table for p in columns.values() if p.table != table.name):
        join = next(j for j, right in business.joins_of(table) if right.name == other)
        alias = f"r{len(tables)}"
        on = f"p.{name(join.left_column)} = {alias}.{name(join.right_column)}"
        source += f" LEFT JOIN {name(other)} AS {alias} ON {on}"
        tables.append(other)
    for role, place in columns.items():
        at = tables.index(place.table)
        shown += f", {f'r{at}' if at else 'p'}.{name(place.column)} AS {role}"
    status, ended = _status(table, ENDED, connection)
    where = [_left_out("p", status, ended, business)] if status and ended else []
    flags = [c.name for c in table.columns if is_ended_flag(c)]
    where += [f"COALESCE(CAST(p.{name(flag)} AS BOOLEAN), FALSE) = FALSE" for flag in flags]
    ended = (*ended, *flags)
    only = f" WHERE {' AND '.join(where)}" if where else ""
    sql = f"SELECT p.{name(item)} AS sku{shown} FROM {source}{only}"
    return Draft(sql, tuple(tables), ("sku", *columns)), ended


def _term_columns(table: TableRecord, business: Business) -> dict[str, Place]:
    """Where each term stands: in the table of items, else in one that it refers to; a term with
    two columns at the same distance stands in none."""
    near = [table]
    far = [right for _, right in business.joins_of(table)]
    found: dict[str, Place] = {}
    for role in TERMS:
        for tables in (near, far):
            places = [Place(t.name, c.name) for t in tables for c in t.columns if means(c, role)]
            if len(set(places)) == 1:
                found[role] = places[0]
            if places:
                break
    return found


def on_order(
    business: Business, connection: duckdb.DuckDBPyConnection, stock: Stock | None
) -> Draft | None:
    name = business.name
    orders = find_orders(t for t in business.tables if is_purchase(t))
    if orders is None:
        return _undated_on_order(business, stock)
    table, ordered, received = orders
    item = item_column(table, business)
    if item is None or (stock and not same_item(stock[0], Place(table.name, item), business.joins)):
        return None
    places = list(shared_places(table, stock, business))
    shown = "".join(f" o.{name(own)} AS {name(said)}," for own, said in places)
    left = f"o.{name(ordered)} - COALESCE(o.{name(received)}, 0)"
    status, ended = _status(table, CANCELLED, connection)
    where = [f"CAST(o.{name(table.date_column or '')} AS DATE) <= :end", f"{left} > 0"]
    where += [_left_out("o", status, ended, business)] if status and ended else []
    sql = (
        f"SELECT o.{name(item)} AS sku,{shown} {left} AS on_order"
        f" FROM {name(table.name)} AS o WHERE {' AND '.join(where)}"
    )
    return Draft(sql, (table.name,), ("sku", *(said for _, said in places), "on_order"))


def _undated_on_order(business: Business, stock: Stock | None) -> Draft | None:
    """What a table of items itself says is on order."""
    if stock is None:
        return None
    table, name = business.table(stock[0].table), business.name
    pieces = [c.name for c in table.columns if is_on_order(c.name)]
    if len(pieces) != 1 or not a_row_an_item(table, stock[0].column):
        return None
    item = name(stock[0].column)
    sql = f"SELECT t.{item} AS sku, t.{name(pieces[0])} AS on_order FROM {name(table.name)} AS t"
    return Draft(sql, (table.name,), REPLENISHMENT_COLUMNS["on_order"])


def _status(
    table: TableRecord, meant: Sequence[str], connection: duckdb.DuckDBPyConnection
) -> tuple[ColumnRecord | None, tuple[str, ...]]:
    """The one status column, and its values that mean one of these."""
    columns = [c for c in table.columns if is_status(c)]
    if len(columns) != 1:
        return None, ()
    found = connection.execute(
        f"SELECT DISTINCT {quoted(columns[0].name)} FROM {quoted(table.name)} ORDER BY 1"
    ).fetchall()
    return columns[0], values_like([str(v) for (v,) in found if v is not None], meant)


def _left_out(alias: str, status: ColumnRecord, ended: Sequence[str], business: Business) -> str:
    values = ", ".join("'" + v.replace("'", "''") + "'" for v in ended)
    return f"COALESCE({alias}.{business.name(status.name)}, '') NOT IN ({values})"
