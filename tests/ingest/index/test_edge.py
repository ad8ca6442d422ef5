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
def path(tmp_path: Path) -> Path:
    return tmp_path / "index" / "policies"


@pytest.fixture
def index(path: Path, make_chunk: Any, dense: NDArray[Any], bm25: Bm25) -> VectorIndex:
    index = create_index("edge", path, 3)
    chunks = [make_chunk(t, f"d{i % 2}", i) for i, t in enumerate(TEXTS)]
    index.upsert(chunks, dense, [bm25.document(t) for t in TEXTS])
    return index


def test_a_hit_carries_the_whole_chunk(index: VectorIndex, make_chunk: Any, bm25: Bm25) -> None:
    (hit,) = index.search(None, bm25.query("xr-4200"), dense_limit=5, sparse_limit=5)
    assert hit.chunk == make_chunk(TEXTS[2], "d0", 2)
    assert (hit.sparse_rank, hit.dense_rank, hit.cosine) == (1, None, None)


def test_dense_candidates_are_ranked_by_cosine(index: VectorIndex, dense: NDArray[Any]) -> None:
    hits = index.search(dense[0] * 7, NOTHING, dense_limit=3, sparse_limit=3)
    assert [h.chunk.ordinal for h in hits] == [0, 1, 2]
    assert [h.cosine for h in hits] == pytest.approx([1.0, 0.8, 0.0], abs=1e-6)
    assert [h.fused for h in hits] == pytest.approx([1 / 61, 1 / 62, 1 / 63])


def test_bm25_is_the_okapi_score_of_the_whole_index(index: VectorIndex, bm25: Bm25) -> None:
    (hit,) = index.search(None, bm25.query("days"), dense_limit=5, sparse_limit=5)
    # N = 4 chunks, n = 1 with the term, tf = 1, length normalisation off: idf · 1.
    assert hit.bm25 == pytest.approx(np.log(1 + 3.5 / 1.5), rel=1e-5)


def test_a_chunk_found_by_one_strategy_gets_the_score_of_the_other(
    index: VectorIndex, dense: NDArray[Any], bm25: Bm25
) -> None:
    hits = index.search(dense[0], bm25.query("XR-4200"), dense_limit=1, sparse_limit=1)
    by_ordinal = {h.chunk.ordinal: h for h in hits}
    assert by_ordinal.keys() == {0, 2}
    assert by_ordinal[2].dense_rank is None
    assert by_ordinal[2].cosine == pytest.approx(0.0, abs=1e-6)
    assert (by_ordinal[0].sparse_rank, by_ordinal[0].bm25) == (None, 0.0)


def test_fusion_agrees_with_the_engines_own(
    index: VectorIndex, path: Path, dense: NDArray[Any], bm25: Bm25
) -> None:
    terms = bm25.query("30 days")
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
    assert [point_id(h.chunk.chunk_id) for h in ours] == [p.id for p in theirs]


def test_a_document_filter_applies_before_the_limit(
    index: VectorIndex, dense: NDArray[Any], bm25: Bm25
) -> None:
    hits = index.search(dense[0], bm25.query("30"), dense_limit=1, sparse_limit=1, doc_ids=["d1"])
    assert [h.chunk.ordinal for h in hits] == [1]
    assert (hits[0].dense_rank, hits[0].sparse_rank) == (1, 1)


def test_no_allowed_document_means_no_hit(index: VectorIndex, dense: NDArray[Any]) -> None:
    assert index.search(dense[0], NOTHING, dense_limit=5, sparse_limit=5, doc_ids=[]) == []


def test_an_empty_query_finds_nothing(index: VectorIndex) -> None:
    zero = np.zeros(3, dtype=np.float32)
    assert index.search(zero, NOTHING, dense_limit=5, sparse_limit=5) == []


def test_upserting_a_chunk_again_replaces_it(
    index: VectorIndex, make_chunk: Any, dense: NDArray[Any], bm25: Bm25
) -> None:
    index.upsert([make_chunk("改定", "d0", 0)], dense[:1], [bm25.document("改定")])
    assert index.count() == 4
    assert index.search(None, bm25.query("以内"), dense_limit=5, sparse_limit=5) == []


def test_deleting_a_document_removes_its_chunks_only(index: VectorIndex) -> None:
    index.delete_documents({"d0", "unknown"})
    assert index.count() == 2
    assert index.chunk_ids("d0") == set()
    assert index.chunk_ids("d1") == {"d1#1", "d1#3"}


def test_mismatched_lengths_are_refused(
    index: VectorIndex, make_chunk: Any, dense: NDArray[Any]
) -> None:
    with pytest.raises(ValueError, match=r"expected \(1, 3\)"):
        index.upsert([make_chunk("x")], dense, [NOTHING])


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
