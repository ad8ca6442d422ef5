"""The sources of a reorder proposal, drafted where the tables tell them for certain.

Stock on hand, demand by day, the terms of an order and what is on order are each one SELECT with
a row a SKU (and place, and day). One that two tables could be, or that DuckDB cannot bind, is not
drafted: the answer then says what is missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import duckdb

from ingest.catalog.items import a_row_an_item, item_column, same_item, values_like
from ingest.catalog.metrics import binds, business_of
from ingest.catalog.roles import Business, find_demand, find_orders, find_stock
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
from ingest.store.places import Place, place_of
from ingest.store.records import (
    REPLENISHMENT_COLUMNS,
    ColumnRecord,
    JoinRecord,
    ReplenishmentRecord,
    SourceRecord,
    TableRecord,
)
from ingest.tables.staging import quoted


@dataclass(frozen=True)
class _Draft:
    sql: str
    tables: tuple[str, ...]
    columns: tuple[str, ...]


def draft_replenishment(
    connection: duckdb.DuckDBPyConnection,
    tables: Sequence[TableRecord],
    joins: Sequence[JoinRecord],
) -> ReplenishmentRecord:
    """The sources that bind over the tables, which must be in the connection's current schema."""
    own = [table for table in tables if table.doc_id is None]
    business = business_of(connection, own, [j for j in joins if _among(j, own)])
    stock = _stock(business)
    key = stock[0] if stock else None
    terms, ended = _terms(business, connection, key)
    drafts = {
        "on_hand": stock[1] if stock else None,
        "demand": _demand(business, connection, stock),
        "terms": terms,
        "on_order": _on_order(business, connection, stock),
    }
    kept = {
        name: SourceRecord(sql=draft.sql, tables=draft.tables, columns=draft.columns)
        for name, draft in drafts.items()
        if draft is not None and binds(connection, draft.sql)
    }
    item = place_of(key, joins) if key else None
    left_out = ended if "terms" in kept else ()
    return ReplenishmentRecord(
        on_hand=kept.get("on_hand"),
        demand=kept.get("demand"),
        terms=kept.get("terms"),
        on_order=kept.get("on_order"),
        by=_ordered_by(kept),
        item=item,
        leaves_out=left_out,
    )


def _ordered_by(kept: Mapping[str, SourceRecord]) -> tuple[str, ...]:
    """The places that orders are made for, where stock and demand tell them too."""
    if not {"on_hand", "demand", "on_order"} <= set(kept):
        return ()
    own = set(REPLENISHMENT_COLUMNS["on_order"])
    others = (kept["on_hand"].columns, kept["demand"].columns)
    return tuple(
        c for c in kept["on_order"].columns if c not in own and all(c in o for o in others)
    )


def _among(join: JoinRecord, tables: Sequence[TableRecord]) -> bool:
    names = {table.name for table in tables}
    return {join.left_table, join.right_table} <= names


_Stock = tuple[Place, _Draft, tuple[Place, ...]]
"""The item's column, the source, and the columns of the places where the stock lies."""


def _stock(business: Business) -> _Stock | None:
    """Stock of the last day that has some, or of a table that gives no day."""
    return _dated_stock(business) or _undated_stock(business)


def _dated_stock(business: Business) -> _Stock | None:
    lines, name = find_stock(business), business.name
    if lines is None:
        return None
    table = business.table(lines.tables[0])
    item = item_column(table, business)
    if item is None:
        return None
    parts = [c for c in table.primary_key if c not in (item, table.date_column)]
    places = tuple(Place(table.name, part) for part in parts)
    shown = "".join(f" t.{name(part)} AS {name(part)}," for part in parts)
    last = f"SELECT MAX({lines.day}) FROM {lines.source} WHERE {lines.day} <= :end"
    sql = (
        f"SELECT t.{name(item)} AS sku,{shown} {lines.quantity} AS on_hand, {lines.day} AS as_of"
        f" FROM {lines.source} WHERE {lines.day} = ({last})"
    )
    columns = ("sku", *parts, "on_hand", "as_of")
    return Place(table.name, item), _Draft(sql, lines.tables, columns), places


def _undated_stock(business: Business) -> _Stock | None:
    """The one table with one row an item and one column of its stock."""
    found: list[_Stock] = []
    for table in business.tables:
        pieces = [
            c.name
            for c in table.columns
            if c.measure == "stock" and not is_on_order(c.name) and not table.date_column
        ]
        item = item_column(table, business)
        if len(pieces) == 1 and item is not None and a_row_an_item(table, item):
            name = business.name
            sql = (
                f"SELECT t.{name(item)} AS sku, t.{name(pieces[0])} AS on_hand"
                f" FROM {name(table.name)} AS t"
            )
            draft = _Draft(sql, (table.name,), REPLENISHMENT_COLUMNS["on_hand"])
            found.append((Place(table.name, item), draft, ()))
    return found[0] if len(found) == 1 else None


def _demand(
    business: Business, connection: duckdb.DuckDBPyConnection, stock: _Stock | None
) -> _Draft | None:
    """Pieces sold a day. A table by week or month is none: its days are not those of the sales."""
    name = business.name
    for table, lines in find_demand(business):
        item = item_column(table, business)
        if item is None or (
            stock and not same_item(stock[0], Place(table.name, item), business.joins)
        ):
            continue
        if not _is_daily(connection, lines.day, lines.source):
            return None
        places = list(_places(table, stock, business))
        shown = "".join(f" s.{name(own)} AS {name(said)}," for own, said in places)
        sql = (
            f"SELECT s.{name(item)} AS sku,{shown} {lines.day} AS day,"
            f" SUM({lines.quantity}) AS quantity FROM {lines.source}"
            f" WHERE {lines.day} BETWEEN :start AND :end GROUP BY ALL"
        )
        columns = ("sku", *(said for _, said in places), "day", "quantity")
        return _Draft(sql, lines.tables, columns)
    return None


def _places(
    table: TableRecord, stock: _Stock | None, business: Business
) -> Iterator[tuple[str, str]]:
    """(column of this table, column of the stock) of each place that both have."""
    for place in stock[2] if stock else ():
        own = [
            c.name
            for c in table.columns
            if same_item(place, Place(table.name, c.name), business.joins)
        ]
        if len(own) == 1:
            yield own[0], place.column


def _is_daily(connection: duckdb.DuckDBPyConnection, day: str, source: str) -> bool:
    found = connection.execute(
        f"SELECT count(DISTINCT {day}), bool_and(day({day}) = 1), count(DISTINCT dayofweek({day}))"
        f" FROM {source}"
    ).fetchone()
    if found is None or found[0] < 2:
        return False
    return not found[1] and (found[2] > 1 or found[0] == 2)


def _terms(
    business: Business, connection: duckdb.DuckDBPyConnection, key: Place | None
) -> tuple[_Draft | None, tuple[str, ...]]:
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
    return _Draft(sql, tuple(tables), ("sku", *columns)), ended


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


def _on_order(
    business: Business, connection: duckdb.DuckDBPyConnection, stock: _Stock | None
) -> _Draft | None:
    name = business.name
    orders = find_orders(t for t in business.tables if is_purchase(t))
    if orders is None:
        return _undated_on_order(business, stock)
    table, ordered, received = orders
    item = item_column(table, business)
    if item is None or (stock and not same_item(stock[0], Place(table.name, item), business.joins)):
        return None
    places = list(_places(table, stock, business))
    shown = "".join(f" o.{name(own)} AS {name(said)}," for own, said in places)
    left = f"o.{name(ordered)} - COALESCE(o.{name(received)}, 0)"
    status, ended = _status(table, CANCELLED, connection)
    where = [f"CAST(o.{name(table.date_column or '')} AS DATE) <= :end", f"{left} > 0"]
    where += [_left_out("o", status, ended, business)] if status and ended else []
    sql = (
        f"SELECT o.{name(item)} AS sku,{shown} {left} AS on_order"
        f" FROM {name(table.name)} AS o WHERE {' AND '.join(where)}"
    )
    return _Draft(sql, (table.name,), ("sku", *(said for _, said in places), "on_order"))


def _undated_on_order(business: Business, stock: _Stock | None) -> _Draft | None:
    """What a table of items itself says is on order."""
    if stock is None:
        return None
    table, name = business.table(stock[0].table), business.name
    pieces = [c.name for c in table.columns if is_on_order(c.name)]
    if len(pieces) != 1 or not a_row_an_item(table, stock[0].column):
        return None
    item = name(stock[0].column)
    sql = f"SELECT t.{item} AS sku, t.{name(pieces[0])} AS on_order FROM {name(table.name)} AS t"
    return _Draft(sql, (table.name,), REPLENISHMENT_COLUMNS["on_order"])


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
