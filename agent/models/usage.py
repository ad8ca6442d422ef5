"""Token counts as providers report them."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from agent.models.base import Usage
from agent.models.settings import Price


def usage_of(reported: Mapping[str, Any], price: Price | None = None) -> Usage:
    """One call's usage.

    Cached input comes as `prompt_tokens_details.cached_tokens` (OpenAI, llama.cpp) or as
    `prompt_cache_hit_tokens` (DeepSeek). `cost` is None without a price.
    """
    inputs = _count(reported.get("prompt_tokens"))
    outputs = _count(reported.get("completion_tokens"))
    details = reported.get("prompt_tokens_details") or {}
    cached = min(
        _count(details.get("cached_tokens")) or _count(reported.get("prompt_cache_hit_tokens")),
        inputs,
    )
    cost: Decimal | None = None
    if price is not None:
        cost = price.cost(input_tokens=inputs, cached_input_tokens=cached, output_tokens=outputs)
    return Usage(
        llm_calls=1,
        input_tokens=inputs,
        cached_input_tokens=cached,
        output_tokens=outputs,
        cost=cost,
    )


def _count(value: Any) -> int:
    return value if isinstance(value, int) and value > 0 else 0
