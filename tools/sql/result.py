"""What a query found, and how it is shown: as evidence, to the model, as JSON."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from ingest.store import TableRecord
from tools.evidence import Evidence, content_hash
from tools.sql.client import Rows
from tools.sql.guard import CheckedQuery
from tools.sql.render import render_rows

TOOL = "sql"


@dataclass(frozen=True)
class SqlResult:
    """Rows of one query. `notes` are for whoever reads the rows; `answer_notes` must be said
    along with an answer that rests on them. `documents` are those of its tables that stand in a
    document, `status_note` what is to be known of one that is not current."""

    query: CheckedQuery
    rows: Rows
    answer_notes: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    excluded_cells: int = 0
    rows_shown: int = 20
    unmatched: tuple[str, ...] = ()
    documents: tuple[TableRecord, ...] = ()
    status_note: str = ""

    @property
    def truncated(self) -> bool:
        return len(self.rows.rows) < self.rows.row_count

    @property
    def all_notes(self) -> tuple[str, ...]:
        return (*self.answer_notes, *self.notes)

    def evidence(self) -> Sequence[Evidence]:
        digest = hashlib.sha256(self.query.sql.encode()).hexdigest()[:8]
        count = self.rows.row_count
        return [
            Evidence(
                kind="rows",
                tool=TOOL,
                source=", ".join(self.query.tables),
                locator=" · ".join(
                    [
                        f"sql {digest}",
                        f"{count} {'row' if count == 1 else 'rows'}",
                        *(_place(table) for table in self.documents),
                    ]
                ),
                page=self.documents[0].page if len(self.documents) == 1 else None,
                box=self.documents[0].box if len(self.documents) == 1 else None,
                query=self.query.sql,
                columns=self.rows.columns,
                rows=self.rows.rows,
                row_count=count,
                truncated=self.truncated,
                hash=content_hash(self.rows.columns, self.rows.rows),
                excluded_cells=self.excluded_cells,
                notes=self.answer_notes,
                status_note=self.status_note or None,
                unmatched=self.unmatched,
            )
        ]

    def for_model(self, ids: Sequence[str]) -> str:
        body = render_rows(
            self.rows.columns,
            self.rows.rows,
            row_count=self.rows.row_count,
            rows_shown=self.rows_shown,
            notes=self.all_notes,
        )
        return "\n".join([*(f"[{i}]" for i in ids[:1]), body])

    def summary(self) -> str:
        count = self.rows.row_count
        return f"{count} {'row' if count == 1 else 'rows'} from {', '.join(self.query.tables) or 'no table'}"

    def to_json(self) -> dict[str, object]:
        return {
            "columns": [c.model_dump() for c in self.rows.columns],
            "rows": [list(r) for r in self.rows.rows],
            "row_count": self.rows.row_count,
            "truncated": self.truncated,
            "notes": list(self.all_notes),
        }


def _place(table: TableRecord) -> str:
    """Where in which document the table stands: `report.pdf p.25 (60, 120, 540, 410)`."""
    page = f" p.{table.page}" if table.page else ""
    box = f" ({', '.join(f'{edge:.0f}' for edge in table.box)})" if table.box else ""
    return f"{table.source}{page}{box}"
