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
from tools.sql.averages import (
    divisors_of,
    is_moving_average,
    is_of_rows,
    is_own_frame,
    is_share,
    other_days,
)
from tools.sql.calls import Call, calls_of, terms
from tools.sql.dividers import NUMBERS
from tools.sql.doubts import Doubt, column_of, more_than_one, probe
from tools.sql.levels import dates_of, is_by_day, moment, one_period
from tools.sql.multiplied import Joined, joined
from tools.sql.sources import Source, columns_in, conditions, group_keys, sources_of

KIND = "stock_over_dates"
MAX_DEPTH = 4
PER_GROUP = (exp.Sum, exp.Max, exp.Min, exp.Avg, exp.AnyValue, exp.IgnoreNulls)


@dataclass(frozen=True)
class Origin:
    """Where a summed column comes from: a stock table, and under which names the source that it
    is read from has the table's date, or its year and month."""

    alias: str
    table: TableRecord
    dates: tuple[str, ...]
    step: exp.Select | None = None
    """Where the date is grouped by, but not given out: the step that does so."""


def is_series(table: TableRecord) -> bool:
    """Whether the table holds the same things on several dates."""
    if table.date_column is None or table.period:
        return any(is_stock(table, column) for column in table.columns) and bool(table.period)
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
        if not isinstance(call.node, exp.Sum) or is_own_frame(call):
            continue
        shape = joined(select, sources, call.conditions)
        for origin in _origins(call, shape, catalog):
            doubt = _doubt(tree, select, call, origin, shape)
            if doubt is not None and not _is_of_one_date(origin.table, catalog):
                yield doubt
                break


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
        if column is None or not is_series(table) or not is_stock(table, column):
            return None
        return Origin(source.alias, table, dates_of(table))
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
    given = {shape.place(i.unalias()): i.alias_or_name for i in select.expressions}
    wanted = [(found.alias, name.lower()) for name in found.dates]
    if all(place in given for place in wanted):
        return Origin(source.alias, found.table, tuple(given[place] for place in wanted))
    keys = shape.places(group_keys(select) or ())
    return replace(found, step=select) if keys.issuperset(wanted) else None


def is_stock(table: TableRecord, column: ColumnRecord) -> bool:
    if column.measure is not None or not table.snapshot:
        return column.measure == "stock"
    if column.name in dates_of(table):
        return False
    return column.type.startswith(NUMBERS)


def _doubt(
    tree: exp.Expr, select: exp.Select, call: Call, origin: Origin, shape: Joined
) -> Doubt | None:
    divisors = divisors_of(tree, call)
    if is_share(call) or any(is_of_rows(d) or is_moving_average(call, d) for d in divisors):
        return None
    divisor = divisors[0] if divisors else None
    if origin.step is not None:
        return _hidden(tree, call, origin, origin.step, divisor)
    alias = origin.alias
    dated = {(alias, name.lower()) for name in origin.dates}
    _, known = shape.closure((), shape.places(call.keys))
    if dated <= known or origin.table.data_from == origin.table.data_to is not None:
        return None
    names = [source.name for source in shape.sources.values()]
    if names.count(shape.sources[alias].name) > 1:
        # Two days of one table side by side: a difference, not a sum over days.
        return None
    column = moment(origin.table, alias, origin.dates)
    if divisor is not None:
        dated_keys = [k for k in call.keys if dated & shape.places(columns_in(k))]
        return _averaged(tree, select, call, origin, column, divisor, dated_keys)
    conditioned = [*conditions(select), *call.conditions, call.value]
    touched = any(dated & shape.places(columns_in(part)) for part in conditioned)
    there = exp.NEQ(this=exp.paren(call.value.copy()), expression=exp.Literal.number(0))
    days = exp.Count(this=exp.Distinct(expressions=[column.copy()]))
    asked = probe(
        tree,
        select,
        outputs=(exp.Min(this=column.copy()), exp.Max(this=column.copy())),
        where=(there, *call.conditions),
        group=(*call.keys, *_things(shape.sources[alias])),
        having=more_than_one(days),
    )
    return Doubt(KIND, _message(call, origin), _hint(origin, alias), (asked,), not touched)


def _averaged(
    tree: exp.Expr,
    select: exp.Select,
    call: Call,
    origin: Origin,
    column: exp.Expr,
    divisor: exp.Expr,
    keys: list[exp.Expr],
) -> Doubt:
    """An average over days, unless the divisor is not how many days there are."""
    days = exp.Count(this=exp.Distinct(expressions=[column.copy()]))
    asked = probe(
        tree,
        select,
        outputs=(days,),
        where=call.conditions,
        group=keys,
        having=other_days(divisor, column),
    )
    by = divisor.sql(dialect="duckdb")
    said = call.node.sql(dialect="duckdb")
    message = (
        f"{said} / {by} is no average: the rows hold the stock of {{found}} days of "
        f"{', '.join(dates_of(origin.table))}"
    )
    name = column.sql(dialect="duckdb")
    return Doubt(KIND, message, f"divide by COUNT(DISTINCT {name}), or filter one day", (asked,))


def _hidden(
    tree: exp.Expr, call: Call, origin: Origin, step: exp.Select, divisor: exp.Expr | None
) -> Doubt:
    """The days were added up one by one in a step that does not give them out."""
    column = moment(origin.table, origin.alias, origin.dates)
    if divisor is not None:
        return _averaged(tree, step, call, origin, column, divisor, [])
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
    if len(table.primary_key) != 1 or set(dates_of(table)) & set(table.primary_key):
        return False
    (key,) = table.primary_key
    column = table.column(key)
    refers = any((j.left_table, j.left_column) == (table.name, key) for j in catalog.joins)
    return refers or (column is not None and column.type == "VARCHAR")


def _things(source: Source) -> Iterator[exp.Column]:
    if source.record is not None:
        yield from things(source.record, source.alias)


def things(table: TableRecord, alias: str) -> Iterator[exp.Column]:
    """The columns that tell apart what lies in stock; one thing may well be counted on one day
    and another on the next."""
    dated = {name.lower() for name in dates_of(table)}
    key = [c for c in table.primary_key if c.lower() not in dated]
    if len(key) == len(table.primary_key):
        key = [
            c.name
            for c in table.columns
            if c.type == "VARCHAR"
            and c.name.lower() not in dated
            and (not c.distinct or c.distinct < table.rows - c.nulls)
            and not (table.parts and c.name == SOURCE_COLUMN)
        ]
    for name in key:
        yield column_of(name, alias)


def _message(call: Call, origin: Origin) -> str:
    return over_dates(call.node.sql(dialect="duckdb"), origin.table)


def over_dates(said: str, table: TableRecord) -> str:
    spans = "days" if is_by_day(table) else "periods"
    return (
        f"{said} adds up the stock of several {spans} ({{found}}): {table.name} holds what was "
        f"there on each {', '.join(dates_of(table))}, which is not summable over time"
    )


def _hint(origin: Origin, alias: str) -> str:
    return one_period(origin.table, origin.dates, alias)
