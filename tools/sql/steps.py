"""Figures that a step repeats before they are added up.

`SELECT SUM(fee) FROM (SELECT order_no, sku, MAX(fee) AS fee FROM … GROUP BY 1, 2)` takes the fee of
an order once for each of its goods: the step's key is finer than the row that the figure is of.
"""

from collections.abc import Iterator

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from ingest.store import Catalog
from tools.sql.calls import Call, calls_of, terms
from tools.sql.doubts import Doubt, more_than_one, probe, quoted
from tools.sql.multiplied import Joined, Place, joined
from tools.sql.sources import Source, columns_in, conditions, group_keys, sources_of

KIND = "join_multiplies_rows"
ONE_OF_GROUP = (exp.Max, exp.Min, exp.AnyValue, exp.First, exp.IgnoreNulls)


def step_doubts(tree: exp.Expr, scope: Scope, catalog: Catalog) -> Iterator[Doubt]:
    select = scope.expression
    if not isinstance(select, exp.Select):
        return
    sources = sources_of(scope, catalog)
    for call in calls_of(scope):
        shape = joined(select, sources, call.conditions)
        for term in terms(call.value) if isinstance(call.node, exp.Sum | exp.Avg) else ():
            place = shape.place(term)
            step = shape.sources[place[0]].scope if place is not None else None
            if place is None or step is None:
                continue
            known = _known_of(shape, call, place[0])
            touched = {p[1] for p in shape.places(_compared(select, call)) if p[0] == place[0]}
            doubt = _doubt(tree, call, step, place[1], known, touched, catalog)
            if doubt is not None:
                yield doubt


def _known_of(shape: Joined, call: Call, alias: str) -> set[str]:
    """The step's columns that are one value within a group of the reader."""
    _, known = shape.closure((), shape.places(call.keys))
    return {name for owner, name in known if owner == alias}


def _compared(select: exp.Select, call: Call) -> list[exp.Expr]:
    return [c for part in (*conditions(select), *call.conditions) for c in columns_in(part)]


def _doubt(
    tree: exp.Expr,
    call: Call,
    step: Scope,
    output: str,
    known: set[str],
    touched: set[str],
    catalog: Catalog,
) -> Doubt | None:
    """`known` and `touched`: the step's outputs that the reader fixes, and that it compares."""
    select = step.expression
    if not isinstance(select, exp.Select):
        return None
    keys = group_keys(select)
    if keys is None and select.args.get("distinct"):
        keys = [item.unalias() for item in select.expressions]
    named = {str(i.alias_or_name).lower(): i.unalias() for i in select.expressions}
    inner = named.get(output)
    if keys is None or inner is None:
        return None
    while isinstance(inner, ONE_OF_GROUP):
        inner = inner.this
    shape = joined(select, sources_of(step, catalog))
    home = _home(inner, shape)
    if home is None:
        return None
    open_keys = _finer_keys(keys, home, shape, [named[n] for n in known if n in named])
    hidden = [n for n in touched if named.get(n) in open_keys]
    if not open_keys or hidden:
        return None
    fixed = [named[n] for n in sorted(known) if n in named]
    own = exp.column("rowid", table=quoted(home.alias))
    together = exp.Tuple(expressions=[k.copy() for k in open_keys])
    asked = probe(
        tree,
        select,
        where=(exp.NEQ(this=exp.paren(inner.copy()), expression=exp.Literal.number(0)),),
        group=(*fixed, own),
        having=more_than_one(exp.Count(this=exp.Distinct(expressions=[together]))),
    )
    said = call.node.sql(dialect="duckdb")
    finer = ", ".join(k.sql(dialect="duckdb") for k in open_keys)
    message = (
        f"{said} takes {home.name}.{inner.name} several times: the step that gives it has a row "
        f"for each {finer}"
    )
    hint = f"add up {home.name}.{inner.name} in a step of its own, without {finer}"
    return Doubt(KIND, message, hint, (asked,))


def _home(inner: exp.Expr, shape: Joined) -> Source | None:
    """The table whose figure it is; none for a rate, which belongs to each row."""
    place = shape.place(inner)
    home = shape.sources[place[0]] if place is not None else None
    column = home.record.column(inner.name) if home is not None and home.record else None
    if column is None or column.measure == "rate" or len(shape.sources) < 2:
        return None
    return home


def _finer_keys(
    keys: list[exp.Expr], home: Source, shape: Joined, fixed: list[exp.Expr]
) -> list[exp.Expr]:
    """The keys of the step that one row of `home` does not tell."""
    settled, places = shape.closure([home.alias], shape.places(fixed))

    def is_told(column: exp.Column) -> bool:
        place: Place | None = shape.place(column)
        return place is None or place in places or place[0] in settled

    return [k for k in keys if k not in fixed and not all(map(is_told, columns_in(k)))]
