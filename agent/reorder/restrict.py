"""The values that a question names as conditions on the sources of a reorder proposal."""

from collections.abc import Sequence
from dataclasses import dataclass

from agent.reorder.question import Named, Stored
from ingest.store import Catalog
from ingest.store.places import Place, place_of
from ingest.store.quoting import quoted

FURTHEST = 3
"""Joins from an item or a place to the column that holds the value."""
_FIGURES = frozenset({"sku", "on_hand", "as_of", "on_order", "day", "quantity"})
SKU = "sku"


@dataclass(frozen=True)
class Condition:
    """SQL over the column `root` of a source; `said` names the value and where it stands."""

    root: str
    sql: str
    said: str
    names_sku: bool = False


def conditions_of(named: Sequence[Named], catalog: Catalog) -> list[Condition] | None:
    """One for each value; None where one cannot be applied to all that the proposal reads."""
    roots = _roots(catalog)
    found = [_condition(places, roots, catalog) for places in named]
    kept = [c for c in found if c is not None]
    return kept if len(kept) == len(found) else None


def _roots(catalog: Catalog) -> dict[str, Place]:
    """What the columns mean by which all sources can be restricted: the SKU, and places of stock
    that demand and orders tell too."""
    sources = catalog.replenishment
    roots: dict[str, Place] = {}
    if sources.item is not None:
        roots[SKU] = Place(*sources.item)
    if sources.on_hand is None or sources.demand is None:
        return roots
    for column in sources.on_hand.columns:
        others = [s for s in (sources.demand, sources.on_order) if s is not None]
        if column in _FIGURES or any(column not in s.columns for s in others):
            continue
        tables = [t for t in map(catalog.table, sources.on_hand.tables) if t is not None]
        owners = [t.name for t in tables if t.column(column) is not None]
        if owners:
            roots[column] = place_of(Place(owners[0], column), catalog.joins)
    return roots


def _condition(places: Named, roots: dict[str, Place], catalog: Catalog) -> Condition | None:
    """The nearest way from a root to a column that holds the value; None without one, or with two
    that are equally near and restrict different things."""
    ways: list[tuple[int, Condition]] = []
    for table, column, value in places:
        target = Place(table, column)
        for root, meant in roots.items():
            way = _way(root, meant, target, value, catalog)
            if way is not None:
                said = f"{target.table}.{target.column} = {value}"
                ways.append((way[0], Condition(root, way[1], said, root == SKU and way[0] == 0)))
    ways.sort(key=lambda w: (w[0], len(w[1].sql)))
    nearest = {c.root for distance, c in ways if distance == ways[0][0]}
    return ways[0][1] if len(nearest) == 1 else None


def _way(
    root: str, meant: Place, target: Place, value: str, catalog: Catalog
) -> tuple[int, str] | None:
    """(joins away, SQL)."""
    if place_of(target, catalog.joins) == meant:
        return 0, f"q.{quoted(root)} = {_text(value)}"
    inner = _inside(meant.table, target, value, catalog, 1)
    if inner is None:
        return None
    select = f"SELECT {quoted(meant.column)} FROM {quoted(meant.table)} WHERE {inner[1]}"
    return inner[0], f"q.{quoted(root)} IN ({select})"


def _inside(
    table: str, target: Place, value: str, catalog: Catalog, distance: int
) -> tuple[int, str] | None:
    """The condition on the rows of a table of items or places."""
    record = catalog.table(table)
    if record is None or distance > FURTHEST:
        return None
    if target.table == table:
        return distance, f"{quoted(target.column)} = {_text(value)}"
    meant = place_of(target, catalog.joins)
    for column in record.columns:
        if place_of(Place(table, column.name), catalog.joins) == meant:
            return distance, f"{quoted(column.name)} = {_text(value)}"
    for join in catalog.joins:
        if join.left_table != table or join.right_table == table:
            continue
        inner = _inside(join.right_table, target, value, catalog, distance + 1)
        if inner is not None:
            select = f"SELECT {quoted(join.right_column)} FROM {quoted(join.right_table)}"
            return inner[0], f"{quoted(join.left_column)} IN ({select} WHERE {inner[1]})"
    return None


def where(conditions: Sequence[Condition], columns: Sequence[str]) -> str:
    """WHERE of those conditions whose column a source has: any of the values of one column."""
    own = [c for c in conditions if c.root in columns]
    groups: dict[tuple[str, str], list[str]] = {}
    for condition in own:
        key = (condition.root, condition.said.split(" = ")[0])
        groups.setdefault(key, []).append(condition.sql)
    said = [sqls[0] if len(sqls) == 1 else f"({' OR '.join(sqls)})" for sqls in groups.values()]
    return f" WHERE {' AND '.join(said)}" if said else ""


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


__all__ = ["Condition", "Stored", "conditions_of", "quoted", "where"]
