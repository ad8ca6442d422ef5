"""The embedded chat model: llama.cpp in this process, steered by JSON schemas.

Small models do not keep to a provider's tool protocol, so none is used: the schema of the reply
allows one call of a declared tool or an answer, and the server's grammar enforces it. The tools'
descriptions belong to the system prompt, which the caller writes.
"""

import asyncio
import json
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Literal

from agent.errors import ModelReplyError
from agent.models.base import (
    Capabilities,
    Message,
    OutputSchema,
    Reply,
    ToolCall,
    ToolSpec,
)
from agent.models.failures import translated
from agent.models.json_schema import compact, problem
from agent.models.llama_server import LlamaServer
from agent.models.recovery import find_calls
from agent.models.settings import FREE, ModelSettings
from agent.models.tracing import chat_span, record_reply
from agent.models.transcript import next_call_id, render, reply_schema
from agent.models.usage import usage_of
from agent.models.weights import WEIGHTS, ensure_weights
from agent.models.wire import WireChat, WireReply, close_sync, open_chat, send

Progress = Callable[[str], None]
VARIED_TEMPERATURE = 1.0
# DRY (don't repeat yourself, llama.cpp's sampler of that name): a small model that begins a list
# or "LIMIT 1000…" may never end it, and sends a failed query again word for word. Sequences of
# more than 16 tokens of the last 256 are not repeated; shorter ones, like names, are.
NO_LOOPS = {
    "dry_multiplier": 0.8,
    "dry_base": 1.75,
    "dry_allowed_length": 40,
    "dry_penalty_last_n": 256,
}


class EmbeddedModel:
    """A ChatModel on llama.cpp. The weights are fetched and loaded at the first call.

    One call runs at a time; others wait their turn, and their time limit starts with it. Raises
    ModelConfigError (weights), ModelReplyError (prompt larger than the context), ModelBusy.
    """

    provider = "embedded"

    def __init__(self, settings: ModelSettings, *, progress: Progress | None = None) -> None:
        own = settings.weights_file
        self.name = settings.model or (own.stem if own is not None else WEIGHTS.model)
        self.capabilities = Capabilities(
            native_tools=False,
            json_schema=True,
            thinking=False,
            context_tokens=settings.context_tokens,
        )
        self._settings = settings
        self._progress = progress
        self._starting = threading.Lock()
        self._server: LlamaServer | None = None
        self._chat: WireChat | None = None
        self._turn: tuple[asyncio.AbstractEventLoop, asyncio.Lock] | None = None

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[ToolSpec] = (),
        output: OutputSchema | None = None,
        max_tokens: int = 512,
        only: Sequence[str] = (),
        attempt: int = 0,
    ) -> Reply:
        limit = min(max_tokens, self._settings.max_tokens)
        with chat_span(self, limit) as span:
            chat = await asyncio.to_thread(self._started)
            async with self._lock():
                start = time.perf_counter()
                schema = _schema(tools, output, only)
                sampling = NO_LOOPS if output is None and tools else {}
                body = self._body(schema, limit, attempt) | sampling
                wire = await self._request(chat, messages, body)
            ms = (time.perf_counter() - start) * 1000
            try:
                reply = self._read(wire, messages, tools, output, ms)
            except ModelReplyError as error:
                error.usage = usage_of(wire.usage, FREE)
                raise
            record_reply(span, reply)
            return reply

    async def aclose(self) -> None:
        """Stops the server and frees its memory; the next call starts it again."""
        await asyncio.to_thread(self._stop)

    def _started(self) -> WireChat:
        with self._starting:
            if self._chat is None:
                weights = ensure_weights(self._settings, self._progress)
                if self._progress is not None:
                    self._progress(f"loading {weights.name}")
                self._server = LlamaServer(
                    weights,
                    context_tokens=self._settings.context_tokens,
                    threads=self._settings.threads,
                )
                self._chat = open_chat(
                    model=self.name,
                    base_url=self._server.base_url,
                    api_key=self._server.api_key,
                    timeout_s=self._settings.timeout_s,
                    direct=True,
                )
            return self._chat

    def _stop(self) -> None:
        with self._starting:
            if self._chat is not None:
                close_sync(self._chat)
            if self._server is not None:
                self._server.close()
            self._chat, self._server = None, None

    def _lock(self) -> asyncio.Lock:
        """A lock of the running loop: a program may run several, one after the other."""
        loop = asyncio.get_running_loop()
        if self._turn is None or self._turn[0] is not loop:
            self._turn = (loop, asyncio.Lock())
        return self._turn[1]

    def _body(self, schema: dict[str, Any] | None, max_tokens: int, attempt: int) -> dict[str, Any]:
        body: dict[str, Any] = {
            "temperature": VARIED_TEMPERATURE if attempt > 0 else self._settings.temperature,
            "seed": attempt,
            "max_tokens": max_tokens,
            "cache_prompt": True,
        }
        if schema is not None:
            wanted = {"name": "reply", "strict": True, "schema": schema}
            body["response_format"] = {"type": "json_schema", "json_schema": wanted}
        return body

    async def _request(
        self, chat: WireChat, messages: Sequence[Message], body: dict[str, Any]
    ) -> WireReply:
        with translated(self.name, "the embedded model's server"):
            async with asyncio.timeout(self._settings.timeout_s):
                return await send(chat, render(messages), body)

    def _read(
        self,
        wire: WireReply,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec],
        output: OutputSchema | None,
        ms: float,
    ) -> Reply:
        finish: Literal["stop", "tool_calls", "length"] = "stop"
        calls: tuple[ToolCall, ...] = ()
        if wire.finish_reason == "length":
            finish = "length"
        elif output is not None:
            _check_output(wire.content, output)
        else:
            calls = _calls(wire.content, messages, tools)
            finish = "tool_calls" if calls else "stop"
        message = Message(role="assistant", content=wire.content, tool_calls=calls)
        usage = usage_of(wire.usage, FREE)
        return Reply(message=message, finish_reason=finish, usage=usage, model=self.name, ms=ms)


def _schema(
    tools: Sequence[ToolSpec], output: OutputSchema | None, only: Sequence[str]
) -> dict[str, Any] | None:
    if output is not None:
        return compact(output.schema_)
    wanted = [tool for tool in tools if tool.name in only]
    if wanted:
        return reply_schema(wanted, may_answer=False)
    return reply_schema(tools) if tools else None


def _calls(
    content: str, messages: Sequence[Message], tools: Sequence[ToolSpec]
) -> tuple[ToolCall, ...]:
    """At most one call a turn, as the reply's schema allows."""
    found = find_calls(content, {tool.name for tool in tools})[:1]
    return tuple(
        ToolCall(id=next_call_id(messages), name=call.name, arguments=call.arguments, raw=call.raw)
        for call in found
    )


def _check_output(content: str, output: OutputSchema) -> None:
    try:
        value = json.loads(content)
    except ValueError as error:
        raise ModelReplyError(
            f"the model's {output.name} is not JSON: {error}", "ask again"
        ) from error
    wrong = problem(compact(output.schema_), value)
    if wrong is not None:
        raise ModelReplyError(f"the model's {output.name} breaks its schema: {wrong}", "ask again")
