"""An expression of a query in stored columns, without what changes no meaning."""

from collections.abc import Mapping

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

MAX_DEPTH = 12


class Expander:
    """Writes the columns of CTEs and subqueries out. `same` names equal columns alike."""

    def __init__(self, root: Scope, same: Mapping[str, str]) -> None:
        self._same = same
        self._scopes = {id(scope.expression): scope for scope in root.traverse()}

    def expand(self, node: exp.Expr, scope: Scope, depth: int = 0) -> exp.Expr:
        """A copy; a subquery stands as the first thing that it shows."""
        root = exp.Paren(this=node.copy())
        twins = list(root.this.walk())
        for original, twin in zip(list(node.walk()), twins, strict=True):
            if isinstance(original, exp.Column) and not isinstance(original.this, exp.Star):
                twin.replace(self._resolved(original, scope, depth))
            elif isinstance(original, exp.Query) and id(_select(original)) in self._scopes:
                inner = self._scopes[id(_select(original))]
                if not isinstance(original.parent, exp.Exists):
                    twin.replace(self._first(inner, depth))
        expanded: exp.Expr = root.this
        return expanded.transform(_plain)

    def projections(self, scope: Scope) -> list[str]:
        branch = _first_branch(scope)
        return [text_of(self.expand(item.unalias(), branch)) for item in _shown(branch)]

    def _first(self, scope: Scope, depth: int) -> exp.Expr:
        branch = _first_branch(scope)
        shown = _shown(branch)
        if not shown or depth > MAX_DEPTH:
            return exp.null()
        return self.expand(shown[0].unalias(), branch, depth + 1)

    def _resolved(self, column: exp.Column, scope: Scope, depth: int) -> exp.Expr:
        name = column.table
        if not name and len(scope.selected_sources) == 1:
            name = next(iter(scope.selected_sources))
        at: Scope | None = scope
        while at is not None and name not in at.sources:
            at = at.parent
        source = at.sources[name] if at is not None else None
        if isinstance(source, exp.Table):
            return self._stored(source.name.lower(), column.name.lower())
        if isinstance(source, Scope) and depth <= MAX_DEPTH:
            found = self._output(source, column.name, depth)
            if found is not None:
                return found
        return self._stored(name.lower(), column.name.lower())

    def _output(self, scope: Scope, name: str, depth: int) -> exp.Expr | None:
        branch = _first_branch(scope)
        for item in _shown(branch):
            if item.alias_or_name.lower() == name.lower():
                return self.expand(item.unalias(), branch, depth + 1)
        return None

    def _stored(self, table: str, name: str) -> exp.Column:
        known = self._same.get(f"{table}.{name}") if table else None
        if known is not None:
            table, _, name = known.partition(".")
        return exp.column(name, table=table or None)


def columns_of(node: exp.Expr) -> list[str]:
    return sorted({dotted(column) for column in node.find_all(exp.Column)})


def dotted(column: exp.Column) -> str:
    return f"{column.table}.{column.name}" if column.table else column.name


def text_of(node: exp.Expr) -> str:
    """As a reader writes it, without quotes around names."""
    plain = node.transform(_unquoted)
    return plain.sql(dialect="duckdb", comments=False)


def _first_branch(scope: Scope) -> Scope:
    """The one that names the columns of a UNION."""
    while scope.set_operation_scopes:
        scope = scope.set_operation_scopes[0]
    return scope


def _shown(scope: Scope) -> list[exp.Expr]:
    query = scope.expression
    return list(query.selects) if isinstance(query, exp.Query) else []


def _select(node: exp.Expr) -> exp.Expr:
    return node.unnest() if isinstance(node, exp.Subquery) else node


def _plain(node: exp.Expr) -> exp.Expr:
    """Without casts, roundings and COALESCE(x, 0); COUNT(x) counts rows."""
    while isinstance(node, exp.Cast | exp.TryCast | exp.Round | exp.Coalesce):
        node = node.this
    if isinstance(node, exp.Count) and not isinstance(node.this, exp.Distinct):
        return exp.Count(this=exp.Star())
    return node


def _unquoted(node: exp.Expr) -> exp.Expr:
    if isinstance(node, exp.Identifier) and node.args.get("quoted"):
        return exp.to_identifier(node.name, quoted=False)
    return node
