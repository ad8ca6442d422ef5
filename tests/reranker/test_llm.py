from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from reranker import Candidate, Judge, Ranked, Reranker, RerankerSettings, make_reranker
from reranker.errors import RerankerFailed, RerankerMisconfigured
from reranker.llm import LlmReranker
from reranker.settings import LlmSettings


class Fixed(Reranker):
    """A second stage that gives each candidate the score that its text says."""

    name = "fixed"

    def threshold(self, language: str) -> float:
        return 0.5

    def _score(self, query: str, candidates: Sequence[Candidate]) -> list[Ranked]:
        return [Ranked(i, float(c.text), "counted") for i, c in enumerate(candidates)]


def reranker_replying(
    reply: str, prompts: list[str] | None = None, settings: LlmSettings | None = None
) -> Reranker:
    def chat(prompt: str) -> str:
        if prompts is not None:
            prompts.append(prompt)
        return reply

    return LlmReranker(Fixed(), settings or LlmSettings(), Judge(chat))


def ratings(*scores: int) -> str:
    entries = (
        f'{{"passage": {n}, "score": {s}, "reason": "r{n}"}}' for n, s in enumerate(scores, 1)
    )
    return f"[{', '.join(entries)}]"


def test_the_score_is_four_tenths_second_stage_and_six_tenths_rating(make_candidates: Any) -> None:
    reply = """Here: ```json
    {"ratings": [{"passage": 1, "score": 2, "reason": "other topic"},
     {"passage": 2, "score": 5, "reason": "states\\nthe deadline"}]}```"""
    first, second = reranker_replying(reply).rerank("deadline", make_candidates(["0.55", "0.5"]))
    assert (first.index, second.index) == (1, 0)
    assert first.score == pytest.approx(0.4 * 0.5 + 0.6 * 1.0)
    assert first.remark == "5/5: states the deadline"
    assert first.reason == "model 5/5: states the deadline; counted"
    assert second.score == pytest.approx(0.4 * 0.55 + 0.6 * 0.25)


def test_a_sure_second_stage_asks_nobody(make_candidates: Any) -> None:
    prompts: list[str] = []
    ranked = reranker_replying("", prompts).rerank("q", make_candidates(["0.9", "0.7"]))
    assert prompts == []
    assert [(r.score, r.reason) for r in ranked] == [(0.9, "counted"), (0.7, "counted")]


@pytest.mark.parametrize("scores", [["0.59", "0.1"], ["0.9", "0.85"]])
def test_it_is_asked_when_the_best_is_low_or_the_next_one_close(
    scores: list[str], make_candidates: Any
) -> None:
    prompts: list[str] = []
    reranker_replying(ratings(3, 3), prompts).rerank("q", make_candidates(scores))
    assert len(prompts) == 1


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
def test_an_unreadable_reply_keeps_the_second_stage_and_says_so(
    reply: str, make_candidates: Any
) -> None:
    ranked = reranker_replying(reply).rerank("deadline", make_candidates(["0.55", "0.5"]))
    assert [(r.index, r.score, r.remark) for r in ranked] == [(0, 0.55, ""), (1, 0.5, "")]
    assert all("could not be read" in r.reason for r in ranked)


def test_a_model_that_does_not_work_or_is_missing_is_an_error(make_candidates: Any) -> None:
    def slow(prompt: str) -> str:
        raise RerankerFailed("no ratings within 7 s")

    candidates = make_candidates(["0.55"])
    with pytest.raises(RerankerFailed, match="within 7 s"):
        LlmReranker(Fixed(), LlmSettings(), Judge(slow)).rerank("q", candidates)
    with pytest.raises(RerankerMisconfigured, match="no chat model"):
        LlmReranker(Fixed(), LlmSettings()).rerank("q", candidates)


def test_only_ten_are_shown_and_no_other_one_passes_them(make_candidates: Any) -> None:
    prompts: list[str] = []
    texts = [f"0.{50 - n}" for n in range(12)]
    ranked = reranker_replying(ratings(*[1] * 10), prompts).rerank("q", make_candidates(texts))
    assert "[10] 0.41" in prompts[0] and "0.40" not in prompts[0]
    assert [r.index for r in ranked] == list(range(12))
    assert [r.reason for r in ranked[10:]] == ["not rated by the model; counted"] * 2


def test_a_small_model_is_shown_four_short_passages(make_candidates: Any) -> None:
    prompts: list[str] = []
    settings = RerankerSettings(kind="llm")

    def chat(prompt: str) -> str:
        prompts.append(prompt)
        return ""

    reranker = make_reranker(settings, Judge(chat, small=True))
    texts = [f"{n} " + "a" * 500 for n in range(6)]
    reranker.rerank("b", make_candidates(texts))
    assert "[4] " in prompts[0] and "[5] " not in prompts[0]
    assert "a" * 158 in prompts[0] and "a" * 159 not in prompts[0]


def test_criteria_shared_by_all_passages_stand_once(make_candidates: Any) -> None:
    prompts: list[str] = []
    reranker = reranker_replying("", prompts)
    same = [replace(c, criteria="only what is in force") for c in make_candidates(["0.5", "0.4"])]
    reranker.rerank("q", same)
    assert prompts[0].count("What counts as relevant: only what is in force") == 1
    reranker.rerank("q", [same[0], replace(same[1], criteria="prices")])
    assert "[2] What counts as relevant: prices" in prompts[1]
