"""Columns that a reader needs beside those asked for: what the query filters, groups and sorts by,
and the names behind ids. Rows and their order stay as they are.

Only the outermost plain SELECT is widened, and only by columns whose value is fixed for each of
its rows: columns of the same row, group keys, aggregates that stand in HAVING or ORDER BY, and
columns of a table that the row's own key determines.
"""

import re
from collections.abc import Iterator

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import Scope, build_scope

from ingest.store import Catalog, TableRecord

MAX_ADDED = 6
NAME = re.compile(r"(?:^|_)(?:name|title)$|name$|名称?$|名前$|氏名$|标题$|件名$", re.IGNORECASE)
PERSON = re.compile(r"(?:first|last|given|family|middle)_?name$", re.IGNORECASE)
TEXT = "VARCHAR"


def widen(tree: exp.Expr, catalog: Catalog) -> exp.Expr:
    """The query with such columns, changed in place where it can be; the same query where none
    is missing."""
    if isinstance(tree, exp.SetOperation):
        return _wrapped(tree, catalog)
    scope = _outermost(tree)
    if scope is None:
        return tree
    select = scope.expression
    assert isinstance(select, exp.Select)
    tables = _tables(scope, catalog)
    known = {_key(e.unalias()) for e in select.expressions}
    taken = {e.alias_or_name.lower() for e in select.expressions}
    added = 0
    for extra in _extras(select, tables, catalog):
        if added == MAX_ADDED:
            break
        if _key(extra) in known or _covered_by_star(extra, select):
            continue
        known.add(_key(extra))
        select.append("expressions", _named(extra, taken))
        added += 1
    return tree


def _tables(scope: Scope, catalog: Catalog) -> dict[str, TableRecord]:
    return {
        alias: record
        for alias, source in scope.sources.items()
        if isinstance(source, exp.Table) and (record := catalog.table(source.name)) is not None
    }


def _wrapped(tree: exp.SetOperation, catalog: Catalog) -> exp.Expr:
    """`a EXCEPT b` with the names of what its columns identify; an order would be lost."""
    first = tree.left
    while isinstance(first, exp.SetOperation):
        first = first.left
    if tree.args.get("order") or tree.args.get("limit") or not isinstance(first, exp.Select):
        return tree
    scope = _built(first)
    if scope is None:
        return tree
    inner = "found"
    lookups = [
        lookup
        for column in first.expressions
        for lookup in _lookups(
            column, column.alias_or_name, inner, _tables(scope, catalog), catalog
        )
    ]
    if not lookups:
        return tree
    taken = {e.alias_or_name.lower() for e in first.expressions}
    added = [_named(lookup, taken) for lookup in lookups[:MAX_ADDED]]
    star = exp.Column(this=exp.Star(), table=exp.to_identifier(inner))
    return exp.select(star, *added).from_(
        exp.Subquery(this=tree, alias=exp.TableAlias(this=exp.to_identifier(inner)))
    )


def _outermost(tree: exp.Expr) -> Scope | None:
    if not isinstance(tree, exp.Select) or tree.find(exp.Pivot):
        return None
    if _is_aggregate(tree) and not tree.args.get("group"):
        return None
    return _built(tree)


def _built(select: exp.Select) -> Scope | None:
    try:
        return build_scope(select)
    except (SqlglotError, RecursionError):
        return None


def _extras(
    select: exp.Select, tables: dict[str, TableRecord], catalog: Catalog
) -> Iterator[exp.Expr]:
    group = select.args.get("group")
    keys = list(group.expressions) if group else []
    if group and (len(keys) == 0 or any(not isinstance(k, exp.Column) for k in keys)):
        return
    row_by_row = not keys and not select.args.get("distinct")
    for column in keys or select.expressions:
        alias = _alias_of(column, tables)
        for found in _lookups(column, column.name, alias, tables, catalog):
            yield _direct(found, alias, tables) if row_by_row else found
    if select.args.get("distinct"):
        return
    yield from keys
    yield from _sorted_by(select, grouped=bool(keys))
    if keys:
        yield from _aggregates(select.args.get("having"))
    else:
        yield from (c for c in _columns(select.args.get("where")) if not _is_fixed(c))


def _is_fixed(column: exp.Column) -> bool:
    """`x = 'a'` that every row meets: the column would say the same in all of them."""
    equality = column.parent
    if not isinstance(equality, exp.EQ) or not isinstance(equality.expression, exp.Literal):
        return False
    around = equality.parent
    while isinstance(around, exp.And | exp.Paren):
        around = around.parent
    return isinstance(around, exp.Where)


def _sorted_by(select: exp.Select, *, grouped: bool) -> Iterator[exp.Expr]:
    order = select.args.get("order")
    aliases = {e.alias.lower() for e in select.expressions if e.alias}
    for ordered in order.expressions if order else ():
        by = ordered.this
        if isinstance(by, exp.Column) and not by.table and by.name.lower() in aliases:
            continue
        if grouped:
            yield from _aggregates(by)
        elif isinstance(by, exp.Column):
            yield by


def _aggregates(node: exp.Expr | None) -> Iterator[exp.Expr]:
    for call in node.find_all(exp.AggFunc) if node else ():
        if call.find_ancestor(exp.Subquery, exp.Window) is None:
            yield call


def _columns(node: exp.Expr | None) -> Iterator[exp.Column]:
    """The plain columns of an expression, those of its subqueries left out."""
    if node is None:
        return
    for column in node.find_all(exp.Column):
        inner = column.find_ancestor(exp.Subquery, exp.Select)
        if not isinstance(column.this, exp.Star) and (
            inner is None or inner is node.find_ancestor(exp.Select)
        ):
            yield column


def _lookups(
    column: exp.Expr,
    value_name: str,
    value_table: str,
    tables: dict[str, TableRecord],
    catalog: Catalog,
) -> Iterator[exp.Expr]:
    """The names of what a column identifies, read from the table that it is the proved key of."""
    column = column.unalias()
    home = tables.get(_alias_of(column, tables))
    if home is None:
        return
    targets = [(home.name, column.name)] if home.primary_key == (column.name,) else []
    targets += [
        (j.right_table, j.right_column)
        for j in catalog.joins
        if (j.left_table, j.left_column) == (home.name, column.name)
    ]
    value = exp.column(value_name, table=value_table or None)
    for name, key in targets:
        table = catalog.table(name)
        for shown in _name_columns(table) if table else ():
            if shown != column.name and table is not None:
                yield _looked_up(table, shown, key, value)


def _direct(lookup: exp.Expr, alias: str, tables: dict[str, TableRecord]) -> exp.Expr:
    """The column itself where the row's own table has it."""
    column = lookup.this.expressions[0]
    table = lookup.this.find(exp.Table)
    own = table is not None and alias in tables and tables[alias].name == table.name
    return exp.column(column.name, table=alias) if own else lookup


def _alias_of(column: exp.Expr, tables: dict[str, TableRecord]) -> str:
    """The alias of the table that a plain column belongs to; "" where there is none."""
    column = column.unalias()
    if not isinstance(column, exp.Column) or isinstance(column.this, exp.Star):
        return ""
    for alias, table in tables.items():
        if column.table.lower() in ("", alias.lower()) and table.column(column.name):
            return alias
    return ""


def _name_columns(table: TableRecord) -> list[str]:
    """The first column that is called a name; a person's two."""
    found = [c.name for c in table.columns if c.type == TEXT and NAME.search(c.name)]
    person = [name for name in found if PERSON.match(name)]
    return person if len(person) == 2 else found[:1]


def _looked_up(table: TableRecord, name: str, key: str, value: exp.Column) -> exp.Expr:
    """A scalar subquery: the join is proved, so that it finds at most one row."""
    alias = f"n_{table.name}"
    inner = (
        exp.select(exp.column(name, table=alias))
        .from_(exp.to_table(table.name, alias=alias))
        .where(exp.EQ(this=exp.column(key, table=alias), expression=value))
    )
    return exp.Subquery(this=inner)


def _covered_by_star(extra: exp.Expr, select: exp.Select) -> bool:
    stars = [e for e in select.expressions if e.is_star]
    if not isinstance(extra, exp.Column) or not stars:
        return False
    return any(isinstance(s, exp.Star) or s.table.lower() == extra.table.lower() for s in stars)


def _named(extra: exp.Expr, taken: set[str]) -> exp.Expr:
    """The expression under a name that no other column of the result has."""
    base = extra.name if isinstance(extra, exp.Column) else ""
    if isinstance(extra, exp.Subquery):
        base = extra.this.expressions[0].name
    if base and base.lower() not in taken and isinstance(extra, exp.Column):
        taken.add(base.lower())
        return extra.copy()
    if not base:
        return extra.copy()
    name, number = base, 2
    while name.lower() in taken:
        name, number = f"{base}_{number}", number + 1
    taken.add(name.lower())
    return exp.alias_(extra.copy(), name)


def _is_aggregate(select: exp.Select) -> bool:
    parts = [*select.expressions, select.args.get("having"), select.args.get("order")]
    return any(next(_aggregates(part), None) is not None for part in parts if part)


def _key(node: exp.Expr) -> str:
    """A column by its name alone, and a name that is looked up like the column itself."""
    if isinstance(node, exp.Subquery):
        node = node.this.expressions[0]
    return node.name.lower() if isinstance(node, exp.Column) else node.sql(dialect="duckdb").lower()
