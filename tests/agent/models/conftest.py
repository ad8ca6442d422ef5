"""The strict local DeepSeek server and clients that do not wait."""

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
from pydantic import SecretStr

from agent.models.deepseek import DeepSeekModel
from agent.models.openai_compatible import OpenAICompatibleModel
from agent.models.settings import ModelSettings
from tests.support.deepseek_server import KEY, StrictDeepSeek


@pytest.fixture
def server() -> Iterator[StrictDeepSeek]:
    running = StrictDeepSeek()
    yield running
    running.close()


class Waits:
    """A sleep that notes the seconds instead of waiting."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


@pytest.fixture
def waits() -> Waits:
    return Waits()


@pytest.fixture
async def deepseek(
    server: StrictDeepSeek, waits: Waits
) -> AsyncIterator[Callable[..., DeepSeekModel]]:
    """Makes DeepSeek clients of the strict server; keywords are settings."""
    opened: list[DeepSeekModel] = []

    def make(**settings: Any) -> DeepSeekModel:
        values = {"base_url": server.url, "api_key": SecretStr(KEY), **settings}
        opened.append(DeepSeekModel(ModelSettings(**values), sleep=waits))
        return opened[-1]

    yield make
    for client in opened:
        await client.aclose()


@pytest.fixture
async def compatible(
    server: StrictDeepSeek, waits: Waits
) -> AsyncIterator[Callable[..., OpenAICompatibleModel]]:
    """Makes OpenAI-compatible clients of the strict server; keywords are settings."""
    opened: list[OpenAICompatibleModel] = []

    def make(**settings: Any) -> OpenAICompatibleModel:
        values = {
            "base_url": server.url,
            "api_key": SecretStr(KEY),
            "model": "deepseek-flash",
            **settings,
        }
        opened.append(OpenAICompatibleModel(ModelSettings(**values), sleep=waits))
        return opened[-1]

    yield make
    for client in opened:
        await client.aclose()
