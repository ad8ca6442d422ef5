"""Settings of the ingest room; composed into the one tree in `agent.settings`."""

from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    AnyHttpUrl,
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    TypeAdapter,
    ValidationError,
    field_validator,
)


class Section(BaseModel):
    """Frozen, and unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


_HTTP_URL = TypeAdapter(AnyHttpUrl)


def _web_address(value: str) -> str:
    try:
        _HTTP_URL.validate_python(value.strip())
    except ValidationError:
        raise ValueError("not an address such as https://host:8000/v1") from None
    return value.strip()


def _key(value: SecretStr) -> SecretStr:
    """A key goes into an HTTP header; a line end around it comes from the file it was kept in."""
    text = value.get_secret_value().strip()
    if not (text.isascii() and (text.isprintable() or not text)):
        raise ValueError("holds characters that no key has; copy it again from the provider")
    return SecretStr(text)


WebAddress = Annotated[str, AfterValidator(_web_address)]
ApiKey = Annotated[SecretStr, AfterValidator(_key)]


class KnowledgeBaseSettings(Section):
    """One `[kb.NAME]` table of zaiko.toml."""

    description: str = ""
    chunk_tokens: int = Field(default=400, ge=64, le=500)
    overlap: float = Field(default=0.1, ge=0.0, le=0.2)
    dense_candidates: int = Field(default=20, ge=1, le=100)
    sparse_candidates: int = Field(default=20, ge=1, le=100)
    fusion: Literal["rrf", "weighted_rrf", "max"] = "rrf"
    dense_weight: float = Field(default=1.0, ge=0.0, le=10.0)
    sparse_weight: float = Field(default=1.0, ge=0.0, le=10.0)
    criteria: str = Field(
        default="", description="in words: what makes a passage relevant; for the llm reranker"
    )
    threshold: float | None = Field(
        default=None, ge=0.0, le=1.0, description="None: the fitted threshold of the language"
    )


class ServerSettings(Section):
    """A Qdrant server or cluster; a replication factor above 1 needs a cluster."""

    url: WebAddress | None = None
    api_key: ApiKey | None = None
    shard_number: int = Field(default=1, ge=1, le=128)
    replication_factor: int = Field(default=1, ge=1, le=16)
    write_consistency_factor: int = Field(default=1, ge=1, le=16)


class BgeM3Settings(Section):
    """`model` is a hub name or a directory; `devices` as "cuda:0", none: what there is."""

    model: str = "BAAI/bge-m3"
    devices: tuple[str, ...] = ()
    fp16: bool = False
    batch: int = Field(default=16, ge=1, le=1024)


class IngestSettings(Section):
    embedder: Literal["e5", "bge_m3"] = "e5"
    bge_m3: BgeM3Settings = BgeM3Settings()
    index: Literal["edge", "server"] = "edge"
    server: ServerSettings = ServerSettings()
    embed_batch: int = Field(default=16, ge=1, le=1024)
    embed_concurrency: int = Field(
        default=1, ge=1, le=64, description="batches that are embedded at the same time"
    )
    watch_quiet_s: float = Field(
        default=0.5, ge=0.01, le=60.0, description="--watch runs after so long without a change"
    )
    ignore_files: bool = Field(default=True, description="obey .gitignore and .zaikoignore")
    max_quarantine_share: float = Field(default=0.01, ge=0.0, le=1.0)
    series: Literal["auto", "off"] = Field(
        default="auto",
        description="auto: table files of one folder whose names differ only in a date, and that "
        "have the same columns, are one table",
    )
    series_patterns: tuple[str, ...] = Field(
        default=(),
        description="files that are one table whatever their names (store_*.csv), or with ! "
        "before it never are (!plan_*.csv); the first that fits a file decides, before series",
    )
    keep_generations: int = Field(default=3, ge=1, le=100)
    lock_wait_s: float = Field(default=10.0, ge=0.0)
    max_file_mb: int = Field(default=2048, ge=1)
    kb: dict[str, KnowledgeBaseSettings] = Field(default_factory=dict)

    @field_validator("series_patterns")
    @classmethod
    def _check_patterns(cls, patterns: tuple[str, ...]) -> tuple[str, ...]:
        for pattern in patterns:
            name = pattern.removeprefix("!")
            if not name.strip("/. ") or name.endswith("/"):
                raise ValueError(f"{pattern!r} names no file; write one such as store_*.csv")
        return patterns

    def knowledge_base(self, name: str) -> KnowledgeBaseSettings:
        return self.kb.get(name) or KnowledgeBaseSettings()
