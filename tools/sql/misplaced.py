"""A value that is looked for in the column that refers to it: a supplier's name in its code."""

from collections.abc import Callable, Iterator

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from ingest.store import Catalog
from tools.sql.client import Rows
from tools.sql.filters import TextFilter

Ask = Callable[[str], Rows]


def look_up(sql: str, wanted: TextFilter, catalog: Catalog, ask: Ask) -> str | None:
    """`supplier_code = 'Aoki Ltd'` as `supplier_code IN (SELECT supplier_code FROM suppliers
    WHERE supplier_name = 'Aoki Ltd')`, over a proved join; None where no column holds the value."""
    place = next(_places(wanted, catalog, ask), None)
    if place is None:
        return None
    try:
        tree = parse_one(sql, dialect="duckdb")
    except (SqlglotError, RecursionError):
        return None
    table, key, holder = place
    inner = (
        exp.select(exp.column(key, quoted=True))
        .from_(exp.to_identifier(table, quoted=True))
        .where(exp.column(holder, quoted=True).eq(wanted.value))
    )
    found = [
        equality
        for equality in tree.find_all(exp.EQ)
        if isinstance(equality.left, exp.Column)
        and equality.left.name.lower() == wanted.column.lower()
        and isinstance(equality.right, exp.Literal)
        and equality.right.name == wanted.value
    ]
    for equality in found:
        equality.replace(exp.In(this=equality.left.copy(), query=exp.Subquery(this=inner.copy())))
    return tree.sql(dialect="duckdb") if found else None


def _places(wanted: TextFilter, catalog: Catalog, ask: Ask) -> Iterator[tuple[str, str, str]]:
    """(table, its key, column that holds the value) among the tables that the column refers to."""
    for join in catalog.joins:
        if (join.left_table, join.left_column) != (wanted.table, wanted.column):
            continue
        table = catalog.table(join.right_table)
        for column in table.columns if table is not None else ():
            if column.type != "VARCHAR" or column.name == join.right_column:
                continue
            there = (
                exp.select(exp.Literal.number(1))
                .from_(exp.to_identifier(join.right_table, quoted=True))
                .where(exp.column(column.name, quoted=True).eq(wanted.value))
                .limit(1)
            )
            if ask(there.sql(dialect="duckdb")).row_count:
                yield join.right_table, join.right_column, column.name
