"""Stock of one day added to the same stock of another, part by part.

`SELECT SUM(q) FROM (… day = a UNION ALL … day = b)` and `(SELECT …) + (SELECT …)` add up days just
as one SUM over both would. Two parts halved are an average (opening and closing), and a part that
is taken away is a difference; both pass.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from ingest.store import Catalog, TableRecord
from tools.sql.averages import AROUND, divisors_of
from tools.sql.calls import calls_of, terms
from tools.sql.doubts import Doubt, behind, column_of, where_of
from tools.sql.multiplied import Joined, joined
from tools.sql.sources import columns_in, conditions, conjuncts, selects_of, sources_of
from tools.sql.stock import KIND, is_series, is_stock, things

MAX_DEPTH = 4
PEELED = (exp.Paren, exp.Cast, exp.Coalesce, exp.Round, exp.IgnoreNulls)
AGGREGATES = (exp.Sum, exp.Max, exp.Min, exp.Avg, exp.AnyValue)

AROUND_SUMS = (*AROUND, exp.Sum)
SHAPED = (*PEELED, *AGGREGATES, exp.Filter)


@dataclass(frozen=True)
class Part:
    """Rows of a stock table that one summand takes: those of a SELECT's FROM and WHERE that meet
    `where` as well."""

    select: exp.Select
    alias: str
    table: TableRecord
    where: tuple[exp.Expr, ...] = ()


def part_doubts(tree: exp.Expr, scope: Scope, catalog: Catalog) -> Iterator[Doubt]:
    select = scope.expression
    if not isinstance(select, exp.Select):
        return
    shape = joined(select, sources_of(scope, catalog))
    for node in scope.find_all(exp.Add):
        if not isinstance(_around(node), exp.Add):
            summands = list(_summands(node))
            found = [_part(summand, scope, catalog) for summand in summands]
            if not _is_mean(node, len(summands)):
                yield from _apart(tree, node, found)
    for call in calls_of(scope):
        if isinstance(call.node, exp.Sum) and not divisors_of(tree, call):
            keys = {alias for alias, _ in shape.places(call.keys)}
            for term in terms(call.value):
                parts = _branch_parts(term, select, shape, keys, catalog)
                yield from _apart(tree, call.node, parts)


def _around(node: exp.Expr) -> exp.Expr | None:
    around = node.parent
    while isinstance(around, exp.Paren):
        around = around.parent
    return around


def _summands(node: exp.Expr) -> Iterator[exp.Expr]:
    """What is added; of a difference, what is not taken away."""
    if isinstance(node, exp.Add):
        yield from _summands(node.left)
        yield from _summands(node.right)
    elif isinstance(node, exp.Paren) and isinstance(node.this, exp.Add):
        yield from _summands(node.this)
    else:
        yield node


def _is_mean(node: exp.Expr, count: int) -> bool:
    child, around = node, node.parent
    while isinstance(around, AROUND_SUMS):
        child, around = around, around.parent
    if not isinstance(around, exp.Div) or around.left is not child:
        return False
    by = around.right
    return isinstance(by, exp.Literal) and float(by.name) == count


def _part(node: exp.Expr, scope: Scope, catalog: Catalog, depth: int = 0) -> Part | None:
    where: tuple[exp.Expr, ...] = ()
    while isinstance(node, SHAPED):
        if isinstance(node, exp.Filter):
            where += tuple(conjuncts(node.expression.this))
        elif isinstance(node, exp.Sum):
            zero = exp.Literal.number(0)
            where += (exp.NEQ(this=exp.paren(node.this.copy()), expression=zero),)
        node = node.this
    if depth == MAX_DEPTH:
        return None
    if isinstance(node, exp.Subquery | exp.Select):
        inner = next((s for s in scope.subquery_scopes if s.expression is node.unnest()), None)
        return _first(inner, catalog, depth) if inner is not None else None
    select = scope.expression
    if not isinstance(select, exp.Select) or _is_picked(select):
        return None
    shape = Joined(sources_of(scope, catalog))
    for column in columns_in(node):
        place = shape.place(column)
        source = shape.sources[place[0]] if place is not None else None
        if source is None:
            continue
        record = source.record.column(column.name) if source.record is not None else None
        if source.record is not None and record is not None:
            if is_series(source.record) and is_stock(source.record, record):
                return Part(select, source.alias, source.record, where)
        elif source.scope is not None:
            return _output(column.name, source.scope, catalog, depth + 1)
    return None


def _is_picked(select: exp.Select) -> bool:
    return any(select.args.get(part) for part in ("qualify", "limit", "distinct"))


def _first(scope: Scope, catalog: Catalog, depth: int) -> Part | None:
    items: Sequence[exp.Expr] = getattr(scope.expression, "expressions", ())
    return _part(items[0].unalias(), scope, catalog, depth + 1) if len(items) == 1 else None


def _output(name: str, scope: Scope, catalog: Catalog, depth: int) -> Part | None:
    for item in getattr(scope.expression, "expressions", ()):
        if item.alias_or_name.lower() == name.lower():
            return _part(item.unalias(), scope, catalog, depth)
    return None


def _branch_parts(
    term: exp.Expr, select: exp.Select, shape: Joined, keys: set[str], catalog: Catalog
) -> list[Part | None]:
    """The parts that the branches of a UNION give to a sum; none where the reader tells the
    branches apart."""
    place = shape.place(term)
    step = shape.sources[place[0]].scope if place is not None else None
    if place is None or step is None or not isinstance(step.expression, exp.Union):
        return []
    compared = {
        p for part in conditions(select) for p in shape.places(columns_in(part)) if p[0] == place[0]
    }
    names = [name.lower() for name in step.expression.named_selects]
    if place[0] in keys or compared - {place} or place[1] not in names:
        return []
    at = names.index(place[1])
    return [
        _part(branch.expression.expressions[at].unalias(), branch, catalog)
        for branch in selects_of(step)
        if at < len(branch.expression.expressions)
    ]


def _apart(tree: exp.Expr, said: exp.Expr, found: Sequence[Part | None]) -> Iterator[Doubt]:
    """A doubt where the same thing has different days in two parts of one table."""
    parts = [part for part in found if part is not None]
    for table in dict.fromkeys(part.table.name for part in parts):
        own = [part for part in parts if part.table.name == table]
        if len(own) < 2:
            continue
        record, dated = own[0].table, own[0].table.date_column
        yield Doubt(
            KIND,
            f"{said.sql(dialect='duckdb')} adds up the stock of several days ({{found}}): {table} "
            f"holds what was there on each {dated}, which is not summable over time",
            "give the days as two columns, take their difference, or divide by their number",
            (_probe(tree, own, record),),
        )


def _probe(tree: exp.Expr, parts: Sequence[Part], table: TableRecord) -> str:
    selects = [_days(tree, part, number) for number, part in enumerate(parts)]
    held = [select.args.pop("with_", None) for select in selects]
    steps = next(filter(None, held), None)
    union: exp.Query = selects[0]
    for other in selects[1:]:
        union = exp.union(union, other, distinct=False, copy=False)
    day, part = exp.column("day", table="p"), exp.column("part", table="p")
    count = len(list(things(table, "p")))
    several = [
        exp.GT(
            this=exp.Count(this=exp.Distinct(expressions=[one.copy()])),
            expression=exp.Literal.number(1),
        )
        for one in (day, part)
    ]
    found = (
        exp.select(exp.Min(this=day.copy()), exp.Max(this=day.copy()))
        .from_(union.subquery("p"))
        .having(exp.and_(*several))
        .limit(1)
    )
    if steps is not None:
        found.set("with_", steps)
    keys = [exp.column(f"k{n}", table="p") for n in range(count)]
    return (found.group_by(*keys) if keys else found).sql(dialect="duckdb", comments=False)


def _days(tree: exp.Expr, part: Part, number: int) -> exp.Select:
    """Day and thing of each row of a part."""
    made = behind(tree, part.select, [*where_of(part.select), *part.where])
    day = column_of(part.table.date_column or "", part.alias)
    keys = things(part.table, part.alias)
    made.set(
        "expressions",
        [
            exp.alias_(exp.cast(day, "DATE"), "day"),
            exp.alias_(exp.Literal.number(number), "part"),
            *(exp.alias_(key, f"k{n}") for n, key in enumerate(keys)),
        ],
    )
    return made
