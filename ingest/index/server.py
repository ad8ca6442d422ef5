"""A Qdrant server or cluster: one collection a knowledge base and generation.

The index directory of a generation holds a pointer, `collection.json` (url, collection,
dimension); the vectors are on the server. An API key is not written there: it is handed in.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from qdrant_client import QdrantClient, models
from qdrant_client.http.exceptions import ApiException

from ingest.index.base import (
    DENSE,
    KEYWORDS,
    LEARNED,
    POINTER,
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
from ingest.store.settings import ServerSettings

BATCH = 256
PAGE = 1000


@contextmanager
def _server_errors(url: str) -> Iterator[None]:
    try:
        yield
    except ApiException as error:
        raise StoreError(
            f"The Qdrant server at {url} did not answer as expected: {error}",
            "Check that it runs and that the URL and the API key are right.",
        ) from error


class ServerIndex(VectorIndex):
    """The same named vectors, payload, IDF modifier and fusion as the edge index."""

    def __init__(
        self,
        client: QdrantClient,
        url: str,
        collection: str,
        dimension: int,
        read_only: bool,
        learned: bool = False,
    ) -> None:
        self.url = url
        self.collection = collection
        self.dimension = dimension
        self.read_only = read_only
        self.learned = learned
        self._client = client

    @classmethod
    def create(
        cls,
        path: Path,
        dimension: int,
        client: QdrantClient,
        server: ServerSettings,
        *,
        learned: bool = False,
    ) -> "ServerIndex":
        """Makes a collection with a new name and the pointer to it in the directory `path`."""
        if (path / POINTER).exists():
            raise StoreError(f"{path} holds an index.", "Create the index in a new directory.")
        url, collection = str(server.url), f"zaiko-{path.name}-{uuid4().hex}"
        with _server_errors(url):
            _create_collection(client, collection, dimension, server, learned)
        path.mkdir(parents=True, exist_ok=True)
        pointer = {
            "url": url,
            "collection": collection,
            "dimension": dimension,
            "learned": learned,
        }
        (path / POINTER).write_text(json.dumps(pointer), encoding="utf-8")
        return cls(client, url, collection, dimension, read_only=False, learned=learned)

    @classmethod
    def open(cls, path: Path, client: QdrantClient, *, read_only: bool) -> "ServerIndex":
        pointer = read_pointer(path)
        url, collection = str(pointer["url"]), str(pointer["collection"])
        with _server_errors(url):
            if not client.collection_exists(collection):
                raise StoreBroken(
                    f"The collection {collection} is not on the server at {url}.",
                    "Roll back to the generation before, or ingest the knowledge base again.",
                )
        dimension, learned = int(pointer["dimension"]), bool(pointer.get("learned"))
        return cls(client, url, collection, dimension, read_only, learned)

    def count(self) -> int:
        with _server_errors(self.url):
            return self._client.count(self.collection, exact=True).count

    def chunk_ids(self, doc_id: str) -> set[str]:
        pages = self._scroll(_document_filter([doc_id]), payload=["chunk_id"], vectors=False)
        return {str(p.payload["chunk_id"]) for page in pages for p in page if p.payload}

    def chunks(self, doc_id: str, first: int | None = None, last: int | None = None) -> list[Chunk]:
        span = models.FieldCondition(key="ordinal", range=models.Range(gte=first, lte=last))
        within = models.Filter(must=[_matches("doc_id", doc_id), span])
        pages = self._scroll(within, payload=True, vectors=False)
        chunks = [Chunk.model_validate(p.payload) for page in pages for p in page]
        return sorted(chunks, key=lambda c: c.ordinal)

    def languages(self) -> tuple[str, ...]:
        with _server_errors(self.url):
            hits = self._client.facet(self.collection, "language").hits
        return tuple(sorted(str(hit.value) for hit in hits if hit.count))

    def points(self) -> Iterator[list[Stored]]:
        for page in self._scroll(None, payload=True, vectors=True):
            yield [_stored(record) for record in page]

    def flush(self) -> None:
        """Every write waits for the server; nothing is pending."""

    def close(self) -> None:
        self._client.close()

    def copy_to(self, target: Path, server: ServerSettings) -> None:
        """A new collection with the same points, and the pointer to it in `target`."""
        here = server.model_copy(update={"url": self.url})
        copy = ServerIndex.create(target, self.dimension, self._client, here, learned=self.learned)
        self.copy_into(copy)

    def drop(self) -> None:
        """Removes the collection, when its generation is removed."""
        with _server_errors(self.url):
            self._client.delete_collection(self.collection)

    def _put(self, points: Sequence[Stored]) -> None:
        rows = [
            models.PointStruct(
                id=str(point_id(p.chunk.chunk_id)), vector=_vectors(p), payload=payload_of(p.chunk)
            )
            for p in points
        ]
        for start in range(0, len(rows), BATCH):
            with _server_errors(self.url):
                self._client.upsert(self.collection, rows[start : start + BATCH], wait=True)

    def _delete_documents(self, doc_ids: Sequence[str]) -> None:
        selector = models.FilterSelector(filter=_document_filter(doc_ids))
        with _server_errors(self.url):
            self._client.delete(self.collection, selector, wait=True)

    def _run(self, probes: Sequence[Probe]) -> list[list[Scored]]:
        requests = [
            models.QueryRequest(
                query=_sparse(p.vector) if isinstance(p.vector, SparseVector) else p.vector,
                using=p.using,
                limit=p.limit,
                filter=_filter(p),
                with_payload=True,
            )
            for p in probes
        ]
        with _server_errors(self.url):
            answers = self._client.query_batch_points(self.collection, requests)
        return [
            [Scored(Chunk.model_validate(p.payload), float(p.score)) for p in answer.points]
            for answer in answers
        ]

    def _scroll(
        self, selected: models.Filter | None, *, payload: bool | list[str], vectors: bool
    ) -> Iterator[list[models.Record]]:
        offset: Any = None
        while True:
            with _server_errors(self.url):
                records, offset = self._client.scroll(
                    self.collection,
                    scroll_filter=selected,
                    limit=PAGE,
                    offset=offset,
                    with_payload=payload,
                    with_vectors=vectors,
                )
            yield records
            if offset is None:
                return


def _create_collection(
    client: QdrantClient, name: str, dimension: int, server: ServerSettings, learned: bool
) -> None:
    sparse = {SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF)}
    if learned:
        sparse[LEARNED] = models.SparseVectorParams()
    client.create_collection(
        name,
        vectors_config={
            DENSE: models.VectorParams(size=dimension, distance=models.Distance.COSINE)
        },
        sparse_vectors_config=sparse,
        shard_number=server.shard_number,
        replication_factor=server.replication_factor,
        write_consistency_factor=server.write_consistency_factor,
    )
    for field in KEYWORDS:
        client.create_payload_index(name, field, models.PayloadSchemaType.KEYWORD)
    client.create_payload_index(name, "ordinal", models.PayloadSchemaType.INTEGER)


def connect(server: ServerSettings) -> QdrantClient:
    key = server.api_key.get_secret_value() if server.api_key else None
    return QdrantClient(url=server.url, api_key=key, check_compatibility=False)


def open_server(path: Path, *, read_only: bool, server: ServerSettings) -> ServerIndex:
    """The pointer says which server; `server` has the key to it."""
    there = server.model_copy(update={"url": str(read_pointer(path)["url"])})
    return ServerIndex.open(path, connect(there), read_only=read_only)


def read_pointer(path: Path) -> dict[str, Any]:
    """Raises `StoreMissing` or `StoreBroken`."""
    try:
        pointer: dict[str, Any] = json.loads((path / POINTER).read_text(encoding="utf-8"))
    except FileNotFoundError as missing:
        raise StoreMissing(
            f"There is no vector index at {path}.", "Ingest documents first."
        ) from missing
    except ValueError as broken:
        raise StoreBroken(
            f"{path / POINTER} cannot be read: {broken}",
            "Roll back to the generation before, or ingest the knowledge base again.",
        ) from broken
    return pointer


def _vectors(point: Stored) -> dict[str, Any]:
    vectors: dict[str, Any] = {DENSE: point.dense, SPARSE: _sparse(point.sparse)}
    return vectors if point.learned is None else vectors | {LEARNED: _sparse(point.learned)}


def _stored(record: models.Record) -> Stored:
    vectors: Any = record.vector
    learned = vectors.get(LEARNED)
    return Stored(
        Chunk.model_validate(record.payload),
        vectors[DENSE],
        _read_sparse(vectors[SPARSE]),
        None if learned is None else _read_sparse(learned),
    )


def _read_sparse(vector: models.SparseVector) -> SparseVector:
    return SparseVector(tuple(vector.indices), tuple(vector.values))


def _sparse(vector: SparseVector) -> models.SparseVector:
    return models.SparseVector(indices=list(vector.indices), values=list(vector.values))


def _matches(key: str, value: str) -> models.FieldCondition:
    return models.FieldCondition(key=key, match=models.MatchValue(value=value))


def _document_filter(doc_ids: Sequence[str]) -> models.Filter:
    condition = models.FieldCondition(key="doc_id", match=models.MatchAny(any=list(doc_ids)))
    return models.Filter(must=[condition])


def _filter(probe: Probe) -> models.Filter | None:
    must: list[models.Condition] = []
    if probe.points is not None:
        must.append(models.HasIdCondition(has_id=[str(p) for p in probe.points]))
    if probe.doc_ids is not None:
        any_of = models.MatchAny(any=list(probe.doc_ids))
        must.append(models.FieldCondition(key="doc_id", match=any_of))
    if probe.language is not None:
        must.append(_matches("language", probe.language))
    return models.Filter(must=must) if must else None
