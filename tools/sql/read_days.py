"""The days of a stock table's rows that reach the result: the query itself is asked for them.

Its date is carried beside the columns of each SELECT that the table's rows pass through, so that
what picks rows on the way (QUALIFY, `row_number() … = 1`, LIMIT, an ASOF join) picks days as well.
"""

from collections.abc import Iterator

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from ingest.store import Catalog, TableRecord
from tools.sql.doubts import column_of, quoted
from tools.sql.sources import conjuncts, is_one_row, scopes_of

Ends = tuple[exp.Expr, exp.Expr]
"""The first and the last day, as expressions."""
_STOPS = (exp.Except, exp.Intersect, exp.Pivot)


def days_query(tree: exp.Expr, table: TableRecord, catalog: Catalog) -> str | None:
    """A SELECT of the first and the last day; None where the date cannot be carried."""
    if table.date_column is None or tree.find(*_STOPS) is not None:
        return None
    if any(w.args.get("recursive") for w in tree.find_all(exp.With)):
        return None
    made = tree.copy()
    carried: dict[int, Ends] = {}
    for number, scope in enumerate(scopes_of(made)):
        if isinstance(scope.expression, exp.Union):
            _carry_union(scope, carried)
        elif isinstance(scope.expression, exp.Select):
            _carry(scope, number, table, catalog, carried)
    ends = carried.get(id(made))
    if ends is None or not isinstance(made, exp.Query):
        return None
    first, last = (exp.column(quoted(end.name), table="q") for end in ends)
    outer = exp.select(exp.Min(this=first), exp.Max(this=last)).from_(made.subquery("q"))
    return outer.sql(dialect="duckdb", comments=False)


def _carry(
    scope: Scope, number: int, table: TableRecord, catalog: Catalog, carried: dict[int, Ends]
) -> None:
    select = scope.expression
    assert isinstance(select, exp.Select)
    found = [*_read(scope, table, catalog, carried), *_looked_up(scope, carried)]
    if not found:
        return
    firsts, lasts = [list(side) for side in zip(*found, strict=True)]
    first = firsts[0] if len(firsts) == 1 else exp.Least(this=firsts[0], expressions=firsts[1:])
    last = lasts[0] if len(lasts) == 1 else exp.Greatest(this=lasts[0], expressions=lasts[1:])
    if select.args.get("group") or is_one_row(select):
        first, last = _of_group(select, first, last)
    names = [quoted(f"{side}_day_{number}") for side in ("first", "last")]
    if scope.is_subquery:
        carried[id(select)] = (first, last)
        return
    for value, name in zip((first, last), names, strict=True):
        select.append("expressions", exp.alias_(value.copy(), name))
    carried[id(select)] = (exp.column(names[0]), exp.column(names[1]))


def _read(
    scope: Scope, table: TableRecord, catalog: Catalog, carried: dict[int, Ends]
) -> Iterator[Ends]:
    """The date of the table where it is in FROM, and what its steps carry. A SELECT that only
    looks a date up (its MAX) reads no stock."""
    dated = (table.date_column or "").lower()
    for alias, (_, source) in scope.selected_sources.items():
        if isinstance(source, exp.Table):
            if catalog.table(source.name) is not table:
                continue
            own = {
                c.name.lower()
                for c in scope.columns
                if c.table.lower() == alias.lower() or (not c.table and table.column(c.name))
            }
            if own - {dated} or scope.expression.is_star or not own:
                column = column_of(table.date_column or "", alias)
                yield column, column
        elif isinstance(source, Scope) and id(source.expression) in carried:
            first, last = carried[id(source.expression)]
            yield column_of(first.name, alias), column_of(last.name, alias)


def _looked_up(scope: Scope, carried: dict[int, Ends]) -> Iterator[Ends]:
    """A subquery of the SELECT list, asked once more for its days."""
    for inner in scope.subquery_scopes:
        ends = carried.get(id(inner.expression))
        holder = inner.expression.parent
        if ends is None or not isinstance(holder, exp.Subquery):
            continue
        if any(holder is node for item in scope.expression.expressions for node in item.walk()):
            made = []
            for end in ends:
                copy = holder.copy()
                copy.this.set("expressions", [end.copy()])
                made.append(copy)
            yield made[0], made[1]


def _of_group(select: exp.Select, first: exp.Expr, last: exp.Expr) -> Ends:
    """The ends of a group: of the rows that its aggregates take."""
    calls = [
        call
        for item in select.expressions
        for call in item.find_all(exp.AggFunc)
        if call.find_ancestor(exp.Select) is select
    ]
    if calls and all(_is_latest(call, first.name) for call in calls):
        kind = exp.Max if isinstance(calls[0], exp.ArgMax) else exp.Min
        return kind(this=first), kind(this=first.copy())
    ends: list[exp.Expr] = [exp.Min(this=first), exp.Max(this=last)]
    taken = [_condition(call) for call in calls]
    conditions = [one for one in taken if one is not None]
    if conditions and len(conditions) == len(taken):
        any_of = exp.or_(*(c.copy() for c in conditions))
        ends = [exp.Filter(this=end, expression=exp.Where(this=any_of.copy())) for end in ends]
    return ends[0], ends[1]


def _is_latest(call: exp.Expr, date: str) -> bool:
    """`arg_max(on_hand, day)`: the value on the last day."""
    by = call.args.get("expression")
    is_pick = isinstance(call, exp.ArgMax | exp.ArgMin)
    return is_pick and isinstance(by, exp.Column) and by.name.lower() == date.lower()


def _condition(call: exp.AggFunc) -> exp.Expr | None:
    """Which rows an aggregate takes; None for all."""
    if isinstance(call.parent, exp.Filter):
        where: exp.Expr = call.parent.expression.this
        return where
    if isinstance(call, exp.Sum) and call.this.find(exp.Case, exp.If) is not None:
        return exp.NEQ(this=exp.paren(call.this.copy()), expression=exp.Literal.number(0))
    return None


def _carry_union(scope: Scope, carried: dict[int, Ends]) -> None:
    """The dates of the branches, NULL of one that reads none."""
    branches = [b.expression for b in scope.set_operation_scopes or ()]
    found = [carried.get(id(b)) for b in branches]
    known = next((ends for ends in found if ends is not None), None)
    if known is None or not all(isinstance(b, exp.Select) or id(b) in carried for b in branches):
        return
    for branch, ends in zip(branches, found, strict=True):
        if ends is None:
            for end in known:
                null = exp.cast(exp.Null(), "DATE")
                branch.append("expressions", exp.alias_(null, quoted(end.name)))
    first = found[0] if found[0] is not None else known
    carried[id(scope.expression)] = first


def dated_conditions(select: exp.Select, date: str) -> list[exp.Expr]:
    """The parts of WHERE that speak of the date."""
    where = select.args.get("where")
    return [
        part
        for part in (conjuncts(where.this) if where is not None else ())
        if any(c.name.lower() == date.lower() for c in part.find_all(exp.Column))
    ]
