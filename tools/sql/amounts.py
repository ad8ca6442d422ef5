"""Amounts that do not add up: of several currencies or units, with tax and without.

Two ways to go wrong: a SUM over rows of which a column beside says which currency (unit, tax) each
is in, and `a + b` of columns that the catalog gives different ones. A conversion passes: an amount
times an exchange rate, or a CASE over the currency.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from ingest.store import Catalog, ColumnRecord, TableRecord
from tools.sql.calls import Call, calls_of, terms
from tools.sql.doubts import Doubt, more_than_one, probe, quoted
from tools.sql.multiplied import Joined, joined
from tools.sql.sources import columns_in, sources_of

KIND = "amounts_do_not_add_up"
NUMBERS = ("BIGINT", "INTEGER", "SMALLINT", "HUGEINT", "DECIMAL", "DOUBLE", "FLOAT")
_MONEY = re.compile(
    r"(?:^|_)(?:amounts?|amt|price|costs?|revenue|sales|sub_?total|total|fees?|freight|value|paid"
    r"|payments?|refunds?|gross|net|turnover|spend|budget|charges?|balance)(?:$|_)"
    r"|金額|売上|単価|価格|原価|小計|合計|代金|料金|運賃|送料|残高|金额|单价|价格|成本|费|货款|销售额|余额",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"(?:^|_)(?:qty|quantity|pieces|units|on_hand|weight|volume)(?:$|_)|数量|個数|重量|容積|件数|点数",
    re.IGNORECASE,
)
_CONVERSION = re.compile(
    r"(?:^|_)(?:fx|forex|exchange|exch|conversion|conv)(?:$|_)|(?:^|_)(?:to|per)_[a-z]{3}$"
    r"|^rates?$|為替|汇率|匯率|換算|换算|折算|レート",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Divider:
    """A column that says what the amounts of its row are in."""

    what: str
    name: re.Pattern[str]
    values: re.Pattern[str]
    measured: re.Pattern[str]


_TAX = r"(?:tax|vat)?[ _-]*(?:incl|excl)\w*[ _-]*(?:tax|vat)?|税込|税抜|税別|内税|外税|含税|不含税|未税"
DIVIDERS = (
    Divider(
        "currencies",
        re.compile(r"(?:^|_)(?:currency|ccy|curr)(?:$|_)|通貨|通货|币种|货币|幣種", re.IGNORECASE),
        re.compile(r"[A-Z]{3}|[¥$€£￥]|円|元|日本円|人民币|人民元|美元|米ドル|ユーロ|欧元"),
        _MONEY,
    ),
    Divider(
        "units",
        re.compile(r"^(?:units?|uom|unit_of_measure|単位|单位|計量単位|计量单位)$", re.IGNORECASE),
        re.compile(r"[^\d]{1,12}"),
        _COUNTED,
    ),
    Divider(
        "tax treatments",
        re.compile(r"tax|vat|税", re.IGNORECASE),
        re.compile(_TAX, re.IGNORECASE),
        _MONEY,
    ),
)


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


def rate_notes(scope: Scope, catalog: Catalog) -> Iterator[str]:
    """A price or a share that is summed as it is: seldom what is meant, but it may be."""
    select = scope.expression
    if not isinstance(select, exp.Select):
        return
    shape = Joined(sources_of(scope, catalog))
    for call in calls_of(scope):
        for term in terms(call.value) if isinstance(call.node, exp.Sum) else ():
            found = _amount(term, shape)
            if found is not None and found[1].measure == "rate":
                said = call.node.sql(dialect="duckdb")
                yield f"{said} adds up a rate: multiply it by its quantity, or take AVG"


def elsewhere_notes(scope: Scope, catalog: Catalog) -> Iterator[str]:
    """Amounts without a currency of their own are added up, and the table whose parts they are (the
    orders of order lines), which is not read here, has several."""
    select = scope.expression
    if not isinstance(select, exp.Select):
        return
    sources = sources_of(scope, catalog)
    read = [s.record for s in sources.values() if s.record is not None]
    if any(d.what == "currencies" for table in read for _, d in dividers_of(table)):
        return
    shape = Joined(sources)
    for call in calls_of(scope):
        for term in terms(call.value) if isinstance(call.node, exp.Sum | exp.Avg) else ():
            for column in columns_in(term):
                place = shape.place(column)
                record = shape.sources[place[0]].record if place is not None else None
                found = record.column(column.name) if record is not None else None
                if record is None or found is None or found.currency or found.measure == "rate":
                    continue
                if _MONEY.search(_snake(found.name)) and not any(dividers_of(record)):
                    said = call.node.sql(dialect="duckdb")
                    yield from _currencies_elsewhere(said, record, call, catalog)


def _currencies_elsewhere(
    said: str, record: TableRecord, call: Call, catalog: Catalog
) -> Iterator[str]:
    grouped = {c.name.lower() for key in call.keys for c in columns_in(key)}
    for join in catalog.joins:
        is_part = join.one_to_one or join.left_column in record.primary_key
        if join.left_table != record.name or not is_part or join.left_column.lower() in grouped:
            continue
        table = catalog.table(join.right_table)
        for column, divider in dividers_of(table) if table is not None else ():
            if divider.what == "currencies":
                yield (
                    f"{said} is over all rows, whatever {join.right_table}.{column.name} says "
                    f"({', '.join(column.examples[:4])}): join {join.right_table} on "
                    f"{join.left_column} = {join.right_column} to keep the currencies apart"
                )


def dividers_of(table: TableRecord) -> Iterator[tuple[ColumnRecord, Divider]]:
    for column in table.columns:
        if column.type != "VARCHAR" or column.distinct < 2 or not column.examples:
            continue
        for divider in DIVIDERS:
            said = (divider.values.fullmatch(value.strip()) for value in column.examples)
            if divider.name.search(_snake(column.name)) and all(said):
                yield column, divider


def is_conversion(name: str) -> bool:
    """Whether a column is a rate that amounts are converted by."""
    return _CONVERSION.search(_snake(name)) is not None


def _snake(name: str) -> str:
    """`CurrencyCode` as `Currency_Code`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)


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
        if divider.measured.search(_snake(found.name)) and own is None and alias in settled:
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
    said = exp.column(quoted(column.name), table=quoted(alias))
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


def _added_columns(scope: Scope, shape: Joined) -> Iterator[Doubt]:
    for node in scope.find_all(exp.Add, exp.Sub):
        left, right = _amount(node.left, shape), _amount(node.right, shape)
        if left is None or right is None:
            continue
        (one, first), (other, second) = left, right
        apart = _apart(first, second, is_sum=isinstance(node, exp.Add))
        if apart is not None:
            yield Doubt(
                KIND,
                f"{one} and {other} are not in the same {apart}",
                "give them as two columns, or convert one: multiply it by a rate",
                proved=True,
            )


def _chosen_columns(call: Call, shape: Joined, catalog: Catalog) -> Iterator[Doubt]:
    """One column in some rows and another in others: the branches of a CASE or of a UNION."""
    found = [_amount(value, shape) for value in _branch_values(call.value)]
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
) -> list[tuple[str, ColumnRecord] | None]:
    """The column that each branch of a UNION gives; none where the group tells them apart."""
    place = shape.place(term)
    step = shape.sources[place[0]].scope if place is not None else None
    if place is None or step is None or not isinstance(step.expression, exp.Union):
        return []
    names = [name.lower() for name in step.expression.named_selects]
    if place[1] not in names or any(p[0] == place[0] for p in shape.places(call.keys)):
        return []
    at = names.index(place[1])
    found: list[tuple[str, ColumnRecord] | None] = []
    for branch in _selects(step):
        if at < len(branch.expression.expressions):
            inner = branch.expression.expressions[at].unalias()
            found.append(_amount(inner, Joined(sources_of(branch, catalog))))
    return found


def _selects(step: Scope) -> Iterator[Scope]:
    for branch in step.set_operation_scopes or ():
        if isinstance(branch.expression, exp.Select):
            yield branch
        else:
            yield from _selects(branch)


def _amount(node: exp.Expr, shape: Joined) -> tuple[str, ColumnRecord] | None:
    """The plain column (also aggregated, rounded, with NULL read as 0) that a side is."""
    while isinstance(
        node,
        exp.Paren | exp.Cast | exp.Round | exp.Coalesce | exp.Sum | exp.Avg | exp.Min | exp.Max,
    ):
        node = node.this
    place = shape.place(node)
    record = shape.sources[place[0]].record if place is not None else None
    column = record.column(node.name) if record is not None else None
    return (f"{record.name}.{column.name}", column) if record and column else None


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
