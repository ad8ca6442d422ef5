"""Which catalog column a name in a query means; best effort, DuckDB's binder has the last word."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import Scope, traverse_scope

from ingest.store import Catalog, TableRecord


@dataclass(frozen=True)
class Reference:
    """`node` is None for a column reached through a star."""

    table: TableRecord
    column: str
    node: exp.Column | None


def find_references(
    tree: exp.Expr, catalog: Catalog, scopes: Sequence[Scope] = ()
) -> list[Reference]:
    """Columns of catalog tables that the query names, in any of its scopes."""
    try:
        scopes = scopes or traverse_scope(tree)
    except (SqlglotError, RecursionError):
        return list(_by_name_alone(tree, catalog))
    found: list[Reference] = []
    for scope in scopes:
        for column in scope.columns:
            found.extend(_resolve(column, scope, catalog))
        found.extend(_starred(scope, catalog))
    return found


def used_tables(tree: exp.Expr, catalog: Catalog) -> list[TableRecord]:
    """Catalog tables in order of first use."""
    records = (catalog.table(t.name) for t in tree.find_all(exp.Table, bfs=False))
    return list({r.name: r for r in records if r is not None}.values())


def tables_of(scope: Scope, catalog: Catalog) -> dict[str, TableRecord]:
    """The catalog's tables in FROM, by alias in lower case."""
    return {
        alias.lower(): record
        for alias, source in scope.sources.items()
        if isinstance(source, exp.Table) and (record := catalog.table(source.name)) is not None
    }


def _resolve(column: exp.Column, scope: Scope, catalog: Catalog) -> Iterator[Reference]:
    if isinstance(column.this, exp.Star):
        return
    current: Scope | None = scope
    while current is not None:
        sources = tables_of(current, catalog)
        if column.table:
            source = sources.get(column.table.lower())
            candidates = [source] if source is not None else []
        else:
            candidates = [r for r in sources.values() if r.column(column.name) is not None]
        hits = [(r, r.column(column.name)) for r in candidates]
        yield from (Reference(r, c.name, column) for r, c in hits if c is not None)
        if hits:
            return
        current = current.parent


def _starred(scope: Scope, catalog: Catalog) -> Iterator[Reference]:
    sources = tables_of(scope, catalog)
    for item in getattr(scope.expression, "selects", ()):
        if isinstance(item, exp.Star):
            tables = list(sources.values())
        elif isinstance(item, exp.Column) and isinstance(item.this, exp.Star):
            named = sources.get(item.table.lower())
            tables = [named] if named is not None else []
        else:
            continue
        star = item if isinstance(item, exp.Star) else item.this
        left_out = {e.name.lower() for e in star.args.get("except_") or ()}
        for table in tables:
            names = (c.name for c in table.columns if c.name.lower() not in left_out)
            yield from (Reference(table, name, None) for name in names)


def _by_name_alone(tree: exp.Expr, catalog: Catalog) -> Iterator[Reference]:
    for column in tree.find_all(exp.Column):
        for table in used_tables(tree, catalog):
            record = table.column(column.name)
            if record is not None:
                yield Reference(table, record.name, column)
