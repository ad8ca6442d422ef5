"""Whole months, quarters and years that a query filters by: `strftime(d, '%Y-%m') = '2026-09'`,
`EXTRACT(year FROM d) = 2026 AND EXTRACT(month FROM d) = 9`."""

import re
from calendar import monthrange
from collections.abc import Iterator
from datetime import date

from sqlglot import exp

Span = tuple[date, date]
"""The first and the last day."""
_PARTS = {exp.Year: "year", exp.Month: "month", exp.Quarter: "quarter"}
_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_FORMATS = {"%Y-%m": "month", "%Y": "year", "%Y%m": "month", "%Y/%m": "month"}


class Unreadable(Exception):
    """The query works its days out in a way whose result cannot be read off it."""


def months_of(tree: exp.Expr, dated: set[str]) -> list[Span]:
    """The spans that a date column's month, quarter or year is compared with, one equality each.

    Raises `Unreadable` for any other comparison of what is worked out of a date.
    """
    if tree.find(exp.Interval) is not None:
        raise Unreadable
    spans: list[Span] = []
    parts: dict[str, set[int]] = {}
    read: set[int] = set()
    for node in tree.find_all(exp.Predicate):
        if isinstance(node, exp.Like) and _is_of(node, dated):
            spans.append(_like(node))
            continue
        worked = [f for f in _functions(node) if _is_of(f, dated)]
        if not worked:
            continue
        read.add(id(node))
        value = _value(node, worked[0])
        part = _part(worked[0])
        if part is not None:
            parts.setdefault(part, set()).add(_number(value))
        else:
            spans.append(_span(worked[0], value))
    if any(id(f.find_ancestor(exp.Predicate)) not in read for f in _conditions(tree, dated)):
        raise Unreadable
    return [*spans, *_from_parts(parts)]


def _conditions(tree: exp.Expr, dated: set[str]) -> Iterator[exp.Expr]:
    """What conditions work out of a date."""
    plain = (exp.Cast, exp.AggFunc, exp.Connector, exp.Case, exp.If, exp.Like, exp.Exists)
    for function in tree.find_all(exp.Func):
        if isinstance(function, plain) or not _is_of(function, dated):
            continue
        if isinstance(function.find_ancestor(exp.Where, exp.Join, exp.Query), exp.Where | exp.Join):
            yield function


def _like(node: exp.Like) -> Span:
    """`d::VARCHAR LIKE '2026-09%'`."""
    found = re.fullmatch(r"(\d{4})(?:-(\d{2}))?-?%", node.expression.name)
    if found is None or isinstance(node.parent, exp.Not):
        raise Unreadable
    try:
        first = date(int(found[1]), int(found[2] or 1), 1)
    except ValueError:
        raise Unreadable from None
    return _whole(first, "month" if found[2] else "year")


def _functions(node: exp.Expr) -> Iterator[exp.Expr]:
    """What a comparison's sides work out; a cast works nothing out."""
    for name in ("this", "expression"):
        side = node.args.get(name)
        while isinstance(side, exp.Cast) and isinstance(side.this, exp.Func):
            side = side.this
        if isinstance(side, exp.Func) and not isinstance(side, exp.Cast | exp.AggFunc):
            yield side


def _is_of(function: exp.Expr, dated: set[str]) -> bool:
    return any(
        c.name.lower() in dated and not _is_apart(c, function)
        for c in function.find_all(exp.Column)
    )


def _is_apart(column: exp.Column, function: exp.Expr) -> bool:
    """Whether a subquery or an aggregate inside the function has the column; the function itself
    may stand in a derived table."""
    node = column.parent
    while node is not None and node is not function:
        if isinstance(node, exp.Subquery | exp.AggFunc):
            return True
        node = node.parent
    return False


def _value(node: exp.Expr, function: exp.Expr) -> exp.Expr:
    """The constant that it is equal to."""
    other: exp.Expr | None = None
    if isinstance(node, exp.In) and len(node.expressions) == 1:
        other = node.expressions[0]
    elif isinstance(node, exp.EQ):
        other = node.left if node.right.find(type(function)) is not None else node.right
    while isinstance(other, exp.Cast):
        other = other.this
    if not isinstance(other, exp.Literal):
        raise Unreadable
    return other


def _part(function: exp.Expr) -> str | None:
    own = next((part for kind, part in _PARTS.items() if isinstance(function, kind)), None)
    if own is not None:
        return own
    named = ""
    if isinstance(function, exp.Extract):
        named = function.name.lower()
    elif isinstance(function, exp.Anonymous) and function.name.lower() in ("date_part", "datepart"):
        named = function.expressions[0].name.lower() if function.expressions else ""
    if named and named not in _MONTHS:
        raise Unreadable
    return named or None


def _number(value: exp.Expr) -> int:
    if not value.name.isdigit():
        raise Unreadable
    return int(value.name)


def _span(function: exp.Expr, value: exp.Expr) -> Span:
    """Of strftime and date_trunc."""
    text = value.name
    if isinstance(function, exp.TimeToStr):
        written = function.text("format") or function.this.name
        unit = _FORMATS.get(written, "")
        digits = "".join(c for c in text if c.isdigit())
        text = f"{digits[:4]}-{digits[4:6] or '01'}-01"
    elif isinstance(function, exp.TimestampTrunc | exp.DateTrunc):
        unit = function.text("unit").lower()
    else:
        raise Unreadable
    try:
        first = date.fromisoformat(text[:10])
    except ValueError:
        raise Unreadable from None
    return _whole(first, unit)


def _whole(first: date, unit: str) -> Span:
    if unit not in _MONTHS:
        raise Unreadable
    month = first.month + _MONTHS[unit] - 1
    if month > 12:
        raise Unreadable
    return first, date(first.year, month, monthrange(first.year, month)[1])


def _from_parts(parts: dict[str, set[int]]) -> list[Span]:
    """One year, alone or with one month or one quarter of it."""
    if not parts:
        return []
    if any(len(values) > 1 for values in parts.values()) or "year" not in parts or len(parts) > 2:
        raise Unreadable
    (year,) = parts["year"]
    month, unit = 1, "year"
    for unit, values in parts.items():
        if unit != "year":
            (number,) = values
            month = number if unit == "month" else 3 * number - 2
            break
    if not (1 <= month <= 12 and 1 <= year <= 9999):
        raise Unreadable
    return [_whole(date(year, month, 1), unit)]
