"""The user's `catalog.yaml` laid over the drafted catalog, each part checked against the tables."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ingest.store.edits import ColumnEdit, EditsFile, JoinEdit, Location, MetricEdit, read_edits
from ingest.store.joins import count_distinct
from ingest.store.metrics import MetricBinder
from ingest.store.records import (
    Catalog,
    ColumnRecord,
    JoinRecord,
    Measure,
    MetricRecord,
    TableRecord,
)
from ingest.store.replenishment import overlay_replenishment

_OVERLAID = {"tables", "joins", "metrics", "replenishment"}


def overlay_edits(catalog: Catalog, path: Path, warehouse: Path | None = None) -> Catalog:
    """The catalog with the user's file laid over it; unchanged where there is no such file.

    Raises `StoreBroken` naming file, line and what is allowed: also for a join whose right side
    repeats, a key that does (looked up in `warehouse`), and for a metric that DuckDB cannot bind
    over the tables.
    """
    if not path.is_file():
        return catalog
    file = read_edits(path)
    tables = list(catalog.tables)
    for name in file.edits.tables:
        table = catalog.table(name)
        if table is None:
            known = [t.name for t in catalog.tables]
            raise file.wrong(("tables", name), f"there is no table {name!r}", known)
        tables[tables.index(table)] = _edit_table(table, name, file, warehouse)
    said = file.edits.model_dump(exclude=_OVERLAID, exclude_none=True)
    return catalog.model_copy(
        update={
            **said,
            "assumed": tuple(name for name in catalog.assumed if name not in said),
            "tables": tuple(tables),
            "joins": tuple(_joins(catalog, file)),
            "metrics": tuple(_metrics(catalog, file)),
            "replenishment": overlay_replenishment(catalog, file),
        }
    )


def _edit_table(
    table: TableRecord, name: str, file: EditsFile, warehouse: Path | None
) -> TableRecord:
    edit = file.edits.tables[name]
    columns = list(_as_snapshot(table, edit.snapshot))
    for column_name, change in edit.columns.items():
        column = next((c for c in columns if c.name.lower() == column_name.lower()), None)
        if column is None:
            known = [c.name for c in table.columns]
            what = f"table {table.name!r} has no column {column_name!r}"
            raise file.wrong(("tables", name, "columns", column_name), what, known)
        columns[columns.index(column)] = _changed(column, change)
    for place, parts in (("period", edit.period), ("primary_key", edit.primary_key)):
        for part in parts or ():
            if table.column(part) is None:
                what = f"table {table.name!r} has no column {part!r}"
                raise file.wrong(("tables", name, place), what, [c.name for c in table.columns])
    said = edit.model_dump(exclude={"columns", "primary_key"}, exclude_none=True)
    key = _proved_key(table, edit.primary_key, name, file, warehouse)
    return table.model_copy(update={**_tuples(said), "primary_key": key, "columns": tuple(columns)})


def _proved_key(
    table: TableRecord, said: list[str] | None, name: str, file: EditsFile, warehouse: Path | None
) -> tuple[str, ...]:
    """The key that was said, as its columns are called; the drafted one where none was."""
    if said is None:
        return table.primary_key
    columns = [c for part in said if (c := table.column(part)) is not None]
    if warehouse is None:
        told = math.prod(c.distinct for c in columns) if not any(c.nulls for c in columns) else 0
    else:
        told = count_distinct(warehouse, table.name, [c.name for c in columns])
    if told < table.rows:
        what = (
            f"{', '.join(said)} of {table.name!r} is no key: {table.rows} rows have {told} "
            "different values without a blank"
        )
        raise file.wrong(("tables", name, "primary_key"), what)
    return tuple(c.name for c in columns)


def _as_snapshot(table: TableRecord, said: bool | None) -> Iterator[ColumnRecord]:
    """What was drafted as a flow is stock in a table that is said to be stock, and back."""
    turned: dict[Measure | None, Measure] = {"flow": "stock"} if said else {"stock": "flow"}
    changes = said is not None and (said != table.snapshot or bool(table.period and not said))
    for column in table.columns:
        measure = turned.get(column.measure) if changes else None
        yield column.model_copy(update={"measure": measure}) if measure else column


def _changed(column: ColumnRecord, edit: ColumnEdit) -> ColumnRecord:
    return column.model_copy(update=_tuples(edit.model_dump(exclude_none=True)))


def _tuples(said: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(v) if isinstance(v, list) else v for key, v in said.items()}


def _joins(catalog: Catalog, file: EditsFile) -> Iterator[JoinRecord]:
    """The drafted joins, without those that are said anew, then the said ones."""
    said = [_join(catalog, join, file, i) for i, join in enumerate(file.edits.joins)]
    replaced = {(j.left_table, j.left_column, j.right_table) for j in said}
    for join in catalog.joins:
        if (join.left_table, join.left_column, join.right_table) not in replaced:
            yield join
    yield from said


def _join(catalog: Catalog, join: JoinEdit, file: EditsFile, index: int) -> JoinRecord:
    """The join with the names as the tables have them, its multiplicity proved by their counts."""
    left = _side(catalog, join.left_table, join.left_column, "left", file, index)
    right = _side(catalog, join.right_table, join.right_column, "right", file, index)
    if left == right:
        what = f"{left[0].name}.{left[1].name} is joined with itself"
        raise file.wrong(("joins", index, "right_column"), what)
    if _kind(left[1]) != _kind(right[1]):
        what = (
            f"{left[0].name}.{left[1].name} is {left[1].type}, "
            f"{right[0].name}.{right[1].name} is {right[1].type}: they are never equal"
        )
        alike = [c.name for c in right[0].columns if _kind(c) == _kind(left[1])]
        raise file.wrong(("joins", index, "right_column"), what, alike)
    if not _is_unique(*right):
        rows, values = right[0].rows - right[1].nulls, right[1].distinct
        what = (
            f"{right[0].name}.{right[1].name} repeats ({rows} rows have {values} values), so that "
            "joining it would multiply rows"
        )
        if _is_unique(*left):
            what += "; swap left and right"
        unique = [c.name for c in right[0].columns if _is_unique(right[0], c)]
        raise file.wrong(("joins", index, "right_column"), what, unique)
    return JoinRecord(
        left_table=left[0].name,
        left_column=left[1].name,
        right_table=right[0].name,
        right_column=right[1].name,
        one_to_one=_is_unique(*left),
        drafted=False,
    )


def _side(
    catalog: Catalog, table_name: str, column_name: str, side: str, file: EditsFile, index: int
) -> tuple[TableRecord, ColumnRecord]:
    table = catalog.table(table_name)
    column = table.column(column_name) if table else None
    if table is None or column is None:
        known = [c.name for c in table.columns] if table else [t.name for t in catalog.tables]
        part = f"{side}_column" if table else f"{side}_table"
        what = f"there is no {table_name}.{column_name}"
        raise file.wrong(("joins", index, part), what, known)
    return table, column


def _kind(column: ColumnRecord) -> str:
    """Columns of one kind can be equal."""
    if column.type.startswith(("DATE", "TIMESTAMP")):
        return "moment"
    numbers = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "DECIMAL", "DOUBLE", "FLOAT")
    return "number" if column.type.startswith((*numbers, "UINT", "UBIG")) else column.type


def _is_unique(table: TableRecord, column: ColumnRecord) -> bool:
    return column.distinct == table.rows - column.nulls


def _metrics(catalog: Catalog, file: EditsFile) -> Iterator[MetricRecord]:
    """The drafted metrics, changed or taken away where the file says so, then the new ones."""
    edits = dict(file.edits.metrics)
    binder = MetricBinder(catalog.tables)
    for drafted in catalog.metrics:
        if drafted.name not in edits:
            yield drafted
            continue
        edit = edits.pop(drafted.name)
        if edit is not None:
            yield _metric(drafted, edit, binder, file)
    for name, edit in edits.items():
        if edit is None:
            known = [metric.name for metric in catalog.metrics]
            raise file.wrong(("metrics", name), f"there is no metric {name!r} to take away", known)
        for part in ("formula", "sql"):
            if not getattr(edit, part):
                raise file.wrong(("metrics", name), f"the metric {name!r} needs a {part}")
        yield _metric(MetricRecord(name=name, formula="", sql=""), edit, binder, file)


def _metric(
    metric: MetricRecord, edit: MetricEdit, binder: MetricBinder, file: EditsFile
) -> MetricRecord:
    said = _tuples(edit.model_dump(exclude_none=True))
    if edit.sql is None:
        return metric.model_copy(update=said)
    location: Location = ("metrics", metric.name, "sql")
    try:
        read = binder.read_tables(edit.sql)
    except ValueError as error:
        raise file.wrong(location, f"the SQL of {metric.name!r} does not bind: {error}") from error
    return metric.model_copy(update={**said, "tables": read, "drafted": False})
