"""Second-stage ranking: `deterministic` (default), `cross_encoder`, `llm`, `none`."""

from reranker.base import Candidate, Ranked, Reranker
from reranker.errors import RerankerMisconfigured
from reranker.llm import Judge, LlmReranker
from reranker.settings import RerankerSettings

__all__ = ["Candidate", "Judge", "Ranked", "Reranker", "RerankerSettings", "make_reranker"]


def make_reranker(settings: RerankerSettings, judge: Judge | None = None) -> Reranker:
    """The reranker that `settings` names; onnxruntime is imported when it is first needed.

    `judge` is asked by `llm` only. Raises `RerankerMisconfigured`: what was configured and cannot
    load is never silently off.
    """
    if settings.kind == "llm":
        return LlmReranker(_second_stage(settings.llm.second, settings), settings.llm, judge)
    return _second_stage(settings.kind, settings)


def _second_stage(kind: str, settings: RerankerSettings) -> Reranker:
    if kind == "cross_encoder":
        if settings.model_dir is None:
            raise RerankerMisconfigured(
                "The cross_encoder reranker has no model directory.",
                "Set reranker.model_dir to a directory with model.onnx and tokenizer.json.",
            )
        from reranker.cross_encoder import CrossEncoderReranker  # noqa: PLC0415

        return CrossEncoderReranker(
            settings.model_dir, settings.max_candidates, settings.provider, settings.batch
        )
    if kind == "none":
        from reranker.none import NoReranker  # noqa: PLC0415

        return NoReranker()
    from reranker.deterministic import DeterministicReranker  # noqa: PLC0415

    return DeterministicReranker()
