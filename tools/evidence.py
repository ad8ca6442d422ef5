"""Evidence: what an answer may rest on. A tool makes drafts without an id; the graph numbers them.

Values are JSON values; `columns[i].type` says how to read them: DECIMAL and HUGEINT are strings,
dates and timestamps are ISO 8601 strings, everything else is itself.
"""

import hashlib
import json
from collections.abc import Sequence
from decimal import Decimal
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Value = str | int | float | bool | None
Kind = Literal["rows", "chunk", "calculation", "date", "memory", "human"]


class Column(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    name: str
    type: str


class Evidence(BaseModel):
    """One proof. `id` is "" until the graph numbers it (`E1`, `E2`, …; once in a thread)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = ""
    kind: Kind
    origin: Literal["machine", "person"] = "machine"
    tool: str
    source: str
    """Tables ("sales, products"), a document's path, or the ids a calculation used."""
    locator: str = ""
    """Where in the source, for a person: "p.3 › 返品", "sql 4f2a… 12 rows"."""
    query: str | None = None
    """The SQL that ran, the code, the date expression or the search text."""
    columns: tuple[Column, ...] = ()
    rows: tuple[tuple[Value, ...], ...] = ()
    row_count: int = 0
    truncated: bool = False
    hash: str = ""
    text: str | None = None
    """The passage; a calculation's printed log; a date range's label."""
    score: float | None = None
    reason: str | None = None
    status_note: str | None = None
    document_date: str | None = None
    page: int | None = None
    box: tuple[float, float, float, float] | None = None
    span: tuple[int, int] | None = None
    chunk_id: str | None = None
    excluded_cells: int = 0
    """Quarantined cells in the columns that the query used."""
    unmatched: tuple[str, ...] = ()
    """Conditions of the query whose value is not stored, when nothing matched: "city = 'X'"."""
    inputs: tuple[str, ...] = ()
    notes: tuple[str, ...] = Field(default=())
    """What an answer must say along with it: "as of 2026-11-30", "3 cells left out"."""

    @property
    def found_nothing(self) -> bool:
        """Rows evidence without a row, or an aggregate over none that a wrong value emptied."""
        if self.kind != "rows" or len(self.rows) > 1 or self.row_count > 1:
            return False
        zeros = all(v in (None, 0, "0") for row in self.rows for v in row)
        return not self.rows or (bool(self.unmatched) and zeros)

    def typed_rows(self) -> list[tuple[object, ...]]:
        """Rows with DECIMAL columns as `Decimal`; dates stay ISO strings."""
        exact = [c.type.startswith(("DECIMAL", "HUGEINT")) for c in self.columns]
        return [
            tuple(
                Decimal(v) if is_exact and isinstance(v, str) else v
                for v, is_exact in zip(row, exact, strict=True)
            )
            for row in self.rows
        ]


def content_hash(columns: Sequence[Column], rows: Sequence[Sequence[Value]], text: str = "") -> str:
    """SHA-256 over columns, rows and text; the same content has the same hash everywhere."""
    payload = json.dumps(
        [[c.model_dump() for c in columns], [list(r) for r in rows], text],
        ensure_ascii=False,
        separators=(",", ":"),
    )
    return hashlib.sha256(payload.encode()).hexdigest()
