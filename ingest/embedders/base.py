"""An embedder turns texts into unit vectors; the edge cases are handled here once."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ingest.sparse import SparseVector

Vectors = NDArray[np.float32]


def clean(text: str) -> str:
    """Text that any engine accepts: no NUL (engines read C strings), no lone surrogates."""
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")


@dataclass(frozen=True)
class Encoded:
    """A query: `dense` of shape (dimension,); `sparse` from an embedder that learned one."""

    dense: Vectors
    sparse: SparseVector | None = None


@dataclass(frozen=True)
class EncodedPassages:
    """`dense` of shape (n, dimension); `sparse` has n vectors, or is None."""

    dense: Vectors
    sparse: list[SparseVector] | None = None


class Embedder(ABC):
    """Vectors are float32 and L2-normalised; blank text has no direction: its vector is zero.

    An index remembers `name`, `dimension` and `model_hash` of the embedder that built it.
    `learned_sparse`: it also gives a sparse vector, with weights that it learned.
    """

    name: str
    dimension: int
    learned_sparse: bool = False

    @cached_property
    def model_hash(self) -> str:
        """SHA-256 (hex) of what decides the vectors: weights or algorithm."""
        return self._model_hash()

    def embed_query(self, text: str) -> Vectors:
        """Shape (dimension,)."""
        return self.encode_query(text).dense

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Shape (n, dimension), in input order."""
        return self.encode_passages(texts).dense

    def encode_query(self, text: str) -> Encoded:
        """Dense and, from an embedder that has them, learned sparse vectors in one pass."""
        cleaned = clean(text)
        if cleaned.strip():
            return self._encode_query(cleaned)
        nothing = SparseVector((), ()) if self.learned_sparse else None
        return Encoded(np.zeros(self.dimension, dtype=np.float32), nothing)

    def encode_passages(self, texts: Sequence[str]) -> EncodedPassages:
        """As `encode_query`, for passages, in input order."""
        dense = np.zeros((len(texts), self.dimension), dtype=np.float32)
        sparse = [SparseVector((), ())] * len(texts)
        cleaned = [clean(t) for t in texts]
        filled = [i for i, t in enumerate(cleaned) if t.strip()]
        if filled:
            found = self._encode_passages([cleaned[i] for i in filled])
            dense[filled] = found.dense
            for place, vector in zip(filled, found.sparse or (), strict=self.learned_sparse):
                sparse[place] = vector
        return EncodedPassages(dense, sparse if self.learned_sparse else None)

    def count_tokens(self, text: str) -> int:
        """Tokens of the text itself, the model's special tokens and prefix not counted."""
        cleaned = clean(text)
        return self._count_tokens(cleaned) if cleaned.strip() else 0

    def prepare(self, concurrency: int) -> None:  # noqa: B027 - most need nothing
        """So many calls will come at once. Where a model serves one call at a time, more are
        loaded; the others need nothing."""

    @abstractmethod
    def _model_hash(self) -> str: ...

    def _encode_query(self, text: str) -> Encoded:
        return Encoded(np.asarray(self._embed_query(text), dtype=np.float32))

    def _encode_passages(self, texts: Sequence[str]) -> EncodedPassages:
        return EncodedPassages(self._embed_passages(texts))

    @abstractmethod
    def _embed_query(self, text: str) -> Vectors: ...

    @abstractmethod
    def _embed_passages(self, texts: Sequence[str]) -> Vectors: ...

    @abstractmethod
    def _count_tokens(self, text: str) -> int: ...
