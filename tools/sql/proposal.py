"""Columns that are looked for in the wrong table.

Where exactly one table of the same FROM has the column, its meaning is certain: it is put right
and a note says so. Where a proved join ties the one table that has it, the corrected query is
only proposed: whoever wrote the query decides.
"""

from collections.abc import Iterator

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import Scope, traverse_scope

from ingest.store import Catalog, JoinRecord, TableRecord

MAX_CHANGES = 8


def requalify(tree: exp.Expr, catalog: Catalog) -> list[str]:
    """Puts `T2.city` right as `T1.city`, in place; one note a column."""
    notes = {}
    for column, scope in _own_columns(tree):
        tables = dict(_tables(scope, catalog))
        named = tables.get(column.table.lower()) if column.table else None
        if named is None or named.column(column.name) is not None:
            continue
        holders = [alias for alias, t in tables.items() if t.column(column.name) is not None]
        if len(holders) == 1 and not _would_join_to_itself(column, holders[0]):
            holder = tables[holders[0]].name
            notes[column.sql()] = f"{column.sql()} was read as {holder}.{column.name}"
            column.set("table", exp.to_identifier(holders[0]))
    return list(notes.values())


def propose(sql: str, catalog: Catalog) -> str | None:
    """The query with a join to the one table that has a missing column; None where no rule applies."""
    try:
        tree = parse_one(sql, dialect="duckdb")
        changed = sum(_join_in(column, scope, catalog) for column, scope in _own_columns(tree))
    except (SqlglotError, RecursionError):
        return None
    return tree.sql(dialect="duckdb") if 0 < changed <= MAX_CHANGES else None


def _own_columns(tree: exp.Expr) -> list[tuple[exp.Column, Scope]]:
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


def _join_in(column: exp.Column, scope: Scope, catalog: Catalog) -> bool:
    tables = dict(_tables(scope, catalog))
    named = tables.get(column.table.lower()) if column.table else None
    if (column.table and named is None) or (not column.table and _derived(scope)):
        return False
    looked_in = [named] if named is not None else list(tables.values())
    if any(t.column(column.name) for t in tables.values()):
        return False
    alias = _join_holder(column, scope, catalog, looked_in)
    if alias is None:
        return False
    column.set("table", exp.to_identifier(alias))
    return True


def _would_join_to_itself(column: exp.Column, alias: str) -> bool:
    """`t1.x = t2.x` must not become `t1.x = t1.x`."""
    parent = column.parent
    if not isinstance(parent, exp.EQ):
        return False
    other = parent.right if parent.left is column else parent.left
    return isinstance(other, exp.Column) and other.table.lower() == alias.lower()


def _tables(scope: Scope, catalog: Catalog) -> Iterator[tuple[str, TableRecord]]:
    for alias, source in scope.sources.items():
        record = catalog.table(source.name) if isinstance(source, exp.Table) else None
        if record is not None:
            yield alias.lower(), record


def _derived(scope: Scope) -> bool:
    """A CTE or subquery in FROM, or an alias of the SELECT, may have the column."""
    return any(not isinstance(source, exp.Table) for source in scope.sources.values())


def _join_holder(
    column: exp.Column, scope: Scope, catalog: Catalog, looked_in: list[TableRecord]
) -> str | None:
    """Joins the one table that has the column and a proved join; returns its alias."""
    select = scope.expression
    if not isinstance(select, exp.Select) or any(
        isinstance(e, exp.Alias) and e.alias == column.name for e in select.expressions
    ):
        return None
    tables = dict(_tables(scope, catalog))
    found = [
        (alias, holder, join)
        for alias, table in tables.items()
        if table in looked_in
        for join, holder in _neighbours(table, catalog)
        if holder.column(column.name)
    ]
    if len({holder.name for _, holder, _ in found}) != 1:
        return None
    alias, holder, join = found[0]
    new = f"j{len(tables) + 1}"
    condition = _condition(alias, new, tables[alias], join)
    table = exp.to_table(holder.name, alias=new)
    select.append("joins", exp.Join(this=table, on=condition))
    scope.sources[new] = table
    return new


def _neighbours(table: TableRecord, catalog: Catalog) -> Iterator[tuple[JoinRecord, TableRecord]]:
    for join in catalog.joins:
        other = {join.left_table: join.right_table, join.right_table: join.left_table}
        record = catalog.table(other.get(table.name, ""))
        if record is not None and record.name != table.name:
            yield join, record


def _condition(alias: str, new: str, table: TableRecord, join: JoinRecord) -> exp.EQ:
    left, right = (
        (join.left_column, join.right_column)
        if join.left_table == table.name
        else (join.right_column, join.left_column)
    )
    return exp.EQ(this=exp.column(left, table=alias), expression=exp.column(right, table=new))
