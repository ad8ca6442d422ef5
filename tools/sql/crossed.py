"""A table that nothing joins to the figures: each of its rows gets the sum of all of them.

`SELECT w.name, SUM(s.amount) FROM sales s, warehouses w GROUP BY w.name` says the same total for
each warehouse. What any expression of the SELECT sets beside the figures' own rows passes.
"""

from collections.abc import Iterator, Sequence

from sqlglot import exp

from tools.sql.calls import Call
from tools.sql.doubts import Doubt, more_than_one, probe
from tools.sql.multiplied import Joined
from tools.sql.sources import conditions, conjuncts

KIND = "join_multiplies_rows"


def unlinked(
    tree: exp.Expr, select: exp.Select, call: Call, homes: set[str], shape: Joined
) -> Doubt | None:
    """The sum over all pairs, where it is taken once for each row of a source beside."""
    linked = _linked(select, call, homes, shape)
    settled, _ = shape.closure(homes, ())
    alone = sorted(shape.sources.keys() - linked - settled)
    own = [column for home in sorted(homes) for column in shape.row_of(home)]
    if not alone or not own:
        return None
    there = exp.NEQ(this=exp.paren(call.value.copy()), expression=exp.Literal.number(0))
    asked = probe(
        tree,
        select,
        where=(there, *call.conditions) if isinstance(call.node, exp.Sum) else call.conditions,
        group=own,
        having=more_than_one(exp.Count(this=exp.Star())),
    )
    said, other = call.node.sql(dialect="duckdb"), shape.sources[alone[0]].name
    home = shape.sources[min(homes)].name
    return Doubt(
        KIND,
        f"{said} is the same for each row of {other}: nothing joins {other} to {home}",
        f"join {other} to {home} with ON, or leave it out",
        (asked,),
    )


def _linked(select: exp.Select, call: Call, homes: set[str], shape: Joined) -> set[str]:
    """The sources that an expression sets beside the homes, also by way of others."""
    together = [shape.mentioned(part) for part in _parts(select, call)]
    together += [{alias, *s.within} for alias, s in shape.sources.items()]
    together += [{place[0], *(n[0] for n in needs)} for place, needs in shape.equalities]
    found, before = set(homes), 0
    while before != len(found):
        before = len(found)
        for aliases in together:
            if aliases & found:
                found |= aliases
    return found


def _parts(select: exp.Select, call: Call) -> Iterator[exp.Expr]:
    yield from conditions(select)
    yield from call.conditions
    for item in _listed(select):
        yield item.unalias()
    for name in ("having", "qualify"):
        part = select.args.get(name)
        yield from conjuncts(part.this) if part is not None else ()


def _listed(select: exp.Select) -> Sequence[exp.Expr]:
    order = select.args.get("order")
    by = [o.this for o in order.expressions] if order is not None else []
    return [*select.expressions, *by]
