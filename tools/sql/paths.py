"""Ways from one table to another over the proved joins of the catalog."""

from collections import deque
from collections.abc import Callable, Iterator, Mapping

from sqlglot import exp

from ingest.store import Catalog, JoinRecord, TableRecord
from tools.sql.names import folded
from tools.sql.renames import singular

MAX_STEPS = 3

Steps = tuple[tuple[JoinRecord, TableRecord], ...]


def way_to(
    start: Mapping[str, TableRecord], wanted: Callable[[TableRecord], bool], catalog: Catalog
) -> tuple[str, Steps] | None:
    """(alias to start from, joins) of the shortest way to a wanted table that is not in `start`;
    None when there is none within three joins, or when two tables are as near and not one alone is
    called after the table that the way starts from (fault_log_parts of fault_log)."""
    found = _shortest(start, wanted, catalog)
    if len({steps[-1][1].name for _, steps in found}) > 1:
        found = [f for f in found if _is_part(f[1][-1][1], start[f[0]])]
    return found[0] if len({steps[-1][1].name for _, steps in found}) == 1 else None


def _is_part(table: TableRecord, of: TableRecord) -> bool:
    return folded(table.name).startswith(folded(singular(of.name)))


def way_between(table: TableRecord, target: TableRecord, catalog: Catalog) -> Steps | None:
    """The one shortest way; None when there is none, or another as short."""
    found = _shortest({"": table}, lambda other: other.name == target.name, catalog)
    return found[0][1] if len(found) == 1 else None


def condition(alias: str, new: str, table: TableRecord, join: JoinRecord) -> exp.EQ:
    """The join's equality, between `table` under `alias` and the other side under `new`."""
    left, right = (
        (join.left_column, join.right_column)
        if join.left_table == table.name
        else (join.right_column, join.left_column)
    )
    return exp.EQ(this=exp.column(left, table=alias), expression=exp.column(right, table=new))


def _shortest(
    start: Mapping[str, TableRecord], wanted: Callable[[TableRecord], bool], catalog: Catalog
) -> list[tuple[str, Steps]]:
    queue: deque[tuple[str, TableRecord, Steps]] = deque((a, t, ()) for a, t in start.items())
    seen = {t.name for t in start.values()}
    found: list[tuple[str, Steps]] = []
    while queue:
        alias, table, steps = queue.popleft()
        if len(steps) == MAX_STEPS or (found and len(steps) >= len(found[0][1])):
            break
        for join, other in _neighbours(table, catalog):
            further = (*steps, (join, other))
            if other.name in seen:
                continue
            if wanted(other):
                found.append((alias, further))
            else:
                seen.add(other.name)
                queue.append((alias, other, further))
    return found


def _neighbours(table: TableRecord, catalog: Catalog) -> Iterator[tuple[JoinRecord, TableRecord]]:
    for join in catalog.joins:
        other = {join.left_table: join.right_table, join.right_table: join.left_table}
        record = catalog.table(other.get(table.name, ""))
        if record is not None and record.name != table.name:
            yield join, record
