"""The sources of a reorder proposal, drafted where the tables tell them for certain.

Stock on hand, demand by day, the terms of an order and what is on order are each one SELECT with
a row a SKU (and place, and day). One that two tables could be, or that DuckDB cannot bind, is not
drafted: the answer then says what is missing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import duckdb

from ingest.catalog.items import Draft, Stock, a_row_an_item, item_column, same_item, shared_places
from ingest.catalog.metrics import binds, business_of
from ingest.catalog.roles import Business, find_demand, find_stock
from ingest.catalog.supply import on_order, terms_of_order
from ingest.catalog.supply_words import is_on_order
from ingest.store.places import Place, place_of
from ingest.store.records import (
    REPLENISHMENT_COLUMNS,
    JoinRecord,
    ReplenishmentRecord,
    SourceRecord,
    TableRecord,
)


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
    terms, ended = terms_of_order(business, connection, key)
    drafts = {
        "on_hand": stock[1] if stock else None,
        "demand": _demand(business, connection, stock),
        "terms": terms,
        "on_order": on_order(business, connection, stock),
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


def _stock(business: Business) -> Stock | None:
    """Stock of the last day that has some, or of a table that gives no day."""
    return _dated_stock(business) or _undated_stock(business)


def _dated_stock(business: Business) -> Stock | None:
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
    return Place(table.name, item), Draft(sql, lines.tables, columns), places


def _undated_stock(business: Business) -> Stock | None:
    """The one table with one row an item and one column of its stock."""
    found: list[Stock] = []
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
            draft = Draft(sql, (table.name,), REPLENISHMENT_COLUMNS["on_hand"])
            found.append((Place(table.name, item), draft, ()))
    return found[0] if len(found) == 1 else None


def _demand(
    business: Business, connection: duckdb.DuckDBPyConnection, stock: Stock | None
) -> Draft | None:
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
        places = list(shared_places(table, stock, business))
        shown = "".join(f" s.{name(own)} AS {name(said)}," for own, said in places)
        sql = (
            f"SELECT s.{name(item)} AS sku,{shown} {lines.day} AS day,"
            f" SUM({lines.quantity}) AS quantity FROM {lines.source}"
            f" WHERE {lines.day} BETWEEN :start AND :end GROUP BY ALL"
        )
        columns = ("sku", *(said for _, said in places), "day", "quantity")
        return Draft(sql, lines.tables, columns)
    return None


def _is_daily(connection: duckdb.DuckDBPyConnection, day: str, source: str) -> bool:
    found = connection.execute(
        f"SELECT count(DISTINCT {day}), bool_and(day({day}) = 1), count(DISTINCT dayofweek({day}))"
        f" FROM {source}"
    ).fetchone()
    if found is None or found[0] < 2:
        return False
    return not found[1] and (found[2] > 1 or found[0] == 2)
