"""Places of an order that several rows share, behind a LIMIT that shows only some of them."""

from collections.abc import Iterator

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from tools.errors import ToolError
from tools.sql.client import Rows
from tools.sql.doubts import Ask

MOST_ROWS = 50
"""Above so many rows a LIMIT cuts a list, and asks for no place."""


def tie_notes(sql: str, rows: Rows, ask: Ask) -> Iterator[str]:
    """A note where the last row shown shares its place with rows that are not."""
    if not 0 < rows.row_count <= MOST_ROWS:
        return
    try:
        tree = parse_one(sql, dialect="duckdb")
        limited = _limited(tree)
        if limited is not None and rows.row_count == limited[1]:
            yield from _behind_limit(*limited, ask)
        elif limited is None and isinstance(tree, exp.Query):
            yield from _behind_number(tree, rows, ask)
    except (SqlglotError, RecursionError, ToolError):
        return


def _limited(tree: exp.Expr) -> tuple[exp.Select, int] | None:
    """A SELECT with ORDER BY and a LIMIT in figures."""
    if not isinstance(tree, exp.Select) or tree.args.get("offset"):
        return None
    limit, order = tree.args.get("limit"), tree.args.get("order")
    if not isinstance(limit, exp.Limit) or order is None:
        return None
    count = limit.expression
    is_whole = isinstance(count, exp.Literal) and not count.is_string and count.name.isdigit()
    return (tree, int(count.name)) if is_whole else None


def _behind_limit(select: exp.Select, limit: int, ask: Ask) -> Iterator[str]:
    ordered = _placed(select)
    if not ordered or (select.args.get("distinct") and _is_computed(ordered, select)):
        return
    made = select.copy()
    steps = made.args.pop("with_", None)
    names = [f"order_{n}" for n in range(len(ordered))]
    for by, name in zip(ordered, names, strict=True):
        made.append("expressions", exp.alias_(by.this.copy(), name, quoted=True))
    made.set("order", None)
    made.set("limit", None)
    again = []
    for by, name in zip(ordered, names, strict=True):
        one = by.copy()
        one.set("this", exp.column(name, table="q", quoted=True))
        again.append(one)
    rank = exp.Window(this=exp.Rank(), order=exp.Order(expressions=again))
    placed = exp.select(exp.alias_(rank, "place")).from_(made.subquery("q")).subquery("p")
    within = exp.LTE(this=exp.column("place", table="p"), expression=exp.Literal.number(limit))
    counted = exp.select(exp.Count(this=exp.Star())).from_(placed).where(within)
    if steps is not None:
        counted.set("with_", steps)
    found = int(str(ask(counted.sql(dialect="duckdb", comments=False)).rows[0][0]))
    if found > limit:
        yield _said(found, limit, ", ".join(by.this.sql(dialect="duckdb") for by in ordered))


def _said(found: int, limit: int, by: str) -> str:
    if limit == 1:
        return f"{found} rows share the first place by {by}; only one of them is shown"
    more = found - limit
    rows = "1 more row has" if more == 1 else f"{more} more rows have"
    return f"{rows} the same {by} as the last one shown"


def _placed(select: exp.Select) -> list[exp.Ordered]:
    """What the rows are placed by: a figure that is added up alone, since what follows it only
    settles ties; else all that ORDER BY names."""
    by_name = {i.alias.lower(): i.unalias() for i in select.expressions if i.alias}
    found = []
    for ordered in select.args["order"].expressions:
        one = ordered.copy()
        key = one.this
        if isinstance(key, exp.Literal) and key.name.isdigit():
            at = int(key.name) - 1
            if not 0 <= at < len(select.expressions):
                return []
            one.set("this", select.expressions[at].unalias().copy())
        elif isinstance(key, exp.Column) and not key.table and key.name.lower() in by_name:
            one.set("this", by_name[key.name.lower()].copy())
        found.append(one)
    first = found[0].this if found else None
    if first is None or first.is_star or first.find(exp.Rand) is not None:
        return []
    return found[:1] if first.find(exp.AggFunc) is not None else found


def _is_computed(ordered: list[exp.Ordered], select: exp.Select) -> bool:
    """Whether DISTINCT would count a key that is not among its columns."""
    shown = [item.unalias() for item in select.expressions]
    return not all(by.this in shown for by in ordered)


def _behind_number(tree: exp.Query, rows: Rows, ask: Ask) -> Iterator[str]:
    """`row_number() … = 1` with `rank()` in its place gives more rows where some tie."""
    made = tree.copy()
    numbers = [n for n in made.find_all(exp.RowNumber) if isinstance(n.parent, exp.Window)]
    picks = [n for n in numbers if n.parent is not None and n.parent.args.get("order")]
    if not picks or len(picks) != len(numbers) or tree.args.get("limit"):
        return
    for number in picks:
        number.replace(exp.Rank())
    steps = made.args.pop("with_", None)
    counted = exp.select(exp.Count(this=exp.Star())).from_(made.subquery("q"))
    if steps is not None:
        counted.set("with_", steps)
    found = int(str(ask(counted.sql(dialect="duckdb", comments=False)).rows[0][0]))
    if found > rows.row_count:
        more = found - rows.row_count
        said = "1 more row shares" if more == 1 else f"{more} more rows share"
        yield f"{said} a place that row_number() gives to one alone: rank() shows all of them"
