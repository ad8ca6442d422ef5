"""The days that a query filters by, read off its SQL: an answer from its rows says them."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta

from sqlglot import exp

from agent.sql_text import parsed
from ingest.store import Catalog

_DAY = timedelta(days=1)
Bounds = tuple[date | None, date | None]
_AFTER, _BEFORE = (exp.GT, exp.GTE), (exp.LT, exp.LTE)


def used_dates(sql: str, catalog: Catalog) -> list[str]:
    """`2026-10-01..2026-10-31` for each period, `2026-10-31` for a day, `2026-10-01..` for one
    without an end; in the order of the SQL. What the SQL works out is not told."""
    tree = parsed(sql)
    if tree is None:
        return []
    dated = _date_columns(tree, catalog)
    found: list[str] = []
    for group in _groups(tree):
        by_column: dict[str, Bounds] = {}
        for part in group:
            for column, bounds in _bounds(part, dated):
                by_column[column] = _narrowed(by_column.get(column, (None, None)), bounds)
        found += [_told(bounds) for bounds in by_column.values()]
    return list(dict.fromkeys(found))


def _date_columns(tree: exp.Expr, catalog: Catalog) -> set[str]:
    tables = [catalog.table(t.name) for t in tree.find_all(exp.Table)]
    return {
        c.name.lower()
        for table in tables
        if table is not None
        for c in table.columns
        if c.type.startswith(("DATE", "TIMESTAMP"))
    }


def _groups(tree: exp.Expr) -> Iterator[Sequence[exp.Expr]]:
    """Conditions that hold together: the parts of each chain of ANDs, and each one alone."""
    for node in tree.find_all(exp.Predicate, bfs=False):
        top: exp.Expr = node
        while isinstance(top.parent, exp.And | exp.Paren):
            top = top.parent
        parts = [p for p in _parts(top) if isinstance(p, exp.Predicate)]
        if parts and parts[0] is node:
            yield parts


def _parts(node: exp.Expr) -> Iterator[exp.Expr]:
    if isinstance(node, exp.Paren):
        yield from _parts(node.this)
    elif isinstance(node, exp.And):
        yield from _parts(node.left)
        yield from _parts(node.right)
    else:
        yield node


def _bounds(part: exp.Expr, dated: Iterable[str]) -> Iterator[tuple[str, Bounds]]:
    """The column and the first and last day that a condition lets through."""
    column = part.this
    if not isinstance(column, exp.Column) or column.name.lower() not in dated:
        return
    name = column.sql(dialect="duckdb").lower()
    if isinstance(part, exp.Between):
        first, last = _day(part.args["low"]), _day(part.args["high"])
        if first and last:
            yield name, (first, last)
    elif isinstance(part, exp.EQ | exp.GT | exp.GTE | exp.LT | exp.LTE):
        day = _day(part.expression)
        if day is None:
            return
        first = day + _DAY if isinstance(part, exp.GT) else day
        last = day - _DAY if isinstance(part, exp.LT) else day
        yield (
            name,
            (
                None if isinstance(part, _BEFORE) else first,
                None if isinstance(part, _AFTER) else last,
            ),
        )


def _day(node: exp.Expr) -> date | None:
    """Of `'2026-10-01'`, also as a DATE or TIMESTAMP."""
    while isinstance(node, exp.Cast | exp.TryCast):
        node = node.this
    if not isinstance(node, exp.Literal) or not node.is_string:
        return None
    try:
        return date.fromisoformat(node.name[:10])
    except ValueError:
        return None


def _narrowed(known: Bounds, more: Bounds) -> Bounds:
    first = max(filter(None, (known[0], more[0])), default=None)
    last = min(filter(None, (known[1], more[1])), default=None)
    return first, last


def _told(bounds: Bounds) -> str:
    first, last = bounds
    if first == last and first is not None:
        return first.isoformat()
    return f"{first or ''}..{last or ''}"
