"""The embedded default: fitted weights over what can be counted; no model, a few ms.

Two linear models over the same features (`reranker.features`). `RANK` orders the candidates of a
query, by weights of the query's language. `ANSWER` says, from what all of them offer together, whether the query is answered at all;
only that is comparable across queries. With z the answer model's value and r the ranking value,

    score = logistic(z + r - r of the best)

so that the best candidate's score is the probability that it answers, and the others follow by
their distance in the ranking.
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
        best = int(order.argmax())
        answered = BIAS[asked] + float(of_list(rows, best) @ _ANSWER)
        scores = 1 / (1 + np.exp(-(answered + order - order[best])))
        return [
            Ranked(index, float(score), reason(comparison))
            for index, (score, comparison) in enumerate(zip(scores, comparisons, strict=True))
        ]
