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

from numpy.typing import NDArray
from qdrant_client import QdrantClient, models
from qdrant_client.http.exceptions import ApiException

from ingest.index.base import (
    DENSE,
    POINTER,
    SPARSE,
    Probe,
    Scored,
    VectorIndex,
    payload_of,
    point_id,
)
from ingest.sparse import SparseVector
from ingest.store.errors import StoreBroken, StoreError, StoreMissing
from ingest.store.records import Chunk

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
        self, client: QdrantClient, url: str, collection: str, dimension: int, read_only: bool
    ) -> None:
        self.url = url
        self.collection = collection
        self.dimension = dimension
        self.read_only = read_only
        self._client = client

    @classmethod
    def create(cls, path: Path, dimension: int, url: str, client: QdrantClient) -> "ServerIndex":
        """Makes a collection with a new name and the pointer to it."""
        if (path / POINTER).exists():
            raise StoreError(f"{path} holds an index.", "Create the index in a new directory.")
        collection = f"zaiko-{path.name}-{uuid4().hex}"
        with _server_errors(url):
            client.create_collection(
                collection,
                vectors_config={
                    DENSE: models.VectorParams(size=dimension, distance=models.Distance.COSINE)
                },
                sparse_vectors_config={
                    SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF)
                },
            )
            client.create_payload_index(collection, "doc_id", models.PayloadSchemaType.KEYWORD)
        path.mkdir(parents=True, exist_ok=True)
        pointer = {"url": url, "collection": collection, "dimension": dimension}
        (path / POINTER).write_text(json.dumps(pointer), encoding="utf-8")
        return cls(client, url, collection, dimension, read_only=False)

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
        return cls(client, url, collection, int(pointer["dimension"]), read_only)

    def count(self) -> int:
        with _server_errors(self.url):
            return self._client.count(self.collection, exact=True).count

    def chunk_ids(self, doc_id: str) -> set[str]:
        selected = _document_filter([doc_id])
        return {
            str(p.payload["chunk_id"])
            for p in self._scroll(selected, payload=["chunk_id"], vectors=False)
            if p.payload
        }

    def flush(self) -> None:
        """Every write waits for the server; nothing is pending."""

    def close(self) -> None:
        self._client.close()

    def copy_to(self, target: Path) -> None:
        """A new collection with the same points, and the pointer to it in `target`."""
        copy = ServerIndex.create(target, self.dimension, self.url, self._client)
        batch: list[models.PointStruct] = []
        for point in self._scroll(None, payload=True, vectors=True):
            vector: Any = point.vector
            batch.append(models.PointStruct(id=point.id, vector=vector, payload=point.payload))
            if len(batch) == BATCH:
                copy._send(batch)
                batch = []
        copy._send(batch)

    def drop(self) -> None:
        """Removes the collection, when its generation is removed."""
        with _server_errors(self.url):
            self._client.delete_collection(self.collection)

    def _upsert(
        self, chunks: Sequence[Chunk], dense: NDArray[Any], sparse: Sequence[SparseVector]
    ) -> None:
        points = [
            models.PointStruct(
                id=str(point_id(chunk.chunk_id)),
                vector={DENSE: vector.tolist(), SPARSE: _sparse(terms)},
                payload=payload_of(chunk),
            )
            for chunk, vector, terms in zip(chunks, dense, sparse, strict=True)
        ]
        for start in range(0, len(points), BATCH):
            self._send(points[start : start + BATCH])

    def _send(self, points: list[models.PointStruct]) -> None:
        if points:
            with _server_errors(self.url):
                self._client.upsert(self.collection, points, wait=True)

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
    ) -> Iterator[models.Record]:
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
            yield from records
            if offset is None:
                return


def connect(url: str, api_key: str | None) -> QdrantClient:
    return QdrantClient(url=url, api_key=api_key, check_compatibility=False)


def open_server(path: Path, *, read_only: bool, api_key: str | None) -> ServerIndex:
    client = connect(str(read_pointer(path)["url"]), api_key)
    return ServerIndex.open(path, client, read_only=read_only)


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


def _sparse(vector: SparseVector) -> models.SparseVector:
    return models.SparseVector(indices=list(vector.indices), values=list(vector.values))


def _document_filter(doc_ids: Sequence[str]) -> models.Filter:
    condition = models.FieldCondition(key="doc_id", match=models.MatchAny(any=list(doc_ids)))
    return models.Filter(must=[condition])


def _filter(probe: Probe) -> models.Filter | None:
    if probe.points is not None:
        return models.Filter(must=[models.HasIdCondition(has_id=[str(p) for p in probe.points])])
    return None if probe.doc_ids is None else _document_filter(probe.doc_ids)
