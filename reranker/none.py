"""No second stage: the fused order, whose scores say nothing about relevance."""

from collections.abc import Sequence

from reranker.base import Candidate, Ranked, Reranker
from reranker.features import compare
from reranker.reason import reason


class NoReranker(Reranker):
    """Score: 1 / place by the fused score. There is no threshold: nothing is ever left out."""

    name = "none"

    def _score(self, query: str, candidates: Sequence[Candidate]) -> list[Ranked]:
        order = sorted(range(len(candidates)), key=lambda i: -candidates[i].fused)
        counted = compare(query, candidates)
        return [
            Ranked(index, 1 / place, f"place {place} of the first stage, {reason(counted[index])}")
            for place, index in enumerate(order, start=1)
        ]
