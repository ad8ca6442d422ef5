"""`zaiko tables` and `zaiko documents`: what is in the data directory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from agent.cli.options import DataDir, Json, settings_of
from agent.cli.output import emit_json, print_table

if TYPE_CHECKING:
    from ingest.store import TableRecord


def tables(data_dir: DataDir = None, json_: Json = False) -> None:
    """List the tables with their columns, types and sources."""
    from ingest.store import Store  # noqa: PLC0415

    path, settings = settings_of(data_dir)
    with Store.open(path, settings.ingest_with_kb) as store:
        records = store.catalog.tables
        if json_:
            warehouse = str(store.warehouse.resolve()) if store.warehouse else None
            emit_json({"warehouse": warehouse, "tables": [_table(t) for t in records]})
            return
        rows = [
            (t.name, t.rows, ", ".join(f"{c.name} {c.type}" for c in t.columns), t.source)
            for t in records
        ]
        print_table(["table", "rows", "columns", "source"], rows)


def documents(
    kb: Annotated[str | None, typer.Option("--kb", help="Only this knowledge base.")] = None,
    data_dir: DataDir = None,
    json_: Json = False,
) -> None:
    """List the documents with their effective status."""
    from ingest.store import Store  # noqa: PLC0415

    path, settings = settings_of(data_dir)
    with Store.open(path, settings.ingest_with_kb) as store:
        statuses = store.document_statuses()
        records = store.documents(kb)
        listed = [
            {
                "kb": d.kb,
                "source": d.source,
                "title": d.title,
                "status": statuses[d.doc_id].status,
                "replaced_by": statuses[d.doc_id].replaced_by,
                "status_note": store.status_note(d.doc_id, d.language),
                "valid_from": d.valid_from and d.valid_from.isoformat(),
                "valid_to": d.valid_to and d.valid_to.isoformat(),
                "document_date": d.document_date and d.document_date.isoformat(),
                "language": d.language,
                "pages": d.pages,
                "chunks": d.chunks,
                "doc_id": d.doc_id,
            }
            for d in records
        ]
    if json_:
        emit_json({"documents": listed})
        return
    shown = ("kb", "source", "title", "status", "status_note", "chunks")
    print_table(shown, [[d[name] for name in shown] for d in listed])


def _table(table: TableRecord) -> dict[str, object]:
    columns = [{"name": c.name, "type": c.type, "original": c.original} for c in table.columns]
    return {"name": table.name, "columns": columns, "rows": table.rows, "source": table.source}
