"""What every vector index does alike: `edge`, `server` against qdrant-client's own engine, and
`remote` against a real server when `ZAIKO_TEST_QDRANT_URL` names one."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ingest.index import Scope, VectorIndex
from ingest.sparse import Bm25, SparseVector

NOTHING = SparseVector((), ())
TEXTS = ["返品は30日以内", "returns within 30 days", "XR-4200 の発注点", "安全在庫"]


@pytest.fixture(params=["edge", "server", "remote"])
def index(request: pytest.FixtureRequest, fill: Any) -> VectorIndex:
    empty: VectorIndex = request.getfixturevalue(f"empty_{request.param}")
    fill(empty, TEXTS)
    return empty


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


def test_a_document_filter_applies_before_the_limit(
    index: VectorIndex, dense: NDArray[Any], bm25: Bm25
) -> None:
    only = Scope(doc_ids=["d1"])
    hits = index.search(dense[0], bm25.query("30"), dense_limit=1, sparse_limit=1, scope=only)
    assert [h.chunk.ordinal for h in hits] == [1]
    assert (hits[0].dense_rank, hits[0].sparse_rank) == (1, 1)


def test_no_allowed_document_means_no_hit(index: VectorIndex, dense: NDArray[Any]) -> None:
    nothing = Scope(doc_ids=[])
    assert index.search(dense[0], NOTHING, dense_limit=5, sparse_limit=5, scope=nothing) == []


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


def test_every_language_has_a_dense_list_of_its_own(
    index: VectorIndex, make_chunk: Any, dense: NDArray[Any], bm25: Bm25
) -> None:
    """All four are Japanese by the fixture; a far English one is first in its own list."""
    english = make_chunk("far away", "d2", 4).model_copy(update={"language": "en"})
    index.upsert([english], -dense[:1], [bm25.document("far away")])
    assert index.languages() == ("en", "ja")
    alone = index.search(dense[0], NOTHING, dense_limit=2, sparse_limit=2)
    assert [h.chunk.ordinal for h in alone] == [0, 1]
    scope = Scope(languages=("en", "ja"))
    both = index.search(dense[0], NOTHING, dense_limit=2, sparse_limit=2, scope=scope)
    assert [(h.chunk.ordinal, h.dense_rank) for h in both] == [(0, 1), (4, 1), (1, 2)]


def test_a_filter_acts_inside_every_language(index: VectorIndex, dense: NDArray[Any]) -> None:
    scope = Scope(doc_ids=["d1"], languages=("en", "ja"))
    hits = index.search(dense[0], NOTHING, dense_limit=1, sparse_limit=1, scope=scope)
    assert [h.chunk.ordinal for h in hits] == [1]


@pytest.mark.parametrize(
    ("fusion", "first"),
    [("rrf", 0), ("weighted_rrf", 2), ("max", 2)],
)
def test_fusions_weigh_the_strategies(
    index: VectorIndex, dense: NDArray[Any], bm25: Bm25, fusion: Any, first: int
) -> None:
    """Chunk 0 is first by vector, 2 first by words; at even weights the id decides."""
    scope = Scope(fusion=fusion, weights={"dense": 1.0, "sparse": 2.0})
    words = bm25.query("XR-4200")
    hits = index.search(dense[0], words, dense_limit=1, sparse_limit=1, scope=scope)
    assert hits[0].chunk.ordinal == first


def test_the_chunks_of_a_document_come_by_ordinal(index: VectorIndex) -> None:
    assert [c.ordinal for c in index.chunks("d1")] == [1, 3]
    assert [c.ordinal for c in index.chunks("d1", 2, 9)] == [3]
    assert [c.ordinal for c in index.chunks("d1", last=1)] == [1]
    assert index.chunks("unknown") == []


def test_everything_can_be_read_back_with_its_vectors(
    index: VectorIndex, dense: NDArray[Any], bm25: Bm25
) -> None:
    stored = {p.chunk.ordinal: p for batch in index.points() for p in batch}
    assert stored.keys() == {0, 1, 2, 3}
    assert stored[1].dense == pytest.approx([0.8, 0.6, 0.0])
    assert stored[1].sparse.indices == bm25.document(TEXTS[1]).indices
    assert stored[1].sparse.values == pytest.approx(bm25.document(TEXTS[1]).values)
    assert stored[1].learned is None


def test_a_learned_vector_is_refused_where_the_schema_has_none(
    index: VectorIndex, make_chunk: Any, dense: NDArray[Any]
) -> None:
    with pytest.raises(ValueError, match="learned"):
        index.upsert([make_chunk("x")], dense[:1], [NOTHING], [NOTHING])
