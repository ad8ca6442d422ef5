"""Chat models: one protocol (`base.py`), a client per provider, one factory.

Default `embedded` (llama.cpp in this process); `deepseek` when a key is set; `openai_compatible`
for any other server. `scripted.py` is the fake.
"""

from collections.abc import Callable

from agent.models.base import ChatModel
from agent.models.settings import ModelSettings

__all__ = ["ChatModel", "ModelSettings", "make_chat_model"]


def make_chat_model(
    settings: ModelSettings, *, progress: Callable[[str], None] | None = None
) -> ChatModel:
    """The client that `settings` ask for; only its libraries are imported.

    Raises ModelConfigError when a key, base URL or model name is missing. The embedded model's
    weights are fetched and loaded at its first call, told to `progress`.
    """
    match settings.resolved_provider():
        case "deepseek":
            from agent.models.deepseek import DeepSeekModel  # noqa: PLC0415

            return DeepSeekModel(settings)
        case "openai_compatible":
            from agent.models.openai_compatible import OpenAICompatibleModel  # noqa: PLC0415

            return OpenAICompatibleModel(settings)
        case "embedded":
            from agent.models.embedded import EmbeddedModel  # noqa: PLC0415

            return EmbeddedModel(settings, progress=progress)
