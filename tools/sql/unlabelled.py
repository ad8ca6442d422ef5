"""The first of an order that has no name: "which state has most" is not answered by a blank."""

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from tools.sql.client import Rows


def labelled(sql: str, rows: Rows) -> tuple[str, str] | None:
    """The same query without the rows whose label is missing, and what was left out; None unless
    the one row that a `LIMIT 1` let through has a group or a text without a value."""
    if rows.row_count != 1 or None not in rows.rows[0]:
        return None
    try:
        tree = parse_one(sql, dialect="duckdb")
    except (SqlglotError, RecursionError):
        return None
    limit = tree.args.get("limit")
    if not isinstance(tree, exp.Select) or limit is None or limit.expression.name != "1":
        return None
    if not tree.args.get("order") or len(tree.expressions) != len(rows.columns):
        return None
    blank = [
        item.unalias()
        for item, column, value in zip(tree.expressions, rows.columns, rows.rows[0], strict=True)
        if value is None and column.type == "VARCHAR"
    ]
    blank = [item for item in blank if isinstance(item, exp.Column)]
    if not blank:
        return None
    names = ", ".join(item.name for item in blank)
    for item in blank:
        tree = tree.where(item.is_(exp.null()).not_())
    return tree.sql(dialect="duckdb"), f"rows without a {names}, which come first, were left out"
