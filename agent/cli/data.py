"""`zaiko tables` and `zaiko documents`: what is in the data directory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING, Annotated, get_args

import typer

from agent.cli.options import DataDir, Json, day_of, settings_of
from agent.cli.output import emit_json, print_table, say, show

if TYPE_CHECKING:
    from pathlib import Path

    from agent.settings import Settings
    from ingest.store import (
        Catalog,
        ColumnRecord,
        DocumentRecord,
        EffectiveStatus,
        Store,
        TableRecord,
    )
    from ingest.store.joins import JoinMeasure
    from ingest.store.records import JoinRecord, MetricRecord

NAMES_SHOWN = 50


def tables(
    table: Annotated[str | None, typer.Argument(help="Only this table.")] = None,
    quarantine: Annotated[
        bool, typer.Option("--quarantine", help="The cells that were left out, with the reason.")
    ] = False,
    notes: Annotated[
        bool, typer.Option("--notes", help="How the files were read and what was left out.")
    ] = False,
    data_dir: DataDir = None,
    json_: Json = False,
) -> None:
    """List the tables: keys, columns with types and measures, sources, joins and metrics."""
    from ingest.store import Store  # noqa: PLC0415

    path, settings = settings_of(data_dir)
    with Store.open(path, settings.ingest_with_kb) as store:
        records = _chosen(store, table)
        if quarantine:
            _show_quarantine(store, table, as_json=json_)
        elif json_:
            warehouse = str(store.warehouse.resolve()) if store.warehouse else None
            joins = [{"join": j.text, "share": round(j.share, 4)} for j in declared_joins(store)]
            found = [_table(t, store.catalog) for t in records]
            emit_json(
                {
                    "warehouse": warehouse,
                    "tables": found,
                    "declared_joins": joins,
                    "joins": [_join(j) for j in store.catalog.joins],
                    "metrics": [_metric(m) for m in store.catalog.metrics],
                }
            )
        elif notes:
            said = [
                (t.name, "warning", text) for t in records for text in store.catalog.warnings_of(t)
            ]
            said += [(t.name, "note", text) for t in records for text in t.notes]
            print_table(["table", "kind", "text"], said)
        else:
            _show_tables(records, store.catalog)
            _show_joins_and_metrics(store, {t.name for t in records})


def declared_joins(store: Store) -> list[JoinMeasure]:
    """The joins of `catalog.yaml`, measured on the data."""
    from ingest.store.joins import measure_joins  # noqa: PLC0415

    return list(measure_joins(store.warehouse, store.catalog.joins)) if store.warehouse else []


def warn_of_joins(data_dir: Path, settings: Settings) -> None:
    """After the data changed, on stderr: that `catalog.yaml` does not fit them, or which of its
    joins find few of their rows."""
    from ingest.store import Store  # noqa: PLC0415
    from ingest.store.errors import IngestError, StoreMissing  # noqa: PLC0415

    if not (data_dir / "catalog.yaml").is_file():
        return
    try:
        with Store.open(data_dir, settings.ingest_with_kb) as store:
            warnings = [join.warning for join in declared_joins(store) if join.warning]
    except StoreMissing:
        return
    except IngestError as error:
        say(f"warning: {error.message}")
        say(f"next: {error.hint}")
        return
    for text in warnings:
        say(f"warning: {text}")


def _chosen(store: Store, name: str | None) -> Sequence[TableRecord]:
    """All tables, or the one of that name."""
    from agent.errors import UsageError  # noqa: PLC0415

    if name is None:
        return store.catalog.tables
    found = store.catalog.table(name)
    if found is None:
        hint = ", ".join(t.name for t in store.catalog.tables[:NAMES_SHOWN])
        raise UsageError(f"there is no table {name!r}", f"tables: {hint}" if hint else "")
    return [found]


def _show_tables(records: Sequence[TableRecord], catalog: Catalog) -> None:
    rows = [
        (t.name, t.rows, ", ".join(t.primary_key), ", ".join(map(_column, t.columns)), t.source)
        for t in records
    ]
    print_table(["table", "rows", "key", "columns", "source"], rows)
    for t in records:
        cells = sum(c.quarantined for c in t.columns)
        if cells:
            print(f"{t.name}: {cells} cells were left out: zaiko tables --quarantine {t.name}")
        for text in catalog.warnings_of(t):
            show(f"{t.name}: warning: {text}")


def _column(column: ColumnRecord) -> str:
    """`amount DECIMAL(18,2) (flow, JPY, tax excluded)`"""
    tax = f"tax {column.tax}" if column.tax else None
    unit = column.unit if column.unit != column.currency else None
    told = ", ".join(filter(None, (column.measure, column.currency, tax, unit)))
    return f"{column.name} {column.type}" + (f" ({told})" if told else "")


def _show_joins_and_metrics(store: Store, shown: set[str]) -> None:
    """Those of the shown tables: proved joins, declared ones as they fit, metrics."""
    for join in store.catalog.joins:
        if join.drafted and {join.left_table, join.right_table} & shown:
            said = _join(join)
            show(f"join {said['left']} = {said['right']}: {said['multiplicity']}, proved")
    for measured in declared_joins(store):
        show(f"{'warning: ' if measured.warning else ''}join {measured.text}")
    for metric in store.catalog.metrics:
        if set(metric.tables) & shown:
            show(f"metric {metric.name} = {metric.formula}")


def _join(join: JoinRecord) -> dict[str, object]:
    return {
        "left": f"{join.left_table}.{join.left_column}",
        "right": f"{join.right_table}.{join.right_column}",
        "multiplicity": "one to one" if join.one_to_one else "many to one",
        "declared": not join.drafted,
    }


def _metric(metric: MetricRecord) -> dict[str, object]:
    return {"name": metric.name, "formula": metric.formula, "sql": metric.sql}


def _show_quarantine(store: Store, table: str | None, *, as_json: bool) -> None:
    """Every cell that was left out of the tables: where it stands, what it says, and why."""
    cells = store.quarantine(table)
    sources = {t.name: t.source for t in store.catalog.tables}
    listed = [{**c.model_dump(), "source": c.source or sources.get(c.table, "")} for c in cells]
    if as_json:
        emit_json({"count": len(listed), "cells": listed})
        return
    shown = ["table", "column", "source", "row", "value", "reason"]
    print_table(shown, [[cell[name] for name in shown] for cell in listed])
    print(f"{len(listed)} cells" if listed else "no cell was left out")


def documents(
    kb: Annotated[str | None, typer.Option("--kb", help="Only this knowledge base.")] = None,
    status: Annotated[
        str | None, typer.Option("--status", help="Only these: current, superseded, …")
    ] = None,
    on: Annotated[
        str | None, typer.Option("--on", help="Only what applied on this day: 2025-03-01.")
    ] = None,
    data_dir: DataDir = None,
    json_: Json = False,
) -> None:
    """List the documents: which are current, what replaced what, how many there are."""
    from ingest.store import Store  # noqa: PLC0415

    path, settings = settings_of(data_dir)
    day = day_of(on, "--on")
    _check_status(status)
    with Store.open(path, settings.ingest_with_kb) as store:
        statuses = store.document_statuses(date.today())
        listed = [_document(d, statuses[d.doc_id], store, day) for d in store.documents(kb)]
    if day is not None:
        listed = [d for d in listed if d["applied"] != "no"]
    counts = dict(Counter(str(d["status"]) for d in listed).most_common())
    if status is not None:
        listed = [d for d in listed if d["status"] == status]
    if json_:
        emit_json({"documents": listed, "counts": {**counts, "all": sum(counts.values())}})
        return
    shown = ["kb", "source", "title", "status", "status_note", "chunks"]
    shown += ["valid_from", "valid_to", "applied"] if day is not None else []
    print_table(shown, [[d[name] for name in shown] for d in listed])
    print(", ".join(f"{count} {name}" for name, count in counts.items()) or "no documents")


def _document(
    record: DocumentRecord, found: EffectiveStatus, store: Store, day: date | None
) -> dict[str, object]:
    today, (status, replaced_by) = date.today(), found
    index = store.status_index(today)
    start, end = index.validity(record.doc_id)
    said: dict[str, object] = {
        "kb": record.kb,
        "source": record.source,
        "title": record.title,
        "status": status,
        "replaced_by": replaced_by,
        "status_note": store.status_note(record.doc_id, record.language, today),
        "valid_from": start and start.isoformat(),
        "valid_to": end and end.isoformat(),
        "document_date": record.document_date and record.document_date.isoformat(),
        "language": record.language,
        "pages": record.pages,
        "chunks": record.chunks,
        "doc_id": record.doc_id,
    }
    if day is not None:
        said["applied"] = {True: "yes", False: "no", None: "unknown"}[
            index.applied(record.doc_id, day)
        ]
    return said


def _check_status(status: str | None) -> None:
    from agent.errors import UsageError  # noqa: PLC0415
    from ingest.store import DocumentStatus  # noqa: PLC0415

    if status is not None and status not in get_args(DocumentStatus):
        known = ", ".join(get_args(DocumentStatus))
        raise UsageError(f"--status {status!r} is no status", f"one of: {known}")


def _table(table: TableRecord, catalog: Catalog) -> dict[str, object]:
    told = {"name", "type", "original", "measure", "unit", "currency", "tax"}
    return {
        "name": table.name,
        "columns": [c.model_dump(include=told) for c in table.columns],
        "rows": table.rows,
        "source": table.source,
        "key": list(table.primary_key),
        "grain": table.grain,
        "snapshot": table.snapshot,
        "date_column": table.date_column,
        "data_from": table.data_from and table.data_from.isoformat(),
        "data_to": table.data_to and table.data_to.isoformat(),
        "quarantined": sum(c.quarantined for c in table.columns),
        "warnings": list(catalog.warnings_of(table)),
        "notes": list(table.notes),
    }
