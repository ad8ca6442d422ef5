from collections.abc import Callable, Sequence

import pytest

from reranker import Candidate

MakeCandidates = Callable[[Sequence[str]], list[Candidate]]


@pytest.fixture
def make_candidates() -> MakeCandidates:
    """Texts in first-stage order, every other feature equal."""

    def make(texts: Sequence[str]) -> list[Candidate]:
        return [
            Candidate(text=t, fused=1 / (60 + place), cosine=0.87, bm25=8.0)
            for place, t in enumerate(texts, start=1)
        ]

    return make
