"""Features of (query, candidate) pairs for the deterministic second stage."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reranker.base import Candidate
from reranker.text import Language, Units, language, units

LANGUAGES: tuple[Language, ...] = ("ja", "en", "zh")
E5_LOWEST = 0.6
BACKGROUND = 0.80
"""About e5's cosine of a question and an unrelated passage; fills up lists of less than ten."""
NAMES = (
    "bias",
    "fused",
    "cosine",
    "cosine_gap",
    "cosine_margin",
    "cosine_lead",
    "bm25_share",
    "words",
    "rare_words",
    "phrases",
    "numbers_missing",
    "identifiers_missing",
)


@dataclass(frozen=True)
class Comparison:
    """What of the query's units a candidate has; the ground for features and reasons."""

    query: Units
    found: Units
    cosine: float | None
    bm25: float | None


def compare(query: str, candidates: Sequence[Candidate]) -> list[Comparison]:
    wanted = units(query)
    return [
        Comparison(wanted, _shared(wanted, units(_full_text(c))), c.cosine, c.bm25)
        for c in candidates
    ]


def model_language(query: str, candidate: Candidate) -> Language:
    """Which language's weights judge the pair. Words can be compared only where query and
    passage share a language; a query of kanji that could be either takes the passage's."""
    known = next((name for name in LANGUAGES if name == candidate.language), None)
    given = known or language(candidate.text, kanji="zh")
    asked = language(query, kanji="ja" if given == "ja" else "zh")
    return asked if asked == given else "other"


def features(
    comparisons: Sequence[Comparison], candidates: Sequence[Candidate]
) -> NDArray[np.float64]:
    """Shape (n, len(NAMES)); each about in -3…3. n ≥ 1.

    `cosine_gap` and `bm25_share` are relative to the best of the list, `cosine_margin` to its
    median, `cosine_lead` to the mean of the sixth to the tenth (a few passages may well say the
    same, as the versions of one policy do); the others are absolute. BM25
    itself grows with the corpus, so it says nothing across knowledge bases. A score that is
    unknown counts as the worst of the list.
    """
    cosine = _filled([c.cosine for c in candidates])
    bm25 = _filled([c.bm25 for c in candidates])
    order = sorted(range(len(candidates)), key=lambda i: -candidates[i].fused)
    place = {index: rank for rank, index in enumerate(order, start=1)}
    rarity = _rarity(comparisons)
    best_bm25 = max(bm25.max(), 1e-9)
    padded = np.sort(np.append(cosine, [_background(cosine)] * max(0, 10 - len(cosine))))
    rows = [
        (
            1.0,
            1 / place[i],
            _clipped(cosine[i] - 0.85),
            _clipped(cosine[i] - cosine.max()),
            _clipped(cosine[i] - np.median(padded)),
            _clipped(cosine[i] - padded[-10:-5].mean()),
            bm25[i] / best_bm25,
            _share(len(c.found.words), len(c.query.words)),
            _share(sum(rarity[w] for w in c.found.words), sum(rarity.values())),
            _share(len(c.found.phrases), len(c.query.phrases)),
            _missing(c.query.numbers, c.found.numbers),
            _missing(c.query.identifiers, c.found.identifiers),
        )
        for i, c in enumerate(comparisons)
    ]
    return np.array(rows, dtype=np.float64)


def _full_text(candidate: Candidate) -> str:
    return " ".join((*candidate.heading, candidate.text))


def _shared(wanted: Units, given: Units) -> Units:
    return Units(
        wanted.words & given.words,
        wanted.phrases & given.phrases,
        wanted.numbers & given.numbers,
        wanted.identifiers & given.identifiers,
    )


def _filled(scores: Sequence[float | None]) -> NDArray[np.float64]:
    known = [s for s in scores if s is not None]
    worst = min(known, default=0.0)
    return np.array([worst if s is None else s for s in scores])


def _rarity(comparisons: Sequence[Comparison]) -> dict[str, float]:
    """Weights of the query's words: IDF over the candidates (BM25's smoothed form)."""
    having = Counter(w for c in comparisons for w in c.found.words)
    n = len(comparisons)
    return {
        w: math.log(1 + (n - having[w] + 0.5) / (having[w] + 0.5))
        for w in comparisons[0].query.words
    }


def _background(cosine: NDArray[np.float64]) -> float:
    """Cosines that e5 never gives come from another embedder: its own worst is taken."""
    worst = float(cosine.min())
    return BACKGROUND if worst > E5_LOWEST else worst


def _clipped(difference: float) -> float:
    """e5's cosines lie within 0.15 of each other; another embedder's do not."""
    return max(-3.0, min(3.0, difference * 20))


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _missing(wanted: frozenset[str], found: frozenset[str]) -> float:
    return 1 - len(found) / len(wanted) if wanted else 0.0
