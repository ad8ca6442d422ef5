"""Settings of the ingest room; composed into the one tree in `agent.settings`."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class Section(BaseModel):
    """Frozen, and unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class KnowledgeBaseSettings(Section):
    """One `[kb.NAME]` table of zaiko.toml."""

    description: str = ""
    chunk_tokens: int = Field(default=400, ge=64, le=500)
    overlap: float = Field(default=0.1, ge=0.0, le=0.2)
    dense_candidates: int = Field(default=20, ge=1, le=100)
    sparse_candidates: int = Field(default=20, ge=1, le=100)
    threshold: float | None = Field(
        default=None, ge=0.0, le=1.0, description="None: the fitted threshold of the language"
    )


class IngestSettings(Section):
    embedder: Literal["e5", "bge_m3"] = "e5"
    index: Literal["edge", "server"] = "edge"
    embed_batch: int = Field(default=16, ge=1, le=1024)
    max_quarantine_share: float = Field(default=0.01, ge=0.0, le=1.0)
    keep_generations: int = Field(default=3, ge=1, le=100)
    lock_wait_s: float = Field(default=10.0, ge=0.0)
    max_file_mb: int = Field(default=2048, ge=1)
    kb: dict[str, KnowledgeBaseSettings] = Field(default_factory=dict)

    def knowledge_base(self, name: str) -> KnowledgeBaseSettings:
        return self.kb.get(name) or KnowledgeBaseSettings()
