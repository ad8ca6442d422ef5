"""A cross-encoder as ONNX (an export of bge-reranker): TensorRT, CUDA or CPU, what there is."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reranker.base import Candidate, Ranked, Reranker
from reranker.errors import RerankerFailed, RerankerMisconfigured
from reranker.features import compare
from reranker.reason import reason

PROVIDERS: Mapping[str, str] = {
    "tensorrt": "TensorrtExecutionProvider",
    "cuda": "CUDAExecutionProvider",
    "cpu": "CPUExecutionProvider",
}
"""In the order in which they are taken."""
MODEL_FILES = ("model.onnx", "onnx/model.onnx")
MAX_TOKENS = 512
log = logging.getLogger(__name__)


class CrossEncoderReranker(Reranker):
    """Score: the logistic function of the model's one logit. `provider` is what it runs on, which
    is logged once at start.

    Raises `RerankerMisconfigured` when onnxruntime, the tokenizer or the model cannot be loaded,
    or the provider that was asked for is not there.
    """

    name = "cross_encoder"

    def __init__(
        self, model_dir: Path, max_candidates: int = 40, provider: str = "auto", batch: int = 16
    ) -> None:
        model = next((p for f in MODEL_FILES if (p := model_dir / f).is_file()), None)
        if model is None or not (model_dir / "tokenizer.json").is_file():
            raise RerankerMisconfigured(
                f"{model_dir} does not hold {MODEL_FILES[0]} and tokenizer.json.",
                "Export BAAI/bge-reranker-base to ONNX into it (optimum-cli export onnx).",
            )
        self.max_candidates = max_candidates
        self._batch = batch
        self._tokenizer = _load_tokenizer(model_dir / "tokenizer.json")
        self._session = _load_session(model, provider)
        self.provider: str = self._session.get_providers()[0]
        _check_provider(provider, self.provider)
        self._inputs = [i.name for i in self._session.get_inputs()]
        log.info("cross-encoder %s runs on %s", model, self.provider)

    @property
    def runs_on(self) -> str:
        return f"{self.name} on {self.provider.removesuffix('ExecutionProvider')}"

    def threshold(self, language: str) -> float:
        """A logit of 0, where bge-reranker's training separates relevant from not."""
        return 0.5

    def _score(self, query: str, candidates: Sequence[Candidate]) -> list[Ranked]:
        order = sorted(range(len(candidates)), key=lambda i: -candidates[i].fused)
        judged, rest = order[: self.max_candidates], order[self.max_candidates :]
        texts = [" › ".join((*candidates[i].heading, candidates[i].text)) for i in judged]
        logits = self._logits(query, texts)
        counted = compare(query, [candidates[i] for i in judged])
        return [
            Ranked(
                index,
                float(1 / (1 + np.exp(-logit))),
                f"cross-encoder logit {logit:.2f}, {reason(comparison)}",
            )
            for index, logit, comparison in zip(judged, logits, counted, strict=True)
        ] + [Ranked(i, 0.0, f"not judged: only the best {self.max_candidates} are") for i in rest]

    def _logits(self, query: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """Batches of similar length, so that little of a batch is padding."""
        encodings = self._tokenizer.encode_batch([(query, t) for t in texts])
        by_length = sorted(range(len(encodings)), key=lambda i: len(encodings[i].ids))
        logits = np.zeros(len(texts))
        for start in range(0, len(by_length), self._batch):
            batch = by_length[start : start + self._batch]
            logits[batch] = self._run([encodings[i] for i in batch])
        return logits

    def _run(self, encodings: Sequence[Any]) -> NDArray[np.float64]:
        width = max(len(e.ids) for e in encodings)
        padding = self._tokenizer.token_to_id("<pad>") or self._tokenizer.token_to_id("[PAD]") or 0
        feeds = {
            "input_ids": _padded([e.ids for e in encodings], width, padding),
            "attention_mask": _padded([e.attention_mask for e in encodings], width, 0),
            "token_type_ids": _padded([e.type_ids for e in encodings], width, 0),
        }
        output = self._session.run(None, {name: feeds[name] for name in self._inputs})[0]
        if output.size != len(encodings):
            raise RerankerFailed(
                f"The model gave {output.shape} for {len(encodings)} pairs, not one logit each.",
                "Use a model exported for sequence classification with one label.",
            )
        logits: NDArray[np.float64] = np.asarray(output, dtype=np.float64).reshape(-1)
        return logits


def _padded(rows: Sequence[Sequence[int]], width: int, value: int) -> NDArray[np.int64]:
    return np.array([[*row, *[value] * (width - len(row))] for row in rows], dtype=np.int64)


def _load_tokenizer(path: Path) -> Any:
    from tokenizers import Tokenizer  # noqa: PLC0415

    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:
        # The boundary to tokenizers, which raises bare `Exception`.
        raise RerankerMisconfigured(
            f"{path} is not a tokenizer: {error}", "Export or fetch it again."
        ) from error
    tokenizer.no_padding()  # exports often carry a fixed padding to 512
    tokenizer.enable_truncation(MAX_TOKENS, strategy="only_second")
    return tokenizer


def _load_session(model: Path, provider: str) -> Any:
    try:
        import onnxruntime  # noqa: PLC0415
    except ImportError as missing:
        raise RerankerMisconfigured(
            f"The cross_encoder reranker needs onnxruntime ({missing}).",
            "pip install onnxruntime (or onnxruntime-gpu)",
        ) from missing
    available = onnxruntime.get_available_providers()
    asked = PROVIDERS.values() if provider == "auto" else [PROVIDERS[provider]]
    wanted = [p for p in asked if p in available]
    if not wanted:
        raise _not_there(provider, available)
    try:
        return onnxruntime.InferenceSession(str(model), providers=wanted)
    except Exception as error:
        # The boundary to onnxruntime, whose exceptions share no base class but this one.
        raise RerankerMisconfigured(
            f"The model {model} cannot be loaded: {error}", "Export or fetch it again."
        ) from error


def _check_provider(asked: str, got: str) -> None:
    """onnxruntime falls back to the CPU with a warning when a provider's libraries are missing."""
    if asked != "auto" and got != PROVIDERS[asked]:
        raise _not_there(asked, [got])


def _not_there(asked: str, available: Sequence[str]) -> RerankerMisconfigured:
    there = ", ".join(p.removesuffix("ExecutionProvider") for p in available)
    return RerankerMisconfigured(
        f"The cross_encoder reranker was to run on {asked}; onnxruntime has {there} here.",
        "Install onnxruntime-gpu with its CUDA libraries, or set reranker.provider to auto.",
    )
