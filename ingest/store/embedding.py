"""The embedder of a store: loaded on first use, and only the one that built the index."""

from __future__ import annotations

from threading import Lock

from ingest.embedders import Embedder, make_embedder
from ingest.store.manifest import EmbedderEntry, require_embedder
from ingest.store.settings import BgeM3Settings


def entry_of(embedder: Embedder) -> EmbedderEntry:
    return EmbedderEntry(
        name=embedder.name, dimension=embedder.dimension, model_hash=embedder.model_hash
    )


class LazyEmbedder:
    """`get` loads it once, whichever thread comes first, and checks it against `built_by`.

    Raises `EmbedderMismatch`: at once when another name is asked for, on `get` when dimension or
    model hash differ.
    """

    def __init__(
        self,
        name: str,
        built_by: EmbedderEntry | None,
        given: Embedder | None,
        bge_m3: BgeM3Settings | None = None,
    ) -> None:
        self._name = given.name if given else name
        self._built_by = built_by
        self._given = given
        self._bge_m3 = bge_m3
        self._embedder: Embedder | None = None
        self._lock = Lock()
        require_embedder(built_by, self._name)

    def get(self) -> Embedder:
        with self._lock:
            if self._embedder is None:
                embedder = self._given or make_embedder(self._name, self._bge_m3)
                entry = entry_of(embedder)
                if self._built_by not in (None, entry):
                    require_embedder(self._built_by, entry.name, str(entry))
                self._embedder = embedder
            return self._embedder
