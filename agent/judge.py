"""The chat model that rates passages for the `llm` reranker: that of the role `judge`."""

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from opentelemetry import trace

from agent.assembly import make_models
from agent.errors import ModelError, ModelReplyError
from agent.models.base import ChatModel, Message, OutputSchema, Usage
from agent.settings import Role, Settings
from agent.telemetry import trace_id_of
from agent.usage_log import append_call
from reranker import Judge
from reranker.errors import RerankerFailed
from reranker.llm import RATINGS

Run = Callable[[Coroutine[Any, Any, str]], str]
"""Runs a coroutine to its end from a thread that has no event loop."""
_ADVICE = 'set reranker.kind = "deterministic"'


def make_judge(
    models: Mapping[Role, ChatModel],
    settings: Settings,
    data_dir: Path,
    run: Run,
    seconds: float | None = None,
) -> Judge | None:
    """None where the settings name another reranker. `seconds` bounds one rating.

    The judge raises `RerankerFailed` when its model fails or takes too long.
    """
    if settings.reranker.kind != "llm":
        return None
    limit = settings.roles.judge.max_tokens

    def chat(prompt: str) -> str:
        try:
            return run(_rate(models["judge"], prompt, limit, seconds, data_dir))
        except TimeoutError:
            message = f"the llm reranker gave no rating within {seconds:g} s"
            advice = f"raise graph.tool_seconds, or {_ADVICE}"
            raise RerankerFailed(message, advice) from None
        except ModelError as error:
            advice = f"{error.hint}; or {_ADVICE}"
            raise RerankerFailed(f"the llm reranker: {error.message}", advice) from error

    return Judge(chat, small=not models["judge"].capabilities.native_tools)


@contextmanager
def judge_by_hand(settings: Settings, data_dir: Path) -> Iterator[Judge | None]:
    """A judge outside an agent, with models of its own, which are closed at the end."""
    models = make_models(settings)
    try:
        yield make_judge(models, settings, data_dir, asyncio.run)
    finally:
        for model in {id(m): m for m in models.values()}.values():
            asyncio.run(model.aclose())


async def _rate(
    model: ChatModel, prompt: str, limit: int, seconds: float | None, data_dir: Path
) -> str:
    """The model's reply; "" for one that cannot be used, which the reranker then says."""
    messages, output = [Message(role="user", content=prompt)], OutputSchema(**RATINGS)
    start = time.perf_counter()
    try:
        async with asyncio.timeout(seconds):
            reply = await model.complete(messages, output=output, max_tokens=limit)
    except ModelError as error:
        if error.usage is not None:
            _count(data_dir, model.name, error.usage, (time.perf_counter() - start) * 1000)
        if isinstance(error, ModelReplyError):
            return ""
        raise
    _count(data_dir, reply.model, reply.usage, reply.ms)
    return reply.message.content


def _count(data_dir: Path, model: str, usage: Usage, ms: float) -> None:
    trace_id = trace_id_of(trace.get_current_span())
    append_call(data_dir, usage, trace_id=trace_id, thread_id="", role="judge", model=model, ms=ms)
