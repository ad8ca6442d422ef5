"""The chat model in the role of judge, as a callable that a tool's thread can use."""

import asyncio
from collections.abc import Callable

from opentelemetry.trace import get_current_span

from agent.deps import Deps
from agent.errors import ModelError
from agent.models.base import Message
from agent.telemetry import trace_id_of
from reranker.errors import RerankerFailed

SHARE = 0.7
"""Of a tool's time limit: what the judge may take of it."""


def judge(deps: Deps, loop: asyncio.AbstractEventLoop) -> Callable[[str], str]:
    """Prompt → reply, to be called outside of the loop's thread.

    It raises `RerankerFailed` when the model fails or is too slow; tokens go to usage.jsonl.
    """
    trace_id = trace_id_of(get_current_span())

    def ask(prompt: str) -> str:
        said = [Message(role="user", content=prompt)]
        asked = deps.ask_model("judge", said, trace_id=trace_id)
        future = asyncio.run_coroutine_threadsafe(asked, loop)
        limit = SHARE * deps.settings.graph.tool_seconds
        try:
            return future.result(limit).message.content
        except ModelError as error:
            raise RerankerFailed(error.message, error.hint) from error
        except TimeoutError as error:
            future.cancel()
            raise RerankerFailed(f"the model gave no ratings within {limit:g} s") from error

    return ask
