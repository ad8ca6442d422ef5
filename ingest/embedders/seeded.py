"""The fake: vectors from hashes, no model. Texts that share words are closer."""

import hashlib
import re
import unicodedata
from collections.abc import Sequence

import numpy as np

from ingest.embedders.base import Embedder, Vectors

_TOKEN = re.compile(r"[぀-ヿ㐀-鿿]|\w+?(?=[぀-ヿ㐀-鿿])|\w+")


class SeededEmbedder(Embedder):
    """A text is the sum of its tokens' pseudo-random directions (a random projection of the
    bag of words): cosine grows with the share of common tokens, about 0 without any."""

    name = "seeded"

    def __init__(self, dimension: int = 64, seed: int = 0) -> None:
        self.dimension = dimension
        self.seed = seed

    def _model_hash(self) -> str:
        return hashlib.sha256(f"seeded:{self.seed}:{self.dimension}".encode()).hexdigest()

    def _embed_query(self, text: str) -> Vectors:
        total = np.zeros(self.dimension, dtype=np.float32)
        for token in _tokens(text) or [text]:
            total += self._direction(token)
        vector: Vectors = total / np.linalg.norm(total)
        return vector

    def _embed_passages(self, texts: Sequence[str]) -> Vectors:
        return np.stack([self._embed_query(t) for t in texts])

    def _count_tokens(self, text: str) -> int:
        return len(_tokens(text))

    def _direction(self, token: str) -> Vectors:
        digest = hashlib.shake_256(f"{self.seed}:{token}".encode()).digest(self.dimension)
        return np.frombuffer(digest, dtype=np.uint8).astype(np.float32) - np.float32(127.5)


def _tokens(text: str) -> list[str]:
    """Words, and single characters of Japanese and Chinese."""
    return _TOKEN.findall(unicodedata.normalize("NFKC", text).lower())
