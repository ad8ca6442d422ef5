"""First-stage search over one generation: its embedder and indexes, opened on first use."""

from __future__ import annotations

import os
from collections.abc import Collection
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock

from ingest.embedders import Embedder
from ingest.index import Scope, VectorIndex, copy_index, open_index
from ingest.index.base import POINTER
from ingest.sparse import Bm25
from ingest.store.embedding import LazyEmbedder
from ingest.store.errors import StoreError
from ingest.store.manifest import INDEX, Manifest
from ingest.store.records import Chunk, Hit
from ingest.store.settings import IngestSettings, KnowledgeBaseSettings


class Searcher:
    """May be used from several threads: each index is opened once."""

    def __init__(
        self,
        directory: Path,
        manifest: Manifest,
        embedder: str,
        given: Embedder | None,
        settings: IngestSettings,
    ) -> None:
        self._directory = directory
        self._manifest = manifest
        self._embedder = LazyEmbedder(embedder, manifest.embedder, given, settings.bge_m3)
        self._server = settings.server
        self._indexes: dict[str, VectorIndex] = {}
        self._languages: dict[str, tuple[str, ...]] = {}
        self._lock = Lock()
        self._copies = ExitStack()
        self._closed = False

    def search(
        self,
        kb: str,
        query: str,
        chosen: KnowledgeBaseSettings,
        doc_ids: Collection[str] | None = None,
    ) -> list[Hit]:
        """Empty when the query has no term. `doc_ids`: all that may be found."""
        bm25 = Bm25(self._manifest.bm25_average_length.get(kb, 0.0))
        if not bm25.terms(query):
            return []
        index, encoded = self._index(kb), self._embedder.get().encode_query(query)
        scope = Scope(
            doc_ids=doc_ids,
            languages=self._languages[kb],
            fusion=chosen.fusion,
            weights={"dense": chosen.dense_weight, "sparse": chosen.sparse_weight},
        )
        return index.search(
            encoded.dense,
            bm25.query(query),
            encoded.sparse,
            dense_limit=chosen.dense_candidates,
            sparse_limit=chosen.sparse_candidates,
            scope=scope,
        )

    def chunks(self, kb: str, doc_id: str, first: int | None, last: int | None) -> list[Chunk]:
        """A document's chunks by ordinal, from `first` to `last`, both included."""
        return self._index(kb).chunks(doc_id, first, last)

    def embedder(self) -> Embedder:
        return self._embedder.get()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            for index in self._indexes.values():
                index.close()
            self._indexes.clear()
            self._copies.close()

    def _index(self, kb: str) -> VectorIndex:
        with self._lock:
            if self._closed:
                raise StoreError("the store is closed", "open it again: Store.open(data_dir)")
            if kb not in self._indexes:
                path = openable(self._directory / INDEX / kb, self._copies)
                index = open_index(self._manifest.index, path, read_only=True, server=self._server)
                self._languages[kb] = index.languages()
                self._indexes[kb] = index
            return self._indexes[kb]


def openable(path: Path, copies: ExitStack) -> Path:
    """The engine opens its files for writing even to read them: where this process may not
    write, it is given a copy of its own, which lives as long as `copies`."""
    effective = os.access in os.supports_effective_ids
    writable = os.access(path, os.W_OK, effective_ids=effective)
    if writable or not path.is_dir() or (path / POINTER).exists():
        return path
    folder = TemporaryDirectory(prefix="zaiko-index-", ignore_cleanup_errors=True)
    copy = Path(copies.enter_context(folder)) / path.name
    copy_index(path, copy)
    for directory in (copy, *(d for d in copy.rglob("*") if d.is_dir())):
        directory.chmod(0o700)
    return copy
