"""Qdrant's engine in process (qdrant-edge): one shard directory a knowledge base."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import qdrant_edge as qe

from ingest.index.base import (
    DENSE,
    KEYWORDS,
    LEARNED,
    SPARSE,
    Probe,
    Scored,
    Stored,
    VectorIndex,
    payload_of,
    point_id,
)
from ingest.sparse import SparseVector
from ingest.store.errors import StoreBroken, StoreError, StoreMissing
from ingest.store.records import Chunk

CONFIG_FILE = "edge_config.json"
BATCH = 256
PAGE = 1000


@contextmanager
def _engine_errors(path: Path) -> Iterator[None]:
    """The boundary to the engine: it raises bare `Exception` for whatever goes wrong, and on
    some damaged files its panic, which is a `BaseException` without a public name."""
    try:
        yield
    except (StoreError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:
        raise StoreBroken(
            f"The vector index at {path} cannot be used: {error}",
            "Roll back to the generation before, or ingest the knowledge base again.",
        ) from error


class EdgeIndex(VectorIndex):
    """Made with the write-ahead log off: with it on, one process owns the shard and a second
    load fails; without it any number of processes read, and writes are durable after `flush`.
    """

    def __init__(
        self, path: Path, shard: Any, dimension: int, read_only: bool, learned: bool = False
    ) -> None:
        self.path = path
        self.learned = learned
        self.dimension = dimension
        self.read_only = read_only
        self._shard = shard

    @classmethod
    def create(cls, path: Path, dimension: int, *, learned: bool = False) -> "EdgeIndex":
        """`path` does not exist or is an empty directory."""
        if path.exists() and any(path.iterdir()):
            raise StoreError(f"{path} is not empty.", "Create the index in a new directory.")
        path.mkdir(parents=True, exist_ok=True)
        sparse = {SPARSE: qe.EdgeSparseVectorParams(modifier=qe.Modifier.Idf)}
        if learned:
            sparse[LEARNED] = qe.EdgeSparseVectorParams()
        config = qe.EdgeConfig(
            vectors={DENSE: qe.EdgeVectorParams(size=dimension, distance=qe.Distance.Cosine)},
            sparse_vectors=sparse,
            wal_enabled=False,
        )
        with _engine_errors(path):
            shard = qe.EdgeShard.create(str(path), config)
            _index_fields(shard)
            shard.flush()
        return cls(path, shard, dimension, read_only=False, learned=learned)

    @classmethod
    def open(cls, path: Path, *, read_only: bool) -> "EdgeIndex":
        if not path.is_dir():
            raise StoreMissing(f"There is no vector index at {path}.", "Ingest documents first.")
        with _engine_errors(path):
            config = json.loads((path / CONFIG_FILE).read_text())
            dimension = int(config["vectors"][DENSE]["size"])
            if not any((path / "segments").iterdir()):
                # The engine opens such a directory as an empty index.
                raise StoreBroken(
                    f"The vector index at {path} has lost its segments.",
                    "Roll back to the generation before, or ingest the knowledge base again.",
                )
            learned = LEARNED in config["sparse_vectors"]
            shard = qe.EdgeShard.load(str(path))
            if not read_only:
                _index_fields(shard)
        return cls(path, shard, dimension, read_only, learned)

    def count(self) -> int:
        with _engine_errors(self.path):
            return int(self._shard.count(qe.CountRequest(exact=True)))

    def chunk_ids(self, doc_id: str) -> set[str]:
        within = _document_filter([doc_id])
        records = self._scroll(within, payload=["chunk_id"], vectors=False)
        return {record.payload["chunk_id"] for page in records for record in page}

    def chunks(self, doc_id: str, first: int | None = None, last: int | None = None) -> list[Chunk]:
        span = qe.FieldCondition(key="ordinal", range=qe.RangeFloat(gte=first, lte=last))
        of_document = qe.FieldCondition(key="doc_id", match=qe.MatchValue(doc_id))
        found = self._scroll(qe.Filter(must=[of_document, span]), payload=True, vectors=False)
        chunks = [Chunk.model_validate(record.payload) for page in found for record in page]
        return sorted(chunks, key=lambda c: c.ordinal)

    def languages(self) -> tuple[str, ...]:
        with _engine_errors(self.path):
            if "language" not in self._shard.info().payload_schema:
                return ()
            hits = self._shard.facet(qe.FacetRequest("language")).hits
            return tuple(sorted(str(hit.value) for hit in hits if hit.count))

    def points(self) -> Iterator[list[Stored]]:
        for page in self._scroll(None, payload=True, vectors=True):
            yield [_stored(record) for record in page]

    def _scroll(
        self, within: Any, *, payload: bool | list[str], vectors: bool
    ) -> Iterator[list[Any]]:
        offset = None
        while True:
            with _engine_errors(self.path):
                records, offset = self._shard.scroll(
                    qe.ScrollRequest(
                        offset=offset,
                        limit=PAGE,
                        filter=within,
                        with_payload=payload,
                        with_vector=vectors,
                    )
                )
            yield records
            if offset is None:
                return

    def flush(self) -> None:
        """Also builds the HNSW graph once the vectors pass the engine's threshold (20 MB)."""
        if self.read_only or self._shard is None:
            return
        with _engine_errors(self.path):
            self._shard.optimize()
            self._shard.flush()

    def close(self) -> None:
        if self._shard is None:
            return
        self.flush()
        with _engine_errors(self.path):
            self._shard.close()
            if not self.read_only:
                # The first load after a write folds the journals into the files. Doing it here
                # leaves a directory whose bytes no reader changes.
                qe.EdgeShard.load(str(self.path)).close()
        self._shard = None

    def _put(self, points: Sequence[Stored]) -> None:
        rows = [
            qe.Point(id=point_id(p.chunk.chunk_id), vector=_vectors(p), payload=payload_of(p.chunk))
            for p in points
        ]
        with _engine_errors(self.path):
            for start in range(0, len(rows), BATCH):
                batch = rows[start : start + BATCH]
                self._shard.update(qe.UpdateOperation.upsert_points(batch))

    def _delete_documents(self, doc_ids: Sequence[str]) -> None:
        with _engine_errors(self.path):
            selected = _document_filter(doc_ids)
            self._shard.update(qe.UpdateOperation.delete_points_by_filter(selected))

    def _run(self, probes: Sequence[Probe]) -> list[list[Scored]]:
        requests = [
            qe.QueryRequest(
                limit=p.limit,
                query=qe.Query.Nearest(
                    _sparse(p.vector) if isinstance(p.vector, SparseVector) else p.vector,
                    using=p.using,
                ),
                filter=_filter(p),
                with_payload=True,
            )
            for p in probes
        ]
        with _engine_errors(self.path):
            answers = self._shard.query_batch(qe.QueryBatchRequest(requests))
            return [
                [Scored(Chunk.model_validate(p.payload), float(p.score)) for p in points]
                for points in answers
            ]


def _index_fields(shard: Any) -> None:
    for name in KEYWORDS:
        keyword = qe.PayloadSchemaType.Keyword
        shard.update(qe.UpdateOperation.create_field_index(name, keyword))


def _vectors(point: Stored) -> dict[str, Any]:
    vectors = {DENSE: point.dense, SPARSE: _sparse(point.sparse)}
    return vectors if point.learned is None else vectors | {LEARNED: _sparse(point.learned)}


def _stored(record: Any) -> Stored:
    vectors = record.vector
    learned = vectors.get(LEARNED)
    return Stored(
        Chunk.model_validate(record.payload),
        vectors[DENSE],
        _read_sparse(vectors[SPARSE]),
        None if learned is None else _read_sparse(learned),
    )


def _read_sparse(vector: Any) -> SparseVector:
    return SparseVector(tuple(vector.indices), tuple(vector.values))


def _sparse(vector: SparseVector) -> Any:
    return qe.SparseVector(indices=list(vector.indices), values=list(vector.values))


def _document_filter(doc_ids: Sequence[str]) -> Any:
    return qe.Filter(must=[qe.FieldCondition(key="doc_id", match=qe.MatchAny(any=list(doc_ids)))])


def _filter(probe: Probe) -> Any:
    must: list[Any] = []
    if probe.points is not None:
        must.append(qe.HasIdCondition(set(probe.points)))
    if probe.doc_ids is not None:
        must.append(qe.FieldCondition(key="doc_id", match=qe.MatchAny(any=list(probe.doc_ids))))
    if probe.language is not None:
        must.append(qe.FieldCondition(key="language", match=qe.MatchValue(probe.language)))
    return qe.Filter(must=must) if must else None
