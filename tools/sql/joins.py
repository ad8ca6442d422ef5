"""Joins that multiply rows under an aggregate: refused with the fix.

Joined on one column that is unique on neither side, every row of one table meets several of the
other, and a SUM or COUNT over the result is too large. Uniqueness is what ingest counted.
"""

from collections import defaultdict
from collections.abc import Iterator

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import Scope, traverse_scope

from ingest.store import Catalog, TableRecord
from tools.errors import ToolRetry
from tools.sql.references import tables_of

Side = tuple[TableRecord, str]


def check_joins(tree: exp.Expr, catalog: Catalog) -> None:
    """Raises `ToolRetry` "join_multiplies_rows". A pair of tables joined on several columns, a
    table joined to itself, and DISTINCT aggregates pass: they cannot be judged here."""
    try:
        scopes = traverse_scope(tree)
    except (SqlglotError, RecursionError):
        return
    for scope in scopes:
        if not _multiplied_aggregate(scope):
            continue
        for (left, right), pairs in _equalities(scope, catalog).items():
            if left != right and len(pairs) == 1 and not any(_is_unique(s) for s in pairs[0]):
                raise _refusal(pairs[0], catalog)


def _multiplied_aggregate(scope: Scope) -> bool:
    """MIN, MAX and DISTINCT aggregates do not change when rows repeat."""
    return any(
        not isinstance(call, exp.Min | exp.Max) and not isinstance(call.this, exp.Distinct)
        for call in scope.find_all(exp.AggFunc)
    )


def _equalities(scope: Scope, catalog: Catalog) -> dict[tuple[str, str], list[tuple[Side, Side]]]:
    """`a.x = b.y` between two catalog tables of the scope, by the pair of their aliases' tables."""
    found: dict[tuple[str, str], list[tuple[Side, Side]]] = defaultdict(list)
    for equality in scope.find_all(exp.EQ):
        sides = [_side(side, scope, catalog) for side in (equality.left, equality.right)]
        if sides[0] is not None and sides[1] is not None:
            pair = sorted((sides[0], sides[1]), key=lambda side: side[0].name)
            found[(pair[0][0].name, pair[1][0].name)].append((pair[0], pair[1]))
    for left, right, column in _using(scope, catalog):
        found[(left.name, right.name)].append(((left, column), (right, column)))
    return found


def _side(node: exp.Expr, scope: Scope, catalog: Catalog) -> Side | None:
    if not isinstance(node, exp.Column):
        return None
    for alias, record in tables_of(scope, catalog).items():
        if node.table.lower() in ("", alias) and record.column(node.name) is not None:
            return record, node.name
    return None


def _using(scope: Scope, catalog: Catalog) -> Iterator[tuple[TableRecord, TableRecord, str]]:
    """`JOIN b USING (x)`, taken against the first table before it that has the column."""
    records = list(tables_of(scope, catalog).values())
    for join in scope.expression.args.get("joins") or ():
        columns = [identifier.name for identifier in join.args.get("using") or ()]
        right = catalog.table(join.this.name) if isinstance(join.this, exp.Table) else None
        for column in columns:
            left = next((r for r in records if r is not right and r.column(column)), None)
            if right is not None and left is not None:
                first, second = sorted((left, right), key=lambda record: record.name)
                yield first, second, column


def _is_unique(side: Side) -> bool:
    """A column whose values were not counted gets the benefit of the doubt."""
    table, name = side
    column = table.column(name)
    return column is None or not column.distinct or column.distinct >= table.rows - column.nulls


def _refusal(pair: tuple[Side, Side], catalog: Catalog) -> ToolRetry:
    (left, left_column), (right, right_column) = pair
    names = {left.name, right.name}
    proved = [
        f"{j.left_table}.{j.left_column} = {j.right_table}.{j.right_column}"
        for j in catalog.joins
        if j.left_table in names and j.right_table in names
    ]
    message = (
        f"{left.name}.{left_column} = {right.name}.{right_column} multiplies rows: "
        "the column is unique in neither table, so the aggregate would be too large"
    )
    hint = f"use only the table that holds what is asked ({left.name} or {right.name})"
    more = f", or join by {'; '.join(proved)}" if proved else ", or aggregate each table first"
    return ToolRetry("join_multiplies_rows", message, hint + more)
