"""Amounts that do not add up: of several currencies or units, with tax and without.

Two ways to go wrong: a SUM over rows of which a column beside says which currency (unit, tax) each
is in, and `a + b` of columns that the catalog gives different ones. A conversion passes: an amount
times an exchange rate, or a CASE over the currency.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from ingest.store import Catalog, ColumnRecord
from tools.sql.calls import Call, calls_of, terms
from tools.sql.dividers import (
    NUMBERS,
    Amount,
    Divider,
    amount_of,
    dividers_of,
    is_conversion,
    is_share,
    snake,
)
from tools.sql.doubts import Doubt, column_of, more_than_one, probe
from tools.sql.multiplied import Joined, joined
from tools.sql.sources import columns_in, selects_of, sources_of

KIND = "amounts_do_not_add_up"


def amount_doubts(tree: exp.Expr, scope: Scope, catalog: Catalog) -> Iterator[Doubt]:
    select = scope.expression
    if not isinstance(select, exp.Select):
        return
    sources = sources_of(scope, catalog)
    shape = joined(select, sources)
    yield from _added_columns(scope, shape)
    for call in calls_of(scope):
        if isinstance(call.node, exp.Sum | exp.Avg):
            yield from _chosen_columns(call, shape, catalog)
    divided = [
        (alias, column, divider)
        for alias, source in sources.items()
        if source.record is not None
        for column, divider in dividers_of(source.record)
    ]
    for call in calls_of(scope) if divided else ():
        if isinstance(call.node, exp.Sum | exp.Avg):
            within = joined(select, sources, call.conditions)
            for alias, column, divider in divided:
                if _is_mixed(call, alias, column, divider, within):
                    yield _mixed(tree, select, call, alias, column, divider)


def _is_mixed(
    call: Call, alias: str, column: ColumnRecord, divider: Divider, shape: Joined
) -> bool:
    """Whether the aggregate takes amounts that this column speaks of, and nothing fixes it."""
    place = (alias, column.name.lower())
    _, known = shape.closure((), shape.places(call.keys))
    if place in known or any(shape.place(c) == place for c in columns_in(call.value)):
        return False
    return any(speaks_of(term, alias, divider, shape) for term in terms(call.value))


def speaks_of(term: exp.Expr, alias: str, divider: Divider, shape: Joined) -> bool:
    """Whether a term has an amount of that table, or of rows that belong to one of its rows."""
    columns = columns_in(term)
    if any(is_conversion(c.name) for c in columns):
        return False
    for column in columns:
        place = shape.place(column)
        record = shape.sources[place[0]].record if place is not None else None
        found = record.column(column.name) if record is not None else None
        if place is None or found is None or not found.type.startswith(NUMBERS):
            continue
        settled, _ = shape.closure([place[0]], ())
        own = found.currency if divider.what == "currencies" else None
        name = snake(found.name)
        measured = divider.measured.search(name) and not is_share(name)
        if measured and own is None and alias in settled:
            return True
    return False


def _mixed(
    tree: exp.Expr,
    select: exp.Select,
    call: Call,
    alias: str,
    column: ColumnRecord,
    divider: Divider,
) -> Doubt:
    said = column_of(column.name, alias)
    there = exp.NEQ(this=exp.paren(call.value.copy()), expression=exp.Literal.number(0))
    asked = probe(
        tree,
        select,
        outputs=(exp.Min(this=said.copy()), exp.Max(this=said.copy())),
        where=(there, *call.conditions),
        group=call.keys,
        having=more_than_one(exp.Count(this=exp.Distinct(expressions=[said.copy()]))),
    )
    name = f'{alias}."{column.name}"'
    ways = [f"GROUP BY {name}", f"filter one: {name} = '{column.examples[0]}'"]
    if divider.what == "currencies":
        ways.append("convert: amount * rate")
    return Doubt(
        KIND,
        f"{call.node.sql(dialect='duckdb')} adds amounts of several {divider.what} ({{found}})",
        ", or ".join(ways),
        (asked,),
        proved=not _mentions(select, name=column.name),
    )


def _mentions(select: exp.Select, name: str) -> bool:
    where = select.args.get("where")
    named = where.find_all(exp.Column) if where is not None else ()
    return any(c.name.lower() == name.lower() for c in named)


def not_alike(said: exp.Expr, found: Sequence[Amount | None]) -> Iterator[Doubt]:
    """The first two columns of a sum that the catalog gives different currencies, units or tax."""
    known = [one for one in found if one is not None]
    is_sum = said.find(exp.Sub) is None
    for (one, first), (other, second) in pairwise(known):
        apart = _apart(first, second, is_sum=is_sum)
        if apart is not None:
            yield _columns_apart(one, other, apart)
            return


def _columns_apart(one: str, other: str, apart: str) -> Doubt:
    return Doubt(
        KIND,
        f"{one} and {other} are not in the same {apart}",
        "give them as two columns, or convert one: multiply it by a rate",
        proved=True,
    )


def _added_columns(scope: Scope, shape: Joined) -> Iterator[Doubt]:
    for node in scope.find_all(exp.Add, exp.Sub):
        left, right = amount_of(node.left, shape), amount_of(node.right, shape)
        if left is None or right is None:
            continue
        (one, first), (other, second) = left, right
        apart = _apart(first, second, is_sum=isinstance(node, exp.Add))
        if apart is not None:
            yield _columns_apart(one, other, apart)


def _chosen_columns(call: Call, shape: Joined, catalog: Catalog) -> Iterator[Doubt]:
    """One column in some rows and another in others: the branches of a CASE or of a UNION."""
    found = [amount_of(value, shape) for value in _branch_values(call.value)]
    for term in terms(call.value):
        found += _union_amounts(term, call, shape, catalog)
    known = [one for one in found if one is not None]
    for (one, first), (other, second) in pairwise(known):
        apart = _apart(first, second, is_sum=True)
        if apart is not None:
            yield Doubt(
                KIND,
                f"{call.node.sql(dialect='duckdb')} adds {one} and {other}, which are not in the "
                f"same {apart}",
                "give them as two columns, or convert one: multiply it by a rate",
                proved=True,
            )
            return


def _branch_values(node: exp.Expr) -> Iterator[exp.Expr]:
    for case in node.find_all(exp.Case):
        yield from (branch.args["true"] for branch in case.args.get("ifs") or ())
        if case.args.get("default") is not None:
            yield case.args["default"]


def _union_amounts(
    term: exp.Expr, call: Call, shape: Joined, catalog: Catalog
) -> list[Amount | None]:
    """The column that each branch of a UNION gives; none where the group tells them apart."""
    place = shape.place(term)
    step = shape.sources[place[0]].scope if place is not None else None
    if place is None or step is None or not isinstance(step.expression, exp.Union):
        return []
    names = [name.lower() for name in step.expression.named_selects]
    if place[1] not in names or any(p[0] == place[0] for p in shape.places(call.keys)):
        return []
    at = names.index(place[1])
    found: list[Amount | None] = []
    for branch in selects_of(step):
        if at < len(branch.expression.expressions):
            inner = branch.expression.expressions[at].unalias()
            found.append(amount_of(inner, Joined(sources_of(branch, catalog))))
    return found


def _apart(first: ColumnRecord, second: ColumnRecord, *, is_sum: bool) -> str | None:
    """What keeps two columns from being added; the catalog must know it of both. With tax less
    without tax is the tax."""
    if first.currency and second.currency:
        if first.currency != second.currency:
            return f"currency ({first.currency}, {second.currency})"
    elif first.unit and second.unit and first.unit.casefold() != second.unit.casefold():
        return f"unit ({first.unit}, {second.unit})"
    if is_sum and first.tax and second.tax and first.tax != second.tax:
        return f"tax treatment ({first.tax}, {second.tax})"
    return None
