"""A vector index holds one knowledge base: dense and sparse vectors, the chunk as payload."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

import numpy as np
from numpy.typing import NDArray

from ingest.sparse import SparseVector
from ingest.store.errors import StoreError
from ingest.store.records import Chunk, Hit

RRF_K = 60
"""Cormack, Clarke, Büttcher: Reciprocal Rank Fusion (SIGIR 2009)."""
DENSE = "dense"
SPARSE = "sparse"
POINTER = "collection.json"
"""In the directory of an index that lives on a server: which collection it is."""


@dataclass(frozen=True)
class Probe:
    """One nearest-neighbour search. Filters narrow the candidates before they are ranked."""

    vector: list[float] | SparseVector
    limit: int
    doc_ids: tuple[str, ...] | None = None
    points: frozenset[UUID] | None = None

    @property
    def using(self) -> str:
        return SPARSE if isinstance(self.vector, SparseVector) else DENSE


@dataclass(frozen=True)
class Scored:
    chunk: Chunk
    score: float


def point_id(chunk_id: str) -> UUID:
    """Engines want integers or UUIDs; the same chunk is the same point everywhere."""
    return uuid5(NAMESPACE_URL, f"zaiko:chunk:{chunk_id}")


def payload_of(chunk: Chunk) -> dict[str, Any]:
    return chunk.model_dump(mode="json")


class VectorIndex(ABC):
    """Raises `StoreError` for a write on a read-only index, `StoreBroken` on a damaged one."""

    dimension: int
    read_only: bool

    def upsert(
        self, chunks: Sequence[Chunk], dense: NDArray[Any], sparse: Sequence[SparseVector]
    ) -> None:
        """`dense` has shape (n, dimension); a chunk id already there is replaced."""
        self._check_writable()
        if dense.shape != (len(chunks), self.dimension) or len(sparse) != len(chunks):
            raise ValueError(
                f"{len(chunks)} chunks, dense {dense.shape}, {len(sparse)} sparse vectors: "
                f"expected ({len(chunks)}, {self.dimension}) and {len(chunks)}"
            )
        if chunks:
            self._upsert(chunks, dense, sparse)

    def delete_documents(self, doc_ids: Collection[str]) -> None:
        self._check_writable()
        if doc_ids:
            self._delete_documents(sorted(doc_ids))

    def search(
        self,
        dense: NDArray[Any] | None,
        sparse: SparseVector,
        *,
        dense_limit: int,
        sparse_limit: int,
        doc_ids: Collection[str] | None = None,
    ) -> list[Hit]:
        """Candidates of both strategies, fused by RRF (k = 60), best first.

        `doc_ids` restricts both strategies before they rank. A rank is None where that strategy
        did not return the chunk; `cosine` and `bm25` are filled all the same (0 for a chunk
        that shares no term with the query), unless that side of the query is empty.
        """
        if doc_ids is not None and not doc_ids:
            return []
        within = None if doc_ids is None else tuple(sorted(doc_ids))
        probes: list[Probe] = []
        if dense is not None and np.any(dense):
            probes.append(Probe([float(x) for x in dense], dense_limit, within))
        if sparse.indices:
            probes.append(Probe(sparse, sparse_limit, within))
        if not probes:
            return []
        found = {p.using: _ordered(r) for p, r in zip(probes, self._run(probes), strict=True)}
        self._fill(probes, found, scores := _scores(found))
        return _fuse(found, scores)

    @abstractmethod
    def chunk_ids(self, doc_id: str) -> set[str]: ...

    @abstractmethod
    def count(self) -> int:
        """Chunks in the index."""

    @abstractmethod
    def flush(self) -> None:
        """Everything written so far is durable when this returns."""

    @abstractmethod
    def close(self) -> None:
        """Flushes, and releases the files; closing twice is allowed."""

    @abstractmethod
    def _upsert(
        self, chunks: Sequence[Chunk], dense: NDArray[Any], sparse: Sequence[SparseVector]
    ) -> None: ...

    @abstractmethod
    def _delete_documents(self, doc_ids: Sequence[str]) -> None: ...

    @abstractmethod
    def _run(self, probes: Sequence[Probe]) -> list[list[Scored]]:
        """One list a probe, at most its limit."""

    def _fill(
        self,
        probes: Sequence[Probe],
        found: dict[str, list[Scored]],
        scores: dict[str, dict[str, float]],
    ) -> None:
        """Scores of each strategy for the chunks that only the other one returned."""
        everything = {s.chunk.chunk_id for hits in found.values() for s in hits}
        missing = [
            Probe(p.vector, len(lacking), points=frozenset(map(point_id, lacking)))
            for p in probes
            if (lacking := everything - scores[p.using].keys())
        ]
        for probe, hits in zip(missing, self._run(missing) if missing else [], strict=True):
            scores[probe.using].update({s.chunk.chunk_id: s.score for s in hits})
        for probe in probes:
            for chunk_id in everything:
                scores[probe.using].setdefault(chunk_id, 0.0)

    def _check_writable(self) -> None:
        if self.read_only:
            raise StoreError(
                "The index was opened for reading only.", "Open it with read_only=False."
            )


def _ordered(hits: list[Scored]) -> list[Scored]:
    """Ties by chunk id, so that the same index gives the same ranks on every run."""
    return sorted(hits, key=lambda s: (-s.score, s.chunk.chunk_id))


def _scores(found: dict[str, list[Scored]]) -> dict[str, dict[str, float]]:
    return {name: {s.chunk.chunk_id: s.score for s in hits} for name, hits in found.items()}


def _fuse(found: dict[str, list[Scored]], scores: dict[str, dict[str, float]]) -> list[Hit]:
    chunks = {s.chunk.chunk_id: s.chunk for hits in found.values() for s in hits}
    ranks = {
        name: {s.chunk.chunk_id: rank for rank, s in enumerate(hits, start=1)}
        for name, hits in found.items()
    }
    hits = [
        Hit(
            chunk=chunk,
            fused=sum(1 / (RRF_K + r[chunk_id]) for r in ranks.values() if chunk_id in r),
            cosine=scores.get(DENSE, {}).get(chunk_id),
            bm25=scores.get(SPARSE, {}).get(chunk_id),
            dense_rank=ranks.get(DENSE, {}).get(chunk_id),
            sparse_rank=ranks.get(SPARSE, {}).get(chunk_id),
        )
        for chunk_id, chunk in chunks.items()
    ]
    return sorted(hits, key=lambda h: (-h.fused, h.chunk.chunk_id))
