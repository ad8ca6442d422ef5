"""Fusion of ranked lists: each strategy's list, best first, to one score a chunk."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

RRF_K = 60
"""Cormack, Clarke, Büttcher: Reciprocal Rank Fusion (SIGIR 2009)."""
Fusion = Literal["rrf", "weighted_rrf", "max"]
Ranking = Sequence[tuple[str, float]]
"""(chunk id, score of the strategy), best first."""
Weights = Mapping[str, float]


def reciprocal_ranks(rankings: Mapping[str, Ranking], weights: Weights) -> dict[str, float]:
    """Σ weight / (60 + rank) over the lists that hold the chunk; ranks are 1-based."""
    fused: dict[str, float] = {}
    for name, ranking in rankings.items():
        for rank, (chunk_id, _) in enumerate(ranking, start=1):
            fused[chunk_id] = fused.get(chunk_id, 0.0) + weights.get(name, 1.0) / (RRF_K + rank)
    return fused


def maximum(rankings: Mapping[str, Ranking], weights: Weights) -> dict[str, float]:
    """The greatest of a chunk's scores, each list scaled to 0–1 (min-max) and weighted.

    CombMAX of Fox and Shaw (Combination of Multiple Searches, TREC-2, 1994).
    """
    fused: dict[str, float] = {}
    for name, ranking in rankings.items():
        scores = [score for _, score in ranking]
        low, high = min(scores, default=0.0), max(scores, default=0.0)
        for chunk_id, score in ranking:
            scaled = (score - low) / (high - low) if high > low else 1.0
            fused[chunk_id] = max(fused.get(chunk_id, 0.0), scaled * weights.get(name, 1.0))
    return fused


_METHODS: Mapping[Fusion, Callable[[Mapping[str, Ranking], Weights], dict[str, float]]] = {
    "rrf": lambda rankings, _: reciprocal_ranks(rankings, {}),
    "weighted_rrf": reciprocal_ranks,
    "max": maximum,
}


def fuse(
    rankings: Mapping[str, Ranking], method: Fusion = "rrf", weights: Weights | None = None
) -> dict[str, float]:
    """Chunk id → fused score. `weights` (1 where a list has none) do not act in plain `rrf`."""
    return _METHODS[method](rankings, weights or {})
