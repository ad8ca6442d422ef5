"""`Store`: one published generation, opened for reading."""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import TYPE_CHECKING

from ingest.store.catalog import load_catalog
from ingest.store.errors import (
    OutOfScope,
    StoreBroken,
    StoreError,
    StoreMissing,
    UnknownKnowledgeBase,
)
from ingest.store.filters import DocumentFilter
from ingest.store.generations import Generations, lease_live
from ingest.store.lock import Lease
from ingest.store.manifest import (
    CATALOG,
    WAREHOUSE,
    Manifest,
    read_quarantine,
    require_embedder,
)
from ingest.store.overlay import overlay_edits
from ingest.store.records import Catalog, Chunk, DocumentRecord, Hit, QuarantinedCell, Record
from ingest.store.replenishment import without_tables
from ingest.store.settings import IngestSettings
from ingest.store.status import EffectiveStatus, StatusIndex

if TYPE_CHECKING:
    # The other parts of ingest use this room's records and errors; at run time they are
    # imported on the first search.
    from ingest.embedders import Embedder
    from ingest.store.searcher import Searcher
    from ingest.store.values import ValueIndex, ValueMatch


class KnowledgeBaseInfo(Record):
    name: str
    description: str = ""
    documents: int
    chunks: int
    languages: tuple[str, ...] = ()


MAX_DAYS = 8
"""A store that stays open for long keeps the statuses of so many days."""


@dataclass
class _Opened:
    """What is opened on first use, shared by all views of a store."""

    lock: Lock = field(default_factory=Lock)
    searcher: Searcher | None = None
    values: ValueIndex | None = None
    values_lock: Lock = field(default_factory=Lock)
    closed: bool = False
    statuses: dict[date | None, StatusIndex] = field(default_factory=dict)


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
        self._embedder = embedder
        self._embedder_name = self._choose_embedder(settings, embedder)
        self._opened = _Opened()
        self._scope: frozenset[str] | None = None

    def within(self, kbs: Iterable[str] | None) -> Store:
        """The same open generation for a caller who may read these knowledge bases only (None:
        those that this store may): every other one is refused here, whoever asks for it.

        A view is closed with the store. Raises `UnknownKnowledgeBase`, `OutOfScope`.
        """
        if kbs is None:
            return self
        scope = frozenset(kbs)
        for kb in sorted(scope):
            self._require(kb)
        view = copy.copy(self)
        view._scope = scope
        view.catalog = self._without_tables_of_others(scope)
        return view

    def knowledge_bases(self) -> list[KnowledgeBaseInfo]:
        return [self._info(kb) for kb in self.manifest.knowledge_bases() if self._allows(kb)]

    def documents(self, kb: str | None = None) -> list[DocumentRecord]:
        """Of one knowledge base, or of all that may be read. Raises `UnknownKnowledgeBase` when
        no document was ever ingested under that name, `OutOfScope`."""
        if kb is None:
            return [r for r in self.manifest.documents if self._allows(r.kb)]
        self._require(kb)
        return [record for record in self.manifest.documents if record.kb == kb]

    def document(self, doc_id: str) -> DocumentRecord | None:
        record = self._documents.get(doc_id)
        return record if record is not None and self._allows(record.kb) else None

    def file_path(self, doc_id: str) -> Path | None:
        """Where the document lay when it was ingested (absolute)."""
        entries = (e for e in self.manifest.files if e.doc_id == doc_id and self.document(doc_id))
        return next((Path(entry.path) for entry in entries), None)

    def status_note(self, doc_id: str, language: str = "ja", today: date | None = None) -> str:
        """The design's note for a document ("" when there is none), from all records, now."""
        return self.status_index(today).note(doc_id, language, self._scope)

    def document_statuses(self, today: date | None = None) -> dict[str, EffectiveStatus]:
        """For each doc_id (status, replaced_by): the replacing document's source, `external`
        when that is outside the set, None when nothing replaces it."""
        return self.status_index(today).statuses(self._scope)

    def status_index(self, today: date | None = None) -> StatusIndex:
        """The statuses on a day (None: whatever is ever valid counts), from all records."""
        with self._opened.lock:
            if today not in self._opened.statuses:
                if len(self._opened.statuses) > MAX_DAYS:
                    self._opened.statuses.clear()
                self._opened.statuses[today] = StatusIndex(self.manifest.documents, today)
            return self._opened.statuses[today]

    def quarantine(self, table: str | None = None) -> list[QuarantinedCell]:
        """Cells left out of the tables, of one table or of all, in file order."""
        cells = read_quarantine(self._directory)
        return [c for c in cells if table is None or c.table.lower() == table.lower()]

    def search(self, kb: str, query: str, *, doc_ids: Collection[str] | None = None) -> list[Hit]:
        """Dense and sparse candidates of one knowledge base, fused by RRF, best first; of these
        documents only, where `doc_ids` are given.

        Empty when the query leaves no token to search for (`query_has_terms` tells).
        Raises `UnknownKnowledgeBase`, `OutOfScope`, `EmbedderMismatch`, `StoreBroken`.
        """
        self._require(kb)
        chosen = self._settings.knowledge_base(kb)
        try:
            hits = self._searching().search(kb, query, chosen, doc_ids)
        except (StoreBroken, StoreMissing) as error:
            raise self._generations.broken(error.message) from error
        return [self._as_known(hit) for hit in hits]

    def find_values(
        self, word: str, *, table: str | None = None, column: str | None = None, limit: int = 5
    ) -> list[ValueMatch]:
        """(table, column, stored value, score 0.6–1) of the `limit` values most like a word, best
        first: 1 is the same but for case, width and kana, 0.95 the same words in any order, script
        or abbreviation ("tokyo wh" finds 東京倉庫). Of one table or column where given. The index
        is built on first use (seconds for 100,000 values). Raises `StoreBroken`."""
        return self._value_index().find(word, table=table, column=column, limit=limit)

    def named_values(self, text: str, limit: int = 6) -> list[ValueMatch]:
        """The stored values that a text names in another script or word order."""
        return self._value_index().named_in(text, limit)

    def _value_index(self) -> ValueIndex:
        from ingest.store.values import ValueIndex, read_values  # noqa: PLC0415

        with self._opened.values_lock:
            if self._opened.values is None:
                self._opened.values = (
                    read_values(self.warehouse, self.catalog) if self.warehouse else ValueIndex(())
                )
            return self._opened.values

    def select(self, kb: str, chosen: DocumentFilter, today: date | None = None) -> frozenset[str]:
        """The ids of a knowledge base's documents that a caller's filter allows."""
        return chosen.select(self.documents(kb), self.status_index(today))

    def document_chunks(self, doc_id: str) -> list[Chunk]:
        """All passages of a document in order; [] of one that is not here or out of scope."""
        return self._chunks(doc_id, None, None)

    def neighbours(self, chunk: Chunk, before: int = 1, after: int = 1) -> list[Chunk]:
        """The passage with those around it in its document, in order."""
        return self._chunks(chunk.doc_id, chunk.ordinal - before, chunk.ordinal + after)

    def section(self, chunk: Chunk) -> list[Chunk]:
        """The passages of the section around a passage, in order; itself where none is known."""
        first, last = chunk.parent or (chunk.ordinal, chunk.ordinal)
        return self._chunks(chunk.doc_id, first, last)

    def _chunks(self, doc_id: str, first: int | None, last: int | None) -> list[Chunk]:
        record = self.document(doc_id)
        if record is None:
            return []
        chunks = self._searching().chunks(record.kb, doc_id, first, last)
        return [chunk.model_copy(update={"source": record.source}) for chunk in chunks]

    def embedder(self) -> Embedder:
        """The embedder of this generation, loaded on first use. Raises `EmbedderMismatch`."""
        return self._searching().embedder()

    @property
    def embedder_name(self) -> str:
        """The name of this generation's embedder; loads nothing."""
        return self._embedder_name

    def query_has_terms(self, query: str) -> bool:
        from ingest.sparse import terms  # noqa: PLC0415

        return bool(terms(query))

    def close(self) -> None:
        """Give the generation back; twice is allowed."""
        with self._opened.lock:
            self._opened.closed = True
            if self._opened.searcher is not None:
                self._opened.searcher.close()
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

    def _without_tables_of_others(self, scope: frozenset[str]) -> Catalog:
        """A table that stands in a document is read by whoever may read the document."""
        records = {t.name: self._documents.get(t.doc_id or "") for t in self.catalog.tables}
        hidden = {name for name, record in records.items() if record and record.kb not in scope}
        if not hidden:
            return self.catalog
        tables = tuple(t for t in self.catalog.tables if t.name not in hidden)
        joins = (j for j in self.catalog.joins if not {j.left_table, j.right_table} & hidden)
        metrics = tuple(m for m in self.catalog.metrics if not hidden & set(m.tables))
        return self.catalog.model_copy(
            update={
                "tables": tables,
                "joins": tuple(joins),
                "metrics": metrics,
                "replenishment": without_tables(self.catalog.replenishment, hidden),
            }
        )

    def _allows(self, kb: str) -> bool:
        return self._scope is None or kb in self._scope

    def _require(self, kb: str) -> None:
        if not self._allows(kb):
            raise OutOfScope(
                f"the knowledge base {kb!r} is outside of what this caller may read",
                f"in scope: {', '.join(sorted(self._scope or ()))}",
            )
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

    def _searching(self) -> Searcher:
        from ingest.store.searcher import Searcher  # noqa: PLC0415

        with self._opened.lock:
            if self._opened.closed:
                raise StoreError("the store is closed", "open it again: Store.open(data_dir)")
            if self._opened.searcher is None:
                self._opened.searcher = Searcher(
                    self._directory,
                    self.manifest,
                    self._embedder_name,
                    self._embedder,
                    self._settings,
                )
            return self._opened.searcher

    def _load_catalog(self) -> Catalog:
        path = self._directory / CATALOG
        drafted = load_catalog(path) if path.exists() else Catalog()
        edits = self.data_dir / CATALOG
        return overlay_edits(drafted, edits, self.warehouse) if edits.exists() else drafted

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
