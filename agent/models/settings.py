"""Settings of one chat model; composed into the one tree in `agent.settings`."""

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from ingest.store.settings import ApiKey, WebAddress

Provider = Literal["embedded", "deepseek", "openai_compatible"]


class Section(BaseModel):
    """Frozen, and unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Price(Section):
    """Money per million tokens; `input_hit` is input served from the provider's prefix cache."""

    input_hit: Decimal = Field(ge=0)
    input_miss: Decimal = Field(ge=0)
    output: Decimal = Field(ge=0)
    currency: str = "CNY"

    def cost(self, *, input_tokens: int, cached_input_tokens: int, output_tokens: int) -> Decimal:
        """The price of one call, in `currency`; cached tokens are part of the input tokens."""
        missed = input_tokens - cached_input_tokens
        total = (
            self.input_hit * cached_input_tokens
            + self.input_miss * missed
            + self.output * output_tokens
        )
        return total / Decimal(1_000_000)


FREE = Price(input_hit=Decimal(0), input_miss=Decimal(0), output=Decimal(0))
DEEPSEEK_PRICES: Mapping[str, Price] = {
    "deepseek-flash": Price(
        input_hit=Decimal("0.04"), input_miss=Decimal("2"), output=Decimal("8")
    ),
    "deepseek-v4-pro": Price(
        input_hit=Decimal("0.30"), input_miss=Decimal("9.0"), output=Decimal("27.0")
    ),
}
"""DeepSeek's list prices at peak hours (half outside them): an upper bound. They have moved
several times; set `prices` to change them. Source: api-docs.deepseek.com, pricing page."""


class ModelSettings(Section):
    """One chat model.

    `max_tokens` bounds every reply, whatever a caller asks for; with `thinking` on it is what is
    sent, because the provider counts reasoning tokens in it.
    """

    provider: Literal["auto", "embedded", "deepseek", "openai_compatible"] = "auto"
    model: str | None = None
    base_url: WebAddress | None = None
    api_key: ApiKey | None = None
    thinking: bool = False
    temperature: float = Field(default=0.0, ge=0.0, le=2.0)
    max_tokens: int = Field(default=8192, ge=1)
    timeout_s: float = Field(default=300.0, gt=0.0)
    max_retries: int = Field(default=3, ge=0, le=10)
    user_id: str = Field(default="zaiko", pattern=r"^[A-Za-z0-9_-]{1,64}$")
    json_schema: bool = Field(
        default=False, description="openai_compatible: the server takes response_format json_schema"
    )
    prices: dict[str, Price] = Field(default_factory=lambda: dict(DEEPSEEK_PRICES))
    weights_file: Path | None = None
    cache_dir: Path | None = None
    context_tokens: int = Field(default=8192, ge=1024)
    threads: int | None = Field(default=None, ge=1, le=256)

    def resolved_provider(self) -> Provider:
        """`auto` is DeepSeek when a key is set, else the embedded model."""
        if self.provider != "auto":
            return self.provider
        return "deepseek" if self.has_key() else "embedded"

    def has_key(self) -> bool:
        return self.api_key is not None and bool(self.api_key.get_secret_value().strip())
