"""`CatalogTool`: which tables, columns and documents there are, as rows that can be cited."""

from typing import ClassVar

from ingest.store import Catalog, TableRecord
from tools.base import Arguments, ToolContext
from tools.catalog.arguments import CatalogArguments
from tools.catalog.documents import documents
from tools.catalog.results import NAME, CatalogResult, Listing, Row, columns_of, day
from tools.errors import ToolRetry
from tools.sql.names import unknown_table_hint

EXAMPLES_SHOWN = 3


class CatalogTool:
    """Reads the catalog and the documents' records; runs nothing."""

    name: ClassVar[str] = NAME
    description: ClassVar[str] = (
        "See what data there is. action 'tables': all tables; 'table' with name: its columns, "
        "types, examples and joins; 'documents': which documents there are, which are current, "
        "what replaced what, and with on: which applied on a day; 'count_documents': how many "
        "have each status."
    )
    arguments: ClassVar[type[Arguments]] = CatalogArguments

    def run(self, arguments: Arguments, context: ToolContext) -> CatalogResult:
        assert isinstance(arguments, CatalogArguments)
        if arguments.action in ("documents", "count_documents"):
            return documents(arguments, context)
        if arguments.name or arguments.action == "table":
            return _table(arguments.name, context.store.catalog)
        return _tables(context.store.catalog)


def _tables(catalog: Catalog) -> CatalogResult:
    rows = tuple(
        (t.name, t.rows, t.date_column, day(t.data_from), day(t.data_to), t.description)
        for t in catalog.tables
    )
    names = ("table", "rows:BIGINT", "date_column", "from:DATE", "to:DATE", "description")
    notes = () if rows else ("no table was ingested",)
    return CatalogResult("catalog", (Listing("tables", columns_of(*names), rows),), notes)


def _table(name: str | None, catalog: Catalog) -> CatalogResult:
    if not name:
        hint = "give the table's name; action 'tables' lists them"
        raise ToolRetry("missing_name", "which table?", hint)
    table = catalog.table(name)
    if table is None:
        hint = unknown_table_hint(catalog, name)
        raise ToolRetry("unknown_table", f"there is no table {name!r}", hint)
    rows = tuple(
        (
            c.name,
            c.type,
            c.unit,
            ", ".join(c.examples[:EXAMPLES_SHOWN]),
            c.description,
            c.distinct,
            c.nulls,
            c.quarantined,
        )
        for c in table.columns
    )
    columns = columns_of(
        "column", "type", "unit", "examples", "description",
        "distinct:BIGINT", "nulls:BIGINT", "quarantined:BIGINT",
    )  # fmt: skip
    size = columns_of("table", "rows:BIGINT", "columns:BIGINT", "from:DATE", "to:DATE")
    facts: Row = (
        table.name,
        table.rows,
        len(table.columns),
        day(table.data_from),
        day(table.data_to),
    )
    listings = (
        Listing(f"columns of {table.name}", columns, rows),
        Listing(f"size of {table.name}", size, (facts,)),
    )
    return CatalogResult(table.name, listings, _table_notes(table, catalog))


def _table_notes(table: TableRecord, catalog: Catalog) -> tuple[str, ...]:
    notes = [
        f"join {j.left_table}.{j.left_column} = {j.right_table}.{j.right_column}"
        for j in catalog.joins
        if table.name in (j.left_table, j.right_table)
    ]
    if table.primary_key:
        notes.append(f"key: {', '.join(table.primary_key)}")
    if table.snapshot:
        notes.append("a stock table: do not sum its quantities over dates; take one date")
    return (*notes, *table.notes)
