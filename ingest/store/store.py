"""`Store`: one published generation, opened for reading."""

from __future__ import annotations

from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import TYPE_CHECKING

from ingest.store.catalog import load_catalog, overlay_edits
from ingest.store.errors import StoreBroken, StoreError, StoreMissing, UnknownKnowledgeBase
from ingest.store.generations import Generations, lease_live
from ingest.store.lock import Lease
from ingest.store.manifest import (
    CATALOG,
    WAREHOUSE,
    Manifest,
    read_quarantine,
    require_embedder,
)
from ingest.store.records import Catalog, DocumentRecord, Hit, QuarantinedCell, Record
from ingest.store.settings import IngestSettings
from ingest.store.status import EffectiveStatus, StatusIndex

if TYPE_CHECKING:
    # The other parts of ingest use this room's records and errors; at run time they are
    # imported on the first search.
    from ingest.embedders import Embedder
    from ingest.store.searcher import Searcher


class KnowledgeBaseInfo(Record):
    name: str
    description: str = ""
    documents: int
    chunks: int
    languages: tuple[str, ...] = ()


class Store:
    """A published generation. Immutable while open; never creates or changes anything.

    Ingest may publish others meanwhile; this one stays on disk until it is closed, or its
    process ends. May be used from several threads. Usable as a context manager.

    Raises `StoreMissing` when the directory holds no store, `StoreBroken` when the live
    generation is damaged, `EmbedderMismatch` when settings name another embedder.
    """

    data_dir: Path
    revision: int
    manifest: Manifest
    catalog: Catalog
    """As drafted by ingest, with the user's edits (`<data dir>/catalog.yaml`) laid over it."""
    warehouse: Path | None
    """The DuckDB file of this generation; None when no table was ingested."""

    @classmethod
    def open(
        cls,
        data_dir: Path,
        settings: IngestSettings | None = None,
        *,
        embedder: Embedder | None = None,
    ) -> Store:
        """`embedder` stands in for the one that the settings name. Without settings, the
        embedder is the one that built the index."""
        generations = Generations(Path(data_dir).absolute())
        revision, lease = lease_live(generations)
        try:
            return cls(generations, revision, lease, settings, embedder)
        except BaseException:
            lease.release()
            raise

    def __init__(
        self,
        generations: Generations,
        revision: int,
        lease: Lease,
        settings: IngestSettings | None,
        embedder: Embedder | None,
    ) -> None:
        self._lease = lease
        self._generations = generations
        self._directory = generations.path(revision)
        self.data_dir = generations.data_dir
        self.revision = revision
        self.manifest = generations.manifest(revision)
        self._settings = settings or IngestSettings()
        self.warehouse = self._directory / WAREHOUSE if self.manifest.tables else None
        self.catalog = self._load_catalog()
        self._documents = {record.doc_id: record for record in self.manifest.documents}
        self._status: StatusIndex | None = None
        self._embedder = embedder
        self._embedder_name = self._choose_embedder(settings, embedder)
        self._searcher: Searcher | None = None
        self._lock = Lock()
        self._closed = False

    def knowledge_bases(self) -> list[KnowledgeBaseInfo]:
        return [self._info(kb) for kb in self.manifest.knowledge_bases()]

    def documents(self, kb: str | None = None) -> list[DocumentRecord]:
        """Raises `UnknownKnowledgeBase` when no document was ever ingested under that name."""
        if kb is None:
            return list(self.manifest.documents)
        self._require(kb)
        return [record for record in self.manifest.documents if record.kb == kb]

    def document(self, doc_id: str) -> DocumentRecord | None:
        return self._documents.get(doc_id)

    def file_path(self, doc_id: str) -> Path | None:
        """Where the document lay when it was ingested (absolute)."""
        entries = (e for e in self.manifest.files if e.doc_id == doc_id)
        return next((Path(entry.path) for entry in entries), None)

    def status_note(self, doc_id: str, language: str = "ja") -> str:
        """The design's note for a document ("" when there is none), from all records, now."""
        return self._statuses().note(doc_id, language)

    def document_statuses(self) -> dict[str, EffectiveStatus]:
        """For each doc_id (status, replaced_by): the replacing document's source, `external`
        when that is outside the set, None when nothing replaces it."""
        return self._statuses().statuses()

    def quarantine(self, table: str | None = None) -> list[QuarantinedCell]:
        """Cells left out of the tables, of one table or of all, in file order."""
        cells = read_quarantine(self._directory)
        return [c for c in cells if table is None or c.table.lower() == table.lower()]

    def search(self, kb: str, query: str) -> list[Hit]:
        """Dense and sparse candidates of one knowledge base, fused by RRF, best first.

        Empty when the query leaves no token to search for (`query_has_terms` tells).
        Raises `UnknownKnowledgeBase`, `EmbedderMismatch`, `StoreBroken`.
        """
        self._require(kb)
        try:
            hits = self._searching().search(kb, query, self._settings.knowledge_base(kb))
        except (StoreBroken, StoreMissing) as error:
            raise self._generations.broken(error.message) from error
        return [self._as_known(hit) for hit in hits]

    def embedder(self) -> Embedder:
        """The embedder of this generation, loaded on first use. Raises `EmbedderMismatch`."""
        return self._searching().embedder()

    def query_has_terms(self, query: str) -> bool:
        from ingest.sparse import terms  # noqa: PLC0415

        return bool(terms(query))

    def close(self) -> None:
        """Give the generation back; twice is allowed."""
        with self._lock:
            self._closed = True
            if self._searcher is not None:
                self._searcher.close()
            self._lease.release()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _info(self, kb: str) -> KnowledgeBaseInfo:
        records = [record for record in self.manifest.documents if record.kb == kb]
        return KnowledgeBaseInfo(
            name=kb,
            description=self._settings.knowledge_base(kb).description,
            documents=len(records),
            chunks=sum(record.chunks for record in records),
            languages=tuple(sorted({record.language for record in records})),
        )

    def _require(self, kb: str) -> None:
        known = self.manifest.knowledge_bases()
        if kb not in known:
            there = f"there are: {', '.join(known)}" if known else "there is none yet"
            raise UnknownKnowledgeBase(
                f"there is no knowledge base {kb!r}; {there}",
                f"name one of them, or make it: zaiko ingest PATH --kb {kb}",
            )

    def _as_known(self, hit: Hit) -> Hit:
        """A file that moved keeps its vectors; its chunks are called by where it is now."""
        record = self._documents.get(hit.chunk.doc_id)
        if record is None or record.source == hit.chunk.source:
            return hit
        chunk = hit.chunk.model_copy(update={"source": record.source})
        return hit.model_copy(update={"chunk": chunk})

    def _statuses(self) -> StatusIndex:
        with self._lock:
            if self._status is None:
                self._status = StatusIndex(self.manifest.documents)
            return self._status

    def _searching(self) -> Searcher:
        from ingest.store.searcher import Searcher  # noqa: PLC0415

        with self._lock:
            if self._closed:
                raise StoreError("the store is closed", "open it again: Store.open(data_dir)")
            if self._searcher is None:
                self._searcher = Searcher(
                    self._directory, self.manifest, self._embedder_name, self._embedder
                )
            return self._searcher

    def _load_catalog(self) -> Catalog:
        path = self._directory / CATALOG
        drafted = load_catalog(path) if path.exists() else Catalog()
        edits = self.data_dir / CATALOG
        return overlay_edits(drafted, edits) if edits.exists() else drafted

    def _choose_embedder(self, settings: IngestSettings | None, given: Embedder | None) -> str:
        """Without settings, the one that built the index."""
        built_by = self.manifest.embedder
        if given is not None:
            name = given.name
        elif settings is not None or built_by is None:
            name = self._settings.embedder
        else:
            name = built_by.name
        require_embedder(built_by, name)
        return name
