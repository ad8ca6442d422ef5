"""Why nothing matched: which condition of the query leaves no row, found by dropping one at a time.

The inner queries come first: where a WITH step is empty, all that reads from it is.
"""

from collections.abc import Iterator, Sequence

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from ingest.store import Catalog, TableRecord
from tools.errors import ToolError
from tools.sql.doubts import Ask, rows_behind
from tools.sql.multiplied import Joined
from tools.sql.sources import conjuncts, scopes_of, sources_of

SELECTS_TRIED = 6
CONDITIONS_TRIED = 6
COUNTED_TO = 1000


def why_empty(sql: str, catalog: Catalog, ask: Ask) -> str | None:
    """One line that names the condition, or the conditions, that leave no row; None where that
    cannot be told. At most two small queries a condition."""
    try:
        tree = parse_one(sql, dialect="duckdb")
        scopes = scopes_of(tree)
        for scope in scopes[:SELECTS_TRIED]:
            select = scope.expression
            if isinstance(select, exp.Select) and select.args.get("from_"):
                shape = Joined(sources_of(scope, catalog))
                found = _why(tree, select, shape, ask)
                if found is not None:
                    return found
    except (SqlglotError, RecursionError, ToolError):
        return None
    return None


def _why(tree: exp.Expr, select: exp.Select, shape: Joined, ask: Ask) -> str | None:
    where = select.args.get("where")
    parts = list(conjuncts(where.this)) if where is not None else []
    try:
        if _count(tree, select, parts, ask):
            having = select.args.get("having")
            if having is None or select is not tree:
                return None
            return f"HAVING {_sql(having.this)} leaves no group"
    except ToolError:
        # A subquery that reads from the query around it does not run alone.
        return None
    tried = parts[:CONDITIONS_TRIED]
    for part in tried:
        without = _count(tree, select, [p for p in parts if p is not part], ask)
        if without:
            return f"{_sql(part)} leaves no row: without it {_rows(without)}{_reach(part, shape)}"
    for part in tried:
        if len(parts) > 1 and not _count(tree, select, [part], ask):
            return f"{_sql(part)} is met by no row{_reach(part, shape)}"
    if len(parts) > 1 and _count(tree, select, [], ask):
        return f"no row meets these together: {' AND '.join(map(_sql, tried))}"
    kept = _looked_up(tree, select, parts, ask)
    if kept is not None:
        return kept
    names = ", ".join(dict.fromkeys(s.name for s in shape.sources.values()))
    joins = len(shape.sources) > 1 or select.args.get("joins")
    return f"the join of {names} has no row" if joins else f"{names} has no row"


def _looked_up(
    tree: exp.Expr, select: exp.Select, parts: Sequence[exp.Expr], ask: Ask
) -> str | None:
    """The SEMI or ANTI join, a condition in other words, without which there are rows."""
    joins = select.args.get("joins") or []
    for join in (j for j in joins if j.kind in ("SEMI", "ANTI")):
        other = select.copy()
        other.set("joins", [j.copy() for j in joins if j is not join])
        without = _count(tree, other, parts, ask)
        if without:
            return f"{_sql(join).strip()} leaves no row: without it {_rows(without)}"
    return None


def _count(tree: exp.Expr, select: exp.Select, parts: Sequence[exp.Expr], ask: Ask) -> int:
    """How many rows of FROM meet these conditions, counted to a thousand."""
    found = ask(rows_behind(tree, select, parts, COUNTED_TO)).rows[0][0]
    return int(str(found))


def _rows(count: int) -> str:
    at_least = "at least " if count >= COUNTED_TO else ""
    return f"{at_least}{count} {'row' if count == 1 else 'rows'}"


def _reach(part: exp.Expr, shape: Joined) -> str:
    """The days that the table of a date condition has."""
    for table, column in _dated(part, shape):
        if column == (table.date_column or "").lower() and table.data_from and table.data_to:
            return f" ({table.name} has {table.data_from} to {table.data_to})"
    return ""


def _dated(part: exp.Expr, shape: Joined) -> Iterator[tuple[TableRecord, str]]:
    for column in part.find_all(exp.Column):
        place = shape.place(column)
        record = shape.sources[place[0]].record if place is not None else None
        if record is not None:
            yield record, column.name.lower()


def _sql(part: exp.Expr) -> str:
    return part.sql(dialect="duckdb")
