"""The conditions of a query: filters, joins, and comparisons that pick the largest or smallest."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from sqlglot import exp

from tests.bench.expressions import columns_of, dotted, text_of
from tests.bench.scoring import cell

Pair = frozenset[str]
"""Two stored columns that a join sets equal."""

_OPERATORS: dict[type[exp.Expr], str] = {
    exp.EQ: "=", exp.NEQ: "<>", exp.GT: ">", exp.GTE: ">=", exp.LT: "<", exp.LTE: "<=",
    exp.Is: "IS", exp.Like: "LIKE", exp.ILike: "LIKE",
}  # fmt: skip
_TURNED = {"=": "=", "<>": "<>", ">": "<", ">=": "<=", "<": ">", "<=": ">="}
_DATE_COLUMN = re.compile(r"date|year|month|quarter|week|day|time|_at\b|YEAR\(|[年月日期]", re.I)
_DATE_VALUE = re.compile(
    r"(?<!\d)(19|20)\d\d(?!\d)|(?<!\d)(19|20)\d{6}(?!\d)|CURRENT_|INTERVAL|NOW\(", re.I
)


class Filter(NamedTuple):
    column: str
    operator: str
    value: str

    def __str__(self) -> str:
        return f"{self.column} {self.operator} {self.value}"

    @property
    def is_period(self) -> bool:
        compares = self.operator not in ("IS", "IS NOT")
        return compares and bool(
            _DATE_COLUMN.search(self.column) and _DATE_VALUE.search(self.value)
        )


class Pick(NamedTuple):
    """The first `limit` rows by `key`; `x = (SELECT MAX(x) …)` picks as ORDER BY x DESC does."""

    key: str
    descending: bool
    limit: str

    def __str__(self) -> str:
        order = f"ORDER BY {self.key}{' DESC' if self.descending else ''} " if self.key else ""
        return f"{order}LIMIT {self.limit}"


def filters_of(test: exp.Expr, *, negated: bool) -> Iterator[Filter]:
    operator = _OPERATORS.get(type(test))
    if isinstance(test, exp.In):
        column, values = test.this, test.expressions
        operator = "<>" if negated else "="
    elif operator is not None:
        column, value = test.this, test.expression
        if not columns_of(column) and columns_of(value) and operator in _TURNED:
            column, value, operator = value, column, _TURNED[operator]
        operator = ("IS NOT" if operator == "IS" else f"NOT {operator}") if negated else operator
        values = [value]
    else:
        yield Filter(" ".join(columns_of(test)), "NOT" if negated else "", text_of(test))
        return
    if isinstance(column, exp.Lower | exp.Upper):
        column, values = column.this, [exp.Lower(this=value) for value in values]
    for value in values:
        yield Filter(text_of(column), operator, _value(value))


def _value(node: exp.Expr) -> str:
    """Numbers and dates in one spelling; text under LOWER folded."""
    folded = isinstance(node, exp.Lower | exp.Upper)
    literal = node.this if folded else node
    if isinstance(literal, exp.Literal):
        name = literal.name.casefold() if folded else literal.name
        return str(cell(name))
    return text_of(node)


def leaves_of(node: exp.Expr) -> Iterator[exp.Expr]:
    """The parts of a condition that are joined by OR or by AND."""
    node = unwrapped(node)
    if isinstance(node, exp.Connector):
        yield from leaves_of(node.left)
        yield from leaves_of(node.right)
    else:
        yield node


def unwrapped(node: exp.Expr) -> exp.Expr:
    return node.unnest() if isinstance(node, exp.Paren) else node


def pair_of(test: exp.Expr) -> Pair | None:
    if not isinstance(test, exp.EQ):
        return None
    sides = [unwrapped(side) for side in (test.this, test.expression)]
    if not all(isinstance(side, exp.Column) for side in sides):
        return None
    return frozenset(dotted(side) for side in sides if isinstance(side, exp.Column))


def pick_of(test: exp.Expr) -> Pick | None:
    if not isinstance(test, exp.EQ):
        return None
    for side, other in ((test.this, test.expression), (test.expression, test.this)):
        found = unwrapped(other)
        if isinstance(found, exp.Max | exp.Min) and text_of(found.this) == text_of(side):
            return Pick(text_of(side), isinstance(found, exp.Max), "1")
    return None
