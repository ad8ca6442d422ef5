"""First-stage search over one generation: its embedder and indexes, opened on first use."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock

from ingest.embedders import Embedder
from ingest.index import VectorIndex, copy_index, open_index
from ingest.sparse import Bm25
from ingest.store.embedding import LazyEmbedder
from ingest.store.errors import StoreError
from ingest.store.manifest import INDEX, Manifest
from ingest.store.records import Hit
from ingest.store.settings import KnowledgeBaseSettings


class Searcher:
    """May be used from several threads: each index is opened once."""

    def __init__(
        self, directory: Path, manifest: Manifest, embedder: str, given: Embedder | None
    ) -> None:
        self._directory = directory
        self._manifest = manifest
        self._embedder = LazyEmbedder(embedder, manifest.embedder, given)
        self._indexes: dict[str, VectorIndex] = {}
        self._lock = Lock()
        self._copies = ExitStack()
        self._closed = False

    def search(self, kb: str, query: str, chosen: KnowledgeBaseSettings) -> list[Hit]:
        """Empty when the query has no term."""
        bm25 = Bm25(self._manifest.bm25_average_length.get(kb, 0.0))
        if not bm25.terms(query):
            return []
        return self._index(kb).search(
            self._embedder.get().embed_query(query),
            bm25.query(query),
            dense_limit=chosen.dense_candidates,
            sparse_limit=chosen.sparse_candidates,
        )

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
                self._indexes[kb] = open_index(self._manifest.index, path, read_only=True)
            return self._indexes[kb]


def openable(path: Path, copies: ExitStack) -> Path:
    """The engine opens its files for writing even to read them: where this process may not
    write, it is given a copy of its own, which lives as long as `copies`."""
    effective = os.access in os.supports_effective_ids
    if not path.is_dir() or os.access(path, os.W_OK, effective_ids=effective):
        return path
    folder = TemporaryDirectory(prefix="zaiko-index-", ignore_cleanup_errors=True)
    copy = Path(copies.enter_context(folder)) / path.name
    copy_index(path, copy)
    for directory in (copy, *(d for d in copy.rglob("*") if d.is_dir())):
        directory.chmod(0o700)
    return copy
