"""Numbers that only name things, a customer's number or a year: their sum says nothing."""

from collections.abc import Iterable, Iterator

from sqlglot import exp

from ingest.store import Catalog, ColumnRecord, TableRecord
from tools.sql.doubts import Doubt
from tools.sql.references import Reference
from tools.sql.renames import is_key_name
from tools.sql.years import holds_years, is_year


def naming_doubts(
    tree: exp.Expr, references: Iterable[Reference], catalog: Catalog
) -> Iterator[Doubt]:
    """Sums and means of what the data prove to be a key, and sums of what they prove to be years."""
    for call, table, column in _summed(tree, references):
        if is_key(table, column, catalog):
            what = f"{column.name} of table {table.name} numbers things"
            probes: tuple[str, ...] = ()
        elif isinstance(call, exp.Sum) and is_year(column):
            what = f"{column.name} of table {table.name} says a year"
            probes = (holds_years(table, column),)
        else:
            continue
        fix = f"COUNT(*) counts rows, COUNT(DISTINCT {column.name}) counts what it names"
        message = f"{what}: its {'sum' if isinstance(call, exp.Sum) else 'mean'} says nothing"
        yield Doubt("summed_names", message, fix, probes, proved=not probes)


def naming_notes(
    tree: exp.Expr, references: Iterable[Reference], catalog: Catalog
) -> Iterator[str]:
    """Sums and means of what only its name tells to be a key."""
    for _, table, column in _summed(tree, references):
        if is_key_name(column.name) and not is_key(table, column, catalog):
            yield f"{column.name} of table {table.name} numbers things: its sum or mean says nothing"


def is_key(table: TableRecord, column: ColumnRecord, catalog: Catalog) -> bool:
    sides = {(j.left_table, j.left_column) for j in catalog.joins}
    sides |= {(j.right_table, j.right_column) for j in catalog.joins}
    return table.primary_key == (column.name,) or (table.name, column.name) in sides


def _summed(
    tree: exp.Expr, references: Iterable[Reference]
) -> Iterator[tuple[exp.Expr, TableRecord, ColumnRecord]]:
    calls = {id(_bare(c.this)): c for c in tree.find_all(exp.Sum, exp.Avg)}
    for reference in references:
        call = calls.get(id(reference.node)) if reference.node is not None else None
        column = reference.table.column(reference.column)
        if call is not None and column is not None and column.measure is None:
            yield call, reference.table, column


def _bare(value: exp.Expr) -> exp.Expr:
    while isinstance(value, exp.Cast | exp.TryCast | exp.Paren):
        value = value.this
    return value
