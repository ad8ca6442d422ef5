"""What is pointed out of sums that may well be meant: of rates, and of amounts whose currency stands
in another table."""

from collections.abc import Iterator

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from ingest.store import Catalog, TableRecord
from tools.sql.calls import Call, calls_of, terms
from tools.sql.dividers import MONEY, amount_of, dividers_of, snake
from tools.sql.multiplied import Joined
from tools.sql.sources import columns_in, sources_of


def rate_notes(scope: Scope, catalog: Catalog) -> Iterator[str]:
    """A price or a share that is summed as it is: seldom what is meant, but it may be."""
    select = scope.expression
    if not isinstance(select, exp.Select):
        return
    shape = Joined(sources_of(scope, catalog))
    for call in calls_of(scope):
        for term in terms(call.value) if isinstance(call.node, exp.Sum) else ():
            found = amount_of(term, shape)
            if found is not None and found[1].measure == "rate":
                said = call.node.sql(dialect="duckdb")
                yield f"{said} adds up a rate: multiply it by its quantity, or take AVG"


def elsewhere_notes(scope: Scope, catalog: Catalog) -> Iterator[str]:
    """Amounts without a currency of their own are added up, and the table whose parts they are (the
    orders of order lines), which is not read here, has several."""
    select = scope.expression
    if not isinstance(select, exp.Select):
        return
    sources = sources_of(scope, catalog)
    read = [s.record for s in sources.values() if s.record is not None]
    if any(d.what == "currencies" for table in read for _, d in dividers_of(table)):
        return
    shape = Joined(sources)
    for call in calls_of(scope):
        for term in terms(call.value) if isinstance(call.node, exp.Sum | exp.Avg) else ():
            for column in columns_in(term):
                place = shape.place(column)
                record = shape.sources[place[0]].record if place is not None else None
                found = record.column(column.name) if record is not None else None
                if record is None or found is None or found.currency or found.measure == "rate":
                    continue
                if MONEY.search(snake(found.name)) and not any(dividers_of(record)):
                    said = call.node.sql(dialect="duckdb")
                    yield from _currencies_elsewhere(said, record, call, catalog)


def _currencies_elsewhere(
    said: str, record: TableRecord, call: Call, catalog: Catalog
) -> Iterator[str]:
    grouped = {c.name.lower() for key in call.keys for c in columns_in(key)}
    for join in catalog.joins:
        is_part = join.one_to_one or join.left_column in record.primary_key
        if join.left_table != record.name or not is_part or join.left_column.lower() in grouped:
            continue
        table = catalog.table(join.right_table)
        for column, divider in dividers_of(table) if table is not None else ():
            if divider.what == "currencies":
                yield (
                    f"{said} is over all rows, whatever {join.right_table}.{column.name} says "
                    f"({', '.join(column.examples[:4])}): join {join.right_table} on "
                    f"{join.left_column} = {join.right_column} to keep the currencies apart"
                )
