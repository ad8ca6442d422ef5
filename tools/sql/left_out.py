"""Quarantined cells that an answer misses: those of the rows that its query meets.

A quarantined cell is NULL in its table. Where a column has no other NULL, the rows of a query in
which it is NULL are those left out; where it has, there may be as many, or none.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import Scope

from ingest.store import Catalog, ColumnRecord, TableRecord
from ingest.store.records import QuarantinedCell
from tools.errors import ToolError
from tools.sql.doubts import Ask, behind, column_of
from tools.sql.guard import CheckedQuery
from tools.sql.multiplied import Joined, joined
from tools.sql.sources import conjuncts, scopes_of, sources_of
from tools.sql.unfold import unfolded

ROWS_NAMED = 5
Cells = Callable[[str], Sequence[QuarantinedCell]]
"""The quarantined cells of a table."""


@dataclass(frozen=True)
class LeftOut:
    """How many quarantined cells of a column an answer misses."""

    table: TableRecord
    column: ColumnRecord
    count: int

    def note(self, cells: Cells) -> str:
        """The count, the rows of the source where all of the column's are meant, and the command
        that lists them."""
        n, table, name = self.count, self.table, self.column.name
        said = f"column {name} of table {table.name} leaves out {n} {'cell' if n == 1 else 'cells'}"
        rows = [c.row for c in cells(table.name) if c.column.lower() == name.lower()]
        command = f" (zaiko tables --quarantine {table.name})"
        if n < self.column.quarantined or not rows:
            return said + command
        named = ", ".join(map(str, rows[:ROWS_NAMED])) + (", …" if len(rows) > ROWS_NAMED else "")
        return f"{said}: {'row' if len(rows) == 1 else 'rows'} {named} of {table.source}{command}"


def left_out(query: CheckedQuery, catalog: Catalog, ask: Ask) -> tuple[LeftOut, ...]:
    """Of each used column with quarantined cells those that the query's rows have; all of the
    column's where that cannot be told, and nothing where they have none."""
    found = []
    for table_name, column_name in query.columns:
        table = catalog.table(table_name)
        column = table.column(column_name) if table is not None else None
        if table is None or column is None or not column.quarantined:
            continue
        missing = _missing(query, table, column, catalog, ask)
        if missing is None or (missing and column.nulls > column.quarantined):
            missing = column.quarantined
        if missing:
            found.append(LeftOut(table, column, min(missing, column.quarantined)))
    return tuple(found)


def _missing(
    query: CheckedQuery, table: TableRecord, column: ColumnRecord, catalog: Catalog, ask: Ask
) -> int | None:
    """The most rows of one SELECT in which the column is NULL; None where that cannot be told."""
    try:
        tree = parse_one(query.sql, dialect="duckdb")
        folded = unfolded(tree, catalog)
        tree = folded[0] if len(folded) == 1 else tree
        counts = [
            int(str(ask(asked).rows[0][0]))
            for scope in scopes_of(tree)
            for asked in _questions(tree, scope, table, column, catalog)
        ]
    except (SqlglotError, RecursionError, ToolError, _Unknown):
        return None
    # A star of a step that is folded away read columns that nothing uses.
    return max(counts, default=0 if len(folded) == 1 else None)


class _Unknown(Exception):
    """A row may be missing because of the cell itself."""


def _questions(
    tree: exp.Expr, scope: Scope, table: TableRecord, column: ColumnRecord, catalog: Catalog
) -> Iterator[str]:
    """For each place where a SELECT reads the column: how many of its rows have it NULL."""
    select = scope.expression
    if not isinstance(select, exp.Select):
        return
    sources = sources_of(scope, catalog)
    shape = Joined(sources)
    for alias, source in sources.items():
        read = any(shape.place(c) == (alias, column.name.lower()) for c in scope.columns)
        if source.record is not table or not (read or select.is_star):
            continue
        own = column_of(column.name, alias)
        if _joins_by(select, shape, alias, table):
            raise _Unknown
        parts = [*_kept(select, shape), exp.Is(this=own, expression=exp.Null())]
        made = behind(tree, select, parts)
        rows = exp.Distinct(expressions=[column_of("rowid", alias)])
        made.set("expressions", [exp.Count(this=rows)])
        yield made.sql(dialect="duckdb", comments=False)


def _joins_by(select: exp.Select, shape: Joined, alias: str, table: TableRecord) -> bool:
    """Whether a join looks at a quarantined column: its rows find no partner."""
    conditions = [j.args.get("on") for j in select.args.get("joins") or ()]
    named = {
        c
        for on in conditions
        if on is not None
        for c in shape.places(list(on.find_all(exp.Column)))
    }
    equal = joined(select, shape.sources).equalities if select.args.get("joins") else ()
    places = named | {
        place for place, needs in equal if needs and any(n[0] != place[0] for n in needs)
    }
    return any(a == alias and _is_damaged(table, name) for a, name in places)


def _kept(select: exp.Select, shape: Joined) -> Iterator[exp.Expr]:
    """The conditions that do not speak of a quarantined column."""
    where = select.args.get("where")
    for part in conjuncts(where.this) if where is not None else ():
        places = shape.places(list(part.find_all(exp.Column)))
        records = [(shape.sources[alias].record, name) for alias, name in places]
        if not any(record is not None and _is_damaged(record, name) for record, name in records):
            yield part


def _is_damaged(table: TableRecord, name: str) -> bool:
    column = table.column(name)
    return column is not None and bool(column.quarantined)
