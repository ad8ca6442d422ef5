"""Which rows a join repeats: from a row of one source, which others are settled by their keys.

A source is settled when the columns that are known, given that row and the keys of its group, are
unique in it; then it adds at most one row. Known are columns that equal a constant, a column of an
outer query, or known columns (a closure, as of functional dependencies).
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from tools.sql.doubts import column_of, quoted
from tools.sql.sources import Source, alias_of, columns_in, conditions

Place = tuple[str, str]
"""(alias, column), in lower case."""
Equality = tuple[Place, frozenset[Place]]
"""A column and those that fix it; none for a constant."""


@dataclass(frozen=True)
class Joined:
    """The sources of one SELECT and what its conditions make equal."""

    sources: dict[str, Source]
    equalities: tuple[Equality, ...] = ()

    def closure(
        self, given: Collection[str], fixed: Collection[Place], *, doubt: bool = False
    ) -> tuple[set[str], set[Place]]:
        """The sources that are settled and the columns that are known, once the rows of `given`
        and the columns `fixed` are. `doubt`: what is not disproved counts as settled."""
        settled = set(given) | {a for a, s in self.sources.items() if not s.is_known}
        for alias in given:
            settled |= self.behind(alias)
        places = set(fixed)
        before = (-1, -1)
        while before != (len(settled), len(places)):
            before = (len(settled), len(places))
            for place, needs in self.equalities:
                if all(n in places or n[0] in settled for n in needs):
                    places.add(place)
            for alias in self.sources.keys() - settled:
                if not self.sources[alias].within <= settled:
                    continue
                columns = frozenset(c for a, c in places if a == alias)
                unique = self.sources[alias].is_unique(columns)
                if unique or (unique is None and doubt):
                    settled.add(alias)
        return settled, places

    def behind(self, alias: str) -> set[str]:
        """The sources of whose one row a row of this one is made (LATERAL)."""
        found: set[str] = set()
        waiting = [alias]
        while waiting:
            new = self.sources[waiting.pop()].within - found
            found |= new
            waiting += new
        return found

    def row_of(self, alias: str) -> list[exp.Expr]:
        """The columns that tell the rows of a source apart; none where that is not known."""
        source = self.sources[alias]
        if source.record is not None:
            return [exp.column("rowid", table=quoted(alias))]
        key: frozenset[str] | None = next((k for k in source.keys if k), None)
        if key is None and not (source.within and source.keys):
            return []
        outer = [self.row_of(a) for a in sorted(self.behind(alias))]
        own = [column_of(c, alias) for c in sorted(key or ())]
        return [*own, *(c for columns in outer for c in columns)] if all(outer) else []

    def place(self, node: exp.Expr) -> Place | None:
        """Where a plain column (or a cast of one) stands; None for anything else."""
        while isinstance(node, exp.Cast | exp.Paren):
            node = node.this
        if not isinstance(node, exp.Column):
            return None
        alias = alias_of(node, self.sources)
        return (alias, node.name.lower()) if alias is not None else None

    def places(self, nodes: Sequence[exp.Expr]) -> frozenset[Place]:
        return frozenset(p for p in map(self.place, nodes) if p is not None)

    def aliases(self, node: exp.Expr) -> set[str]:
        found = (alias_of(column, self.sources) for column in columns_in(node))
        return {alias for alias in found if alias is not None}

    def mentioned(self, node: exp.Expr) -> set[str]:
        """The same with what its subqueries take from here."""
        found = (alias_of(column, self.sources) for column in node.find_all(exp.Column))
        return {alias for alias in found if alias is not None}


def joined(select: exp.Expr, sources: dict[str, Source], extra: Sequence[exp.Expr] = ()) -> Joined:
    """`extra`: further conditions, such as those of a FILTER."""
    shape = Joined(sources)
    found = [e for part in (*conditions(select), *extra) for e in _equalities(part, shape)]
    return Joined(sources, (*found, *_shared_columns(select, sources)))


def _equalities(part: exp.Expr, shape: Joined) -> Iterator[Equality]:
    if isinstance(part, exp.In) and len(part.expressions) == 1 and not part.args.get("query"):
        sides = [(part.this, part.expressions[0])]
    elif isinstance(part, exp.EQ | exp.NullSafeEQ):
        sides = [(part.this, part.expression), (part.expression, part.this)]
    else:
        return
    for one, other in sides:
        place = shape.place(one)
        if place is not None:
            columns = [(alias_of(c, shape.sources), c.name.lower()) for c in columns_in(other)]
            yield place, frozenset((a, name) for a, name in columns if a is not None)


def _shared_columns(select: exp.Expr, sources: dict[str, Source]) -> Iterator[Equality]:
    """`JOIN b USING (x)` and NATURAL JOIN, against every source before it with that column."""
    first = select.args.get("from_")
    earlier = [] if first is None else [first.this.alias_or_name.lower()]
    for join in select.args.get("joins") or ():
        alias = join.alias_or_name.lower()
        columns = sources[alias].columns if alias in sources else frozenset()
        named = frozenset(i.name.lower() for i in join.args.get("using") or ())
        for other in earlier:
            theirs = sources[other].columns if other in sources else frozenset()
            for name in (columns if join.method == "NATURAL" else named) & columns & theirs:
                yield (alias, name), frozenset([(other, name)])
                yield (other, name), frozenset([(alias, name)])
        earlier.append(alias)
