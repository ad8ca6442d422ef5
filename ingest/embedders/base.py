"""An embedder turns texts into unit vectors; the edge cases are handled here once."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


def clean(text: str) -> str:
    """Text that any engine accepts: no NUL (engines read C strings), no lone surrogates."""
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")


class Embedder(ABC):
    """Vectors are float32 and L2-normalised; blank text has no direction: its vector is zero.

    An index remembers `name`, `dimension` and `model_hash` of the embedder that built it.
    """

    name: str
    dimension: int

    @cached_property
    def model_hash(self) -> str:
        """SHA-256 (hex) of what decides the vectors: weights or algorithm."""
        return self._model_hash()

    def embed_query(self, text: str) -> Vectors:
        """Shape (dimension,)."""
        cleaned = clean(text)
        if not cleaned.strip():
            return np.zeros(self.dimension, dtype=np.float32)
        return np.asarray(self._embed_query(cleaned), dtype=np.float32)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Shape (n, dimension), in input order."""
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        cleaned = [clean(t) for t in texts]
        filled = [i for i, t in enumerate(cleaned) if t.strip()]
        if filled:
            vectors[filled] = self._embed_passages([cleaned[i] for i in filled])
        return vectors

    def count_tokens(self, text: str) -> int:
        """Tokens of the text itself, the model's special tokens and prefix not counted."""
        cleaned = clean(text)
        return self._count_tokens(cleaned) if cleaned.strip() else 0

    @abstractmethod
    def _model_hash(self) -> str: ...

    @abstractmethod
    def _embed_query(self, text: str) -> Vectors: ...

    @abstractmethod
    def _embed_passages(self, texts: Sequence[str]) -> Vectors: ...

    @abstractmethod
    def _count_tokens(self, text: str) -> int: ...
