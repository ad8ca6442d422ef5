"""What an ingest run says while it works (`Progress`) and at its end (`IngestReport`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from ingest.store.damage import Damage
from ingest.store.records import Failure, HiddenSheets, QuarantinedCell

Stage = Literal["scan", "tables", "documents", "embed", "check"]


@dataclass(frozen=True)
class Progress:
    """`done` of `total` in a stage: files, or chunks for `embed`. `rate` is items a second."""

    stage: Stage
    done: int
    total: int
    path: str = ""
    rate: float = 0.0


ProgressSink = Callable[[Progress], None]


@dataclass
class Changes:
    """Counts of one kind: files for documents, tables for tables."""

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    moved: int = 0
    deleted: int = 0
    failed: list[Failure] = field(default_factory=list)

    def any(self) -> bool:
        return bool(self.added or self.updated or self.moved or self.deleted)

    def to_json(self) -> dict[str, Any]:
        return {
            "added": self.added,
            "updated": self.updated,
            "unchanged": self.unchanged,
            "moved": self.moved,
            "deleted": self.deleted,
            "failed": [failure.model_dump() for failure in self.failed],
        }


@dataclass(frozen=True)
class IngestReport:
    """`chunks`, `quarantined` and `hidden_sheets` are what the live generation holds after the run.

    `data_revision` is the live generation; None when nothing was ever published. `ignored` counts
    the files of the run whose suffix no reader knows. `rebuilt` is what was damaged in the
    generation that was live before, and was built again.
    """

    documents: Changes
    tables: Changes
    chunks: int
    quarantined: tuple[QuarantinedCell, ...]
    data_revision: int | None
    seconds: float
    ignored: int = 0
    rebuilt: tuple[Damage, ...] = ()
    hidden_sheets: tuple[HiddenSheets, ...] = ()

    @property
    def ok(self) -> bool:
        return not (self.documents.failed or self.tables.failed)

    def to_json(self) -> dict[str, Any]:
        return {
            "documents": self.documents.to_json(),
            "tables": self.tables.to_json(),
            "chunks": self.chunks,
            "quarantined": {
                "count": len(self.quarantined),
                "first": [cell.model_dump() for cell in self.quarantined[:10]],
            },
            "hidden_sheets": [hidden.model_dump(mode="json") for hidden in self.hidden_sheets],
            "rebuilt": [damage.to_json() for damage in self.rebuilt],
            "data_revision": self.data_revision,
            "seconds": round(self.seconds, 3),
        }
