"""Any server with an OpenAI-style chat completions API: base URL, model name, optional key."""

import asyncio

from agent.errors import ModelConfigError
from agent.models.base import Capabilities
from agent.models.openai_chat import Endpoint, OpenAIChat
from agent.models.retry import Sleep
from agent.models.settings import ModelSettings

_NO_KEY = "none"


class OpenAICompatibleModel(OpenAIChat):
    """A ChatModel on `base_url`; native tools, and JSON schemas when `json_schema` is set.

    Raises ModelConfigError without a base URL or a model name.
    """

    def __init__(self, settings: ModelSettings, *, sleep: Sleep = asyncio.sleep) -> None:
        if not settings.base_url or not settings.model:
            raise ModelConfigError(
                "an OpenAI-compatible model needs base_url and model",
                "set ZAIKO_MODEL__BASE_URL and ZAIKO_MODEL__MODEL, or the same keys in zaiko.toml",
            )
        key = settings.api_key.get_secret_value().strip() if settings.api_key else ""
        endpoint = Endpoint(
            provider="openai_compatible",
            model=settings.model,
            base_url=settings.base_url,
            api_key=key or _NO_KEY,
            capabilities=Capabilities(
                native_tools=True,
                json_schema=settings.json_schema,
                thinking=settings.thinking,
                context_tokens=settings.context_tokens,
            ),
        )
        super().__init__(endpoint, settings, sleep=sleep)
