"""The same query with its steps folded into one: what the guards on meaning judge as well.

`WITH t AS (SELECT … FROM a JOIN b) SELECT SUM(x) FROM t` adds up just what
`SELECT SUM(x) FROM a JOIN b` does. Only the judging reads these trees; what runs is the query.
"""

from collections.abc import Iterator

from sqlglot import exp
from sqlglot.optimizer.merge_subqueries import merge_subqueries
from sqlglot.optimizer.qualify_columns import qualify_columns
from sqlglot.optimizer.qualify_tables import qualify_tables
from sqlglot.schema import MappingSchema

from ingest.store import Catalog
from tools.sql.faults import PARSER_FAULTS
from tools.sql.functions import LISTED
from tools.sql.made import lists_as_joins
from tools.sql.references import used_tables
from tools.sql.rewrite import quote_identifiers

MAX_NODES = 5000
MAX_BRANCHES = 16
COPIED_NODES = 40_000
SUMS = ("fsum", "kahan_sum", "sumkahan")
MEANS = ("mean", "favg")
SPREADS = ("mad", "reservoir_quantile", "sem", "geomean", "geometric_mean")


def unfolded(tree: exp.Expr, catalog: Catalog) -> list[exp.Expr]:
    """The query with every step that only picks rows and columns folded into its reader, once for
    each branch of a UNION that is read from; none where nothing folds."""
    own = plain_aggregates(tree.copy())
    lists_as_joins(own)
    has_steps = tree.find(exp.CTE, exp.Subquery) is not None
    if not has_steps:
        return [own] if own != tree else []
    try:
        _inline_steps(own)
        _lower_names(own)
        qualified = qualify_columns(qualify_tables(own, dialect="duckdb"), _schema(tree, catalog))
        return [_merged(branch) for branch in _branches(qualified)]
    except PARSER_FAULTS:
        return []


def over_groups(tree: exp.Expr) -> exp.Expr:
    """`SUM(SUM(x)) OVER (…)` read as `SUM(x) OVER (…)`: it adds up over the groups."""
    made = tree.copy()
    for call in list(made.find_all(exp.Sum, exp.Avg)):
        inner = call.this
        if isinstance(inner, type(call)) and isinstance(call.parent, exp.Window):
            inner.replace(inner.this)
    return made


def plain_aggregates(tree: exp.Expr) -> exp.Expr:
    """Other names of SUM, AVG and the spreads read as such, also over a list that is collected."""
    for call in list(tree.find_all(exp.Anonymous)):
        name = call.name.lower()
        given = list(call.expressions)
        if name in LISTED and len(given) == 2 and isinstance(given[1], exp.Literal):
            name = f"list_{given[1].name.lower()}"
        collected = _collected(given[0]) if given and name.startswith("list_") else None
        kind = _kind(name.removeprefix("list_") if collected is not None else name)
        if kind is None or not given:
            continue
        value, condition = collected if collected is not None else (given[0], None)
        made: exp.Expr = kind(this=value.copy())
        if condition is not None:
            made = exp.Filter(this=made, expression=condition.copy())
        call.replace(made)
    return tree


def _kind(name: str) -> type[exp.AggFunc] | None:
    if name in ("sum", *SUMS):
        return exp.Sum
    if name in ("avg", *MEANS):
        return exp.Avg
    return exp.Median if name in ("median", *SPREADS) else None


def _collected(node: exp.Expr) -> tuple[exp.Expr, exp.Expr | None] | None:
    """What a list is made of, and the condition of its FILTER."""
    condition = None
    if isinstance(node, exp.Filter):
        node, condition = node.this, node.expression
    return (node.this, condition) if isinstance(node, exp.ArrayAgg) else None


def _inline_steps(tree: exp.Expr) -> None:
    """Puts the text of each WITH step where it is read, so that one read twice folds, too."""
    for holder in [q for q in tree.find_all(exp.Query) if q.args.get("with_")]:
        steps = holder.args["with_"]
        if steps.args.get("recursive"):
            continue
        for cte in steps.expressions:
            if cte.args["alias"].args.get("columns"):
                return
            readers = [t for t in holder.find_all(exp.Table) if _reads(t, cte)]
            if _size(cte) * len(readers) > MAX_NODES:
                raise ValueError("too large to unfold")
            for table in readers:
                alias = exp.TableAlias(this=exp.to_identifier(table.alias_or_name, quoted=True))
                table.replace(_in_place(table, exp.Subquery(this=cte.this.copy(), alias=alias)))
            if _size(tree) > MAX_NODES:
                raise ValueError("too large to unfold")
        holder.set("with_", None)


def _size(tree: exp.Expr) -> int:
    return sum(1 for _ in tree.walk())


def _in_place(table: exp.Table, step: exp.Subquery) -> exp.Subquery:
    """A step with what hangs on the table that reads it."""
    for name in ("joins", "laterals", "sample", "pivots"):
        if table.args.get(name):
            step.set(name, table.args[name])
    return step


def _reads(table: exp.Table, cte: exp.CTE) -> bool:
    if table.args.get("db") or table.name.lower() != cte.alias.lower():
        return False
    within = table.find_ancestor(exp.CTE)
    return within is not cte


def _lower_names(tree: exp.Expr) -> None:
    """As DuckDB compares them: only A to Z have two cases."""
    for name in tree.find_all(exp.Identifier):
        name.set("this", _lower(name.name))


def _lower(name: str) -> str:
    return "".join(c.lower() if c.isascii() else c for c in name)


def _schema(tree: exp.Expr, catalog: Catalog) -> MappingSchema:
    tables: dict[str, object] = {
        _lower(t.name): {
            _lower(c.name): c.type if _is_simple(c.type) else "VARCHAR" for c in t.columns
        }
        for t in used_tables(tree, catalog)
    }
    return MappingSchema(tables, dialect="duckdb", normalize=False)


def _is_simple(kind: str) -> bool:
    return kind.split("(", maxsplit=1)[0].isalpha()


def _branches(tree: exp.Expr) -> Iterator[exp.Expr]:
    """The query with each UNION that is read from replaced by each of its branches in turn."""
    waiting, found, nodes = [tree], 0, 0
    while waiting and found < MAX_BRANCHES and nodes < COPIED_NODES:
        one = waiting.pop()
        nodes += _size(one)
        union = next(_unions(one), None)
        if union is None:
            found += 1
            yield one
            continue
        names = union.named_selects
        for at in range(2):
            made = one.copy()
            target = next(_unions(made))
            branch: exp.Expr = target.left if at == 0 else target.right
            branch = branch.unnest() if isinstance(branch, exp.Subquery) else branch
            if isinstance(branch, exp.Select):
                _name_outputs(branch, names)
            target.replace(branch)
            waiting.append(made)


def _unions(tree: exp.Expr) -> Iterator[exp.Union]:
    for union in tree.find_all(exp.Union):
        around = union.parent
        if isinstance(around, exp.Subquery) and isinstance(around.parent, exp.From | exp.Join):
            yield union


def _name_outputs(branch: exp.Select, names: list[str]) -> None:
    """A UNION's columns are called as in its first branch."""
    if len(names) == len(branch.expressions):
        made = [
            exp.alias_(item.unalias(), name, quoted=True)
            for item, name in zip(branch.expressions, names, strict=True)
        ]
        branch.set("expressions", made)


def _merged(tree: exp.Expr) -> exp.Expr:
    merged = merge_subqueries(tree)
    quote_identifiers(merged)
    return merged
