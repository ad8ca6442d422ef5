import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import qdrant_edge as qe
from numpy.typing import NDArray

from ingest.index import VectorIndex, copy_index, create_index, open_index
from ingest.index.base import point_id
from ingest.sparse import Bm25, SparseVector
from ingest.store.errors import StoreBroken, StoreError, StoreMissing

NOTHING = SparseVector((), ())
TEXTS = ["返品は30日以内", "returns within 30 days", "XR-4200 の発注点", "安全在庫"]


@pytest.fixture
def index(empty_edge: VectorIndex, fill: Any) -> VectorIndex:
    fill(empty_edge, TEXTS)
    return empty_edge


def test_fusion_agrees_with_the_engines_own(
    index: VectorIndex, path: Path, dense: NDArray[Any], bm25: Bm25
) -> None:
    terms = bm25.query("days")
    ours = index.search(dense[0], terms, dense_limit=4, sparse_limit=4)
    index.close()
    vector = qe.SparseVector(indices=list(terms.indices), values=list(terms.values))
    shard = qe.EdgeShard.load(str(path))
    rrf: Any = qe.Fusion.Rrf(k=60)
    theirs = shard.query(
        qe.QueryRequest(
            limit=4,
            prefetches=[
                qe.Prefetch(limit=4, query=qe.Query.Nearest(dense[0].tolist(), using="dense")),
                qe.Prefetch(limit=4, query=qe.Query.Nearest(vector, using="sparse")),
            ],
            query=rrf,
        )
    )
    assert [h.chunk.ordinal for h in ours] == [1, 0, 2, 3]
    assert [point_id(h.chunk.chunk_id) for h in ours] == [p.id for p in theirs]


def test_what_was_written_is_there_after_reopening(
    index: VectorIndex, path: Path, bm25: Bm25
) -> None:
    index.close()
    index.close()
    with_reader = open_index("edge", path)
    assert with_reader.count() == 4
    assert with_reader.search(None, bm25.query("安全"), dense_limit=5, sparse_limit=5)


def test_a_reader_may_not_write(index: VectorIndex, path: Path) -> None:
    index.close()
    with pytest.raises(StoreError, match="reading only"):
        open_index("edge", path).delete_documents(["d0"])


def test_readers_leave_every_byte_as_it_was(index: VectorIndex, path: Path, bm25: Bm25) -> None:
    index.close()
    before = {p: p.read_bytes() for p in path.rglob("*") if p.is_file()}
    reader = open_index("edge", path)
    reader.search(None, bm25.query("在庫"), dense_limit=5, sparse_limit=5)
    reader.close()
    assert {p: p.read_bytes() for p in path.rglob("*") if p.is_file()} == before


def test_a_copy_grows_without_touching_the_original(
    index: VectorIndex, path: Path, tmp_path: Path, make_chunk: Any, bm25: Bm25
) -> None:
    index.close()
    reader = open_index("edge", path)
    copy_index(path, tmp_path / "next")
    following = open_index("edge", tmp_path / "next", read_only=False)
    following.upsert([make_chunk("新", "d9")], np.ones((1, 3)), [bm25.document("新")])
    following.close()
    assert open_index("edge", tmp_path / "next").count() == 5
    assert reader.count() == 4


def test_a_copy_has_the_same_bytes_and_keeps_the_holes(
    index: VectorIndex, path: Path, tmp_path: Path
) -> None:
    index.close()
    copy_index(path, tmp_path / "copy")
    files = [p for p in path.rglob("*") if p.is_file()]
    copied = [tmp_path / "copy" / p.relative_to(path) for p in files]
    assert [p.read_bytes() for p in copied] == [p.read_bytes() for p in files]
    assert sum(p.stat().st_size for p in copied) > 50_000_000
    assert sum(p.stat().st_blocks * 512 for p in copied) < 5_000_000


READ = """
import sys
from pathlib import Path
from ingest.index import open_index
from ingest.sparse import Bm25
for _ in range(5):
    index = open_index("edge", Path(sys.argv[1]))
    hits = index.search(None, Bm25(0).query("XR-4200"), dense_limit=5, sparse_limit=5)
    print(index.count(), [h.chunk.chunk_id for h in hits])
    index.close()
"""


@pytest.mark.slow
def test_many_processes_read_one_index_while_it_is_copied(
    index: VectorIndex, path: Path, tmp_path: Path
) -> None:
    index.close()
    command = [sys.executable, "-c", READ, str(path)]
    readers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    copies = 0
    while any(r.poll() is None for r in readers):
        copy_index(path, tmp_path / f"copy{copies}")
        copies += 1
    outputs = [r.communicate()[0].splitlines() for r in readers]
    assert outputs == [["4 ['d0#2']"] * 5] * 3
    assert all(open_index("edge", tmp_path / f"copy{i}").count() == 4 for i in range(copies))


def test_a_missing_index_is_not_created(path: Path) -> None:
    with pytest.raises(StoreMissing):
        open_index("edge", path)
    assert not path.exists()


@pytest.mark.parametrize("damage", ["edge_config.json", "segment.json", "segments"])
def test_a_damaged_index_is_reported(index: VectorIndex, path: Path, damage: str) -> None:
    index.close()
    if damage == "segments":
        (path / "segments").rename(path.parent / "elsewhere")
    else:
        next(path.rglob(damage)).write_text("{")
    with pytest.raises(StoreBroken) as caught:
        open_index("edge", path)
    assert "ingest" in caught.value.hint


def test_an_index_is_not_created_over_another(index: VectorIndex, path: Path) -> None:
    with pytest.raises(StoreError, match="not empty"):
        create_index("edge", path, 3)


def test_a_learned_vector_is_stored_searched_and_kept_when_reopened(
    path: Path, make_chunk: Any, dense: Any, bm25: Bm25
) -> None:
    index = create_index("edge", path, 3, learned=True)
    own = [SparseVector((7,), (0.5,)), SparseVector((7, 9), (0.1, 0.8))]
    chunks = [make_chunk("返品", "d0", 0), make_chunk("在庫", "d1", 1)]
    index.upsert(chunks, dense[:2], [bm25.document(c.text) for c in chunks], own)
    index.close()
    reader = open_index("edge", path)
    nothing, asked = SparseVector((), ()), SparseVector((7,), (1.0,))
    hits = reader.search(None, nothing, asked, dense_limit=2, sparse_limit=2)
    assert [h.chunk.ordinal for h in hits] == [0, 1]  # 0.5 before 0.1, without IDF
    (batch,) = reader.points()
    assert sorted(p.learned.indices for p in batch if p.learned) == [(7,), (7, 9)]
    reader.close()
