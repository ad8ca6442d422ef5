"""What a person may say about the data: the shape of `catalog.yaml`, and its errors.

Counts and multiplicities come from the data, and a key is proved on them; everything here is optional:

    fiscal_year_start: 4          # month, 1-12
    closing_day: 20               # 1-31
    week_start: 0                 # 0 is Monday
    currency: JPY                 # ISO 4217
    time_zone: Asia/Tokyo
    tables:
      sales:
        description: One line of an order
        synonyms: [売上, 销售]
        snapshot: false           # true: stock, not to be summed over its dates
        period: [年月]            # which column says of when a row is, or which two: year, month
        grain: one row a line of an order
        primary_key: [order_no, line]   # must tell all rows apart
        columns:
          qty: {description: Pieces sold, synonyms: [数量], unit: 個, measure: flow}
          amount: {currency: JPY, tax: excluded}
    joins:
      - {left_table: sales, left_column: sku, right_table: products, right_column: code}
    metrics:
      basket:
        formula: amount ÷ number of orders
        sql: SELECT SUM(amount) / COUNT(DISTINCT order_no) FROM sales WHERE day BETWEEN :start AND :end
        synonyms: [客単価]
      sell_through: null          # takes a drafted metric away
    replenishment:                # what a reorder proposal is worked out from
      terms: SELECT sku, lead_time_days, moq AS minimum_quantity, pack AS pack_size FROM items
      on_order: null              # takes a drafted source away
      demand_days: 90
      service_level: 0.95
      cover_days: 30
      safety_days: 8              # instead of the service level
      by: [warehouse_code]        # a proposal for each; [] for all together
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from zoneinfo import available_timezones

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from ingest.store.currencies import CURRENCIES
from ingest.store.errors import StoreBroken
from ingest.store.records import Measure, Tax

Location = tuple[str | int, ...]
_NAMES_SHOWN = 50


class _Edit(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


def _currency(code: str | None) -> str | None:
    if code is not None and code not in CURRENCIES:
        raise ValueError(f"{code!r} is no currency code; write one such as JPY, CNY or USD")
    return code


class ColumnEdit(_Edit):
    description: str | None = None
    synonyms: list[str] | None = None
    unit: str | None = None
    currency: str | None = None
    tax: Tax | None = None
    measure: Measure | None = None

    _check_currency = field_validator("currency")(_currency)


class TableEdit(_Edit):
    description: str | None = None
    synonyms: list[str] | None = None
    snapshot: bool | None = None
    period: list[str] | None = Field(default=None, max_length=2)
    grain: str | None = None
    primary_key: list[str] | None = Field(default=None, min_length=1, max_length=8)
    columns: dict[str, ColumnEdit] = Field(default_factory=dict)


class JoinEdit(_Edit):
    left_table: str
    left_column: str
    right_table: str
    right_column: str


class MetricEdit(_Edit):
    """A metric of one's own needs `formula` and `sql`; of a drafted one any part may be changed."""

    formula: str | None = None
    sql: str | None = None
    description: str | None = None
    synonyms: list[str] | None = None
    unit: str | None = None


class ReplenishmentEdit(_Edit):
    """Sources as SQL (see `ReplenishmentRecord`), and the policy."""

    on_hand: str | None = None
    demand: str | None = None
    terms: str | None = None
    on_order: str | None = None
    demand_days: int | None = Field(default=None, ge=2, le=3660)
    service_level: float | None = Field(default=None, gt=0, lt=1)
    cover_days: int | None = Field(default=None, ge=1, le=3660)
    safety_days: int | float | None = Field(default=None, ge=0)
    by: list[str] | None = None


class CatalogEdits(_Edit):
    fiscal_year_start: int | None = Field(default=None, ge=1, le=12)
    closing_day: int | None = Field(default=None, ge=1, le=31)
    week_start: int | None = Field(default=None, ge=0, le=6)
    currency: str | None = None
    time_zone: str | None = None
    tables: dict[str, TableEdit] = Field(default_factory=dict)
    joins: list[JoinEdit] = Field(default_factory=list)
    metrics: dict[str, MetricEdit | None] = Field(default_factory=dict)
    replenishment: ReplenishmentEdit = Field(default_factory=ReplenishmentEdit)

    _check_currency = field_validator("currency")(_currency)

    @field_validator("time_zone")
    @classmethod
    def _check_time_zone(cls, name: str | None) -> str | None:
        known = available_timezones()
        if name is not None and known and name not in known:
            raise ValueError(f"{name!r} is no time zone; write one such as Asia/Tokyo or UTC")
        return name


@dataclass(frozen=True)
class EditsFile:
    """The user's file as read, and errors that name its lines."""

    path: Path
    root: yaml.Node | None
    edits: CatalogEdits

    def wrong(self, location: Location, what: str, allowed: Sequence[str] = ()) -> StoreBroken:
        return _wrong(self.path, self.root, location, what, allowed)


def read_edits(path: Path) -> EditsFile:
    """Raises `StoreBroken` naming file, line and what is allowed there."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        data = yaml.load(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise StoreBroken(f"{path}{line}: {error.problem}.", "Correct the YAML there.") from error
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise StoreBroken(f"{path} cannot be read ({error}).", "Save it as UTF-8 YAML.") from error
    if _is_cyclic(root):
        raise StoreBroken(f"{path}: an alias stands inside of its own anchor.", "Write it out.")
    for number, key in _repeated(root):
        message = f"{path}, line {number}: {key!r} stands there twice."
        raise StoreBroken(message, "Keep one of them.")
    try:
        return EditsFile(path, root, CatalogEdits.model_validate({} if data is None else data))
    except ValidationError as error:
        raise _invalid(path, root, error) from error


def _is_cyclic(node: yaml.Node | None, above: frozenset[int] = frozenset()) -> bool:
    """Whether an alias stands inside of its own anchor."""
    if not isinstance(node, yaml.CollectionNode):
        return False
    if id(node) in above:
        return True
    inner = [
        child for pair in node.value for child in (pair if isinstance(pair, tuple) else (pair,))
    ]
    return any(_is_cyclic(child, above | {id(node)}) for child in inner)


def _repeated(node: yaml.Node | None) -> Iterator[tuple[int, str]]:
    """Keys that YAML would let overwrite an earlier one, with their lines."""
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            if key.value in seen:
                yield key.start_mark.line + 1, key.value
            seen.add(key.value)
            yield from _repeated(value)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            yield from _repeated(value)


def _invalid(path: Path, root: yaml.Node | None, error: ValidationError) -> StoreBroken:
    first = error.errors(include_url=False)[0]
    location: Location = first["loc"]
    if first["type"] == "extra_forbidden":
        allowed = _fields_at(location[:-1])
        return _wrong(path, root, location, f"unknown key {location[-1]!r}", allowed)
    where = ".".join(str(part) for part in location) or "the file"
    said = first["msg"].removeprefix("Value error, ")
    return _wrong(path, root, location, f"{where}: {said}")


def _fields_at(location: Location) -> list[str]:
    """The keys allowed where `location` points; tables, columns and metrics sit under names."""
    if location[:1] == ("joins",):
        return list(JoinEdit.model_fields)
    if location[:1] == ("replenishment",):
        return list(ReplenishmentEdit.model_fields)
    if location[:1] == ("metrics",):
        return list(MetricEdit.model_fields)
    if "columns" in location[2:]:
        return list(ColumnEdit.model_fields)
    return list(TableEdit.model_fields if location else CatalogEdits.model_fields)


def _wrong(
    path: Path, root: yaml.Node | None, location: Location, what: str, allowed: Sequence[str] = ()
) -> StoreBroken:
    names = ", ".join(allowed[:_NAMES_SHOWN])
    hint = f"Allowed here: {names}." if allowed else "Correct that value."
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
