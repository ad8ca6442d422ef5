"""The embedded default: fitted weights over what can be counted; no model, a few ms.

Two linear models over the same features (`reranker.features`). `RANK` orders the candidates of a
query, by weights of the query's language. `ANSWER` says, from what all of them offer together, whether the query is answered at all;
only that is comparable across queries. With z the answer model's value and r the ranking value,

    score = logistic(z + r - r of the best)

so that the best candidate's score is the probability that it answers, and the others follow by
their distance in the ranking.

A query of codes and figures alone (`XR-4200`, `00123`) is answered by the passages that hold them:
embeddings hardly tell one code from another. With s the share of them that a passage holds,
`CODES_RANK` · s is added to its ranking value, and z is `CODES_ANSWER` · (s of the best - 1/2).
"""

from collections.abc import Sequence

import numpy as np

from reranker.base import Candidate, Ranked, Reranker
from reranker.features import NAMES, compare, features, of_list
from reranker.reason import reason
from reranker.weights import ANSWER, BIAS, RANK, THRESHOLD

_RANK = {
    language: np.array([weights.get(name, 0.0) for name in NAMES])
    for language, weights in RANK.items()
}
_ANSWER = np.array([ANSWER.get(name, 0.0) for name in NAMES])
CODES_RANK, CODES_ANSWER = 20.0, 6.0
"""By hand: the fitted sets hold no such queries. More than two cosines can differ by; all of the
codes make 0.95, none 0.05."""


class DeterministicReranker(Reranker):
    name = "deterministic"

    def threshold(self, language: str) -> float:
        """The same for every language: each language's bias is fitted to put it there."""
        return THRESHOLD

    def _score(self, query: str, candidates: Sequence[Candidate]) -> list[Ranked]:
        comparisons = compare(query, candidates)
        rows = features(comparisons)
        asked = comparisons[0].asked
        order = rows @ _RANK[asked]
        codes = [comparison.codes_found for comparison in comparisons]
        held = np.array([share for share in codes if share is not None])
        if held.size:
            order = order + CODES_RANK * held
        best = int(order.argmax())
        if held.size:
            answered = CODES_ANSWER * (float(held[best]) - 0.5)
        else:
            answered = BIAS[asked] + float(of_list(rows, best) @ _ANSWER)
        scores = 1 / (1 + np.exp(-(answered + order - order[best])))
        return [
            Ranked(index, float(score), reason(comparison))
            for index, (score, comparison) in enumerate(zip(scores, comparisons, strict=True))
        ]
