"""Column names that can mean only one thing: put right in place, and a note says so."""

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import Scope, traverse_scope

from ingest.store import Catalog, TableRecord
from tools.sql.names import folded
from tools.sql.references import tables_of


def requalify(tree: exp.Expr, catalog: Catalog) -> list[str]:
    """Puts `T2.city` right as `T1.city` and `UnitPrice` as `unit_price`; one note a column.

    A bare name that two tables have, joined by it, is read from the first; that needs no note.
    """
    notes = {}
    for column, scope in own_columns(tree):
        tables = tables_of(scope, catalog)
        found = _meant(column, scope, tables)
        if found is None:
            continue
        alias, name = found
        if column.table or name != column.name:
            notes[column.sql()] = f"{column.sql()} was read as {tables[alias].name}.{name}"
        if column.table or name == column.name:
            column.set("table", exp.to_identifier(alias))
        column.set("this", exp.to_identifier(name))
    return list(notes.values())


def own_columns(tree: exp.Expr) -> list[tuple[exp.Column, Scope]]:
    """Each column with the scope of the SELECT that it stands in."""
    try:
        scopes = traverse_scope(tree)
    except (SqlglotError, RecursionError):
        return []
    return [
        (column, scope)
        for scope in scopes
        for column in scope.columns
        if column.find_ancestor(exp.Select) is scope.expression
    ]


def has_derived(scope: Scope) -> bool:
    """Whether a CTE or subquery in FROM may have a column of any name."""
    return any(not isinstance(source, exp.Table) for source in scope.sources.values())


def is_output_name(column: exp.Column, scope: Scope) -> bool:
    """Whether a bare name may mean a column that the SELECT itself names."""
    expressions = getattr(scope.expression, "expressions", ())
    return not column.table and any(e.alias.lower() == column.name.lower() for e in expressions)


def _meant(
    column: exp.Column, scope: Scope, tables: dict[str, TableRecord]
) -> tuple[str, str] | None:
    """(alias, column) that a name must mean; None when it binds already, or several could be."""
    if is_output_name(column, scope):
        return None
    holders = [alias for alias, table in tables.items() if table.column(column.name)]
    if column.table:
        named = tables.get(column.table.lower())
        if named is None or named.column(column.name):
            return None
        like = _alike(column.name, {column.table.lower(): named})
    elif has_derived(scope) or len(holders) == 1:
        return None
    else:
        like = [] if holders else _alike(column.name, tables)
    if like:
        return like[0] if len(like) == 1 else None
    if len(holders) > 1:
        holders = holders[:1] if _joined_by(column.name, holders, scope) else []
    if len(holders) != 1 or _would_join_to_itself(column, holders[0]):
        return None
    return holders[0], column.name


def _alike(name: str, tables: dict[str, TableRecord]) -> list[tuple[str, str]]:
    return [
        (alias, c.name)
        for alias, table in tables.items()
        for c in table.columns
        if folded(c.name) == folded(name)
    ]


def _joined_by(name: str, aliases: list[str], scope: Scope) -> bool:
    """Whether inner joins make this column the same in all the tables that have it."""
    joined = {aliases[0]}
    for join in scope.expression.args.get("joins") or ():
        on = join.args.get("on")
        if on is None or join.side:
            continue
        for equality in on.find_all(exp.EQ):
            sides = [s for s in (equality.left, equality.right) if isinstance(s, exp.Column)]
            if len(sides) == 2 and all(s.name.lower() == name.lower() for s in sides):
                pair = {s.table.lower() for s in sides}
                if pair & joined:
                    joined |= pair
    return set(aliases) <= joined


def _would_join_to_itself(column: exp.Column, alias: str) -> bool:
    """`t1.x = t2.x` must not become `t1.x = t1.x`."""
    parent = column.parent
    if not isinstance(parent, exp.EQ):
        return False
    other = parent.right if parent.left is column else parent.left
    return isinstance(other, exp.Column) and other.table.lower() == alias.lower()
