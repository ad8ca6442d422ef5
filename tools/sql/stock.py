"""Stock that is added up over dates: refused with the fix.

What is on hand may be summed over goods and places, never over days: ten pieces that lie there
for thirty days are not three hundred. A SUM passes when one day is fixed or grouped by, and when
the rows of this query hold no more than one day of each thing (`tools.sql.doubts`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from ingest.store import Catalog, ColumnRecord, TableRecord
from ingest.store.records import SOURCE_COLUMN
from tools.sql.calls import Call, calls_of, terms
from tools.sql.doubts import Doubt, more_than_one, probe, quoted
from tools.sql.multiplied import Joined, joined
from tools.sql.sources import Source, columns_in, conditions, group_keys, sources_of

KIND = "stock_over_dates"
NUMBERS = ("BIGINT", "INTEGER", "SMALLINT", "HUGEINT", "DECIMAL", "DOUBLE", "FLOAT")
MAX_DEPTH = 4
PER_GROUP = (exp.Sum, exp.Max, exp.Min, exp.Avg, exp.AnyValue, exp.IgnoreNulls)


@dataclass(frozen=True)
class Origin:
    """Where a summed column comes from: a stock table, and under which name the source that it
    is read from has the table's date."""

    alias: str
    table: TableRecord
    date: str
    step: exp.Select | None = None
    """Where the date is grouped by, but not given out: the step that does so."""


def is_series(table: TableRecord) -> bool:
    """Whether the table holds the same things on several dates."""
    if table.date_column is None:
        return False
    dated = table.date_column.lower() in {c.lower() for c in table.primary_key}
    has_stock = any(c.measure == "stock" for c in table.columns)
    return table.snapshot or (dated and has_stock)


def stock_doubts(
    tree: exp.Expr, scope: Scope, catalog: Catalog, series: list[TableRecord]
) -> Iterator[Doubt]:
    """`series`: the stock tables of the whole query."""
    select = scope.expression
    if not series or not isinstance(select, exp.Select) or select.args.get("qualify"):
        return
    sources = sources_of(scope, catalog)
    for call in calls_of(scope):
        if not isinstance(call.node, exp.Sum) or _is_averaged(call):
            continue
        shape = joined(select, sources, call.conditions)
        for origin in _origins(call, shape, catalog):
            doubt = _doubt(tree, select, call, origin, shape)
            if doubt is not None and not _is_of_one_date(origin.table, catalog):
                yield doubt
                break


def _is_averaged(call: Call) -> bool:
    """SUM(x) / COUNT(…) is an average, and so is SUM(x) OVER (… ROWS 6 PRECEDING) / 7."""
    node: exp.Expr = call.node
    is_moving = False
    if isinstance(node.parent, exp.Filter):
        node = node.parent
    if isinstance(node.parent, exp.Window):
        node = node.parent
        spec = node.args.get("spec")
        if spec is not None and _is_one_row(spec):
            return True
        is_moving = spec is not None
    child = node
    around = node.parent
    while isinstance(around, exp.Paren | exp.Cast | exp.Round | exp.Mul | exp.Coalesce):
        child, around = around, around.parent
    return (
        isinstance(around, exp.Div)
        and around.left is child
        and (is_moving or around.right.find(exp.Count) is not None)
    )


def _is_one_row(spec: exp.WindowSpec) -> bool:
    """ROWS BETWEEN 1 PRECEDING AND 1 PRECEDING: the row before."""
    ends = [(spec.args.get(end), spec.args.get(f"{end}_side")) for end in ("start", "end")]
    return ends[0] == ends[1]


def _origins(call: Call, shape: Joined, catalog: Catalog) -> Iterator[Origin]:
    for term in terms(call.value):
        for column in columns_in(term):
            place = shape.place(column)
            if place is not None:
                source = shape.sources[place[0]]
                origin = _origin(source, column.name, catalog, 0)
                if origin is not None:
                    yield origin


def _origin(source: Source, name: str, catalog: Catalog, depth: int) -> Origin | None:
    if source.record is not None:
        table = source.record
        column = table.column(name)
        if column is None or table.date_column is None or not is_series(table):
            return None
        dated = table.date_column
        return Origin(source.alias, table, dated) if _is_stock(table, column) else None
    if source.scope is None or depth == MAX_DEPTH:
        return None
    select = source.scope.expression
    if not isinstance(select, exp.Select):
        return None
    item = next((i for i in select.expressions if i.alias_or_name.lower() == name.lower()), None)
    inner = item.unalias() if item is not None else None
    while isinstance(inner, PER_GROUP):
        inner = inner.this
    if not isinstance(inner, exp.Column):
        return None
    sources = sources_of(source.scope, catalog)
    shape = joined(select, sources)
    place = shape.place(inner)
    found = _origin(sources[place[0]], inner.name, catalog, depth + 1) if place else None
    if found is None or found.step is not None:
        return found
    for given in select.expressions:
        at = shape.place(given.unalias())
        if at == (found.alias, found.date.lower()):
            return Origin(source.alias, found.table, given.alias_or_name)
    keys = shape.places(group_keys(select) or ())
    if (found.alias, found.date.lower()) in keys:
        return replace(found, step=select)
    return None


def _is_stock(table: TableRecord, column: ColumnRecord) -> bool:
    if column.measure is not None or not table.snapshot:
        return column.measure == "stock"
    return column.type.startswith(NUMBERS)


def _doubt(
    tree: exp.Expr, select: exp.Select, call: Call, origin: Origin, shape: Joined
) -> Doubt | None:
    if origin.step is not None:
        return _hidden(tree, call, origin, origin.step)
    alias, dated = origin.alias, origin.date.lower()
    _, known = shape.closure((), shape.places(call.keys))
    if (alias, dated) in known or origin.table.data_from == origin.table.data_to is not None:
        return None
    names = [source.name for source in shape.sources.values()]
    if names.count(shape.sources[alias].name) > 1:
        # Two days of one table side by side: a difference, not a sum over days.
        return None
    column = exp.column(quoted(origin.date), table=quoted(alias) if alias else None)
    conditioned = [*conditions(select), *call.conditions, call.value]
    touched = any((alias, dated) in shape.places(columns_in(part)) for part in conditioned)
    there = exp.NEQ(this=exp.paren(call.value.copy()), expression=exp.Literal.number(0))
    days = exp.Count(this=exp.Distinct(expressions=[column.copy()]))
    asked = probe(
        tree,
        select,
        outputs=(exp.Min(this=column.copy()), exp.Max(this=column.copy())),
        where=(there, *call.conditions),
        group=(*call.keys, *_things(origin, shape.sources[alias])),
        having=more_than_one(days),
    )
    return Doubt(KIND, _message(call, origin), _hint(origin, alias), (asked,), not touched)


def _hidden(tree: exp.Expr, call: Call, origin: Origin, step: exp.Select) -> Doubt:
    """The days were added up one by one in a step that does not give them out."""
    column = exp.column(quoted(origin.date), table=quoted(origin.alias))
    asked = probe(
        tree,
        step,
        outputs=(exp.Min(this=column.copy()), exp.Max(this=column.copy())),
        having=more_than_one(exp.Count(this=exp.Distinct(expressions=[column.copy()]))),
    )
    return Doubt(KIND, _message(call, origin), _hint(origin, origin.alias), (asked,), proved=True)


def _is_of_one_date(table: TableRecord, catalog: Catalog) -> bool:
    """Each thing stands there once, with the day that it was counted on: its code is the key. A
    number that refers to nothing is no thing's code, but counts the rows."""
    if len(table.primary_key) != 1 or table.date_column in table.primary_key:
        return False
    (key,) = table.primary_key
    column = table.column(key)
    refers = any((j.left_table, j.left_column) == (table.name, key) for j in catalog.joins)
    return refers or (column is not None and column.type == "VARCHAR")


def _things(origin: Origin, source: Source) -> Iterator[exp.Expr]:
    """The columns that tell apart what lies in stock; one thing may well be counted on one day
    and another on the next."""
    table = source.record
    if table is None:
        return
    key = [c for c in table.primary_key if c.lower() != origin.date.lower()]
    if len(key) == len(table.primary_key):
        key = [
            c.name
            for c in table.columns
            if c.type == "VARCHAR"
            and (not c.distinct or c.distinct < table.rows - c.nulls)
            and not (table.parts and c.name == SOURCE_COLUMN)
        ]
    for name in key:
        yield exp.column(quoted(name), table=quoted(source.alias))


def _message(call: Call, origin: Origin) -> str:
    said = call.node.sql(dialect="duckdb")
    return (
        f"{said} adds up the stock of several days ({{found}}): {origin.table.name} holds what was "
        f"there on each {origin.table.date_column}, which is not summable over time"
    )


def _hint(origin: Origin, alias: str) -> str:
    dated, table = f'{alias}."{origin.date}"'.lstrip("."), origin.table.name
    return (
        f'filter one day: {dated} = (SELECT max("{origin.table.date_column}") FROM {table}), '
        f"or GROUP BY {dated}, or take AVG of the daily sums"
    )
