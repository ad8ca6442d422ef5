from typing import Any

import pytest

from reranker import Candidate, RerankerSettings, make_reranker
from reranker.deterministic import DeterministicReranker
from reranker.features import NAMES, compare, features, model_language

RERANKER = DeterministicReranker()


def test_no_candidates_give_an_empty_ranking() -> None:
    assert RERANKER.rerank("在庫", []) == []


def test_features_are_counted_as_named() -> None:
    query = "XR-4200 return deadline 2026"
    candidates = [
        Candidate(text="The return deadline is 30 days", fused=0.03, cosine=0.90, bm25=6.0),
        Candidate(text="nothing", fused=0.01, cosine=None, bm25=0.0),
    ]
    first, second = features(compare(query, candidates), candidates)
    named = dict(zip(NAMES, first, strict=True))
    assert named["words"] == 1.0
    assert named["phrases"] == pytest.approx(1 / 4)  # of xr 4200, 4200 return, … only one
    assert named["numbers_missing"] == named["identifiers_missing"] == 1.0
    assert named["cosine"] == pytest.approx(1.0)
    assert (named["fused"], named["bm25_share"], named["cosine_gap"]) == (1.0, 1.0, 0.0)
    # the unknown cosine counts as the list's worst, 0.90; filled up with eight times 0.80
    assert named["cosine_margin"] == pytest.approx((0.90 - 0.80) * 20)
    assert named["cosine_lead"] == pytest.approx((0.90 - 0.80) * 20)
    other = dict(zip(NAMES, second, strict=True))
    assert (other["fused"], other["words"], other["bm25_share"]) == (0.5, 0.0, 0.0)


def test_the_passage_that_has_the_asked_words_rises(make_candidates: Any) -> None:
    texts = ["倉庫の照明は毎朝点検します。", "返品の期限は到着後30日です。", "棚卸しは年2回です。"]
    ranked = RERANKER.rerank("返品の期限は何日ですか", make_candidates(texts))
    assert ranked[0].index == 1
    assert ranked[0].score > RERANKER.threshold("ja") > ranked[-1].score


def test_the_passage_with_the_asked_code_rises(make_candidates: Any) -> None:
    texts = ["Reorder point of XR-4300: 120 units", "Reorder point of ＸＲ4200: 80 units"]
    ranked = RERANKER.rerank("reorder point of XR-4200", make_candidates(texts))
    assert [r.index for r in ranked] == [1, 0]
    assert "codes 1/1" in ranked[0].reason
    assert "without xr4200" in ranked[1].reason


def test_the_heading_counts_as_text() -> None:
    plain = Candidate(text="30日以内です。", cosine=0.86, bm25=3.0, fused=0.02)
    headed = Candidate(
        text="30日以内です。", heading=("返品の期限",), cosine=0.86, bm25=3.0, fused=0.02
    )
    assert [r.index for r in RERANKER.rerank("返品の期限", [plain, headed])] == [1, 0]


def test_scores_are_between_0_and_1_and_ties_keep_the_input_order(make_candidates: Any) -> None:
    candidates = [Candidate(text="same text", language="en")] * 3
    ranked = RERANKER.rerank("same text", candidates)
    assert all(0 < r.score < 1 for r in ranked)
    equal = [r.index for r in ranked if r.score == ranked[-1].score]
    assert equal == sorted(equal)


@pytest.mark.parametrize(
    ("query", "passage", "expected"),
    [
        ("返品の期限", "返品は30日", "ja"),
        ("在庫回転率", "在庫回転率の計算です", "ja"),
        ("退货期限", "退货须在三十天内", "zh"),
        ("return deadline", "返品は30日です", "other"),
        ("返品の期限", "returns within 30 days", "other"),
        ("返品期限", "返品は30日です", "ja"),
        ("退货期限是多少天？", "返品は30日です", "other"),
        ("12345", "12345", "other"),
    ],
)
def test_words_are_compared_only_within_one_language(
    query: str, passage: str, expected: str
) -> None:
    assert model_language(query, Candidate(text=passage)) == expected


def test_across_languages_the_dense_vectors_decide() -> None:
    near = Candidate(text="返品は到着後30日以内です", cosine=0.90, bm25=0.0, fused=1 / 61)
    far = Candidate(text="照明は毎朝点検します", cosine=0.78, bm25=0.0, fused=1 / 62)
    first, second = RERANKER.rerank("deadline for returning goods", [near, far])
    assert (first.index, second.index) == (0, 1)
    assert first.score > RERANKER.threshold("en") > second.score


def test_the_default_of_the_factory_is_deterministic() -> None:
    assert make_reranker(RerankerSettings()).name == "deterministic"
