from typing import Any

import pytest

from reranker import Judge, Reranker, RerankerSettings, make_reranker
from reranker.errors import RerankerMisconfigured


def reranker_replying(reply: str, prompts: list[str] | None = None) -> Reranker:
    def chat(prompt: str) -> str:
        if prompts is not None:
            prompts.append(prompt)
        return reply

    return make_reranker(RerankerSettings(kind="llm"), Judge(chat))


def test_ratings_order_the_candidates(make_candidates: Any) -> None:
    reply = """Here: ```json
    [{"passage": 1, "score": 2, "reason": "other topic"},
     {"passage": 2, "score": 5, "reason": "states\\nthe deadline"}]```"""
    first, second = reranker_replying(reply).rerank("deadline", make_candidates(["a", "b"]))
    assert (first.index, first.score, first.reason) == (1, 1.0, "states the deadline")
    assert (second.index, second.score) == (0, 0.25)


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "passage 2 is best",
        '[{"passage": 1, "score": 9, "reason": ""}, {"passage": 2, "score": 1, "reason": ""}]',
        '[{"passage": 1, "score": 4, "reason": "half of the list"}]',
        '[{"passage": 1, "score": 4}, {"passage": 1, "score": 4}]',
        '[{"passage": 1, "score": true}, {"passage": 2, "score": 1}]',
    ],
)
def test_an_unreadable_reply_keeps_the_first_stage_and_says_so(
    reply: str, make_candidates: Any
) -> None:
    reranker = reranker_replying(reply)
    ranked = reranker.rerank("deadline", make_candidates(["a", "b"]))
    assert [r.index for r in ranked] == [0, 1]
    assert all("could not be read" in r.reason for r in ranked)
    assert ranked[-1].score >= reranker.threshold("en")


def test_only_ten_candidates_are_shown_to_the_model(make_candidates: Any) -> None:
    prompts: list[str] = []
    reply = str([{"passage": n, "score": 1, "reason": ""} for n in range(1, 11)])
    reranker = reranker_replying(reply.replace("'", '"'), prompts)
    ranked = reranker.rerank("q", make_candidates([f"text {n}" for n in range(12)]))
    assert "[10] text 9" in prompts[0] and "text 10" not in prompts[0]
    assert [r.reason for r in ranked if r.index >= 10] == ["not judged: only the best 10 are"] * 2


def test_a_judge_is_shown_no_more_and_no_longer_passages_than_it_can_take(
    make_candidates: Any,
) -> None:
    prompts: list[str] = []

    def chat(prompt: str) -> str:
        prompts.append(prompt)
        return ""

    reranker = make_reranker(RerankerSettings(kind="llm", max_candidates=3), Judge(chat, 4, 5))
    reranker.rerank("q", make_candidates([f"text {n} is long" for n in range(9)]))
    assert prompts[0].rstrip().endswith("[3] text")


def test_ratings_are_read_from_the_object_that_is_asked_for(make_candidates: Any) -> None:
    reply = '{"ratings": [{"passage": 1, "score": 4, "reason": "in part"}]}'
    (only,) = reranker_replying(reply).rerank("q", make_candidates(["a"]))
    assert (only.score, only.reason) == (0.75, "in part")


def test_without_a_chat_model_it_cannot_be_made() -> None:
    with pytest.raises(RerankerMisconfigured, match="chat model"):
        make_reranker(RerankerSettings(kind="llm"))
