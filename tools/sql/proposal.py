"""Corrected queries where a table must be joined, or another name taken.

They are proposed: whoever wrote the query decides, or is told.
"""

from itertools import pairwise

from sqlglot import ErrorLevel, exp, parse_one
from sqlglot.optimizer.scope import Scope, traverse_scope

from ingest.store import Catalog, TableRecord
from tools.sql.faults import PARSER_FAULTS
from tools.sql.names import folded, nearest
from tools.sql.paths import Steps, condition, way_between, way_to
from tools.sql.references import tables_of
from tools.sql.renames import Find, like_column, own_key, said_in
from tools.sql.requalify import (
    has_derived,
    is_output_name,
    own_columns,
    requalify,
)

MAX_CHANGES = 8
Joined = dict[tuple[int, str], dict[str, TableRecord]]
"""The tables joined in so far, by alias, for each SELECT and the alias that they stand in for."""


def propose(sql: str, catalog: Catalog, question: str = "") -> str | None:
    """The query with the nearest table for an unknown one, the missing tables joined in over
    proved joins, names that are nearly right or that `question` says, and without nested
    aggregates; None where no rule applies."""
    try:
        tree = _parsed(sql)
        changed = _rename_tables(tree, catalog)
        changed += sum(_read_elsewhere(scope, catalog) for scope in traverse_scope(tree))
        changed += sum(_strftime(call) for call in list(tree.find_all(exp.ToChar)))
        changed += sum(_unnest(select) for select in tree.find_all(exp.Select))
        changed += sum(_group(select) for select in tree.find_all(exp.Select))
        changed += sum(_bridge(join, scope, catalog) for join, scope in _own_joins(tree))
        requalify(tree, catalog)
        joined: Joined = {}
        said = said_in(question, {folded(c.name) for c in tree.find_all(exp.Column)})
        for column, scope in own_columns(tree):
            changed += (
                _rename(column, scope, catalog, own_key)
                or _rename(column, scope, catalog, said)
                or _join_in(column, scope, catalog, joined)
                or _rename(column, scope, catalog, like_column)
            )
        if changed and isinstance(tree, exp.Select):
            _say_once(tree)
        requalify(tree, catalog)
        proposal = tree.sql(dialect="duckdb", unsupported_level=ErrorLevel.RAISE)
    except PARSER_FAULTS:
        return None
    return proposal if 0 < changed <= MAX_CHANGES or _is_other_dialect(sql) else None


def _parsed(sql: str) -> exp.Expr:
    return parse_one(sql, dialect="tsql" if _is_other_dialect(sql) else "duckdb")


def _is_other_dialect(sql: str) -> bool:
    """`SELECT TOP 3 …` is T-SQL; DuckDB knows no TOP."""
    words = sql.upper().split()
    return any(a == "SELECT" and b == "TOP" for a, b in pairwise(words))


def _rename_tables(tree: exp.Expr, catalog: Catalog) -> int:
    made_here = {c.alias.lower() for c in tree.find_all(exp.CTE)}
    changed = 0
    for table in tree.find_all(exp.Table):
        if catalog.table(table.name) is not None or table.name.lower() in made_here:
            continue
        like = nearest(table.name, (t.name for t in catalog.tables), 1)
        if like:
            table.set("this", exp.to_identifier(like[0]))
            changed += 1
    return changed


def _read_elsewhere(scope: Scope, catalog: Catalog) -> bool:
    """One table that lacks a column is left for the one table that has all that are read: a join
    with it would count the rows of the wrong one."""
    tables = tables_of(scope, catalog)
    select = scope.expression
    if len(tables) != 1 or len(scope.sources) != 1 or select.args.get("joins"):
        return False
    ((alias, table),) = tables.items()
    outputs = {e.alias.lower() for e in getattr(select, "expressions", ()) if e.alias}
    names = {c.name.lower() for c in scope.columns if c.table.lower() in ("", alias)} - outputs
    if len(names) < 2 or not names & {c.name.lower() for c in table.columns}:
        return False
    if all(table.column(name) for name in names):
        return False
    others = [t for t in catalog.tables if all(t.column(name) for name in names)]
    if len(others) != 1:
        return False
    source = select.args["from_"].this
    kept = exp.to_identifier(source.alias) if source.alias else None
    for column in scope.columns if kept is None else ():
        if column.table:
            column.set("table", exp.to_identifier(others[0].name))
    source.set("this", exp.to_identifier(others[0].name))
    return True


def _strftime(call: exp.ToChar) -> int:
    """`TO_CHAR(day, 'YYYY-MM')` as `STRFTIME(day, '%Y-%m')`."""
    written = call.args.get("format")
    if not isinstance(written, exp.Literal) or not written.is_string:
        return 0
    other = exp.ToChar(this=exp.column("x"), format=written.copy()).sql(dialect="postgres")
    read = parse_one(other, dialect="postgres")
    if not isinstance(read, exp.TimeToStr):
        return 0
    call.replace(exp.TimeToStr(this=call.this.copy(), format=read.args["format"].copy()))
    return 1


def _group(select: exp.Select) -> bool:
    """`SELECT name … ORDER BY SUM(x)` by name: the order of groups needs them."""
    order = select.args.get("order")
    if order is None or select.args.get("group") or order.find(exp.Window) is not None:
        return False
    columns = [item.unalias() for item in select.expressions]
    if not columns or not all(isinstance(c, exp.Column) and not c.is_star for c in columns):
        return False
    if order.find(exp.AggFunc) is None:
        return False
    select.set("group", exp.Group(expressions=[c.copy() for c in columns]))
    return True


def _say_once(select: exp.Select) -> None:
    """`first_name, last_name` that both became `customer_name` are one column."""
    kept: list[exp.Expr] = []
    for item in select.expressions:
        if not (isinstance(item, exp.Column) and item in kept):
            kept.append(item)
    select.set("expressions", kept)


def _unnest(select: exp.Select) -> int:
    """`MAX(COUNT(x)) … GROUP BY k` as `COUNT(x)` of each group, the largest alone."""
    if not select.args.get("group"):
        return 0
    changed = 0
    for outer in list(select.find_all(exp.Max, exp.Min)):
        inner = outer.this
        if not isinstance(inner, exp.AggFunc) or outer.find_ancestor(exp.Select) is not select:
            continue
        if not select.args.get("order"):
            by = exp.Ordered(this=inner.copy(), desc=isinstance(outer, exp.Max))
            select.set("order", exp.Order(expressions=[by]))
        if not select.args.get("limit"):
            select.set("limit", exp.Limit(expression=exp.Literal.number(1)))
        outer.replace(inner.copy())
        changed += 1
    return changed


def _own_joins(tree: exp.Expr) -> list[tuple[exp.Join, Scope]]:
    return [
        (join, scope)
        for scope in traverse_scope(tree)
        for join in scope.expression.args.get("joins") or ()
    ]


def _bridge(join: exp.Join, scope: Scope, catalog: Catalog) -> bool:
    """`a JOIN b ON a.x = b.x` where one side has no x: b is reached over the proved joins."""
    on = join.args.get("on")
    tables = tables_of(scope, catalog)
    sides = [on.left, on.right] if isinstance(on, exp.EQ) else []
    columns = [side for side in sides if isinstance(side, exp.Column) and side.table]
    if len(columns) != 2:
        return False
    ends = [c.table.lower() for c in columns]
    alias = join.alias_or_name.lower()
    if alias not in ends or ends[0] == ends[1] or any(e not in tables for e in ends):
        return False
    if all(tables[e].column(c.name) for e, c in zip(ends, columns, strict=True)):
        return False
    start = ends[1 - ends.index(alias)]
    steps = way_between(tables[start], tables[alias], catalog)
    if steps is None:
        return False
    here, table = _insert(steps[:-1], start, tables[start], scope, before=join)
    join.set("on", condition(here, alias, table, steps[-1][0]))
    return True


def _rename(column: exp.Column, scope: Scope, catalog: Catalog, find: Find) -> bool:
    """`premises_details` as `premise_details`, where one column alone can be meant: of the table
    that it names, else of the others."""
    tables = tables_of(scope, catalog)
    if _is_there(column, tables) or has_derived(scope) or is_output_name(column, scope):
        return False
    qualifier = column.table.lower()
    if qualifier and qualifier not in tables:
        return False
    own = [tables[qualifier]] if qualifier else []
    found = find(column.name, own) or find(column.name, tables.values())
    if found is None:
        return False
    column.set("this", exp.to_identifier(found[1]))
    if qualifier and found[0] is not tables[qualifier]:
        column.set("table", exp.to_identifier(next(a for a, t in tables.items() if t is found[0])))
    return True


def _join_in(column: exp.Column, scope: Scope, catalog: Catalog, joined: Joined) -> bool:
    """Joins the one nearest table that has the column, or that the column names."""
    tables = tables_of(scope, catalog)
    qualifier = column.table.lower()
    select = scope.expression
    if (
        _is_there(column, tables)
        or is_output_name(column, scope)
        or not isinstance(select, exp.Select)
    ):
        return False
    earlier = joined.setdefault((id(select), qualifier), {})
    for alias, table in earlier.items():
        if table.column(column.name):
            column.set("table", exp.to_identifier(alias))
            return True
    if qualifier and qualifier not in tables:
        target = catalog.table(column.table)
        if target is None or target.column(column.name) is None or qualifier in scope.sources:
            return False
        found = way_to(tables, lambda t: t.name == target.name, catalog)
    elif not qualifier and has_derived(scope):
        return False
    else:
        found = _nearest_holder(column.name, qualifier, tables, catalog)
    if found is None:
        return False
    alias, steps = found
    _qualify_all(scope, tables)
    name = qualifier if qualifier not in tables else ""
    new, holder = _insert(steps, alias, tables[alias], scope, name=name)
    earlier[new] = holder
    column.set("table", exp.to_identifier(new))
    return True


def _nearest_holder(
    name: str, qualifier: str, tables: dict[str, TableRecord], catalog: Catalog
) -> tuple[str, Steps] | None:
    """The way from the table that the column names, or a shorter one from another in FROM."""
    found = way_to(tables, lambda t: t.column(name) is not None, catalog)
    if not qualifier:
        return found
    own = way_to({qualifier: tables[qualifier]}, lambda t: t.column(name) is not None, catalog)
    shorter = found is not None and own is not None and len(found[1]) < len(own[1])
    return found if shorter else own


def _is_there(column: exp.Column, tables: dict[str, TableRecord]) -> bool:
    """In the table that it names, or in any of them."""
    named = tables.get(column.table.lower())
    if column.table:
        return named is not None and named.column(column.name) is not None
    return any(t.column(column.name) for t in tables.values())


def _qualify_all(scope: Scope, tables: dict[str, TableRecord]) -> None:
    """Bare names say their table before another table may have them too."""
    for column in scope.columns:
        if column.table or column.find_ancestor(exp.Select) is not scope.expression:
            continue
        holders = [alias for alias, t in tables.items() if t.column(column.name)]
        if len(holders) == 1 and not is_output_name(column, scope):
            column.set("table", exp.to_identifier(holders[0]))


def _insert(
    steps: Steps,
    alias: str,
    table: TableRecord,
    scope: Scope,
    *,
    before: exp.Join | None = None,
    name: str = "",
) -> tuple[str, TableRecord]:
    """Adds the joins of a way, before a join or at the end; the alias and table it ends at.

    `name`: the last table's name as the query has it, used in place of an alias.
    """
    select = scope.expression
    joins = select.args.setdefault("joins", [])
    at = len(joins) if before is None else joins.index(before)
    for number, (record, other) in enumerate(steps):
        last = number == len(steps) - 1
        new = name if name and last else f"j{len(scope.sources) + 1}"
        joined = exp.to_table(other.name, alias=None if new == name else new)
        join = exp.Join(this=joined, on=condition(alias, new, table, record))
        joins.insert(at, join)
        join.parent, join.arg_key = select, "joins"
        scope.sources[new] = joined
        at, alias, table = at + 1, new, other
    return alias, table
