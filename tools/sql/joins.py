"""Aggregates over rows that a join repeats: refused with the reason and the fix.

A SUM or AVG is judged from the rows that its figures stand in: another source that adds several
rows to one of those repeats the figure. A COUNT is judged over all sources: somewhere in FROM must
be a row for each row counted. Keys of the group count as known: sales by tag count a sale once
for each tag. What repeats without doing harm passes (MIN, MAX, DISTINCT, a rate that is looked up
for each row), and so does what the data show to be repeated nowhere (`tools.sql.doubts`).
"""

from collections.abc import Iterator

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from ingest.store import Catalog
from tools.sql.calls import COUNTS, Call, calls_of, terms
from tools.sql.crossed import unlinked
from tools.sql.doubts import Doubt, more_than_one, probe
from tools.sql.join_fix import hint, message
from tools.sql.multiplied import Joined, Place, joined
from tools.sql.sources import Source, columns_in, sources_of

KIND = "join_multiplies_rows"


def join_doubts(tree: exp.Expr, scope: Scope, catalog: Catalog) -> Iterator[Doubt]:
    select = scope.expression
    if not isinstance(select, exp.Select) or len(scope.selected_sources) < 2:
        return
    sources = sources_of(scope, catalog)
    if len(sources) < 2 or all(s.is_made for s in sources.values()):
        return
    crossed = any(j.kind == "CROSS" for j in select.args.get("joins") or ())
    for call in calls_of(scope):
        shape = joined(select, sources, call.conditions)
        fixed = shape.places(call.keys)
        for homes in _homes(call, shape, crossed=crossed):
            doubt = _doubt(tree, select, call, homes, shape, fixed, catalog)
            if doubt is None and not isinstance(call.node, COUNTS):
                doubt = unlinked(tree, select, call, homes, shape)
            if doubt is not None:
                yield doubt


def _homes(call: Call, shape: Joined, *, crossed: bool) -> Iterator[set[str]]:
    """For each thing that is added up, the sources of which one must have a row for each of its
    own; none where that cannot be told. `crossed`: a CROSS JOIN asks for all pairs."""
    everything = {a for a, s in shape.sources.items() if not s.is_made or s.keys or s.within}
    if isinstance(call.node, COUNTS):
        key = _counted_key(call, shape)
        if key is not None:
            yield {key}
        elif not crossed:
            yield everything
        return
    found = [t for t in terms(call.value) if not isinstance(t, exp.Literal | exp.Null)]
    if not found:
        yield everything
    for term in found:
        homes = shape.aliases(term)
        if homes and not _is_judged_elsewhere(term, homes, shape):
            yield homes


def _is_judged_elsewhere(term: exp.Expr, homes: set[str], shape: Joined) -> bool:
    """A figure that is shared out (x / n), worked out by a subquery, or of rows that the query
    makes itself (weights); and a rate, which is looked up for each row."""
    if term.find(exp.Subquery, exp.Window) is not None:
        return True
    if any(shape.aliases(d.expression) for d in term.find_all(exp.Div)):
        return True
    if any(s.is_made or not s.is_known for s in map(shape.sources.__getitem__, homes)):
        return True
    return all(_measure(column, shape) == "rate" for column in columns_in(term))


def _measure(column: exp.Column, shape: Joined) -> str | None:
    place = shape.place(column)
    record = shape.sources[place[0]].record if place is not None else None
    found = record.column(column.name) if record is not None else None
    return found.measure if found is not None else None


def _counted_key(call: Call, shape: Joined) -> str | None:
    """The source whose own key is counted: COUNT(o.order_id) means orders, not their lines."""
    place = shape.place(call.value) if isinstance(call.node, exp.Count) else None
    if place is None:
        return None
    alias, column = place
    source = shape.sources[alias]
    if source.record is None or source.is_unique(frozenset([column])) is not True:
        return None
    settled, _ = shape.closure((), shape.places(call.keys))
    return None if alias in settled else alias


def _doubt(
    tree: exp.Expr,
    select: exp.Select,
    call: Call,
    homes: set[str],
    shape: Joined,
    fixed: frozenset[Place],
    catalog: Catalog,
) -> Doubt | None:
    if not homes or any(_is_whole(alias, shape, fixed, doubt=False) for alias in homes):
        return None
    if len(homes) > 1 and _is_self_join(homes, shape):
        return None
    proved = not any(_is_whole(alias, shape, fixed, doubt=True) for alias in homes)
    probes = [_probe(tree, select, call, alias, shape) for alias in sorted(homes)]
    if not proved and not all(probes):
        return None
    home = shape.sources[min(homes)]
    repeating = _repeating(home.alias, shape, fixed)
    if repeating is None:
        return None
    return Doubt(
        KIND,
        message(call, homes, home, repeating, shape),
        hint(call, select, homes, home, repeating, shape, catalog),
        tuple(filter(None, probes)) if all(probes) else (),
        proved,
    )


def _is_whole(alias: str, shape: Joined, fixed: frozenset[Place], *, doubt: bool) -> bool:
    settled, _ = shape.closure([alias], fixed, doubt=doubt)
    return settled >= set(shape.sources)


def _is_self_join(homes: set[str], shape: Joined) -> bool:
    """Pairs of rows of one table are counted as such."""
    names = [shape.sources[alias].name for alias in homes]
    return len(set(names)) < len(names)


def _probe(tree: exp.Expr, select: exp.Select, call: Call, home: str, shape: Joined) -> str:
    """Finds a row of `home` that the aggregate meets twice within one group; "" where its rows
    cannot be told apart."""
    own = shape.row_of(home)
    if not own:
        return ""
    there = [exp.Not(this=exp.Is(this=one.copy(), expression=exp.Null())) for one in own]
    counted: list[exp.Expr] = []
    if isinstance(call.node, exp.Sum):
        # A figure of zero, or of a row that CASE or FILTER leaves out, adds nothing twice.
        counted = [exp.NEQ(this=exp.paren(call.value.copy()), expression=exp.Literal.number(0))]
    elif not isinstance(call.value, exp.Star) and call.value is not None:
        counted = [exp.Not(this=exp.Is(this=exp.paren(call.value.copy()), expression=exp.Null()))]
    return probe(
        tree,
        select,
        where=(*there, *counted, *call.conditions),
        group=(*call.keys, *own),
        having=more_than_one(exp.Count(this=exp.Star())),
    )


def _repeating(home: str, shape: Joined, fixed: frozenset[Place]) -> Source | None:
    """The source that adds several rows to one of `home`, nearest first."""
    settled, places = shape.closure([home], fixed)
    open_ones = [s for a, s in shape.sources.items() if a not in settled]
    linked = [s for s in open_ones if any(a == s.alias for a, _ in places)]
    return next(iter(linked or open_ones), None)
