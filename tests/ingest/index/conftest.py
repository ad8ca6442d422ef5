import os
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from qdrant_client import QdrantClient

from ingest.index import VectorIndex, create_index
from ingest.index.server import ServerIndex, connect
from ingest.sparse import Bm25
from ingest.store.records import Chunk
from ingest.store.settings import ServerSettings

MakeChunk = Callable[..., Chunk]
Fill = Callable[[VectorIndex, list[str]], None]


def _chunk(text: str, doc_id: str = "d1", ordinal: int = 0) -> Chunk:
    return Chunk(
        chunk_id=f"{doc_id}#{ordinal}",
        doc_id=doc_id,
        kb="policies",
        source=f"{doc_id}.pdf",
        ordinal=ordinal,
        text=text,
        heading=("返品", "期限"),
        page=3,
        box=(1.0, 2.0, 3.5, 4.5),
        start=10,
        end=10 + len(text),
        language="ja",
    )


@pytest.fixture
def make_chunk() -> MakeChunk:
    return _chunk


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "index" / "policies"


@pytest.fixture
def empty_edge(path: Path) -> VectorIndex:
    return create_index("edge", path, 3)


@pytest.fixture
def client() -> Iterator[QdrantClient]:
    client = QdrantClient(":memory:")
    yield client
    client.close()


@pytest.fixture
def empty_server(path: Path, client: QdrantClient) -> VectorIndex:
    with warnings.catch_warnings():
        # The client's own engine has no payload indexes, and says so.
        warnings.simplefilter("ignore", UserWarning)
        return ServerIndex.create(path, 3, client, ServerSettings(url="http://localhost:6333"))


@pytest.fixture
def empty_remote(path: Path) -> Iterator[VectorIndex]:
    """On the real server at `ZAIKO_TEST_QDRANT_URL`; its collection is removed afterwards."""
    url = os.environ.get("ZAIKO_TEST_QDRANT_URL")
    if not url:
        pytest.skip("ZAIKO_TEST_QDRANT_URL names no Qdrant server")
    settings = ServerSettings(url=url)
    index = ServerIndex.create(path, 3, connect(settings), settings)
    yield index
    index.drop()
    index.close()


@pytest.fixture
def fill(make_chunk: MakeChunk, dense: NDArray[np.float32], bm25: Bm25) -> Fill:
    """Puts four chunks in, of the documents d0, d1, d0, d1."""

    def put(index: VectorIndex, texts: list[str]) -> None:
        chunks = [make_chunk(t, f"d{i % 2}", i) for i, t in enumerate(texts)]
        index.upsert(chunks, dense, [bm25.document(t) for t in texts])

    return put


@pytest.fixture
def bm25() -> Bm25:
    return Bm25(average_length=0)


@pytest.fixture
def dense() -> NDArray[np.float32]:
    """Four directions in the plane; cosines with the first: 1, 0.8, 0, -1."""
    return np.array([[1, 0, 0], [0.8, 0.6, 0], [0, 1, 0], [-1, 0, 0]], dtype=np.float32)
