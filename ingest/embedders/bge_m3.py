"""BGE-M3 through FlagEmbedding: dense, 1024 dimensions, 8192 tokens; the production embedder."""

import hashlib
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import Any

from ingest.embedders.base import Embedder, Vectors
from ingest.store.errors import MissingExtra

MODEL = "BAAI/bge-m3"
INSTALL = "pip install torch==2.13.0 && pip install FlagEmbedding==1.4.2 'transformers>=4.57,<5'"


class BgeM3Embedder(Embedder):
    """`model` is a hub name or a directory. Raises `MissingExtra` without FlagEmbedding."""

    name = "bge_m3"
    dimension = 1024

    def __init__(
        self, model: str | Path = MODEL, *, devices: str | None = None, use_fp16: bool = False
    ) -> None:
        try:
            flag_embedding = import_module("FlagEmbedding")
        except ImportError as missing:
            raise MissingExtra(
                f"The embedder bge_m3 needs FlagEmbedding, which is not installed ({missing}).",
                INSTALL,
            ) from missing
        self._source = str(model)
        self._model: Any = flag_embedding.BGEM3FlagModel(
            self._source, use_fp16=use_fp16, devices=devices, normalize_embeddings=True
        )
        self._lock = Lock()

    def _model_hash(self) -> str:
        """Of the weight tensors: a hub name alone does not say which revision was loaded."""
        digest = hashlib.sha256()
        for name, tensor in sorted(self._model.model.state_dict().items()):
            digest.update(name.encode())
            digest.update(tensor.detach().cpu().float().numpy().tobytes())
        return digest.hexdigest()

    def _embed_query(self, text: str) -> Vectors:
        with self._lock:
            vector: Vectors = self._model.encode_queries([text])["dense_vecs"][0]
        return vector

    def _embed_passages(self, texts: Sequence[str]) -> Vectors:
        with self._lock:
            vectors: Vectors = self._model.encode_corpus(list(texts))["dense_vecs"]
        return vectors

    def _count_tokens(self, text: str) -> int:
        return len(self._model.tokenizer.encode(text, add_special_tokens=False))
