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
NAMES = (
    "cosine",
    "bm25_share",
    "words",
    "rare_words",
    "phrases",
    "identifiers_missing",
    "foreign",
)
GAPS = {
    ("ja", "zh"): 0.040,
    ("ja", "en"): 0.025,
    ("zh", "ja"): 0.050,
    ("zh", "en"): 0.065,
    ("en", "ja"): 0.025,
    ("en", "zh"): 0.045,
}
"""(query, passage): how much lower e5's highest cosine is than within the query's language, where
nothing answers. It is added, so that a passage in another language can come first."""


@dataclass(frozen=True)
class Scale:
    """Where an embedder's cosines lie: of a passage that may answer, and how far from one that
    does not. `gaps` are between languages."""

    centre: float
    slope: float
    lowest: float
    gaps: bool = False


E5 = Scale(centre=0.85, slope=20.0, lowest=0.6, gaps=True)
"""Measured: questions and passages of the open sets; no pair is under 0.6."""
WIDE = Scale(centre=0.55, slope=6.0, lowest=-1.0)
"""An embedder whose cosines spread over the whole range (BGE-M3, the fake): not fitted."""


@dataclass(frozen=True)
class Comparison:
    """What of the query's units a candidate has; the ground for features and reasons."""

    query: Units
    found: Units
    cosine: float | None
    bm25: float | None
    asked: Language
    given: Language

    @property
    def codes_found(self) -> float | None:
        """Of a query of codes and figures alone, the share that the candidate has; else None."""
        wanted = self.query.identifiers | self.query.numbers
        if self.query.words or not wanted:
            return None
        return len(self.found.identifiers | self.found.numbers) / len(wanted)

    @property
    def foreign(self) -> bool:
        return self.asked != self.given and "other" not in (self.asked, self.given)


def compare(query: str, candidates: Sequence[Candidate]) -> list[Comparison]:
    wanted = units(query)
    return [
        Comparison(
            wanted,
            _shared(wanted, units(" ".join((*c.heading, c.text)))),
            c.cosine,
            c.bm25,
            *_languages(query, c),
        )
        for c in candidates
    ]


def features(comparisons: Sequence[Comparison]) -> NDArray[np.float64]:
    """Shape (n, len(NAMES)); each about in -3…3. n ≥ 1.

    `cosine` is absolute, from the embedder's scale, with the gap between languages made up for.
    `bm25_share` is relative to the best of the list: BM25 itself grows with the corpus, so it
    says nothing across knowledge bases. A score that is unknown counts as the worst of the list.
    """
    cosine = _cosines(comparisons)
    bm25 = _filled([c.bm25 for c in comparisons])
    rarity, best_bm25 = _rarity(comparisons), max(bm25.max(), 1e-9)
    rows = [
        (
            _clipped(cosine[i]),
            bm25[i] / best_bm25,
            _share(len(c.found.words), len(c.query.words)),
            _share(sum(rarity[w] for w in c.found.words), sum(rarity.values())),
            _share(len(c.found.phrases), len(c.query.phrases)),
            _missing(c.query.identifiers, c.found.identifiers),
            float(c.foreign),
        )
        for i, c in enumerate(comparisons)
    ]
    return np.array(rows, dtype=np.float64)


def of_list(rows: NDArray[np.float64], first: int) -> NDArray[np.float64]:
    """What the candidates of a query offer together, shape (len(NAMES),): the best of each
    feature; `foreign` of the first in the order."""
    offered: NDArray[np.float64] = rows.max(axis=0)
    for column, name in enumerate(NAMES):
        if name.endswith("_missing"):
            offered[column] = rows[:, column].min()
    offered[NAMES.index("foreign")] = rows[first, NAMES.index("foreign")]
    return offered


def _languages(query: str, candidate: Candidate) -> tuple[Language, Language]:
    """Of query and passage; a query of kanji that could be either takes the passage's."""
    known = next((name for name in LANGUAGES if name == candidate.language), None)
    given = known or language(candidate.text, kanji="zh")
    return language(query, kanji="ja" if given == "ja" else "zh"), given


def _shared(wanted: Units, given: Units) -> Units:
    return Units(
        wanted.words & given.words,
        wanted.phrases & given.phrases,
        wanted.numbers & given.numbers,
        wanted.identifiers & given.identifiers,
    )


def _cosines(comparisons: Sequence[Comparison]) -> NDArray[np.float64]:
    """Distances from the scale's centre in its units."""
    cosine = _filled([c.cosine for c in comparisons])
    scale = E5 if cosine.min() > E5.lowest else WIDE
    gaps = [GAPS.get((c.asked, c.given), 0.0) if scale.gaps else 0.0 for c in comparisons]
    distances: NDArray[np.float64] = (cosine + np.array(gaps) - scale.centre) * scale.slope
    return distances


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


def _clipped(value: float) -> float:
    return max(-3.0, min(3.0, value))


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _missing(wanted: frozenset[str], found: frozenset[str]) -> float:
    return 1 - len(found) / len(wanted) if wanted else 0.0
