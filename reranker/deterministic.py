"""The embedded default: logistic weights over what can be counted; no model, a few ms."""

from collections.abc import Sequence

import numpy as np

from reranker.base import Candidate, Ranked, Reranker
from reranker.features import NAMES, Comparison, compare, features, model_language
from reranker.weights import THRESHOLD, WEIGHTS

_VECTORS = {
    language: np.array([weights.get(name, 0.0) for name in NAMES])
    for language, weights in WEIGHTS.items()
}


class DeterministicReranker(Reranker):
    """Score: the logistic function of the weights of the pair's language. A query and a passage
    in different languages are judged by the dense vectors alone, since they share no words."""

    name = "deterministic"

    def threshold(self, language: str) -> float:
        """The same for every language: each language's bias is fitted to put it there."""
        return THRESHOLD

    def _score(self, query: str, candidates: Sequence[Candidate]) -> list[Ranked]:
        comparisons = compare(query, candidates)
        rows = features(comparisons, candidates)
        vectors = np.array([_VECTORS[model_language(query, c)] for c in candidates])
        scores = 1 / (1 + np.exp(-(rows * vectors).sum(axis=1)))
        return [
            Ranked(index, float(score), reason(comparison))
            for index, (score, comparison) in enumerate(zip(scores, comparisons, strict=True))
        ]


def reason(comparison: Comparison) -> str:
    """What was counted: `cosine 0.88, bm25 12.1, words 4/5, numbers 1/1, no XR-4200`."""
    wanted, found = comparison.query, comparison.found
    parts = []
    if comparison.cosine is not None:
        parts.append(f"cosine {comparison.cosine:.2f}")
    if comparison.bm25 is not None:
        parts.append(f"bm25 {comparison.bm25:.1f}")
    for name, has, all_ in (
        ("words", found.words, wanted.words),
        ("numbers", found.numbers, wanted.numbers),
        ("codes", found.identifiers, wanted.identifiers),
    ):
        if all_:
            parts.append(f"{name} {len(has)}/{len(all_)}")
    absent = sorted(wanted.identifiers - found.identifiers)
    if absent:
        parts.append("without " + ", ".join(absent))
    return ", ".join(parts) or "nothing to compare"
