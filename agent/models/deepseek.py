"""DeepSeek's API: thinking is said explicitly, tools stay declared, JSON mode instead of schemas.

Source: api-docs.deepseek.com (thinking mode, JSON mode, context caching, error codes).
"""

import asyncio

from agent.errors import ModelConfigError
from agent.models.base import Capabilities
from agent.models.openai_chat import Endpoint, OpenAIChat
from agent.models.retry import Sleep
from agent.models.settings import ModelSettings

DEFAULT_MODEL = "deepseek-flash"
DEFAULT_BASE_URL = "https://api.deepseek.com"
CONTEXT_TOKENS = 1_000_000


class DeepSeekModel(OpenAIChat):
    """A ChatModel on DeepSeek; raises ModelConfigError when no key is set.

    `user_id` is the same on every call: it divides the provider's prefix cache.
    """

    def __init__(self, settings: ModelSettings, *, sleep: Sleep = asyncio.sleep) -> None:
        if settings.api_key is None or not settings.has_key():
            raise ModelConfigError("DeepSeek needs an API key", "set DEEPSEEK_API_KEY")
        endpoint = Endpoint(
            provider="deepseek",
            model=settings.model or DEFAULT_MODEL,
            base_url=settings.base_url or DEFAULT_BASE_URL,
            api_key=settings.api_key.get_secret_value().strip(),
            capabilities=Capabilities(
                native_tools=True,
                json_schema=False,
                thinking=settings.thinking,
                context_tokens=CONTEXT_TOKENS,
            ),
            extra_body={
                "thinking": {"type": "enabled" if settings.thinking else "disabled"},
                "user_id": settings.user_id,
            },
        )
        super().__init__(endpoint, settings, sleep=sleep)
