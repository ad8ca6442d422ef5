"""The tree of a query that has run, for what is read off it."""

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError


def parsed(sql: str) -> exp.Expr | None:
    """None for what cannot be read."""
    try:
        return parse_one(sql, dialect="duckdb")
    except (SqlglotError, RecursionError):
        return None
