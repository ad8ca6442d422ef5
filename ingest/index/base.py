"""A vector index holds one knowledge base: dense and sparse vectors, the chunk as payload."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

import numpy as np
from numpy.typing import NDArray

from ingest.index.fusion import Fusion, Weights, fuse
from ingest.sparse import SparseVector
from ingest.store.errors import StoreError
from ingest.store.records import Chunk, Hit

DENSE = "dense"
SPARSE = "sparse"
LEARNED = "learned"
"""The embedder's own sparse vector, where it gives one; it has no IDF."""
POINTER = "collection.json"
"""In the directory of an index that lives on a server: which collection it is."""
KEYWORDS = ("doc_id", "language")
"""Payload fields that filters and facets use."""
LEAST_A_LANGUAGE = 10
"""Dense candidates of each language, where the limit shared out would be fewer."""


@dataclass(frozen=True)
class Probe:
    """One nearest-neighbour search. Filters narrow the candidates before they are ranked."""

    using: str
    vector: list[float] | SparseVector
    limit: int
    doc_ids: tuple[str, ...] | None = None
    language: str | None = None
    points: frozenset[UUID] | None = None

    @property
    def name(self) -> str:
        return f"{self.using}:{self.language}" if self.language else self.using


@dataclass(frozen=True)
class Scored:
    chunk: Chunk
    score: float


@dataclass(frozen=True)
class Stored:
    """A chunk with its vectors, as it lies in an index."""

    chunk: Chunk
    dense: list[float]
    sparse: SparseVector
    learned: SparseVector | None = None


@dataclass(frozen=True)
class Scope:
    """What a search may look at and how its lists become one.

    `doc_ids` acts inside every strategy, before it ranks. With several `languages` every one has
    a dense list of its own: an embedder puts passages in the question's language before those
    that answer it in another. `weights` by strategy (`dense`, `sparse`, `learned`) act in the
    fusions that have weights.
    """

    doc_ids: Collection[str] | None = None
    languages: Collection[str] = ()
    fusion: Fusion = "rrf"
    weights: Weights = field(default_factory=dict)


EVERYTHING = Scope()


def point_id(chunk_id: str) -> UUID:
    """Engines want integers or UUIDs; the same chunk is the same point everywhere."""
    return uuid5(NAMESPACE_URL, f"zaiko:chunk:{chunk_id}")


def payload_of(chunk: Chunk) -> dict[str, Any]:
    return chunk.model_dump(mode="json")


class VectorIndex(ABC):
    """Raises `StoreError` for a write on a read-only index, `StoreBroken` on a damaged one.

    `learned` says whether its chunks carry the embedder's own sparse vector besides BM25's.
    """

    dimension: int
    read_only: bool
    learned: bool

    def upsert(
        self,
        chunks: Sequence[Chunk],
        dense: NDArray[Any],
        sparse: Sequence[SparseVector],
        learned: Sequence[SparseVector] | None = None,
    ) -> None:
        """`dense` has shape (n, dimension); a chunk id already there is replaced."""
        self._check_writable()
        expected = len(chunks)
        own = [None] * expected if learned is None else list(learned)
        if dense.shape != (expected, self.dimension) or {len(sparse), len(own)} - {expected}:
            raise ValueError(
                f"{expected} chunks, dense {dense.shape}, {len(sparse)} sparse vectors, "
                f"{len(own)} learned ones: expected ({expected}, {self.dimension}) and {expected}"
            )
        if self.learned != (learned is not None) and chunks:
            raise ValueError(f"learned sparse vectors: {self.learned} by the index's schema")
        rows = zip(chunks, dense, sparse, own, strict=True)
        self.put([Stored(chunk, d.tolist(), s, mine) for chunk, d, s, mine in rows])

    def put(self, points: Sequence[Stored]) -> None:
        """Chunks with their vectors, as `points` of another index gives them."""
        self._check_writable()
        if points:
            self._put(points)

    def delete_documents(self, doc_ids: Collection[str]) -> None:
        self._check_writable()
        if doc_ids:
            self._delete_documents(sorted(doc_ids))

    def search(
        self,
        dense: NDArray[Any] | None,
        sparse: SparseVector,
        learned: SparseVector | None = None,
        *,
        dense_limit: int,
        sparse_limit: int,
        scope: Scope = EVERYTHING,
    ) -> list[Hit]:
        """Candidates of all strategies, fused (by default RRF, k = 60), best first.

        A rank is None where that strategy did not return the chunk; `cosine` and `bm25` are
        filled all the same (0 for a chunk that shares no term with the query), unless that side
        of the query is empty.
        """
        if scope.doc_ids is not None and not scope.doc_ids:
            return []
        probes = _probes(
            dense,
            {SPARSE: sparse, LEARNED: learned if self.learned else None},
            (dense_limit, sparse_limit),
            scope,
        )
        if not probes:
            return []
        found = {p.name: _ordered(r) for p, r in zip(probes, self._run(probes), strict=True)}
        return _fuse(found, self._scores(probes, found), scope)

    def copy_into(self, other: "VectorIndex") -> None:
        """Everything here, with its vectors, into an index of the same schema."""
        for batch in self.points():
            other.put(batch)

    @abstractmethod
    def chunk_ids(self, doc_id: str) -> set[str]: ...

    @abstractmethod
    def chunks(self, doc_id: str, first: int | None = None, last: int | None = None) -> list[Chunk]:
        """A document's chunks by ordinal, from `first` to `last` (both included)."""

    @abstractmethod
    def languages(self) -> tuple[str, ...]:
        """The languages of its chunks, sorted; () in an index made without that field."""

    @abstractmethod
    def points(self) -> Iterator[list[Stored]]:
        """Everything in it, in batches."""

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
    def _put(self, points: Sequence[Stored]) -> None: ...

    @abstractmethod
    def _delete_documents(self, doc_ids: Sequence[str]) -> None: ...

    @abstractmethod
    def _run(self, probes: Sequence[Probe]) -> list[list[Scored]]:
        """One list a probe, at most its limit."""

    def _scores(
        self, probes: Sequence[Probe], found: dict[str, list[Scored]]
    ) -> dict[str, dict[str, float]]:
        """By vector name: the score of every chunk found, also where only another strategy
        returned it."""
        scores: dict[str, dict[str, float]] = {p.using: {} for p in probes}
        for probe in probes:
            scores[probe.using].update((s.chunk.chunk_id, s.score) for s in found[probe.name])
        everything = {s.chunk.chunk_id for hits in found.values() for s in hits}
        vectors = {p.using: p.vector for p in probes}
        missing = [
            Probe(using, vector, len(lacking), points=frozenset(map(point_id, lacking)))
            for using, vector in vectors.items()
            if (lacking := everything - scores[using].keys())
        ]
        for probe, hits in zip(missing, self._run(missing) if missing else [], strict=True):
            scores[probe.using].update((s.chunk.chunk_id, s.score) for s in hits)
        return {using: dict.fromkeys(everything, 0.0) | own for using, own in scores.items()}

    def _check_writable(self) -> None:
        if self.read_only:
            raise StoreError(
                "The index was opened for reading only.", "Open it with read_only=False."
            )


def _probes(
    dense: NDArray[Any] | None,
    sparse: Mapping[str, SparseVector | None],
    limits: tuple[int, int],
    scope: Scope,
) -> list[Probe]:
    """One a strategy; dense one a language. `limits`: dense, each sparse. An empty vector has
    none."""
    within = None if scope.doc_ids is None else tuple(sorted(scope.doc_ids))
    probes = []
    if dense is not None and np.any(dense):
        vector, languages = [float(x) for x in dense], sorted(scope.languages)
        split = languages if len(languages) > 1 else [None]
        share = min(limits[0], max(ceil(limits[0] / len(split)), LEAST_A_LANGUAGE))
        probes += [Probe(DENSE, vector, share, within, language) for language in split]
    probes += [
        Probe(using, terms, limits[1], within)
        for using, terms in sparse.items()
        if terms is not None and terms.indices
    ]
    return probes


def _ordered(hits: list[Scored]) -> list[Scored]:
    """Ties by chunk id, so that the same index gives the same ranks on every run."""
    return sorted(hits, key=lambda s: (-s.score, s.chunk.chunk_id))


def _fuse(
    found: Mapping[str, list[Scored]], scores: Mapping[str, Mapping[str, float]], scope: Scope
) -> list[Hit]:
    chunks = {s.chunk.chunk_id: s.chunk for hits in found.values() for s in hits}
    rankings = {name: [(s.chunk.chunk_id, s.score) for s in hits] for name, hits in found.items()}
    weights = {name: scope.weights.get(name.partition(":")[0], 1.0) for name in rankings}
    ranks: dict[str, dict[str, int]] = {}
    for name, ranking in rankings.items():
        places = {chunk_id: place for place, (chunk_id, _) in enumerate(ranking, start=1)}
        ranks.setdefault(name.partition(":")[0], {}).update(places)
    hits = [
        Hit(
            chunk=chunks[chunk_id],
            fused=score,
            cosine=scores.get(DENSE, {}).get(chunk_id),
            bm25=scores.get(SPARSE, {}).get(chunk_id),
            dense_rank=ranks.get(DENSE, {}).get(chunk_id),
            sparse_rank=ranks.get(SPARSE, {}).get(chunk_id),
        )
        for chunk_id, score in fuse(rankings, scope.fusion, weights).items()
    ]
    return sorted(hits, key=lambda h: (-h.fused, h.chunk.chunk_id))
