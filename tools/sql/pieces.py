"""Amounts that are added piece by piece: `SUM(x) FILTER (…) + SUM(x) FILTER (…)`, scalar
subqueries, branches of a UNION, branches of a CASE over the currency.

Each piece alone may be of one currency (unit, tax treatment); added up they may be of several. A
piece that is converted, `SUM(x * rate)` or `SUM(x) * 150`, is not counted in.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from ingest.store import Catalog
from tools.sql.amounts import KIND, not_alike, speaks_of
from tools.sql.calls import Call, calls_of, terms
from tools.sql.dividers import Amount, Divider, amount_of, dividers_of, is_conversion
from tools.sql.doubts import Doubt, column_of, more_than_one, picked, probe
from tools.sql.multiplied import Joined, joined
from tools.sql.sources import columns_in, selects_of, sources_of

MAX_DEPTH = 6
_SAME_AMOUNT = (exp.Paren, exp.Cast, exp.Round, exp.Coalesce, exp.Neg, exp.Window)
_Divided = tuple[str, str, Divider]
"""(alias, column, what it says)."""


@dataclass(frozen=True)
class Piece:
    """An amount of some rows of a SELECT: all that meet its WHERE and these conditions."""

    scope: Scope
    value: exp.Expr
    conditions: tuple[exp.Expr, ...] = ()
    keys: tuple[exp.Expr, ...] = ()
    is_total: bool = True
    """Whether it is one value over all rows, not one of each row or group."""

    @property
    def select(self) -> exp.Select:
        assert isinstance(self.scope.expression, exp.Select)
        return self.scope.expression


def piece_doubts(tree: exp.Expr, scope: Scope, catalog: Catalog) -> Iterator[Doubt]:
    select = scope.expression
    if not isinstance(select, exp.Select):
        return
    for sum_of in _outermost_sums(scope):
        pieces = [p for term in terms(sum_of) for p in _pieces(term, scope, catalog)]
        yield from not_alike(sum_of, [_plain(piece, catalog) for piece in pieces])
        yield from _together(tree, sum_of, pieces, catalog)
    for call in calls_of(scope):
        if isinstance(call.node, exp.Sum | exp.Avg):
            yield from _together(tree, call.node, list(_cases(scope, call)), catalog)
            for term in terms(call.value):
                united = list(_united(term, call, scope, catalog))
                yield from _together(tree, call.node, united, catalog)


def _outermost_sums(scope: Scope) -> Iterator[exp.Expr]:
    for node in scope.find_all(exp.Add, exp.Sub):
        around = node.parent
        while isinstance(around, _SAME_AMOUNT):
            around = around.parent
        if not isinstance(around, exp.Add | exp.Sub):
            yield node


def _pieces(node: exp.Expr, scope: Scope, catalog: Catalog, depth: int = 0) -> Iterator[Piece]:
    """What rows a term of a sum is made of: of an aggregate, a scalar subquery, a step's column."""
    while isinstance(node, (*_SAME_AMOUNT, exp.Filter)):
        node = node.this
    if depth > MAX_DEPTH:
        return
    if isinstance(node, exp.Sum | exp.Avg):
        for call in calls_of(scope):
            if call.node is node:
                yield from list(_cases(scope, call)) or [_whole(scope, call)]
    elif isinstance(node, exp.Subquery):
        for inner in scope.subquery_scopes:
            if inner.expression is node.unnest():
                yield from _output(inner, 0, catalog, depth)
    elif isinstance(node, exp.Column):
        place = Joined(sources_of(scope, catalog)).place(node)
        source = sources_of(scope, catalog)[place[0]].scope if place is not None else None
        if place is not None and source is not None:
            names = [n.lower() for n in getattr(source.expression, "named_selects", ())]
            if place[1] in names:
                yield from _output(source, names.index(place[1]), catalog, depth)


def _output(scope: Scope, at: int, catalog: Catalog, depth: int) -> Iterator[Piece]:
    select = scope.expression
    if isinstance(select, exp.Select) and at < len(select.expressions):
        for term in terms(select.expressions[at].unalias()):
            yield from _pieces(term, scope, catalog, depth + 1)


def _whole(scope: Scope, call: Call) -> Piece:
    return Piece(scope, call.value, call.conditions, call.keys, _is_total(scope, call))


def _plain(piece: Piece, catalog: Catalog) -> Amount | None:
    return amount_of(piece.value, Joined(sources_of(piece.scope, catalog)))


def _is_total(scope: Scope, call: Call) -> bool:
    around = call.node.parent
    around = around.parent if isinstance(around, exp.Filter) else around
    return not isinstance(around, exp.Window) and not scope.expression.args.get("group")


def _cases(scope: Scope, call: Call) -> Iterator[Piece]:
    """The branches of a CASE that each take an amount as it is; none where one converts it."""
    case = call.value
    while isinstance(case, exp.Paren | exp.Cast | exp.Coalesce | exp.Round):
        case = case.this
    found = list(_branches(case))
    if any(_converts(value) for value, _ in found):
        return
    total = _is_total(scope, call)
    for value, condition in found:
        if columns_in(value):
            yield Piece(scope, value, (*call.conditions, condition), call.keys, total)


def _branches(case: exp.Expr) -> Iterator[tuple[exp.Expr, exp.Expr]]:
    """(value, condition) of a CASE or IF, the ELSE among them."""
    if not isinstance(case, exp.Case | exp.If):
        return
    ifs = [case] if isinstance(case, exp.If) else case.args.get("ifs") or []
    subject = case.this if isinstance(case, exp.Case) else None
    met = []
    for branch in ifs:
        asked = branch.this
        met.append(exp.EQ(this=subject, expression=asked) if subject is not None else asked)
        yield branch.args["true"], met[-1].copy()
    rest = case.args.get("false" if isinstance(case, exp.If) else "default")
    if rest is not None and met:
        yield rest, exp.not_(exp.func("coalesce", exp.or_(*met), exp.false()))


def _converts(value: exp.Expr) -> bool:
    """Whether an amount is made another one: by a factor, or by a column of rates."""
    factors = [n for m in value.find_all(exp.Mul, exp.Div) for n in m.iter_expressions()]
    scaled = any(isinstance(n, exp.Literal) for n in factors)
    return scaled or any(is_conversion(c.name) for c in columns_in(value))


def _united(term: exp.Expr, call: Call, scope: Scope, catalog: Catalog) -> Iterator[Piece]:
    """The branches of a UNION that a sum reads; none where its group tells them apart."""
    shape = Joined(sources_of(scope, catalog))
    place = shape.place(term)
    step = shape.sources[place[0]].scope if place is not None else None
    if place is None or step is None or not isinstance(step.expression, exp.Union):
        return
    names = [name.lower() for name in step.expression.named_selects]
    if place[1] not in names or any(p[0] == place[0] for p in shape.places(call.keys)):
        return
    for branch in selects_of(step):
        given = branch.expression.expressions
        if names.index(place[1]) < len(given):
            value = given[names.index(place[1])].unalias()
            grouped = list(_pieces(value, branch, catalog))
            for piece in grouped or [Piece(branch, value)]:
                yield Piece(piece.scope, piece.value, piece.conditions)


def _together(
    tree: exp.Expr, said: exp.Expr, pieces: Sequence[Piece], catalog: Catalog
) -> Iterator[Doubt]:
    """Whether the amounts of all pieces are of several currencies, asked of the data."""
    found = [(p, d) for p in pieces for d in _divided(p, catalog)]
    for what in dict.fromkeys(d[2].what for _, d in found):
        of = [(p, d) for p, d in found if d[2].what == what]
        selects = {id(p.scope): p.scope for p, _ in of}
        if len(selects) == 1 and len({p.keys for p, _ in of}) == 1:
            asked = _within_one(tree, of)
        elif all(p.is_total for p, _ in of):
            asked = _over_several(tree, of)
        else:
            continue
        name = of[0][1][1]
        yield Doubt(
            KIND,
            f"{said.sql(dialect='duckdb')} adds amounts of several {what} ({{found}})",
            f'GROUP BY "{name}", or give them as columns of their own, or convert: amount * rate',
            (asked,),
        )


def _divided(piece: Piece, catalog: Catalog) -> Iterator[_Divided]:
    """The columns that say what a piece's amounts are in."""
    sources = sources_of(piece.scope, catalog)
    shape = joined(piece.scope.expression, sources, piece.conditions)
    for alias, source in sources.items():
        for column, divider in dividers_of(source.record) if source.record is not None else ():
            if any(speaks_of(term, alias, divider, shape) for term in terms(piece.value)):
                yield alias, column.name, divider


def _rows_of(piece: Piece) -> exp.Expr:
    there = exp.NEQ(this=exp.paren(piece.value.copy()), expression=exp.Literal.number(0))
    return exp.and_(there, *(c.copy() for c in piece.conditions))


def _within_one(tree: exp.Expr, of: Sequence[tuple[Piece, _Divided]]) -> str:
    """One SELECT's own rows, within its groups."""
    first, (alias, name, _) = of[0]
    said = column_of(name, alias)
    return probe(
        tree,
        first.select,
        outputs=(exp.Min(this=said.copy()), exp.Max(this=said.copy())),
        where=(exp.or_(*(_rows_of(p) for p, _ in of)),),
        group=first.keys,
        having=more_than_one(exp.Count(this=exp.Distinct(expressions=[said.copy()]))),
    )


def _over_several(tree: exp.Expr, of: Sequence[tuple[Piece, _Divided]]) -> str:
    """The rows behind all the SELECTs."""
    parts = []
    for piece, (alias, name, _) in of:
        said = column_of(name, alias)
        parts.append(picked(tree, piece.select, said, _rows_of(piece)))
    rows = " UNION ALL ".join(f"SELECT said FROM ({part}) AS part" for part in parts)
    return f"SELECT min(said), max(said) FROM ({rows}) AS pieces HAVING count(DISTINCT said) > 1"
