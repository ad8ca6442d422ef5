"""Aggregates over rows that a join repeats: refused with the reason and the fix.

A SUM or AVG is judged from the rows that its figures stand in: another source that adds several
rows to one of those repeats the figure. A COUNT is judged over all sources: somewhere in FROM must
be a row for each row counted. Keys of the group count as known: sales by tag count a sale once
for each tag. What repeats without doing harm passes (MIN, MAX, DISTINCT, a rate that is looked up
for each row), and so does what the data show to be repeated nowhere (`tools.sql.doubts`).
"""

from collections.abc import Iterator, Sequence

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from ingest.store import Catalog
from tools.sql.calls import COUNTS, Call, calls_of, terms
from tools.sql.doubts import Doubt, more_than_one, probe, quoted
from tools.sql.multiplied import Joined, Place, joined
from tools.sql.sources import Source, columns_in, group_keys, sources_of

KIND = "join_multiplies_rows"


def join_doubts(tree: exp.Expr, scope: Scope, catalog: Catalog) -> Iterator[Doubt]:
    select = scope.expression
    if not isinstance(select, exp.Select) or len(scope.selected_sources) < 2:
        return
    sources = sources_of(scope, catalog)
    if len(sources) < 2:
        return
    crossed = any(j.kind == "CROSS" for j in select.args.get("joins") or ())
    for call in calls_of(scope):
        shape = joined(select, sources, call.conditions)
        fixed = shape.places(call.keys)
        for homes in _homes(call, shape, crossed=crossed):
            doubt = _doubt(tree, select, call, homes, shape, fixed, catalog)
            if doubt is not None:
                yield doubt


def _homes(call: Call, shape: Joined, *, crossed: bool) -> Iterator[set[str]]:
    """For each thing that is added up, the sources of which one must have a row for each of its
    own; none where that cannot be told. `crossed`: a CROSS JOIN asks for all pairs."""
    everything = set(shape.sources)
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
    """A figure that is shared out (x / n), worked out by a subquery, or of a source of which
    nothing is known; and a rate, which is looked up for each row."""
    if term.find(exp.Subquery, exp.Window) is not None:
        return True
    if any(shape.aliases(d.expression) for d in term.find_all(exp.Div)):
        return True
    if any(not shape.sources[alias].is_known for alias in homes):
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
    if any(_is_whole(alias, shape, fixed, doubt=False) for alias in homes):
        return None
    if len(homes) > 1 and _is_self_join(homes, shape):
        return None
    proved = not any(_is_whole(alias, shape, fixed, doubt=True) for alias in homes)
    probes = [_probe(tree, select, call, shape.sources[alias]) for alias in sorted(homes)]
    if not proved and not all(probes):
        return None
    home = shape.sources[min(homes)]
    repeating = _repeating(home.alias, shape, fixed)
    if repeating is None:
        return None
    return Doubt(
        KIND,
        _message(call, homes, home, repeating, shape),
        _hint(call, select, homes, home, repeating, shape, catalog),
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


def _probe(tree: exp.Expr, select: exp.Select, call: Call, home: Source) -> str:
    """Finds a row of `home` that the aggregate meets twice within one group; "" where its rows
    cannot be told apart."""
    if home.record is not None:
        own: list[exp.Expr] = [exp.column("rowid", table=quoted(home.alias))]
    else:
        key: frozenset[str] = next((k for k in home.keys if k), frozenset())
        own = [exp.column(quoted(c), table=quoted(home.alias)) for c in sorted(key)]
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


def _link(home: Source, repeating: Source, shape: Joined) -> tuple[Place, Place] | None:
    """The equality over which the repeating source is joined: its own column and the other."""
    for place, needs in shape.equalities:
        if place[0] == repeating.alias and len(needs) == 1:
            (other,) = needs
            if other[0] != repeating.alias:
                return place, other
    return None


def _message(call: Call, homes: set[str], home: Source, repeating: Source, shape: Joined) -> str:
    link = _link(home, repeating, shape)
    said = call.node.sql(dialect="duckdb")
    if link is None:
        return f"{said} is too large: {repeating.name} multiplies rows of {home.name}"
    ends = sorted(f"{shape.sources[alias].name}.{column}" for alias, column in link)
    over = " = ".join(ends)
    if len(homes) > 1:
        return f"{over} multiplies rows: it is unique on neither side, so {said} is too large"
    return (
        f"{over} multiplies rows: several of {repeating.name} meet one of {home.name}, "
        f"so {said} takes it several times"
    )


def _hint(
    call: Call,
    select: exp.Select,
    homes: set[str],
    home: Source,
    repeating: Source,
    shape: Joined,
    catalog: Catalog,
) -> str:
    ways = []
    names = {home.name, repeating.name}
    link = _link(home, repeating, shape)
    used = {shape.sources[a].name + "." + c for a, c in link} if link is not None else set()
    proved = [
        (f"{j.left_table}.{j.left_column}", f"{j.right_table}.{j.right_column}")
        for j in catalog.joins
        if {j.left_table, j.right_table} == names
    ]
    other = [" = ".join(ends) for ends in proved if {e.lower() for e in ends} != _lower(used)]
    if other:
        ways.append(f"join by {'; '.join(other)}")
    if isinstance(call.node, exp.Count) and len(homes) == 1:
        ways.append(f"COUNT(DISTINCT {call.value.sql(dialect='duckdb')})")
    ways += _rewritten(select, home, repeating, link, shape)
    return ", or ".join(ways)


def _lower(names: set[str]) -> set[str]:
    return {name.lower() for name in names}


def _rewritten(
    select: exp.Select,
    home: Source,
    repeating: Source,
    link: tuple[Place, Place] | None,
    shape: Joined,
) -> Sequence[str]:
    """The fix as SQL: a condition alone as IN, else the many rows added up before the join."""
    if link is None:
        return [f"aggregate {repeating.name} in a WITH step before joining it"]
    (_, column), (alias, other) = link
    shown = [*select.expressions, *(group_keys(select) or ())]
    if not any(repeating.alias in shape.aliases(part) for part in shown):
        return [f"WHERE {alias}.{other} IN (SELECT {column} FROM {repeating.name} WHERE …)"]
    return [
        f"first WITH m AS (SELECT {column}, SUM(…) AS … FROM {repeating.name} GROUP BY {column}), "
        f"then JOIN m ON m.{column} = {alias}.{other}"
    ]
