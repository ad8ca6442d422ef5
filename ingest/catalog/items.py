"""Which column of a table names the item or the place that a row is about, and whether two name
the same; and a source that is drafted by them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ingest.catalog.measures import word_set
from ingest.catalog.roles import Business
from ingest.store.places import Place, place_of
from ingest.store.records import JoinRecord, TableRecord
from ingest.tables.names import names_key, words

_ITEM_WORDS = word_set("sku item product material part article")
_ITEM_PARTS = ("商品", "品番", "品目", "製品", "部品", "物料", "货号", "产品", "型番")
_KEYS = ("VARCHAR", "BIGINT", "INTEGER", "SMALLINT", "HUGEINT", "UUID")


@dataclass(frozen=True)
class Draft:
    sql: str
    tables: tuple[str, ...]
    columns: tuple[str, ...]


Stock = tuple[Place, Draft, tuple[Place, ...]]
"""The item's column, the source, and the columns of the places where the stock lies."""


def item_column(table: TableRecord, business: Business) -> str | None:
    """The key of the item in a table; None where there is none, or more than one could be."""
    joined = {j.left_column for j in business.joins if j.left_table == table.name}
    referred = {j.right_column for j in business.joins if j.right_table == table.name}
    named = [
        c.name
        for c in table.columns
        if c.type in _KEYS and _names_item(c.name) and (names_key(c.name) or c.name in joined)
    ]
    for narrower in (joined | referred, set(table.primary_key)):
        if len(named) > 1:
            named = [n for n in named if n in narrower]
    return named[0] if len(named) == 1 else None


def _names_item(name: str) -> bool:
    return bool(_ITEM_WORDS & set(words(name))) or any(part in name for part in _ITEM_PARTS)


def a_row_an_item(table: TableRecord, column: str) -> bool:
    found = table.column(column)
    return found is not None and bool(table.rows) and found.distinct == table.rows


def same_item(one: Place, other: Place, joins: Sequence[JoinRecord]) -> bool:
    """Whether two columns hold the same keys: by the proved joins, or by their names."""
    if place_of(one, joins) == place_of(other, joins):
        return True
    return one.column.casefold() == other.column.casefold()


def values_like(values: Iterable[str], meant: Sequence[str]) -> tuple[str, ...]:
    known = set(meant)
    return tuple(v for v in values if unicodedata.normalize("NFKC", v).casefold().strip() in known)


def shared_places(
    table: TableRecord, stock: Stock | None, business: Business
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
