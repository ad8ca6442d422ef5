"""What ingest writes down and the other rooms read: frozen records, stored as JSON or YAML."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Language = Literal["ja", "en", "zh", "unknown"]
DocumentStatus = Literal[
    "current",
    "superseded",
    "partly_superseded",
    "proposed",
    "rejected",
    "deprecated",
    "unknown",
    "undeclared",
]


class Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Failure(Record):
    """A file that could not be taken in, and why."""

    path: str
    reason: str


class HiddenSheets(Record):
    """Sheets of a workbook that are hidden in it, and so are not tables."""

    path: str
    sheets: tuple[str, ...]


class QuarantinedCell(Record):
    """A cell that does not fit its column's type; it is NULL in the table.

    `row` is the 1-based row of the source file or sheet (the header counted), as a person
    sees it in an editor or in Excel; `source` is that file where a table is of several.
    """

    table: str
    column: str
    row: int
    value: str
    reason: str
    source: str = ""


Measure = Literal["flow", "stock", "rate"]
"""How figures of a column add up: a flow (sales, receipts) over everything; a stock (on hand, a
balance) over everything but time; a rate (a price, a percentage) over nothing."""

Tax = Literal["included", "excluded"]


class ColumnRecord(Record):
    """A column as ingested. `type` is DuckDB's name (VARCHAR, BIGINT, DECIMAL(18,2), DATE, …).

    `currency` is an ISO 4217 code, for amounts of one currency. None: not known.
    """

    name: str
    type: str
    original: str
    description: str = ""
    synonyms: tuple[str, ...] = ()
    unit: str | None = None
    currency: str | None = None
    tax: Tax | None = None
    measure: Measure | None = None
    examples: tuple[str, ...] = ()
    distinct: int = 0
    nulls: int = 0
    quarantined: int = 0


SOURCE_COLUMN = "source_file"
"""The column of a joined table that says which file a row came from."""
PERIOD_COLUMN = "source_period"
"""The column of a joined table with the last day of the period that a row's file is named after."""


class TablePart(Record):
    """The rows of one file in a table of several: those whose `source_file` is `source`."""

    source: str
    rows: int
    quarantined: dict[str, int] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class TableRecord(Record):
    """A table as ingested. `source` is the file (and `sheet`) it came from.

    With `parts` it holds the rows of several files of one shape, and its column `source_file`
    says which; `source` is then their name with `*` for the period. `apart` says why files that
    are named like those of the table `apart_from` are a table of their own.

    `notes` say how the file was read and what was left out of it; `warnings` what is in the table
    and may falsify its figures: an answer over the table says them, too.

    One that stands in a document has the document's id, and its place there: `page` is 1-based,
    `box` (x0, y0, x1, y1) in points from the page's upper left corner.
    """

    name: str
    source: str
    original: str = ""
    sheet: str | None = None
    doc_id: str | None = None
    page: int | None = None
    box: tuple[float, float, float, float] | None = None
    rows: int
    columns: tuple[ColumnRecord, ...]
    description: str = ""
    synonyms: tuple[str, ...] = ()
    primary_key: tuple[str, ...] = ()
    grain: str = ""
    """What one row is, in words: "one row a sku, warehouse_code, snapshot_date"."""
    snapshot: bool = False
    """True for a stock table: its quantities may not be summed over its date column."""
    period: tuple[str, ...] = ()
    """The column that says of which day, month or year the levels of a row ("stock") are, or its
    two: year and month. () where a row is of no period, or that is not proved."""
    date_column: str | None = None
    data_from: date | None = None
    data_to: date | None = None
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    parts: tuple[TablePart, ...] = ()
    apart: str = ""
    apart_from: str = ""

    def column(self, name: str) -> ColumnRecord | None:
        return next((c for c in self.columns if c.name.lower() == name.lower()), None)


class JoinRecord(Record):
    """`left` values are all found in `right`, which is unique there: many left to one right, or
    one to one where the left column is unique too. With `drafted` that is proved on the data; a
    join that a person declared may find less (see `ingest.store.joins`)."""

    left_table: str
    left_column: str
    right_table: str
    right_column: str
    one_to_one: bool = False
    drafted: bool = True


class MetricRecord(Record):
    """A figure the business has a name for.

    `formula` says it in words; `sql` is one SELECT over the tables that computes it, with a
    period as `:start` and `:end` (ISO dates, both included) where it has one. `tables` are those
    it reads. `drafted` is False for what a person wrote.
    """

    name: str
    formula: str
    sql: str
    description: str = ""
    synonyms: tuple[str, ...] = ()
    unit: str | None = None
    tables: tuple[str, ...] = ()
    drafted: bool = True


class SourceRecord(Record):
    """One SELECT that a reorder proposal is worked out from; `tables` are those it reads.

    `drafted` is False for what a person wrote.
    """

    sql: str
    tables: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    drafted: bool = True


class ReplenishmentRecord(Record):
    """Where a reorder proposal takes its figures from, and the company's policy for it.

    Each source is one SELECT, with a day or a period as `:start` and `:end` (ISO dates, both
    included); None where the tables do not tell it for certain. `on_hand`: sku, on_hand, and
    as_of, the day of the stock, where it has one; `demand`: one row a sku and day, with sku, day,
    quantity; `terms`: sku, lead_time_days, and where known minimum_quantity, pack_size,
    safety_days; `on_order`: sku, on_order. Further columns of the first, second and last, such as
    a warehouse, are what a question may restrict them by.

    `demand_days`, `service_level`, `cover_days` and `safety_days` are arguments of the calculation
    `reorder_proposal`; with `by`, columns of the first, second and last (a warehouse), it is made
    for each place, else for all together. `item` is the (table, column) of which the
    SKUs are values; `leaves_out` are the values of its status whose items are not ordered.
    """

    on_hand: SourceRecord | None = None
    demand: SourceRecord | None = None
    terms: SourceRecord | None = None
    on_order: SourceRecord | None = None
    demand_days: int = Field(default=90, ge=2, le=3660)
    service_level: Decimal = Field(default=Decimal("0.95"), gt=0, lt=1)
    cover_days: int = Field(default=30, ge=1, le=3660)
    safety_days: Decimal | None = Field(default=None, ge=0)
    by: tuple[str, ...] = ()
    item: tuple[str, str] | None = None
    leaves_out: tuple[str, ...] = ()

    def sources(self) -> dict[str, SourceRecord | None]:
        return {name: getattr(self, name) for name in REPLENISHMENT_COLUMNS}


REPLENISHMENT_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "on_hand": ("sku", "on_hand"),
    "demand": ("sku", "day", "quantity"),
    "terms": ("sku", "lead_time_days"),
    "on_order": ("sku", "on_order"),
}
"""The sources of a reorder proposal and the columns that each must have."""


class Catalog(Record):
    """The semantic layer over one generation; drafted on ingest, the user's edits laid over it."""

    tables: tuple[TableRecord, ...] = ()
    joins: tuple[JoinRecord, ...] = ()
    metrics: tuple[MetricRecord, ...] = ()
    replenishment: ReplenishmentRecord = ReplenishmentRecord()
    fiscal_year_start: int = Field(default=4, ge=1, le=12)
    closing_day: int | None = Field(default=None, ge=1, le=31)
    week_start: int = Field(default=0, ge=0, le=6, description="0 is Monday")
    currency: str | None = None
    time_zone: str | None = None
    assumed: tuple[str, ...] = Field(
        default=(), description="Settings that neither the data nor a person said: the defaults."
    )

    def table(self, name: str) -> TableRecord | None:
        return next((t for t in self.tables if t.name.lower() == name.lower()), None)

    def warnings_of(self, table: TableRecord) -> tuple[str, ...]:
        """What is in the table, or is missing from it, and may falsify its figures."""
        apart = (t for t in self.tables if t.apart_from == table.name)
        return (*table.warnings, *(f"{t.apart}; see table {t.name}" for t in apart))


class DocumentRecord(Record):
    """A document of a knowledge base.

    `declared` and the links are what the document itself says (front matter, sidecar); the
    effective status is computed from all records at query time (`ingest.store.status`).
    `former_sources` are what its path was before it was moved, newest last: links still find it.
    """

    doc_id: str
    kb: str
    source: str
    title: str
    language: Language = "unknown"
    sha256: str
    pages: int | None = None
    chunks: int = 0
    document_date: date | None = None
    declared: DocumentStatus = "undeclared"
    supersedes: tuple[str, ...] = ()
    partly_supersedes: tuple[str, ...] = ()
    superseded_by: str | None = None
    valid_from: date | None = None
    valid_to: date | None = None
    former_sources: tuple[str, ...] = ()


class Chunk(Record):
    """A passage to be embedded. `start`/`end` are character offsets in the document's text.

    `parent` are the ordinals of the first and the last passage of the section around it, which a
    reader of the passage may be shown; `parent_id` is the same for all of that section.
    """

    chunk_id: str
    doc_id: str
    kb: str
    source: str
    ordinal: int
    text: str
    heading: tuple[str, ...] = ()
    page: int | None = None
    box: tuple[float, float, float, float] | None = None
    start: int
    end: int
    language: Language = "unknown"
    parent_id: str = ""
    parent: tuple[int, int] | None = None


class Hit(Record):
    """A first-stage candidate. Ranks are 1-based; None where that strategy did not find it."""

    chunk: Chunk
    fused: float
    cosine: float | None = None
    bm25: float | None = None
    dense_rank: int | None = None
    sparse_rank: int | None = None
