"""The sources of a reorder proposal: a person's own laid over the drafted ones."""

from __future__ import annotations

from collections.abc import Collection
from decimal import Decimal

from ingest.store.edits import EditsFile, Location
from ingest.store.metrics import MetricBinder
from ingest.store.records import (
    REPLENISHMENT_COLUMNS,
    Catalog,
    ReplenishmentRecord,
    SourceRecord,
)


def overlay_replenishment(catalog: Catalog, file: EditsFile) -> ReplenishmentRecord:
    """The drafted sources with those that the file says, each bound over the tables.

    Raises `StoreBroken` naming the line: for SQL that does not bind, or without a column that the
    calculation needs.
    """
    edit = file.edits.replenishment
    said: dict[str, object] = {}
    binder = MetricBinder(catalog.tables)
    for name in edit.model_fields_set:
        value = getattr(edit, name)
        if name in REPLENISHMENT_COLUMNS:
            said[name] = None if value is None else _source(name, value, binder, file)
        elif name == "by":
            said[name] = tuple(value or ())
        elif value is not None:
            is_decimal = name in ("service_level", "safety_days")
            said[name] = Decimal(str(value)) if is_decimal else value
    if "terms" in said:
        said["leaves_out"] = ()
    laid = catalog.replenishment.model_copy(update=said)
    return _by_known(laid, file)


def _by_known(record: ReplenishmentRecord, file: EditsFile) -> ReplenishmentRecord:
    """Without a drafted place that a source of one's own does not tell; a said one must be told."""
    sources = [s for s in (record.on_hand, record.demand, record.on_order) if s is not None]
    told = [c for c in record.by if all(c in s.columns for s in sources)]
    if "by" in file.edits.replenishment.model_fields_set and len(told) < len(record.by):
        other = next(c for c in record.by if c not in told)
        what = f"{other!r} is no column of all of on_hand, demand and on_order"
        figures = {c for names in REPLENISHMENT_COLUMNS.values() for c in names}
        shared = (c for c in sources[0].columns if all(c in s.columns for s in sources))
        alike = [c for c in shared if c not in figures]
        raise file.wrong(("replenishment", "by"), what, alike)
    return record.model_copy(update={"by": tuple(told)})


def _source(name: str, sql: str, binder: MetricBinder, file: EditsFile) -> SourceRecord:
    location: Location = ("replenishment", name)
    try:
        read = binder.read_tables(sql)
    except ValueError as error:
        raise file.wrong(location, f"the SQL of {name!r} does not bind: {error}") from error
    columns = binder.columns(sql)
    for needed in REPLENISHMENT_COLUMNS[name]:
        if needed not in {c.lower() for c in columns}:
            what = f"the SQL of {name!r} has no column {needed}; it has {', '.join(columns)}"
            raise file.wrong(location, what)
    return SourceRecord(sql=sql, tables=read, columns=columns, drafted=False)


def without_tables(record: ReplenishmentRecord, hidden: Collection[str]) -> ReplenishmentRecord:
    """Without the sources that read one of these tables."""
    taken = {
        name: None
        for name, source in record.sources().items()
        if source is not None and set(hidden) & set(source.tables)
    }
    return record.model_copy(update=taken)
