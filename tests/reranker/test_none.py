from reranker import Candidate, RerankerSettings, make_reranker


def test_the_fused_order_stays() -> None:
    candidates = [Candidate(text="a", fused=0.01), Candidate(text="b", fused=0.03)]
    reranker = make_reranker(RerankerSettings(kind="none"))
    ranked = reranker.rerank("q", candidates)
    assert [(r.index, r.score) for r in ranked] == [(1, 1.0), (0, 0.5)]
    assert reranker.threshold("ja") == 0.0
