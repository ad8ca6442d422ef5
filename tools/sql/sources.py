"""What a SELECT reads from, and which of its columns are unique there.

Uniqueness is what ingest counted: primary keys, distinct values, proved joins. A CTE or subquery
has the keys that its own text gives it: what it groups by, all columns of a DISTINCT; so have the
rows that a query makes itself (`tools.sql.made`).
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import Scope, traverse_scope

from ingest.store import Catalog, TableRecord
from tools.sql.made import made, makes_rows

Key = frozenset[str]
"""Columns, in lower case."""
MAX_DEPTH = 8


@dataclass(frozen=True)
class Source:
    """One item of FROM. `columns` and `keys` are in lower case; `record` is None for a CTE or
    subquery, `scope` for a table of the catalog. `is_made`: rows that the query makes itself
    (VALUES, UNNEST, a series). Of anything else nothing is known.

    `within`: the aliases that it is worked out from, row by row (LATERAL, UNNEST of a column);
    its keys hold within one row of them."""

    alias: str
    columns: Key = frozenset()
    keys: tuple[Key, ...] = ()
    record: TableRecord | None = None
    scope: Scope | None = None
    is_made: bool = False
    within: frozenset[str] = frozenset()

    @property
    def is_known(self) -> bool:
        return self.record is not None or self.scope is not None or self.is_made

    @property
    def name(self) -> str:
        if self.record is not None:
            return self.record.name
        return self.alias or "the list in FROM"

    def is_unique(self, columns: Key) -> bool | None:
        """Whether no two rows share values of these columns; None when that is not proved."""
        if any(key <= columns for key in self.keys):
            return True
        return None if self.record is None else _disproved(self.record, columns)


def scopes_of(tree: exp.Expr) -> list[Scope]:
    """Every SELECT of the query, inner ones first; none where sqlglot cannot tell them apart."""
    try:
        return traverse_scope(tree)
    except (SqlglotError, RecursionError):
        return []


def sources_of(scope: Scope, catalog: Catalog, depth: int = 0) -> dict[str, Source]:
    """What is in FROM, by alias in lower case. What is only looked up (SEMI, ANTI) is left out."""
    joins = scope.expression.args.get("joins") or ()
    looked_up = {j.alias_or_name.lower() for j in joins if j.kind in ("SEMI", "ANTI")}
    found = {}
    for alias, (_, source) in scope.selected_sources.items():
        name = alias.lower()
        if name not in looked_up:
            found[name] = _source(name, source, catalog, depth)
    for alias, (_, source) in scope.selected_sources.items():
        if isinstance(source, Scope) and alias.lower() in found:
            outer = [c for c in source.external_columns if not _is_own(c, found[alias.lower()])]
            within = {a for a in (alias_of(c, found) for c in outer) if a is not None}
            found[alias.lower()] = replace(
                found[alias.lower()], within=frozenset(within - {alias.lower()})
            )
    for join in joins:
        if join.method in ("ASOF", "POSITIONAL"):
            # At most one row of it meets each row.
            found[join.alias_or_name.lower()] = Source(join.alias_or_name.lower())
    return found


def _is_own(column: exp.Column, source: Source) -> bool:
    """Whether a bare name is of a table that the subquery reads itself."""
    select = source.scope.expression if source.scope is not None else None
    if column.table or source.scope is None or not isinstance(select, exp.Select):
        return False
    return source.scope.selected_sources != {} and column.find_ancestor(exp.Select) is select


def _source(name: str, source: object, catalog: Catalog, depth: int) -> Source:
    node = source.expression if isinstance(source, Scope) else source
    rows = made(node) if isinstance(node, exp.Expr) else None
    if rows is not None:
        return Source(name, *rows, is_made=True)
    if isinstance(node, exp.Lateral) and isinstance(source, Scope) and source.subquery_scopes:
        source = source.subquery_scopes[-1]
    if isinstance(source, exp.Table):
        record = catalog.table(source.name)
        if record is None:
            return Source(name)
        columns = frozenset(c.name.lower() for c in record.columns)
        return Source(name, columns, tuple(_table_keys(record)), record=record)
    query = source.expression if isinstance(source, Scope) else None
    if isinstance(source, Scope) and isinstance(query, exp.Query) and depth < MAX_DEPTH:
        outputs = frozenset(n.lower() for n in getattr(query, "named_selects", ()))
        keys = tuple(_query_keys(source, catalog, depth + 1))
        return Source(name, outputs, keys, scope=source)
    return Source(name)


def _table_keys(record: TableRecord) -> Iterator[Key]:
    if record.rows <= 1:
        yield frozenset()
    if record.primary_key:
        yield frozenset(c.lower() for c in record.primary_key)
    for column in record.columns:
        if column.distinct and column.distinct >= record.rows - column.nulls:
            yield frozenset([column.name.lower()])


def _disproved(record: TableRecord, columns: Key) -> bool | None:
    """False when there are more rows than the columns can tell apart."""
    if not columns:
        return False if record.rows > 1 else None
    found = [record.column(name) for name in columns]
    counts = [c.distinct for c in found if c is not None and c.distinct]
    if len(counts) < len(columns):
        return None
    nulls = sum(c.nulls for c in found if c is not None)
    return False if math.prod(counts) < record.rows - nulls else None


def _query_keys(scope: Scope, catalog: Catalog, depth: int) -> Iterator[Key]:
    query = scope.expression
    limit = query.args.get("limit")
    if isinstance(limit, exp.Limit) and limit.expression.name == "1":
        yield frozenset()
    if not isinstance(query, exp.Select) or makes_rows(query):
        return
    if query.args.get("distinct"):
        yield frozenset(n.lower() for n in query.named_selects)
    keys = group_keys(query)
    if keys is None:
        if is_one_row(query):
            yield frozenset()
        elif len(scope.selected_sources) == 1 and not query.args.get("laterals"):
            (inner,) = sources_of(scope, catalog, depth).values()
            yield from filter(None, (_projected(query, key) for key in inner.keys))
        return
    names = [_output_name(query, key) for key in keys]
    if all(names):
        yield frozenset(n.lower() for n in names if n)


def is_one_row(query: exp.Select) -> bool:
    """An aggregate over all rows, without GROUP BY."""
    if query.args.get("group"):
        return False
    return any(_has_aggregate(item) for item in query.expressions)


def _has_aggregate(item: exp.Expr) -> bool:
    return any(
        call.find_ancestor(exp.Window, exp.Subquery) is None for call in item.find_all(exp.AggFunc)
    )


def group_keys(query: exp.Select) -> list[exp.Expr] | None:
    """The expressions that a SELECT groups by, ordinals and output names resolved; None without
    GROUP BY. Of ROLLUP, CUBE and GROUPING SETS, which add totals over them, none."""
    group = query.args.get("group")
    if not isinstance(group, exp.Group):
        return None
    if group.args.get("all"):
        return [i.unalias() for i in query.expressions if not _has_aggregate(i)]
    by_name = {i.alias.lower(): i.unalias() for i in query.expressions if i.alias}
    keys: list[exp.Expr] = []
    for item in group.expressions:
        if isinstance(item, exp.Literal) and not item.is_string:
            at = int(item.name) - 1 if item.name.isdigit() else -1
            keys += [query.expressions[at].unalias()] if 0 <= at < len(query.expressions) else []
        elif isinstance(item, exp.Column) and not item.table and item.name.lower() in by_name:
            keys.append(by_name[item.name.lower()])
        elif not isinstance(item, exp.Rollup | exp.Cube | exp.GroupingSets):
            keys.append(item)
    return keys


def _output_name(query: exp.Select, wanted: exp.Expr) -> str | None:
    """Under which name a SELECT gives an expression out."""
    for item in query.expressions:
        inner = item.unalias()
        both = isinstance(inner, exp.Column) and isinstance(wanted, exp.Column)
        same = inner.name.lower() == wanted.name.lower() if both else inner == wanted
        if same:
            return str(item.alias_or_name)
    return None


def _projected(query: exp.Select, key: Key) -> Key | None:
    """A key of the table behind, under the names that the SELECT gives its columns."""
    if any(item.is_star for item in query.expressions):
        return key
    names = [_output_name(query, exp.column(column)) for column in key]
    return frozenset(n.lower() for n in names if n) if all(names) else None


def conjuncts(node: exp.Expr | None) -> Iterator[exp.Expr]:
    """The parts of a condition that are joined by AND."""
    if isinstance(node, exp.Paren):
        yield from conjuncts(node.this)
    elif isinstance(node, exp.And):
        yield from conjuncts(node.left)
        yield from conjuncts(node.right)
    elif node is not None:
        yield node


def conditions(select: exp.Expr) -> list[exp.Expr]:
    """What every row of the result meets: the parts of WHERE and of each ON."""
    where = select.args.get("where")
    parts = list(conjuncts(where.this)) if where is not None else []
    for join in select.args.get("joins") or ():
        parts += conjuncts(join.args.get("on"))
    return parts


def alias_of(column: exp.Column, sources: dict[str, Source]) -> str | None:
    """The alias that a column is read from; None for an outer query's, or where none has it."""
    if column.table:
        return column.table.lower() if column.table.lower() in sources else None
    name = column.name.lower()
    return next((a for a, s in sources.items() if name in s.columns), None)


def columns_in(node: exp.Expr) -> list[exp.Column]:
    """The columns of an expression; those of its subqueries left out."""
    outer = node.find_ancestor(exp.Query)
    return [
        c
        for c in node.find_all(exp.Column)
        if c.find_ancestor(exp.Query) is outer and not isinstance(c.this, exp.Star)
    ]


def selects_of(step: Scope) -> Iterator[Scope]:
    """The SELECTs of a UNION, in order."""
    for branch in step.set_operation_scopes or ():
        if isinstance(branch.expression, exp.Select):
            yield branch
        else:
            yield from selects_of(branch)
