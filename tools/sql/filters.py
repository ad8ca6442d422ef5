"""Equality filters of a query: what a result of no rows, or a stock date, is explained with."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from tools.sql.references import Reference


@dataclass(frozen=True)
class TextFilter:
    """`table.column = 'value'` (or one value of an IN list) on a text column."""

    table: str
    column: str
    value: str


def text_filters(references: Sequence[Reference]) -> tuple[TextFilter, ...]:
    found = [
        TextFilter(r.table.name, r.column, value)
        for r in references
        if r.node is not None and _type(r).startswith("VARCHAR")
        for value in _equal_to(r.node)
    ]
    return tuple(dict.fromkeys(found))


def date_filters(references: Sequence[Reference]) -> tuple[tuple[str, str, str], ...]:
    found = [
        (r.table.name, r.column, value)
        for r in references
        if r.node is not None and r.column == r.table.date_column
        for value in _equal_to(r.node)
    ]
    return tuple(dict.fromkeys(found))


def _type(reference: Reference) -> str:
    record = reference.table.column(reference.column)
    return record.type if record is not None else ""


def _equal_to(node: exp.Column) -> Iterator[str]:
    parent = node.parent
    if isinstance(parent, exp.EQ):
        others = [parent.expression if parent.this is node else parent.this]
    elif isinstance(parent, exp.In) and parent.this is node:
        others = parent.expressions
    else:
        return
    for other in others:
        value = other.this if isinstance(other, exp.Cast) else other
        if isinstance(value, exp.Literal) and value.is_string:
            yield str(value.this)
