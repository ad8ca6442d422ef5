"""Words that a column of numbers is compared with: no row can meet such a condition.

What the number stands for is looked up over a proved join (`supplier_id = 'Aoki'`). A word that
neither a column nor the question has was made up, and its condition is left out, which is said.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import traverse_scope

from ingest.store import Catalog
from tools.errors import ToolRetry
from tools.sql.doubts import Ask
from tools.sql.filters import TextFilter
from tools.sql.invented import take_out
from tools.sql.misplaced import look_up
from tools.sql.names import folded
from tools.sql.references import tables_of
from tools.sql.sources import conjuncts
from tools.sql.stored import Locate

NUMERIC = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "DOUBLE", "FLOAT", "DECIMAL")


@dataclass(frozen=True)
class Misfit:
    table: str
    column: str
    value: str
    condition: exp.Expr

    @property
    def told(self) -> str:
        return f"{self.column} = '{self.value}'"


def fitted(
    sql: str, question: str, catalog: Catalog, ask: Ask, locate: Locate
) -> tuple[str, str] | None:
    """The query without such a condition, and what was done; None where it has none. Raises
    `ToolRetry` "no_number" when the question has the word, or another column holds it."""
    try:
        tree = parse_one(sql, dialect="duckdb")
        found = next(_misfits(tree, catalog), None)
    except (SqlglotError, RecursionError):
        return None
    if found is None:
        return None
    wanted = TextFilter(found.table, found.column, found.value)
    looked_up = look_up(sql, wanted, catalog, ask)
    if looked_up is not None:
        return looked_up, f"{found.told} was looked up: {found.column} holds numbers"
    places = locate(found.value)
    if places or folded(found.value) in folded(question):
        message = f"{found.table}.{found.column} holds numbers, not '{found.value}'"
        where = f"'{found.value}' stands in {' and '.join(places)}"
        raise ToolRetry("no_number", message, where if places else "leave the condition out")
    take_out(found.condition)
    return tree.sql(dialect="duckdb"), f"{found.told} was left out: {found.column} holds numbers"


def _misfits(tree: exp.Expr, catalog: Catalog) -> Iterator[Misfit]:
    """Among the parts of each WHERE that are joined by AND."""
    for scope in traverse_scope(tree):
        where = scope.expression.args.get("where")
        tables = tables_of(scope, catalog)
        for part in conjuncts(where.this) if where is not None else ():
            if not isinstance(part, exp.EQ) or not isinstance(part.this, exp.Column):
                continue
            value = part.expression
            if not isinstance(value, exp.Literal) or not value.is_string or _is_number(value.name):
                continue
            for alias, table in tables.items():
                record = table.column(part.this.name)
                own = part.this.table.lower() in ("", alias)
                if own and record is not None and record.type.startswith(NUMERIC):
                    yield Misfit(table.name, record.name, value.name, part)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
