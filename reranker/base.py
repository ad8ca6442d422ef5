"""Second-stage ranking: one small protocol, the edge cases once."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Candidate:
    """A first-stage hit as the reranker sees it. `cosine` in [-1, 1]; ranks 1-based. `criteria`
    say in words what its knowledge base counts as relevant; a chat model reads them."""

    text: str
    heading: tuple[str, ...] = ()
    language: str = "unknown"
    fused: float = 0.0
    cosine: float | None = None
    bm25: float | None = None
    dense_rank: int | None = None
    sparse_rank: int | None = None
    criteria: str = ""


@dataclass(frozen=True)
class Ranked:
    """`index` is the candidate's place in the input; `score` in 0–1; `reason` is deterministic
    but for what a chat model said, which is `remark` alone."""

    index: int
    score: float
    reason: str
    remark: str = ""


class Reranker(ABC):
    """Orders candidates by relevance to a query; scores are comparable across queries."""

    name: str

    @property
    def runs_on(self) -> str:
        """For a person: what it is and where it runs."""
        return self.name

    def rerank(self, query: str, candidates: Sequence[Candidate]) -> list[Ranked]:
        """Best first, one entry a candidate, ties in input order."""
        if not candidates:
            return []
        return sorted(self._score(query, candidates), key=lambda r: (-r.score, r.index))

    @abstractmethod
    def _score(self, query: str, candidates: Sequence[Candidate]) -> list[Ranked]: ...

    def threshold(self, language: str) -> float:
        """The score under which a hit does not answer the query."""
        return 0.0
