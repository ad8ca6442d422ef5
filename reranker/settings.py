"""Settings of the reranker room; composed into the one tree in `agent.settings`."""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class RerankerSettings(BaseModel):
    """`model_dir` (for `cross_encoder`) holds `model.onnx` and `tokenizer.json`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["deterministic", "cross_encoder", "llm", "none"] = "deterministic"
    model_dir: Path | None = None
    max_candidates: int = Field(default=40, ge=1, le=200)
