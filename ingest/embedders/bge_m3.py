"""BGE-M3 through FlagEmbedding: dense, 1024 dimensions, 8192 tokens; the production embedder."""

import hashlib
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import Any

from ingest.embedders.base import Embedder, Encoded, EncodedPassages, Vectors
from ingest.sparse import SparseVector
from ingest.store.errors import MissingExtra

MODEL = "BAAI/bge-m3"
INSTALL = "pip install torch==2.13.0 && pip install FlagEmbedding==1.4.2 'transformers>=4.57,<5'"


class BgeM3Embedder(Embedder):
    """`model` is a hub name or a directory; `devices` as FlagEmbedding takes them ("cuda:0";
    none: what there is); `batch` passages are encoded at once, those of similar
    length together. The sparse vector has the model's token ids as indices.

    Raises `MissingExtra` without FlagEmbedding.
    """

    name = "bge_m3"
    dimension = 1024
    learned_sparse = True

    def __init__(
        self,
        model: str | Path = MODEL,
        *,
        devices: Sequence[str] = (),
        use_fp16: bool = False,
        batch: int = 16,
    ) -> None:
        try:
            flag_embedding = import_module("FlagEmbedding")
        except ImportError as missing:
            raise MissingExtra(
                f"The embedder bge_m3 needs FlagEmbedding, which is not installed ({missing}).",
                INSTALL,
            ) from missing
        self._model: Any = flag_embedding.BGEM3FlagModel(
            str(model),
            use_fp16=use_fp16,
            devices=list(devices) or None,
            normalize_embeddings=True,
            return_sparse=True,
            batch_size=batch,
        )
        self._batch = batch
        self._lock = Lock()

    def _model_hash(self) -> str:
        """Of the weight tensors: a hub name alone does not say which revision was loaded."""
        digest = hashlib.sha256()
        for name, tensor in sorted(self._model.model.state_dict().items()):
            digest.update(name.encode())
            digest.update(tensor.detach().cpu().float().numpy().tobytes())
        return digest.hexdigest()

    def _encode_query(self, text: str) -> Encoded:
        with self._lock:
            found = self._model.encode_queries([text], return_sparse=True)
        return Encoded(found["dense_vecs"][0], _sparse(found["lexical_weights"][0]))

    def _encode_passages(self, texts: Sequence[str]) -> EncodedPassages:
        """The engine sorts by length within what it is given, and batches that."""
        with self._lock:
            found = self._model.encode_corpus(
                list(texts), batch_size=self._batch, return_sparse=True
            )
        return EncodedPassages(found["dense_vecs"], [_sparse(w) for w in found["lexical_weights"]])

    def _embed_query(self, text: str) -> Vectors:
        return self._encode_query(text).dense

    def _embed_passages(self, texts: Sequence[str]) -> Vectors:
        return self._encode_passages(texts).dense

    def _count_tokens(self, text: str) -> int:
        return len(self._model.tokenizer.encode(text, add_special_tokens=False))


def _sparse(weights: Mapping[str, Any]) -> SparseVector:
    """The library's weights by token id (as text); those of 0 say nothing."""
    ordered = sorted((int(token), float(weight)) for token, weight in weights.items() if weight > 0)
    return SparseVector(tuple(i for i, _ in ordered), tuple(w for _, w in ordered))
