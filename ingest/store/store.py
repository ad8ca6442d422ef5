"""`Store`: one published generation, opened for reading."""

from __future__ import annotations

from pathlib import Path

from ingest.store.records import Catalog, DocumentRecord, Hit, Record
from ingest.store.settings import IngestSettings


class KnowledgeBaseInfo(Record):
    name: str
    description: str = ""
    documents: int
    chunks: int
    languages: tuple[str, ...] = ()


class Store:
    """A published generation. Immutable while open; never creates or changes anything.

    Raises `StoreMissing` when the directory holds no store, `StoreBroken` when the live
    generation is damaged, `EmbedderMismatch` when settings name another embedder.
    """

    data_dir: Path
    revision: int
    catalog: Catalog
    warehouse: Path | None
    """The DuckDB file of this generation; None when no table was ingested."""

    @classmethod
    def open(cls, data_dir: Path, settings: IngestSettings | None = None) -> Store:
        raise NotImplementedError

    def knowledge_bases(self) -> list[KnowledgeBaseInfo]:
        raise NotImplementedError

    def documents(self, kb: str | None = None) -> list[DocumentRecord]:
        raise NotImplementedError

    def status_note(self, doc_id: str, language: str = "ja") -> str:
        """The design's note for a document ("" when there is none), from all records, now."""
        raise NotImplementedError

    def search(self, kb: str, query: str) -> list[Hit]:
        """Dense and sparse candidates of one knowledge base, fused by RRF, best first.

        Empty when the query leaves no token to search for (`query_has_terms` tells).
        """
        raise NotImplementedError

    def query_has_terms(self, query: str) -> bool:
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError
