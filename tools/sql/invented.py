"""Conditions that nobody asked for: a small model fills a query up with the codes that it has seen.

A code (a text with a digit) that stands neither in the question nor in an earlier result was made
up, and so was a text that is compared with a column which no table of the query has.
"""

from collections.abc import Iterator

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import traverse_scope

from ingest.store import Catalog
from tools.sql.names import folded
from tools.sql.references import tables_of


def drop_invented(tree: exp.Expr, said: str, catalog: Catalog) -> list[str]:
    """Takes such conditions out of WHERE, in place; a note for each. `said`: the question and
    the values of earlier results."""
    known = folded(said)
    notes = []
    for condition, is_there in list(_conditions(tree, catalog)):
        values = _texts(condition)
        if not values or any(folded(value) in known for value in values):
            continue
        if is_there and not all(any(c.isdigit() for c in value) for value in values):
            continue
        notes.append(f"{condition.sql('duckdb')} was left out: the question does not say so")
        take_out(condition)
    return notes


def _conditions(tree: exp.Expr, catalog: Catalog) -> Iterator[tuple[exp.Expr, bool]]:
    """The parts of each WHERE that are joined by AND, and whether FROM has their column."""
    try:
        scopes = traverse_scope(tree)
    except (SqlglotError, RecursionError):
        return
    for scope in scopes:
        where = scope.expression.args.get("where")
        tables = tables_of(scope, catalog)
        derived = len(tables) < len(scope.sources)
        for part in _parts(where.this) if where is not None else ():
            column = part.this
            if isinstance(part, exp.EQ | exp.In) and isinstance(column, exp.Column):
                held = [
                    record
                    for alias, table in tables.items()
                    if column.table.lower() in ("", alias)
                    and (record := table.column(column.name)) is not None
                ]
                # A day written as a text is no code.
                if all(record.type == "VARCHAR" for record in held):
                    yield part, bool(held) or derived


def _parts(node: exp.Expr) -> Iterator[exp.Expr]:
    if isinstance(node, exp.And):
        yield from _parts(node.left)
        yield from _parts(node.right)
    elif isinstance(node, exp.Paren) and isinstance(node.this, exp.And):
        yield from _parts(node.this)
    else:
        yield node


def _texts(condition: exp.Expr) -> list[str]:
    """The text literals that the column is compared with; [] when anything else stands there."""
    others = condition.expressions if isinstance(condition, exp.In) else [condition.expression]
    if condition.args.get("query") is not None:
        return []
    if not all(isinstance(other, exp.Literal) and other.is_string for other in others):
        return []
    return [other.name for other in others]


def take_out(condition: exp.Expr) -> None:
    """Takes a part of a WHERE that AND joins out of its query, in place."""
    parent = condition.parent
    while isinstance(parent, exp.Paren):
        condition, parent = parent, parent.parent
    if isinstance(parent, exp.Where):
        parent.pop()
    elif isinstance(parent, exp.And):
        parent.replace(parent.right if parent.left is condition else parent.left)
