"""`CatalogTool`: which tables, columns and documents there are, as rows that can be cited."""

from typing import ClassVar

from ingest.store import Catalog, TableRecord
from ingest.store.values import OTHER_WORDING
from tools.base import Arguments, ToolContext
from tools.catalog.arguments import CatalogArguments
from tools.catalog.documents import documents
from tools.catalog.results import NAME, CatalogResult, Listing, Row, columns_of, day
from tools.errors import ToolRetry
from tools.sql.names import unknown_table_hint

EXAMPLES_SHOWN = 3
VALUES_SHOWN = 8


class CatalogTool:
    """Reads the catalog and the documents' records; runs nothing."""

    name: ClassVar[str] = NAME
    description: ClassVar[str] = (
        "See what data there is. action 'tables': all tables; 'table' with name: its columns, "
        "types, examples and joins; 'documents': which documents there are, which are current, "
        "what replaced what, and with on: which applied on a day; 'count_documents': how many "
        "have each status; 'values' with name: stored values like a word."
    )
    arguments: ClassVar[type[Arguments]] = CatalogArguments

    def run(self, arguments: Arguments, context: ToolContext) -> CatalogResult:
        assert isinstance(arguments, CatalogArguments)
        if arguments.action in ("documents", "count_documents"):
            return documents(arguments, context)
        if arguments.action == "values":
            return _values(arguments.name, context)
        if arguments.action == "metrics":
            return _metrics(context.store.catalog)
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


def _values(word: str | None, context: ToolContext) -> CatalogResult:
    if not word:
        raise ToolRetry("missing_name", "which value?", "give the word to look for as name")
    found = context.store.find_values(word, limit=VALUES_SHOWN)
    rows = tuple((m.table, m.column, m.value, _alike(m.score)) for m in found)
    title = f"stored values like {word!r}"
    notes = () if rows else ("no stored value is like it",)
    listing = Listing(title, columns_of("table", "column", "value", "match"), rows)
    return CatalogResult("catalog", (listing,), notes)


def _alike(score: float) -> str:
    """The same but for case and width; the same words in another order or script; or similar."""
    if score >= OTHER_WORDING:
        return "same" if score == 1 else "same words"
    return "similar"


def _metrics(catalog: Catalog) -> CatalogResult:
    rows = tuple(
        (m.name, m.formula, m.unit, ", ".join(m.synonyms), ", ".join(m.tables))
        for m in catalog.metrics
    )
    columns = columns_of("metric", "formula", "unit", "synonyms", "tables")
    notes = () if rows else ("the catalog defines no metric",)
    listing = Listing("metrics", columns, rows, unshown=frozenset({"synonyms", "tables"}))
    return CatalogResult("catalog", (listing,), notes)


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
            c.measure,
            c.currency if c.currency != c.unit else None,
            c.tax,
        )
        for c in table.columns
    )
    columns = columns_of(
        "column", "type", "unit", "examples", "description",
        "distinct:BIGINT", "nulls:BIGINT", "quarantined:BIGINT", "measure", "currency", "tax",
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
    if table.grain and table.grain != f"one row a {', '.join(table.primary_key)}":
        notes.append(table.grain)
    levels = ", ".join(c.name for c in table.columns if c.measure == "stock")
    if table.snapshot:
        notes.append("a stock table: do not sum its quantities over dates; take one date")
    elif table.period and levels:
        when = ", ".join(table.period)
        notes.append(f"{levels}: what was there at each {when}, not to be summed over it")
    return (*notes, *catalog.warnings_of(table), *table.notes)
