"""What an ingest run says while it works (`Progress`) and at its end (`IngestReport`)."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from ingest.store.damage import Damage
from ingest.store.records import Failure, HiddenSheets, QuarantinedCell

Stage = Literal["scan", "tables", "documents", "embed", "check", "push"]


@dataclass(frozen=True)
class Progress:
    """`done` of `total` in a stage: files, or chunks for `embed`. `rate` is items a second, 0
    while it is not known."""

    stage: Stage
    done: int
    total: int
    path: str = ""
    rate: float = 0.0

    @property
    def seconds_left(self) -> float | None:
        """At the rate so far; None while that is not known."""
        return (self.total - self.done) / self.rate if self.rate else None


ProgressSink = Callable[[Progress], None]


class Meter:
    """Tells the progress of one stage, with its rate. What cost no work does not count in it."""

    def __init__(
        self,
        sink: ProgressSink,
        stage: Stage,
        total: int,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._sink = sink
        self._stage: Stage = stage
        self._total = total
        self._now = now
        self._started = now()
        self._free = 0

    def tell(self, done: int, path: str = "", *, free: int = 0) -> None:
        """`free` of the items since the last call were there already."""
        self._free += free
        seconds, worked = self._now() - self._started, done - self._free
        rate = worked / seconds if worked > 0 and seconds > 0 else 0.0
        self._sink(Progress(self._stage, done, self._total, path, rate))


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
class TableNote:
    """How a table's file was read, or what was left out of it; with `warning`, what is in the
    table and may falsify its figures."""

    table: str
    note: str
    warning: bool = False


@dataclass(frozen=True)
class IngestReport:
    """`chunks`, `quarantined`, `hidden_sheets` and `notes` (of the tables that are files) are what
    the live generation holds after the run.

    `data_revision` is the live generation; None when nothing was ever published. `ignored` counts
    the files of the run whose suffix no reader knows, `left_out` the files and directories that
    an ignore file names. `rebuilt` is what was damaged in the generation that was live before,
    and was built again. `apart` names the files that are called like those of a joined table but
    have other columns, with the difference.
    """

    documents: Changes
    tables: Changes
    chunks: int
    quarantined: tuple[QuarantinedCell, ...]
    data_revision: int | None
    seconds: float
    ignored: int = 0
    left_out: int = 0
    rebuilt: tuple[Damage, ...] = ()
    hidden_sheets: tuple[HiddenSheets, ...] = ()
    apart: tuple[str, ...] = ()
    notes: tuple[TableNote, ...] = ()

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
                "first": [
                    cell.model_dump(exclude=None if cell.source else {"source"})
                    for cell in self.quarantined[:10]
                ],
            },
            "hidden_sheets": [hidden.model_dump(mode="json") for hidden in self.hidden_sheets],
            "apart": list(self.apart),
            "notes": [asdict(note) for note in self.notes],
            "rebuilt": [damage.to_json() for damage in self.rebuilt],
            "data_revision": self.data_revision,
            "seconds": round(self.seconds, 3),
        }
