"""Ranking metrics over one query's ranked ids. `gold`: the right ids, each of grade 1."""

import math
from collections.abc import Collection, Sequence

import numpy as np


def recall(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    return len(set(ranked[:k]) & set(gold)) / len(gold)


def reciprocal_rank(ranked: Sequence[str], gold: Collection[str], k: int = 10) -> float:
    places = (1 / n for n, found in enumerate(ranked[:k], start=1) if found in gold)
    return next(places, 0.0)


def ndcg(ranked: Sequence[str], gold: Collection[str], k: int = 10) -> float:
    """Järvelin, Kekäläinen: Cumulated gain-based evaluation (2002), with log2(1 + rank)."""
    gain = sum(1 / math.log2(n + 1) for n, i in enumerate(ranked[:k], start=1) if i in gold)
    ideal = sum(1 / math.log2(n + 1) for n in range(1, min(k, len(gold)) + 1))
    return gain / ideal


def percentile(values: Sequence[float], share: float) -> float:
    return float(np.quantile(values, share)) if values else 0.0
