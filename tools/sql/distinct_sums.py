"""SUM(DISTINCT x): takes equal figures of different rows once, and so too little.

It is written to undo a join that repeats rows, and undoes it only where no two figures are alike.
"""

from collections.abc import Iterator

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from ingest.store import Catalog
from tools.sql.calls import Call, calls_of
from tools.sql.doubts import Doubt, more_than_one, probe
from tools.sql.multiplied import Joined, joined
from tools.sql.sources import columns_in, sources_of

KIND = "distinct_drops_rows"


def distinct_doubts(tree: exp.Expr, scope: Scope, catalog: Catalog) -> Iterator[Doubt]:
    select = scope.expression
    if not isinstance(select, exp.Select):
        return
    sources = sources_of(scope, catalog)
    for call in calls_of(scope, distinct=True):
        shape = joined(select, sources, call.conditions)
        home = _home(call, shape)
        own = shape.row_of(home) if home is not None else []
        if home is None or not own:
            continue
        value = call.value.expressions[0]
        there = exp.NEQ(this=exp.paren(value.copy()), expression=exp.Literal.number(0))
        rows = own[0] if len(own) == 1 else exp.Tuple(expressions=own)
        asked = probe(
            tree,
            select,
            outputs=(value,),
            where=(there, *call.conditions),
            group=(*call.keys, value),
            having=more_than_one(exp.Count(this=exp.Distinct(expressions=[rows]))),
        )
        said, name = call.node.sql(dialect="duckdb"), shape.sources[home].name
        message = f"{said} takes equal figures once: several rows of {name} have {{found}}"
        hint = f"SUM over {name} alone, in a WITH step before any join"
        yield Doubt(KIND, message, hint, (asked,))


def _home(call: Call, shape: Joined) -> str | None:
    """The one source of the figures; none for a rate, nor where it is not one."""
    homes = shape.aliases(call.value)
    if not isinstance(call.node, exp.Sum) or len(homes) != 1:
        return None
    home = next(iter(homes))
    record = shape.sources[home].record
    found = [record.column(c.name) for c in columns_in(call.value)] if record is not None else []
    is_rate = any(c is not None and c.measure == "rate" for c in found)
    return None if is_rate or record is None else home
