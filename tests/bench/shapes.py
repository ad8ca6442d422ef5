"""The shape of a query: what it reads, joins, filters, adds up and shows, in stored columns."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlglot import exp, parse_one
from sqlglot.errors import OptimizeError, SqlglotError
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.scope import Scope, build_scope
from sqlglot.optimizer.simplify import simplify

from tests.bench.conditions import (
    Filter,
    Pair,
    Pick,
    filters_of,
    leaves_of,
    pair_of,
    pick_of,
    unwrapped,
)
from tests.bench.expressions import Expander, columns_of, text_of
from tools.sql.sources import conjuncts

Schema = Mapping[str, Mapping[str, str]]
"""Types by table and column, in lower case."""


@dataclass
class Shape:
    """Columns are written `table.column` in lower case, through every CTE and subquery."""

    tables: set[str] = field(default_factory=set)
    without: set[str] = field(default_factory=set)
    """Tables that only EXCEPT, NOT IN, NOT EXISTS or an outer join's IS NULL look in."""
    pairs: set[Pair] = field(default_factory=set)
    optional: set[str] = field(default_factory=set)
    filters: set[Filter] = field(default_factory=set)
    having: set[Filter] = field(default_factory=set)
    either: set[frozenset[str]] = field(default_factory=set)
    """The columns of each OR, but that of one column's `=` alone, which is an IN."""
    intersects: bool = False
    reads_twice: bool = False
    self_joined: set[str] = field(default_factory=set)
    aggregates: set[str] = field(default_factory=set)
    groups: set[str] = field(default_factory=set)
    picks: set[Pick] = field(default_factory=set)
    distinct: bool = False
    selected: list[str] = field(default_factory=list)
    uses: set[tuple[str, str]] = field(default_factory=set)
    """(`filter`, `figure` or `shown`, column): what each column is used for beside joins."""


def read_shape(sql: str, schema: Schema, same: Mapping[str, str] | None = None) -> Shape | None:
    """None for what cannot be read. `same` names the column that stands for an equal one."""
    try:
        root = build_scope(_qualified(parse_one(sql, dialect="duckdb"), schema))
    except (SqlglotError, RecursionError):
        return None
    return _Reader(root, same or {}).read() if root is not None else None


def _qualified(tree: exp.Expr, schema: Schema) -> exp.Expr:
    """As it is where the schema does not say which table a column is of."""
    known: dict[str, object] = {table: dict(columns) for table, columns in schema.items()}
    try:
        return qualify(
            tree.copy(),
            dialect="duckdb",
            schema=known,
            validate_qualify_columns=False,
            quote_identifiers=False,
        )
    except OptimizeError:
        return tree


class _Reader:
    def __init__(self, root: Scope, same: Mapping[str, str]) -> None:
        self.root = root
        self.shape = Shape()
        self.expander = Expander(root, same)
        self.positive: list[str] = []
        self.negative: set[str] = set()

    def read(self) -> Shape:
        self._visit(self.root, negated=False)
        shape = self.shape
        shape.without |= self.negative - set(self.positive)
        shape.tables = self.negative | set(self.positive)
        shape.reads_twice = len(self.positive) > len(set(self.positive))
        shape.selected = self.expander.projections(self.root)
        top = self.root.expression
        shape.distinct = isinstance(top, exp.Select) and bool(top.args.get("distinct"))
        return shape

    def _visit(self, scope: Scope, *, negated: bool) -> None:
        sources = [source for _, source in scope.selected_sources.values()]
        stored = [s.name.lower() for s in sources if isinstance(s, exp.Table)]
        self.shape.self_joined |= {name for name in stored if stored.count(name) > 1}
        for source in sources:
            if isinstance(source, Scope):
                if source is not scope:
                    self._visit(source, negated=negated)
            elif negated:
                self.negative.add(source.name.lower())
            else:
                self.positive.append(source.name.lower())
        query = scope.expression
        self.shape.intersects |= isinstance(query, exp.Intersect)
        for at, branch in enumerate(scope.set_operation_scopes):
            self._visit(branch, negated=negated or (at == 1 and isinstance(query, exp.Except)))
        for sub in scope.subquery_scopes:
            self._visit(sub, negated=negated or _is_negated(sub.expression))
        if isinstance(query, exp.Select):
            self._select(query, scope, negated=negated)
        self._pick(query, scope)

    def _select(self, query: exp.Select, scope: Scope, *, negated: bool) -> None:
        for join in query.args.get("joins") or ():
            if join.side in ("LEFT", "FULL"):
                self.shape.optional.add(_table(join.this))
            elif join.side == "RIGHT":
                self.shape.optional.add(_table(query.args["from_"].this))
        shown = [item.unalias() for item in query.expressions]
        for item in shown:
            self._figures(item, scope)
        group = query.args.get("group")
        keys = group.expressions if group is not None else []
        if group is not None and group.args.get("all"):
            keys = [item for item in shown if item.find(exp.AggFunc) is None]
        for key in keys:
            self.shape.groups.add(self._text(key, scope, "shown"))
        parts = [j.args.get("on") for j in query.args.get("joins") or ()]
        where = query.args.get("where")
        for part in (*parts, where.this if where is not None else None):
            self._condition(part, scope, self.shape.filters, negated=negated)
        for name in ("having", "qualify"):
            if query.args.get(name) is not None:
                test = query.args[name].this
                self._condition(test, scope, self.shape.having, negated=negated)

    def _figures(self, item: exp.Expr, scope: Scope) -> None:
        expanded = self.expander.expand(item, scope)
        calls = list(expanded.find_all(exp.AggFunc, exp.Window))
        self.shape.aggregates |= {_signature(call) for call in calls}
        for call in calls:
            self._use("figure", call)
        if not calls:
            self._use("shown", expanded)

    def _pick(self, query: exp.Expr, scope: Scope) -> None:
        limit = query.args.get("limit")
        order = query.args.get("order")
        if limit is None:
            return
        key, descending = "", False
        if order is not None and order.expressions:
            first = order.expressions[0]
            expanded = self.expander.expand(_ordered(first.this, query), scope)
            key, descending = text_of(expanded), bool(first.args.get("desc"))
            self._use("figure", expanded)
        self.shape.picks.add(Pick(key, descending, limit.expression.name))

    def _condition(
        self, test: exp.Expr | None, scope: Scope, into: set[Filter], *, negated: bool
    ) -> None:
        if test is None:
            return
        expanded = simplify(self.expander.expand(test, scope), dialect="duckdb")
        for part in conjuncts(expanded):
            leaves = [unwrapped(leaf) for leaf in leaves_of(part)]
            found = [f for leaf in leaves for f in self._leaf(leaf, into, negated=negated)]
            columns = frozenset(f.column for f in found)
            is_in = len(columns) == 1 and {f.operator for f in found} == {"="}
            if len(leaves) > 1 and not is_in:
                self.shape.either.add(columns)

    def _leaf(self, leaf: exp.Expr, into: set[Filter], *, negated: bool) -> list[Filter]:
        is_not = isinstance(leaf, exp.Not)
        test = unwrapped(leaf.this) if is_not else leaf
        if isinstance(test, exp.Exists):
            return []
        query = test.args.get("query") if isinstance(test, exp.In) else None
        if query is not None:
            test = exp.EQ(this=test.this, expression=query)
            if is_not:
                return []
        pair = pair_of(test)
        if pair is not None and not is_not:
            if len(pair) == 2 and not negated:
                self.shape.pairs.add(pair)
            return []
        pick = pick_of(test)
        if pick is not None:
            self.shape.picks.add(pick)
            self._use("figure", test)
            return []
        found = list(filters_of(test, negated=is_not))
        if [f.operator for f in found] == ["IS"] and _tables(found[0].column) & self.shape.optional:
            self.shape.without |= _tables(found[0].column)
            return []
        self._use("filter", test)
        into.update(found)
        return found

    def _text(self, node: exp.Expr, scope: Scope, use: str) -> str:
        expanded = self.expander.expand(node, scope)
        self._use(use, expanded)
        return text_of(expanded)

    def _use(self, use: str, node: exp.Expr) -> None:
        self.shape.uses |= {(use, column) for column in columns_of(node)}


def _signature(call: exp.Expr) -> str:
    """The function, DISTINCT and the columns; COUNT of a column is COUNT of the rows."""
    if isinstance(call, exp.Window):
        return f"{call.this.key.upper()} OVER"
    inner = call.this
    distinct = "DISTINCT " if isinstance(inner, exp.Distinct) else ""
    return f"{call.key.upper()}({distinct}{', '.join(columns_of(call)) or '*'})"


def _is_negated(query: exp.Expr) -> bool:
    """Whether NOT IN, NOT EXISTS or <> ALL looks in this subquery."""
    node = query.parent
    while isinstance(node, exp.Subquery | exp.Paren):
        node = node.parent
    if isinstance(node, exp.In | exp.Exists):
        outer = node.parent
        while isinstance(outer, exp.Paren):
            outer = outer.parent
        return isinstance(outer, exp.Not)
    return isinstance(node, exp.All) and isinstance(node.parent, exp.NEQ)


def _ordered(key: exp.Expr, query: exp.Expr) -> exp.Expr:
    """What an ORDER BY key means: an output's name stands for the output."""
    if isinstance(key, exp.Column) and not key.table and isinstance(query, exp.Query):
        for item in query.selects:
            if item.alias_or_name.lower() == key.name.lower():
                return item.unalias()
    return key


def _table(node: exp.Expr) -> str:
    return node.name.lower()


def _tables(columns: str) -> set[str]:
    return {name.rpartition(".")[0] for name in columns.split()}
