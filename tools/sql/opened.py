"""The same query with its grouped steps opened: the rows that their aggregates were made of.

`SELECT SUM(a) FROM (SELECT k, SUM(x) AS a FROM t GROUP BY k)` adds up the same amounts as
`SELECT SUM(x) FROM t`, so amounts that do not add up in the second do not in the first. Only the
judging of amounts reads these trees; what runs is the query.
"""

from sqlglot import exp

from tools.sql.sources import columns_in, conjuncts


def opened(tree: exp.Expr) -> exp.Expr:
    """A copy in which every step with a GROUP BY or DISTINCT gives out the rows that it reads; an
    aggregate there becomes what it aggregates. Equal to `tree` where there is no such step."""
    made = tree.copy()
    steps = [select for select in made.find_all(exp.Select) if _is_step(select)]
    done = [select for select in steps if _is_grouped(select)]
    aggregated = {name for select in done for name in _open(select)}
    for select in made.find_all(exp.Select):
        if select not in done and aggregated:
            _drop_conditions(select, aggregated)
    return made


def _is_step(select: exp.Select) -> bool:
    """Whether a SELECT, or the UNION that it is a branch of, is read from."""
    node: exp.Expr = select
    while isinstance(node.parent, exp.SetOperation) or (
        isinstance(node.parent, exp.Subquery)
        and isinstance(node.parent.parent, exp.SetOperation | exp.Subquery)
    ):
        node = node.parent
    around = node.parent
    read = isinstance(around, exp.Subquery) and isinstance(around.parent, exp.From | exp.Join)
    return read or isinstance(around, exp.CTE)


def _is_grouped(select: exp.Select) -> bool:
    if select.args.get("qualify") or select.find(exp.Window) is not None:
        return False
    return bool(select.args.get("group") or select.args.get("distinct"))


def _open(select: exp.Select) -> list[str]:
    """Takes the grouping away; the names of the outputs that were aggregates."""
    names = []
    for item in select.expressions:
        calls = [c for c in item.find_all(exp.AggFunc) if c.find_ancestor(exp.Select) is select]
        outer = [c for c in calls if c.find_ancestor(exp.AggFunc, exp.Select) is select]
        names += [item.alias_or_name.lower()] if outer else []
        for call in outer:
            _give_value(call, item)
    having = select.args.get("having")
    kept = [p for p in conjuncts(having.this) if p.find(exp.AggFunc) is None] if having else []
    for part in ("group", "having", "distinct", "order"):
        select.set(part, None)
    if kept:
        select.where(*(part.copy() for part in kept), copy=False)
    return names


def _give_value(call: exp.AggFunc, item: exp.Expr) -> None:
    """`SUM(x)` as `x`, `SUM(x) FILTER (WHERE c)` as `CASE WHEN c THEN x END`, counts as 1."""
    inner = call.this
    if isinstance(inner, exp.Distinct) and inner.expressions:
        inner = inner.expressions[0]
    counts = isinstance(call, exp.Count | exp.CountIf) or not isinstance(inner, exp.Expr)
    value = exp.Literal.number(1) if counts else inner.copy()
    target: exp.Expr = call
    if isinstance(call.parent, exp.Filter):
        target = call.parent
        value = exp.Case(ifs=[exp.If(this=target.expression.this.copy(), true=value)])
    if target is item:
        item.replace(exp.alias_(value, item.alias_or_name or "value"))
    else:
        target.replace(value)


def _drop_conditions(select: exp.Select, aggregated: set[str]) -> None:
    """What a reader asks of an aggregate, it does not ask of each row behind it."""
    where = select.args.get("where")
    if where is None:
        return
    parts = list(conjuncts(where.this))
    kept = [p for p in parts if not any(c.name.lower() in aggregated for c in columns_in(p))]
    if len(kept) < len(parts):
        left = exp.and_(*(p.copy() for p in kept)) if kept else None
        select.set("where", exp.Where(this=left) if left is not None else None)
