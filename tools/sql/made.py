"""Rows that a query makes itself: VALUES, UNNEST, `generate_series` and `range` in FROM.

Their values are told apart where the text itself shows it: a series, a list of different literals.
"""

from collections.abc import Iterator, Sequence

from sqlglot import exp

Made = tuple[frozenset[str], tuple[frozenset[str], ...]]
"""Columns and keys, in lower case."""
SERIES = (exp.GenerateSeries, exp.GenerateDateArray, exp.GenerateTimestampArray)
SERIES_NAMES = ("range", "generate_series")


def made(source: exp.Expr) -> Made | None:
    """What is known of an item of FROM that makes rows; None for any other."""
    if isinstance(source, exp.Table):
        called = source.this
        if not isinstance(called, exp.Func):
            return None
        columns = _named(source) or [_default(called)]
        return frozenset(columns), (frozenset(columns[:1]),) if is_series(called) else ()
    if isinstance(source, exp.Lateral):
        return None if isinstance(source.this, exp.Subquery) else _listed(source, [source.this])
    if isinstance(source, exp.Unnest):
        return _listed(source, source.expressions)
    if isinstance(source, exp.Values):
        columns = _named(source) or [f"col{n}" for n in range(_width(source))]
        return frozenset(columns), tuple(_keys_of_values(source, columns))
    return None


def makes_rows(select: exp.Select) -> bool:
    """Whether a list in SELECT becomes rows: `SELECT x, unnest(y) FROM t`."""
    return any(_spread(item) is not None for item in select.expressions)


def lists_as_joins(tree: exp.Expr) -> None:
    """`SELECT x, unnest(y) AS k FROM t` read as `SELECT x, u.k FROM t, UNNEST(y) AS u(k)`."""
    number = 0
    for select in list(tree.find_all(exp.Select)):
        if not select.args.get("from_") or not makes_rows(select):
            continue
        for item in select.expressions:
            call = _spread(item)
            if call is None:
                continue
            number += 1
            alias, column = f"unnest_{number}", "value"
            table = exp.TableAlias(
                this=exp.to_identifier(alias), columns=[exp.to_identifier(column)]
            )
            lists = exp.Unnest(expressions=[call.this.copy()], alias=table)
            select.append("joins", exp.Join(this=lists, kind="CROSS"))
            call.replace(exp.column(column, table=alias))


def is_series(call: exp.Expr) -> bool:
    if isinstance(call, exp.Anonymous):
        return call.name.lower() in SERIES_NAMES
    return isinstance(call, SERIES)


def _spread(item: exp.Expr) -> exp.Expr | None:
    return next((c for c in item.find_all(exp.Explode) if not c.find_ancestor(exp.AggFunc)), None)


def _listed(source: exp.Expr, lists: Sequence[exp.Expr]) -> Made:
    columns = _named(source) or ["unnest"]
    inner = lists[0] if lists else None
    while isinstance(inner, exp.Explode | exp.Unnest | exp.Paren):
        inner = inner.expressions[0] if isinstance(inner, exp.Unnest) else inner.this
    keys: tuple[frozenset[str], ...] = ()
    if inner is not None and len(lists) == 1:
        if isinstance(inner, exp.Array) and len(inner.expressions) <= 1:
            keys = (frozenset(),)
        elif is_series(inner) or (isinstance(inner, exp.Array) and _differ(inner.expressions)):
            keys = (frozenset(columns[:1]),)
    return frozenset(columns), keys


def _keys_of_values(source: exp.Values, columns: Sequence[str]) -> Iterator[frozenset[str]]:
    rows = source.expressions
    if len(rows) <= 1:
        yield frozenset()
    for at, column in enumerate(columns):
        cells = [row.expressions[at] for row in rows if at < len(row.expressions)]
        if len(cells) == len(rows) and _differ(cells):
            yield frozenset([column])


def _differ(cells: Sequence[exp.Expr]) -> bool:
    """Whether literals are all different as they are written."""
    plain = all(c.find(exp.Column, exp.Func) is None for c in cells)
    return plain and len({c.sql(dialect="duckdb").lower() for c in cells}) == len(cells)


def _width(source: exp.Values) -> int:
    first = source.expressions[0] if source.expressions else None
    return len(first.expressions) if first is not None else 0


def _default(call: exp.Func) -> str:
    return call.name.lower() if isinstance(call, exp.Anonymous) else call.sql_name().lower()


def _named(source: exp.Expr) -> list[str]:
    alias = source.args.get("alias")
    if not isinstance(alias, exp.TableAlias):
        return []
    return [c.name.lower() for c in alias.args.get("columns") or ()]
