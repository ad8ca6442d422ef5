from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from ingest.index import VectorIndex
from ingest.sparse import Bm25
from ingest.store.records import Chunk

MakeChunk = Callable[..., Chunk]
Load = Callable[[VectorIndex, dict[str, list[float]]], None]


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
def bm25() -> Bm25:
    return Bm25(average_length=0)


@pytest.fixture
def dense() -> NDArray[np.float32]:
    """Four directions in the plane; cosines with the first: 1, 0.8, 0, -1."""
    return np.array([[1, 0, 0], [0.8, 0.6, 0], [0, 1, 0], [-1, 0, 0]], dtype=np.float32)
