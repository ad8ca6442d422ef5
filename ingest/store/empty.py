"""A store without data: what a tool that needs none is given where no data directory is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from ingest.store.records import Catalog, DocumentRecord


class EmptyStore:
    """Revision 0: no tables, no documents."""

    revision = 0
    catalog = Catalog()
    warehouse: Path | None = None

    def within(self, kbs: Iterable[str] | None) -> EmptyStore:
        return self

    def documents(self, kb: str | None = None) -> Sequence[DocumentRecord]:
        return []

    def knowledge_bases(self) -> Sequence[object]:
        return []

    def close(self) -> None:
        """Nothing is open."""
