"""`CatalogTool`: which tables, columns and documents there are, as rows that can be cited."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from pydantic import ConfigDict, Field

from ingest.store import Catalog, DocumentRecord, TableRecord
from ingest.store.errors import UnknownKnowledgeBase
from tools.base import Arguments, ToolContext
from tools.errors import ToolRefused, ToolRetry
from tools.evidence import Column, Evidence, Value, content_hash
from tools.sql.names import folded, unknown_table_hint
from tools.sql.render import render_rows

Row = tuple[Value, ...]
EXAMPLES_SHOWN = 3


class CatalogArguments(Arguments):
    """`action` is asked of the model; left out, the tables are listed."""

    model_config = ConfigDict(json_schema_extra={"required": ["action"]})

    action: Literal["tables", "table", "documents"] = "tables"
    name: str | None = Field(default=None, description="a table, or part of a document's title")
    kb: str | None = Field(default=None, description="one knowledge base (documents only)")


@dataclass(frozen=True)
class Listing:
    """One table of facts about the data; `locator` says what it lists."""

    locator: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]

    def evidence(self, source: str, notes: tuple[str, ...]) -> Evidence:
        return Evidence(
            kind="rows",
            tool=CatalogTool.name,
            source=source,
            locator=self.locator,
            columns=self.columns,
            rows=self.rows,
            row_count=len(self.rows),
            hash=content_hash(self.columns, self.rows),
            notes=notes,
        )


@dataclass(frozen=True)
class CatalogResult:
    """Listings, the fullest first, each an evidence of its own."""

    source: str
    listings: tuple[Listing, ...]
    notes: tuple[str, ...] = ()

    def evidence(self) -> Sequence[Evidence]:
        return [listing.evidence(self.source, self.notes) for listing in self.listings]

    def for_model(self, ids: Sequence[str]) -> str:
        parts = []
        for i, listing in enumerate(self.listings):
            label = f"[{ids[i]}] " if i < len(ids) else ""
            notes = self.notes if i == 0 else ()
            columns, rows = _without_blank_columns(listing)
            body = render_rows(columns, rows, row_count=len(rows), notes=notes)
            parts.append(f"{label}{listing.locator}\n{body}")
        return "\n".join(parts)

    def summary(self) -> str:
        return f"{self.listings[0].locator}: {len(self.listings[0].rows)}"

    def to_json(self) -> dict[str, object]:
        return {
            "listings": [
                {
                    "title": listing.locator,
                    "columns": [c.model_dump() for c in listing.columns],
                    "rows": [list(r) for r in listing.rows],
                }
                for listing in self.listings
            ],
            "notes": list(self.notes),
        }


class CatalogTool:
    """Reads the catalog and the documents' records; runs nothing."""

    name: ClassVar[str] = "catalog"
    description: ClassVar[str] = (
        "See what data there is. action 'tables': all tables; 'table' with name: its columns, "
        "types, examples and joins; 'documents': documents with their status, and how many "
        "have each status."
    )
    arguments: ClassVar[type[Arguments]] = CatalogArguments

    def run(self, arguments: Arguments, context: ToolContext) -> CatalogResult:
        assert isinstance(arguments, CatalogArguments)
        if arguments.action == "documents":
            return _documents(arguments, context)
        if arguments.name or arguments.action == "table":
            return _table(arguments.name, context.store.catalog)
        return _tables(context.store.catalog)


def _tables(catalog: Catalog) -> CatalogResult:
    rows = tuple(
        (t.name, t.rows, t.date_column, _day(t.data_from), _day(t.data_to), t.description)
        for t in catalog.tables
    )
    columns = _columns("table", "rows:BIGINT", "date_column", "from:DATE", "to:DATE", "description")
    notes = () if rows else ("no table was ingested",)
    return CatalogResult("catalog", (Listing("tables", columns, rows),), notes)


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
    columns = _columns(
        "column", "type", "unit", "examples", "description",
        "distinct:BIGINT", "nulls:BIGINT", "quarantined:BIGINT",
    )  # fmt: skip
    size = _columns("table", "rows:BIGINT", "columns:BIGINT", "from:DATE", "to:DATE")
    facts: Row = (
        table.name,
        table.rows,
        len(table.columns),
        _day(table.data_from),
        _day(table.data_to),
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


def _documents(arguments: CatalogArguments, context: ToolContext) -> CatalogResult:
    records = _in_scope(arguments.kb, context)
    if arguments.name:
        wanted = folded(arguments.name)
        records = [r for r in records if wanted in folded(r.title) or wanted in folded(r.source)]
    statuses = context.store.document_statuses()
    found = {r.doc_id: statuses[r.doc_id].status for r in records}
    rows = tuple(
        (
            r.title,
            found[r.doc_id],
            context.store.status_note(r.doc_id, r.language) or None,
            _day(r.document_date),
            r.language,
            r.kb,
            r.source,
        )
        for r in records
    )
    counts = Counter(found.values())
    columns = _columns("title", "status", "note", "date:DATE", "language", "kb", "source")
    per_status = (*counts.most_common(), ("all", len(records)))
    listings = (
        Listing("documents", columns, rows),
        Listing("documents per status", _columns("status", "documents:BIGINT"), per_status),
    )
    notes = ("undeclared: the document says nothing of its status",) if counts["undeclared"] else ()
    source = ", ".join(sorted({r.kb for r in records})) or arguments.kb or "documents"
    return CatalogResult(source, listings, notes)


def _in_scope(kb: str | None, context: ToolContext) -> list[DocumentRecord]:
    """Documents the caller may see, of one knowledge base or of all in scope."""
    allowed = context.kbs
    if kb is None:
        records = context.store.documents()
        return [r for r in records if allowed is None or r.kb in allowed]
    if allowed is not None and kb not in allowed:
        hint = f"use one of: {', '.join(allowed)}"
        message = f"the knowledge base {kb!r} is not in this question's scope"
        raise ToolRefused("kb_not_in_scope", message, hint)
    try:
        return context.store.documents(kb)
    except UnknownKnowledgeBase as error:
        raise ToolRetry(error.kind, error.message, error.hint) from error


def _without_blank_columns(listing: Listing) -> tuple[list[Column], list[Row]]:
    """The transcript is short: a column that says nothing in any row is left out."""
    kept = [
        i
        for i in range(len(listing.columns))
        if i == 0 or any(row[i] not in (None, "", 0) for row in listing.rows)
    ]
    return [listing.columns[i] for i in kept], [tuple(r[i] for i in kept) for r in listing.rows]


def _columns(*names: str) -> tuple[Column, ...]:
    """ "rows:BIGINT" is a column `rows` of that type; without a type it is text."""
    pairs = (n.partition(":") for n in names)
    return tuple(Column(name=name, type=kind or "VARCHAR") for name, _, kind in pairs)


def _day(value: object) -> str | None:
    return None if value is None else str(value)
