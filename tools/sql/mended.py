"""A query that was mended by rule: what was wrong, and the query as it should be."""

from sqlglot import exp

from tools.errors import ToolRetry


class OtherShape(ToolRetry):
    """`mended`: the query as the question has it; None where that cannot be told."""

    def __init__(self, kind: str, message: str, hint: str, mended: exp.Expr | None = None) -> None:
        super().__init__(kind, message, hint)
        self.mended = None if mended is None else mended.sql(dialect="duckdb")
