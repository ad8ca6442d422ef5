"""Which stored questions are like a new one: by the embedder, and by their words.

Thresholds were set on 202 question–SQL pairs in three languages (1,750 pairs of questions over
one database): masked questions with the same SQL lie at a cosine of 0.89 or more, those in two
languages with other SQL below 0.91. In one language many questions with other SQL are as near as
0.97, so that most of the words must be shared, too; such a neighbour shows the right tables still.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reranker.text import units

Vector = NDArray[np.float32]


@dataclass(frozen=True)
class Threshold:
    """Least cosine of two questions in one language, and in two."""

    same: float
    other: float


THRESHOLDS = {"e5": Threshold(same=0.93, other=0.915)}
"""For the embedders it was measured with; any other has no say, and words alone decide."""
SHARED_WORDS = 0.5
WORDS_ALONE = 0.7


@dataclass(frozen=True)
class Question:
    """`masked` as `agent.pairs.masking.masked`; `vector` of it, None where there is none."""

    masked: str
    language: str
    vector: Vector | None = None


def likeness(a: Question, b: Question, threshold: Threshold | None) -> float | None:
    """0–2, for ranking; None when the two are not alike enough."""
    shared = 1.0 if a.masked == b.masked else _shared(a.masked, b.masked)
    if shared == 1.0:
        return 2.0
    if threshold is None or a.vector is None or b.vector is None:
        return shared if shared >= WORDS_ALONE else None
    cosine = float(a.vector @ b.vector)
    if a.language != b.language:
        return cosine if cosine >= threshold.other else None
    if cosine >= threshold.same and shared >= SHARED_WORDS:
        return cosine + shared / 2
    return None


def best(question: Question, stored: Sequence[Question], threshold: Threshold | None) -> list[int]:
    """The places of those that are alike, most alike first."""
    scores = [(likeness(question, other, threshold), i) for i, other in enumerate(stored)]
    alike = [(score, i) for score, i in scores if score is not None]
    return [i for _, i in sorted(alike, key=lambda one: (-one[0], one[1]))]


def _shared(a: str, b: str) -> float:
    """Dice's coefficient of their words (bigrams of Japanese and Chinese)."""
    first, second = units(a).words, units(b).words
    if not first or not second:
        return 0.0
    return 2 * len(first & second) / (len(first) + len(second))
