import math
from typing import Any

import pytest

from reranker import Candidate, RerankerSettings, make_reranker
from reranker.deterministic import DeterministicReranker
from reranker.features import NAMES, compare, features, of_list
from reranker.weights import ANSWER, BIAS, RANK

RERANKER = DeterministicReranker()


def test_no_candidates_give_an_empty_ranking() -> None:
    assert RERANKER.rerank("在庫", []) == []


def named(row: Any) -> dict[str, float]:
    return dict(zip(NAMES, row, strict=True))


def test_features_are_counted_as_named() -> None:
    candidates = [
        Candidate(text="The return deadline is 30 days", cosine=0.90, bm25=6.0),
        Candidate(text="nothing", cosine=None, bm25=3.0),
    ]
    first, second = map(named, features(compare("XR-4200 return deadline 2026", candidates)))
    assert first["words"] == 1.0
    assert first["phrases"] == pytest.approx(1 / 4)  # of xr 4200, 4200 return, … only one
    assert first["identifiers_missing"] == 1.0
    # (0.90 - 0.85) · 20; the unknown cosine counts as the list's worst, which is 0.90 too
    assert first["cosine"] == second["cosine"] == pytest.approx(1.0)
    assert (first["bm25_share"], second["bm25_share"]) == (1.0, 0.5)
    assert (second["words"], second["foreign"]) == (0.0, 0.0)


def test_rare_words_weigh_more_than_those_that_many_candidates_have() -> None:
    candidates = [Candidate(text=t) for t in ("red lamp", "red", "red", "red")]
    first, second, *_ = map(named, features(compare("red lamp", candidates)))
    # IDF over the candidates: lamp ln(1 + 3.5 / 1.5), red ln(1 + 0.5 / 4.5)
    lamp, red = math.log(1 + 3.5 / 1.5), math.log(1 + 0.5 / 4.5)
    assert first["rare_words"] == 1.0
    assert second["rare_words"] == pytest.approx(red / (red + lamp))


def test_what_a_list_offers_is_the_best_of_each_feature() -> None:
    near = Candidate(text="返品は30日です", cosine=0.90)
    own = Candidate(text="return of XR-4200", cosine=0.80)
    rows = features(compare("XR-4200 return", [near, own]))
    offered = named(of_list(rows, 0))
    assert offered["cosine"] == pytest.approx((0.90 + 0.025 - 0.85) * 20)
    assert (offered["words"], offered["identifiers_missing"]) == (1.0, 0.0)
    assert offered["foreign"] == 1.0  # of the first, which is Japanese
    assert named(of_list(rows, 1))["foreign"] == 0.0


def test_the_best_score_is_that_of_the_answer_and_the_others_follow_by_rank(
    make_candidates: Any,
) -> None:
    candidates = make_candidates(["返品の期限は30日です", "照明の点検"])
    rows = features(compare("返品の期限", candidates))
    first, second = RERANKER.rerank("返品の期限", candidates)
    answer = BIAS["ja"] + sum(w * named(of_list(rows, 0))[n] for n, w in ANSWER.items())
    order = [sum(w * named(r)[n] for n, w in RANK["ja"].items()) for r in rows]
    logits = [math.log(r.score / (1 - r.score)) for r in (first, second)]
    assert logits == pytest.approx([answer, answer + order[1] - order[0]])


def test_the_passage_that_has_the_asked_words_rises(make_candidates: Any) -> None:
    texts = ["倉庫の照明は毎朝点検します。", "返品の期限は到着後30日です。", "棚卸しは年2回です。"]
    ranked = RERANKER.rerank("返品の期限は何日ですか", make_candidates(texts))
    assert ranked[0].index == 1
    assert ranked[0].score > RERANKER.threshold("ja")
    assert ranked[0].score > ranked[1].score + 0.1


def test_the_passage_with_the_asked_code_rises(make_candidates: Any) -> None:
    texts = ["Reorder point of XR-4300: 120 units", "Reorder point of ＸＲ4200: 80 units"]
    ranked = RERANKER.rerank("reorder point of XR-4200", make_candidates(texts))
    assert [r.index for r in ranked] == [1, 0]
    assert "codes 1/1 (xr4200)" in ranked[0].reason
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
    ("query", "passage", "foreign"),
    [
        ("返品の期限", "返品は30日", False),
        ("退货期限", "退货须在三十天内", False),
        ("return deadline", "返品は30日です", True),
        ("返品の期限", "returns within 30 days", True),
        ("返品期限", "返品は30日です", False),
        ("退货期限是多少天？", "返品は30日です", True),
        ("12345", "返品は30日です", False),
    ],
)
def test_a_passage_in_another_language_is_foreign(query: str, passage: str, foreign: bool) -> None:
    (comparison,) = compare(query, [Candidate(text=passage)])
    assert comparison.foreign is foreign


def test_across_languages_the_dense_vectors_decide() -> None:
    near = Candidate(text="返品は到着後30日以内です", cosine=0.90, bm25=0.0, fused=1 / 61)
    far = Candidate(text="照明は毎朝点検します", cosine=0.78, bm25=0.0, fused=1 / 62)
    first, second = RERANKER.rerank("deadline for returning goods", [near, far])
    assert (first.index, second.index) == (0, 1)
    assert first.score > RERANKER.threshold("en") > second.score


def test_the_default_of_the_factory_is_deterministic() -> None:
    assert make_reranker(RerankerSettings()).name == "deterministic"


@pytest.mark.parametrize("query", ["00123", "００１２３", "XR-4200", "XR-4200 00123", "5,000"])
def test_a_code_alone_is_answered_by_the_passage_that_has_it(query: str) -> None:
    held = Candidate(text="XR-4200 is stored as 00123, 5000 at most.", language="en", cosine=0.80)
    near = Candidate(text="在庫", language="zh", cosine=0.86)
    ranked = RERANKER.rerank(query, [near, held])
    assert [r.index for r in ranked] == [1, 0]
    assert ranked[0].score > RERANKER.threshold("other") > ranked[1].score


@pytest.mark.parametrize("query", ["00124", "0123", "XR-42", "XR-4201"])
def test_a_code_alone_that_no_passage_has_is_not_answered(query: str) -> None:
    near = Candidate(text="XR-4200 is stored as 00123.", language="en", cosine=0.95)
    (only,) = RERANKER.rerank(query, [near])
    assert only.score < RERANKER.threshold("en")
