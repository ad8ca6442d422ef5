"""The few changes made to a query before it runs; each is certain in meaning or leaves a note."""

import re
from datetime import date

from sqlglot import exp, parse_one

from ingest.store import Catalog
from tools.sql.names import nearest
from tools.sql.references import used_tables

PLAIN_NAME = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*$")
COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Like, exp.ILike)
TEXT_LIKE = ("VARCHAR", "DATE", "TIME", "ENUM", "UUID")
SCHEMAS = ("main", "system.main")
CLOCK_CALLS = ("now", "get_current_timestamp", "transaction_timestamp")


def quote_identifiers(tree: exp.Expr) -> None:
    """Quote every name that is not plain ASCII; keywords are quoted by the generator."""
    for name in tree.find_all(exp.Identifier):
        if not PLAIN_NAME.match(name.this):
            name.set("quoted", True)


def plain_calls(tree: exp.Expr) -> None:
    """`x.sum()` as `sum(x)`, and `main.sum(x)` as `sum(x)`: DuckDB's other ways to call."""
    for node in reversed(list(tree.find_all(exp.Dot))):
        call = node.expression
        if not isinstance(call, exp.Func):
            continue
        called = call.sql(dialect="duckdb", comments=False)
        owner = node.this.sql(dialect="duckdb", comments=False)
        if owner.strip('"').lower() not in SCHEMAS:
            name, _, rest = called.partition("(")
            called = f"{name}({owner}{'' if rest == ')' else ', '}{rest}"
        node.replace(parse_one(called, dialect="duckdb"))


def fix_clock(tree: exp.Expr, today: date) -> list[str]:
    """Put the caller's date in place of the machine's clock."""
    found = False
    for node in list(tree.walk()):
        call = node.name.lower() if isinstance(node, exp.Anonymous) else ""
        if isinstance(node, exp.CurrentDate):
            replacement = exp.cast(exp.Literal.string(today.isoformat()), "DATE")
        elif isinstance(node, exp.CurrentTimestamp | exp.Localtimestamp) or call in CLOCK_CALLS:
            instant = exp.Literal.string(f"{today.isoformat()} 00:00:00")
            replacement = exp.cast(instant, "TIMESTAMP")
        else:
            continue
        found = True
        node.replace(replacement)
    return [f"the current date is {today.isoformat()}"] if found else []


def literals_for_quoted_values(tree: exp.Expr, catalog: Catalog, sql: str) -> list[str]:
    """Read `city = "Tokyo"` as `city = 'Tokyo'` where "Tokyo" can name nothing.

    Only a double-quoted operand of a comparison with a text or date column, and only when no
    column, alias or table of the whole query has that name or one much like it.
    """
    if tree.find(exp.Pivot) is not None:
        return []
    columns = {c.name.lower(): c.type for t in used_tables(tree, catalog) for c in t.columns}
    known = set(columns) | _names_made_here(tree)
    notes = []
    for node in list(tree.find_all(exp.Column)):
        if node.table or not _is_double_quoted(node, sql) or node.name.lower() in known:
            continue
        other = _compared_with(node)
        kind = columns.get(other.name.lower(), "") if other is not None else ""
        if not kind.startswith(TEXT_LIKE) or _is_misspelling(node.name, known):
            continue
        node.replace(exp.Literal.string(node.name))
        notes.append(f"\"{node.name}\" was read as the text '{node.name}': no column has that name")
    return notes


def _is_double_quoted(node: exp.Column, sql: str) -> bool:
    identifier = node.this
    if not isinstance(identifier, exp.Identifier) or not identifier.args.get("quoted"):
        return False
    start = identifier.meta.get("start")
    return isinstance(start, int) and sql[start : start + 1] == '"'


def _is_misspelling(name: str, known: set[str]) -> bool:
    return PLAIN_NAME.match(name) is not None and any(
        len(k) > 3 and len(name) > 3 and _distance_is_small(name.lower(), k)
        for k in nearest(name, known, 2)
    )


def _distance_is_small(a: str, b: str) -> bool:
    shared = sum(x == y for x, y in zip(a, b, strict=False))
    return abs(len(a) - len(b)) <= 1 and shared >= min(len(a), len(b)) - 1


def _names_made_here(tree: exp.Expr) -> set[str]:
    names = {"range", "generate_series", "unnest", "rowid"}
    names.update(t.name.lower() for t in tree.find_all(exp.Table))
    names.update(a.alias.lower() for a in tree.find_all(exp.Alias, exp.CTE))
    for alias in tree.find_all(exp.TableAlias):
        names.add(alias.name.lower())
        names.update(c.name.lower() for c in alias.args.get("columns") or ())
    for function in tree.find_all(exp.Lambda):
        names.update(e.name.lower() for e in function.expressions)
    return names


def _compared_with(node: exp.Column) -> exp.Column | None:
    """The plain column on the other side of a comparison, BETWEEN or IN list."""
    parent = node.parent
    if isinstance(parent, COMPARISONS):
        other = parent.expression if parent.this is node else parent.this
    elif isinstance(parent, exp.In | exp.Between) and parent.this is not node:
        other = parent.this
    else:
        return None
    return other if isinstance(other, exp.Column) else None
