"""Doubts about what a query means, and the small queries that settle them on the data.

The catalog says what may be wrong; whether it is wrong in the rows of this query, the warehouse
says. So a join that could repeat rows, but repeats none here, passes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlglot import exp

from tools.errors import ToolRetry
from tools.sql.client import Rows

Ask = Callable[[str], Rows]
SHOWN = 4


@dataclass(frozen=True)
class Doubt:
    """`probes` each find a row where the fault is in the data; one that finds none clears the
    query. `proved`: what holds where the data cannot be asked. `message` may hold `{found}`, the
    values of the last probe's first row."""

    kind: str
    message: str
    hint: str
    probes: tuple[str, ...] = ()
    proved: bool = False

    def error(self, ask: Ask | None) -> ToolRetry | None:
        """What to tell whoever wrote the query; None when there is nothing wrong with it."""
        found = "several"
        if ask is None or not self.probes:
            return self._told(found) if self.proved else None
        for probe in self.probes:
            try:
                rows = ask(probe)
            except ToolRetry:
                return self._told("several") if self.proved else None
            if not rows.row_count:
                return None
            found = ", ".join(str(v) for v in rows.rows[0][:SHOWN])
        return self._told(found)

    def _told(self, found: str) -> ToolRetry:
        return ToolRetry(self.kind, self.message.replace("{found}", found), self.hint)


def settle(doubts: Sequence[Doubt], ask: Ask | None = None) -> None:
    """Raises the `ToolRetry` of the first doubt that holds."""
    for doubt in doubts:
        error = doubt.error(ask)
        if error is not None:
            raise error


def probe(
    tree: exp.Expr,
    select: exp.Select,
    *,
    outputs: Sequence[exp.Expr] = (),
    where: Sequence[exp.Expr] = (),
    group: Sequence[exp.Expr] = (),
    having: exp.Expr,
) -> str:
    """One row of a SELECT's own FROM and WHERE, grouped anew, that meets `having`.

    `tree` is the whole query, whose WITH the SELECT may read from.
    """
    made = behind(tree, select, [*where_of(select), *where])
    made.set("expressions", [*(o.copy() for o in outputs)] or [exp.Literal.number(1)])
    if group:
        made.set("group", exp.Group(expressions=[g.copy() for g in group]))
    made.set("having", exp.Having(this=having.copy()))
    made.set("limit", exp.Limit(expression=exp.Literal.number(1)))
    return made.sql(dialect="duckdb", comments=False)


def rows_behind(
    tree: exp.Expr, select: exp.Select, where: Sequence[exp.Expr], counted_to: int
) -> str:
    """How many rows of a SELECT's own FROM meet the conditions `where`, which stand in for its
    WHERE; counting ends at `counted_to`."""
    made = behind(tree, select, where)
    made.set("expressions", [exp.alias_(exp.Literal.number(1), "one")])
    made.set("limit", exp.Limit(expression=exp.Literal.number(counted_to)))
    steps = made.args.pop("with_", None)
    counted = exp.select(exp.Count(this=exp.Star())).from_(made.subquery("q"))
    if steps is not None:
        counted.set("with_", steps)
    return counted.sql(dialect="duckdb", comments=False)


def picked(tree: exp.Expr, select: exp.Select, said: exp.Expr, where: exp.Expr) -> str:
    """One value, as `said`, of each row of a SELECT's own FROM and WHERE that meets `where`."""
    made = behind(tree, select, [*where_of(select), where])
    made.set("expressions", [exp.alias_(said, "said")])
    return made.sql(dialect="duckdb", comments=False)


def where_of(select: exp.Select) -> list[exp.Expr]:
    where = select.args.get("where")
    return [where.this] if where is not None else []


def behind(tree: exp.Expr, select: exp.Select, where: Sequence[exp.Expr]) -> exp.Select:
    """A SELECT of nothing yet, from where this one reads."""
    made = exp.Select()
    for part in ("from_", "joins", "laterals"):
        held = select.args.get(part)
        if held:
            made.set(part, [h.copy() for h in held] if isinstance(held, list) else held.copy())
    if where:
        made.set("where", exp.Where(this=exp.and_(*(w.copy() for w in where), copy=False)))
    steps = [q.args["with_"] for q in dict.fromkeys((tree, select)) if q.args.get("with_")]
    if steps:
        ctes = [cte.copy() for step in steps for cte in step.expressions]
        recursive = any(step.args.get("recursive") for step in steps)
        made.set("with_", exp.With(expressions=ctes, recursive=recursive))
    return made


def more_than_one(counted: exp.Expr) -> exp.Expr:
    return exp.GT(this=counted, expression=exp.Literal.number(1))


def column_of(name: str, alias: str) -> exp.Column:
    """A quoted column; `alias` is "" for a subquery in FROM that has none."""
    return exp.column(quoted(name), table=quoted(alias) if alias else None)


def quoted(name: str) -> exp.Identifier:
    return exp.to_identifier(name, quoted=True)
