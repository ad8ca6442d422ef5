"""Second-stage ranking: `deterministic` (default), `cross_encoder`, `llm`, `none`."""

from reranker.base import Candidate, Chat, Ranked, Reranker
from reranker.errors import RerankerMisconfigured
from reranker.llm import LlmReranker
from reranker.settings import RerankerSettings

__all__ = ["Candidate", "Chat", "Ranked", "Reranker", "RerankerSettings", "make_reranker"]


def make_reranker(
    settings: RerankerSettings, chat: Chat | None = None, *, brief: bool = False
) -> Reranker:
    """The reranker that `settings` names; onnxruntime is imported when it is first needed.

    `chat` maps a prompt to a reply, for `llm` only; it may also come later (`judged_by`). `brief`
    when it is a small model in this process. Raises `RerankerMisconfigured`: what was configured
    and cannot load is never silently off.
    """
    if settings.kind == "llm":
        own = settings.llm.brief() if brief else settings.llm
        return LlmReranker(_second_stage(own.second, settings), own, chat)
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
