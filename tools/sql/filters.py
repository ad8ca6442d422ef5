"""Filters of a query on text and on dates: what a wrong value, or a stock date, is explained with."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from tools.sql.references import Reference
from tools.sql.sources import conjuncts

FOLDING = (exp.Lower, exp.Upper, exp.Trim, exp.Cast, exp.Paren)
PATTERNS = (exp.Like, exp.ILike)


@dataclass(frozen=True)
class TextFilter:
    """One value that a text column is compared with: `city = 'X'`, one of an IN list, the text in
    a LIKE pattern. `test` is the comparison as SQL over the table alone.

    `decides`: rows that do not meet it are left out, so that a row of the result proves it.
    """

    table: str
    column: str
    value: str
    test: str = ""
    operator: str = "="
    negated: bool = False
    decides: bool = True
    is_number: bool = False
    """The value stands without quotes: the column's texts are read as numbers."""

    @property
    def condition(self) -> str:
        if self.is_number:
            return f"{self.column} = {self.value}"
        shown = self.value if self.operator == "=" else f"%{self.value}%"
        return f"{self.column} {self.operator} '{shown}'"


def text_filters(references: Sequence[Reference]) -> tuple[TextFilter, ...]:
    found = [
        one
        for r in references
        if r.node is not None and _type(r).startswith("VARCHAR")
        for one in _compared(r, r.node)
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


def _compared(reference: Reference, column: exp.Column) -> Iterator[TextFilter]:
    """The text literals that a column, folded or not, is compared with."""
    node: exp.Expr = column
    while isinstance(node.parent, FOLDING):
        node = node.parent
    test = node.parent
    if isinstance(test, exp.In) and test.this is node and not test.args.get("query"):
        values = test.expressions
    elif isinstance(test, exp.EQ | exp.NEQ):
        values = [test.expression if test.this is node else test.this]
    elif isinstance(test, PATTERNS) and test.this is node:
        values = [test.expression]
    else:
        return
    is_pattern = isinstance(test, PATTERNS)
    decides = len(values) == 1 and _decides(test)
    for value in values:
        text = _literal(value)
        bare = None if is_pattern else _number(value)
        text = bare if text is None else text
        wanted = _core(text) if is_pattern and text is not None else text
        if wanted:
            yield TextFilter(
                reference.table.name,
                reference.column,
                wanted,
                _test(node, column, reference.column, test, value),
                test.key.upper() if is_pattern else "=",
                isinstance(test, exp.NEQ) or isinstance(test.parent, exp.Not),
                decides,
                text is bare,
            )


def _test(node: exp.Expr, column: exp.Column, name: str, test: exp.Expr, value: exp.Expr) -> str:
    """The comparison with this one value, on the bare column."""
    bare = exp.column(name, quoted=True)
    side = bare if node is column else node.copy()
    for inner in side.find_all(exp.Column) if node is not column else ():
        inner.replace(bare)
    kind = type(test) if isinstance(test, PATTERNS) else exp.EQ
    return kind(this=side, expression=value.copy()).sql(dialect="duckdb")


def _decides(test: exp.Expr) -> bool:
    """Whether every row of the result meets it: a part of WHERE that no OR or CASE is around."""
    if isinstance(test, exp.NEQ):
        return False
    where = test.find_ancestor(exp.Where, exp.Query)
    if not isinstance(where, exp.Where) or isinstance(where.parent, exp.Filter):
        return False
    return any(part is test for part in conjuncts(where.this))


def _core(pattern: str) -> str:
    """The longest text of a LIKE pattern."""
    pieces = pattern.replace("_", "%").split("%")
    return max(pieces, key=len)


def _equal_to(node: exp.Column) -> Iterator[str]:
    parent = node.parent
    if isinstance(parent, exp.EQ):
        others = [parent.expression if parent.this is node else parent.this]
    elif isinstance(parent, exp.In) and parent.this is node:
        others = parent.expressions
    else:
        return
    yield from (text for other in others if (text := _literal(other)) is not None)


def _number(node: exp.Expr) -> str | None:
    return str(node.this) if isinstance(node, exp.Literal) and not node.is_string else None


def _literal(node: exp.Expr) -> str | None:
    value = node.this if isinstance(node, exp.Cast) else node
    return str(value.this) if isinstance(value, exp.Literal) and value.is_string else None
