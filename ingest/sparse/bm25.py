"""BM25 as sparse vectors: the document side is weighted here, the engine multiplies by IDF."""

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from ingest.sparse.analyzer import terms

INDEX_BITS = 0x7FFFFFFF


@dataclass(frozen=True)
class SparseVector:
    """Indices are unique and ascending."""

    indices: tuple[int, ...]
    values: tuple[float, ...]


def term_index(term: str) -> int:
    """A stable 31-bit hash of a term."""
    digest = hashlib.blake2b(term.encode(), digest_size=4).digest()
    return int.from_bytes(digest, "big") & INDEX_BITS


def average_length(texts: Iterable[str]) -> float:
    """Mean number of terms; 0 when there is no text."""
    lengths = [len(terms(t)) for t in texts]
    return sum(lengths) / len(lengths) if lengths else 0.0


class Bm25:
    """Okapi BM25 (Robertson, Zaragoza 2009). Qdrant's `Modifier.Idf` multiplies the query side
    by ln(1 + (N - n + 0.5) / (n + 0.5)) over the whole index.

    `average_length` is in terms; 0 (no statistics yet) switches length normalisation off.
    """

    def __init__(self, average_length: float, k1: float = 1.5, b: float = 0.75) -> None:
        if average_length < 0 or k1 < 0 or not 0 <= b <= 1:
            raise ValueError(f"average_length {average_length}, k1 {k1}, b {b}")
        self.average_length = average_length
        self.k1 = k1
        self.b = b

    def terms(self, text: str) -> list[str]:
        """In order, with repeats; empty when there is nothing to search for."""
        return terms(text)

    def document(self, text: str) -> SparseVector:
        """tf · (k1 + 1) / (tf + k1 · (1 - b + b · length / average))."""
        counts = Counter(terms(text))
        ratio = counts.total() / self.average_length if self.average_length else 1.0
        norm = self.k1 * (1 - self.b + self.b * ratio)
        return _vector({t: n * (self.k1 + 1) / (n + norm) for t, n in counts.items()})

    def query(self, text: str) -> SparseVector:
        """Every distinct term counts once."""
        return _vector(dict.fromkeys(terms(text), 1.0))


def _vector(weights: dict[str, float]) -> SparseVector:
    by_index: dict[int, float] = {}
    for term, weight in weights.items():
        index = term_index(term)
        by_index[index] = max(weight, by_index.get(index, 0.0))
    ordered = sorted(by_index.items())
    return SparseVector(tuple(i for i, _ in ordered), tuple(w for _, w in ordered))
