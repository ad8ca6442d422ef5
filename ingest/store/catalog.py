"""The catalog on disk, and the user's `catalog.yaml` laid over it.

The user's file holds only what a person may say; everything else comes from the data:

    fiscal_year_start: 4          # month, 1-12
    closing_day: 20               # 1-31
    week_start: 0                 # 0 is Monday
    currency: JPY
    tables:
      sales:
        description: One line of an order
        synonyms: [売上, 销售]
        snapshot: false
        columns:
          qty: {description: Pieces sold, synonyms: [数量], unit: 個}
    joins:
      - {left_table: sales, left_column: sku, right_table: products, right_column: code}
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ingest.store.errors import StoreBroken
from ingest.store.records import Catalog, ColumnRecord, JoinRecord, TableRecord

Location = tuple[str | int, ...]


class _Edit(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class ColumnEdit(_Edit):
    description: str | None = None
    synonyms: list[str] | None = None
    unit: str | None = None


class TableEdit(_Edit):
    description: str | None = None
    synonyms: list[str] | None = None
    snapshot: bool | None = None
    columns: dict[str, ColumnEdit] = Field(default_factory=dict)


class JoinEdit(_Edit):
    left_table: str
    left_column: str
    right_table: str
    right_column: str


class CatalogEdits(_Edit):
    """What a person may say about the data."""

    fiscal_year_start: int | None = Field(default=None, ge=1, le=12)
    closing_day: int | None = Field(default=None, ge=1, le=31)
    week_start: int | None = Field(default=None, ge=0, le=6)
    currency: str | None = None
    tables: dict[str, TableEdit] = Field(default_factory=dict)
    joins: list[JoinEdit] = Field(default_factory=list)


def load_catalog(path: Path) -> Catalog:
    """A generation's catalog. Raises `StoreBroken` when it is missing or damaged."""
    try:
        data = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
        return Catalog.model_validate(data)
    except (OSError, UnicodeDecodeError, yaml.YAMLError, ValidationError) as error:
        reason = str(error).splitlines()[0]
        raise StoreBroken(
            f"The catalog {path} cannot be read ({reason}).",
            "Run `zaiko rollback` or ingest again.",
        ) from error


def dump_catalog(catalog: Catalog, path: Path) -> None:
    """Writes the catalog as YAML, in the order of its fields."""
    data = catalog.model_dump(mode="json")
    text = yaml.dump(data, Dumper=yaml.CSafeDumper, allow_unicode=True, sort_keys=False, width=200)
    path.write_text(text, encoding="utf-8")


def overlay_edits(catalog: Catalog, path: Path) -> Catalog:
    """The catalog with the user's file laid over it; unchanged where there is no such file.

    Raises `StoreBroken` naming file, line and what is allowed.
    """
    if not path.is_file():
        return catalog
    root, edits = _read_edits(path)
    tables = list(catalog.tables)
    for name, edit in edits.tables.items():
        table = catalog.table(name)
        if table is None:
            known = [t.name for t in catalog.tables]
            raise _wrong(path, root, ("tables", name), f"there is no table {name!r}", known)
        edited = _edit_table(table, edit, path, root, ("tables", name))
        tables[tables.index(table)] = edited
    joins = [_join(catalog, join, path, root, i) for i, join in enumerate(edits.joins)]
    said = edits.model_dump(exclude={"tables", "joins"}, exclude_none=True)
    replaced = {(j.left_table, j.left_column, j.right_table) for j in joins}
    kept = [
        j for j in catalog.joins if (j.left_table, j.left_column, j.right_table) not in replaced
    ]
    return catalog.model_copy(update={**said, "tables": tuple(tables), "joins": (*kept, *joins)})


def _read_edits(path: Path) -> tuple[yaml.Node | None, CatalogEdits]:
    try:
        text = path.read_text(encoding="utf-8-sig")
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        data = yaml.load(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise StoreBroken(f"{path}{line}: {error.problem}.", "Correct the YAML there.") from error
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise StoreBroken(f"{path} cannot be read ({error}).", "Save it as UTF-8 YAML.") from error
    try:
        return root, CatalogEdits.model_validate(data or {})
    except ValidationError as error:
        raise _invalid(path, root, error) from error


def _invalid(path: Path, root: yaml.Node | None, error: ValidationError) -> StoreBroken:
    first = error.errors(include_url=False)[0]
    location: Location = first["loc"]
    if first["type"] == "extra_forbidden":
        allowed = _fields_at(location[:-1])
        return _wrong(path, root, location, f"unknown key {location[-1]!r}", allowed)
    where = ".".join(str(part) for part in location) or "the file"
    return _wrong(path, root, location, f"{where}: {first['msg']}", [])


def _fields_at(location: Location) -> list[str]:
    """The keys allowed where `location` points; tables and columns sit under their names."""
    if location[:1] == ("joins",):
        return list(JoinEdit.model_fields)
    if "columns" in location[2:]:
        return list(ColumnEdit.model_fields)
    return list(TableEdit.model_fields if location else CatalogEdits.model_fields)


def _wrong(
    path: Path, root: yaml.Node | None, location: Location, what: str, allowed: list[str]
) -> StoreBroken:
    hint = f"Allowed here: {', '.join(allowed[:50])}." if allowed else "Correct that value."
    return StoreBroken(f"{path}, line {_line(root, location)}: {what}.", hint)


def _line(node: yaml.Node | None, location: Location) -> int:
    """The 1-based line of the deepest part of `location` that exists."""
    line = node.start_mark.line + 1 if node else 1
    for part in location:
        child: yaml.Node | None = None
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                if key.value == str(part):
                    child, line = value, key.start_mark.line + 1
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int):
            child = node.value[part]
            line = child.start_mark.line + 1
        node = child
    return line


def _edit_table(
    table: TableRecord, edit: TableEdit, path: Path, root: yaml.Node | None, location: Location
) -> TableRecord:
    columns = list(table.columns)
    for name, change in edit.columns.items():
        column = table.column(name)
        if column is None:
            known = [c.name for c in table.columns]
            what = f"table {table.name!r} has no column {name!r}"
            raise _wrong(path, root, (*location, "columns", name), what, known)
        columns[columns.index(column)] = _changed(column, change)
    said = edit.model_dump(exclude={"columns"}, exclude_none=True)
    return table.model_copy(update={**_tuples(said), "columns": tuple(columns)})


def _changed(column: ColumnRecord, edit: ColumnEdit) -> ColumnRecord:
    return column.model_copy(update=_tuples(edit.model_dump(exclude_none=True)))


def _tuples(said: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(v) if isinstance(v, list) else v for key, v in said.items()}


def _join(
    catalog: Catalog, join: JoinEdit, path: Path, root: yaml.Node | None, index: int
) -> JoinRecord:
    """The join with the names as the tables have them."""
    names: dict[str, str] = {}
    for side in ("left", "right"):
        table_name, column_name = getattr(join, f"{side}_table"), getattr(join, f"{side}_column")
        table = catalog.table(table_name)
        column = table.column(column_name) if table else None
        if table is None or column is None:
            known = [c.name for c in table.columns] if table else [t.name for t in catalog.tables]
            part = f"{side}_column" if table else f"{side}_table"
            what = f"there is no {table_name}.{column_name}"
            raise _wrong(path, root, ("joins", index, part), what, known)
        names |= {f"{side}_table": table.name, f"{side}_column": column.name}
    return JoinRecord(**names)
