"""Settings of the reranker room; composed into the one tree in `agent.settings`."""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

MAX_CANDIDATES = 10
"""So many passages, at most, a chat model rates in one call."""


class Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class LlmSettings(Section):
    """The chat model is asked when the second stage's best score is under `low`, or the next one
    is less than `close` behind it. `weight` is its share of the combined score."""

    second: Literal["deterministic", "cross_encoder"] = "deterministic"
    candidates: int = Field(default=MAX_CANDIDATES, ge=1, le=MAX_CANDIDATES)
    passage_characters: int = Field(default=600, ge=50, le=4000)
    low: float = Field(default=0.6, ge=0.0, le=1.0)
    close: float = Field(default=0.1, ge=0.0, le=1.0)
    weight: float = Field(default=0.6, ge=0.0, le=1.0)

    def brief(self) -> "LlmSettings":
        """For a small model in this process: at most 4 candidates, each shown in short."""
        return self.model_copy(
            update={
                "candidates": min(self.candidates, 4),
                "passage_characters": min(self.passage_characters, 160),
            }
        )


class RerankerSettings(Section):
    """`model_dir` (for `cross_encoder`) holds `model.onnx` and `tokenizer.json`; `provider` names
    what it must run on, `auto` takes the first that there is."""

    kind: Literal["deterministic", "cross_encoder", "llm", "none"] = "deterministic"
    model_dir: Path | None = None
    provider: Literal["auto", "tensorrt", "cuda", "cpu"] = "auto"
    batch: int = Field(default=16, ge=1, le=256)
    max_candidates: int = Field(default=40, ge=1, le=200)
    llm: LlmSettings = LlmSettings()
