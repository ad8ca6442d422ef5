"""What the DeepSeek and the OpenAI-compatible client share: a chat with native tool calls."""

import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from agent.errors import ContentRefused, EmptyReply, ModelBusy, ModelError, ModelReplyError
from agent.models import dsml
from agent.models.base import (
    Capabilities,
    Message,
    OutputSchema,
    Reply,
    ToolSpec,
    Usage,
)
from agent.models.failures import translated
from agent.models.json_schema import compact, problem
from agent.models.native import ask_for_json, cut_off, declared, read_calls, to_wire
from agent.models.recovery import json_values
from agent.models.retry import Sleep, with_retries
from agent.models.settings import ModelSettings
from agent.models.tracing import chat_span, record_reply
from agent.models.usage import usage_of
from agent.models.wire import WireMessage, WireReply, close_sync, open_chat, send

_OUTPUT_REPAIRS = 2
_BUSY_REASONS = ("insufficient_system_resource", "aborted")


@dataclass(frozen=True)
class Endpoint:
    """Where a client talks to and what it may ask for."""

    provider: str
    model: str
    base_url: str
    api_key: str
    capabilities: Capabilities
    extra_body: dict[str, Any] = field(default_factory=dict)


@dataclass
class _Spent:
    """Usage of all attempts of one call; the failed ones cost too."""

    usage: Usage = field(default_factory=Usage)


class OpenAIChat:
    """A ChatModel on an OpenAI-style chat completions endpoint.

    Raises ModelBusy and EmptyReply after its retries, ModelReplyError when an output stays
    invalid after two repairs, ContentRefused, ModelConfigError and ProtocolError at once.
    """

    def __init__(
        self, endpoint: Endpoint, settings: ModelSettings, *, sleep: Sleep = asyncio.sleep
    ) -> None:
        self.name = endpoint.model
        self.provider = endpoint.provider
        self.capabilities = endpoint.capabilities
        self._endpoint = endpoint
        self._settings = settings
        self._sleep = sleep
        self._price = settings.prices.get(endpoint.model)
        self._chat = open_chat(
            model=endpoint.model,
            base_url=endpoint.base_url,
            api_key=endpoint.api_key,
            timeout_s=settings.timeout_s,
        )

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
        limit = self._limit(max_tokens)
        with chat_span(self, limit) as span:
            start, spent = time.perf_counter(), _Spent()
            wire = to_wire(messages, replay_reasoning=self.capabilities.thinking)
            body = self._body(tools, output, limit)
            try:
                if output is not None:
                    reply = await self._output(wire, body, output, spent)
                else:
                    reply = await self._turn(wire, body, messages, tools, spent)
            except ModelError as error:
                error.usage = spent.usage if spent.usage.llm_calls else None
                raise
            ms = (time.perf_counter() - start) * 1000
            reply = reply.model_copy(update={"usage": spent.usage, "ms": ms})
            record_reply(span, reply)
            return reply

    async def aclose(self) -> None:
        """Closes the connections; the client cannot be used afterwards."""
        close_sync(self._chat)
        await self._chat.root_async_client.close()

    def _limit(self, max_tokens: int) -> int:
        """While thinking the reasoning counts too, so a caller's small limit would starve it."""
        limit = self._settings.max_tokens
        return limit if self.capabilities.thinking else min(max_tokens, limit)

    def _body(
        self, tools: Sequence[ToolSpec], output: OutputSchema | None, max_tokens: int
    ) -> dict[str, Any]:
        body: dict[str, Any] = {"max_tokens": max_tokens, **self._endpoint.extra_body}
        if not self.capabilities.thinking:
            body["temperature"] = self._settings.temperature
        if tools:
            body["tools"] = declared(tools)
        if output is not None:
            body["response_format"] = self._response_format(output)
            if tools:
                body["tool_choice"] = "none"
        return body

    def _response_format(self, output: OutputSchema) -> dict[str, Any]:
        if not self.capabilities.json_schema:
            return {"type": "json_object"}
        wanted = {"name": output.name, "schema": compact(output.schema_)}
        return {"type": "json_schema", "json_schema": wanted}

    async def _turn(
        self,
        wire: list[WireMessage],
        body: dict[str, Any],
        before: Sequence[Message],
        tools: Sequence[ToolSpec],
        spent: _Spent,
    ) -> Reply:
        names = {tool.name for tool in tools}

        async def attempt() -> Reply:
            sent = await self._send(wire, body, spent)
            if cut_off(sent):
                return self._reply(sent, dsml.strip(sent.content), "length")
            calls, content = read_calls(sent, names, before)
            if not calls and not content.strip():
                raise EmptyReply(f"{self.name} sent a blank reply", "try again")
            reply = self._reply(sent, content, "tool_calls" if calls else "stop")
            message = reply.message.model_copy(update={"tool_calls": calls})
            return reply.model_copy(update={"message": message})

        return await with_retries(attempt, retries=self._settings.max_retries, sleep=self._sleep)

    async def _output(
        self, wire: list[WireMessage], body: dict[str, Any], output: OutputSchema, spent: _Spent
    ) -> Reply:
        """JSON mode, checked here; what is wrong is told to the model, at most twice."""
        schema = compact(output.schema_)
        ask_for_json(wire, output, json.dumps(schema, ensure_ascii=False))
        wrong = ""
        for _ in range(_OUTPUT_REPAIRS + 1):
            reply = await self._json_text(wire, body, spent)
            if reply.finish_reason == "length":
                return reply
            text, wrong = _checked(reply.message.content, schema)
            if not wrong:
                message = reply.message.model_copy(update={"content": text})
                return reply.model_copy(update={"message": message})
            wire = [*wire, *_repair(reply.message, wrong, self.capabilities.thinking)]
        raise ModelReplyError(f"{self.name}'s {output.name} stays invalid: {wrong}", "ask again")

    async def _json_text(
        self, wire: list[WireMessage], body: dict[str, Any], spent: _Spent
    ) -> Reply:
        async def attempt() -> Reply:
            sent = await self._send(wire, body, spent)
            content = dsml.strip(sent.content)
            if cut_off(sent):
                return self._reply(sent, content, "length")
            if not content.strip():
                raise EmptyReply(f"{self.name} sent a blank reply instead of JSON", "try again")
            return self._reply(sent, content, "stop")

        return await with_retries(attempt, retries=self._settings.max_retries, sleep=self._sleep)

    async def _send(
        self, wire: Sequence[WireMessage], body: dict[str, Any], spent: _Spent
    ) -> WireReply:
        with translated(self.name, self._endpoint.base_url):
            async with asyncio.timeout(self._settings.timeout_s):
                sent = await send(self._chat, wire, body)
        spent.usage = spent.usage + usage_of(sent.usage, self._price)
        if sent.finish_reason == "content_filter":
            raise ContentRefused(
                "the provider's content filter stopped the reply", "ask in another way"
            )
        if sent.finish_reason in _BUSY_REASONS:
            raise ModelBusy(f"the provider gave up: {sent.finish_reason}", "try again later")
        return sent

    def _reply(
        self, sent: WireReply, content: str, finish: Literal["stop", "tool_calls", "length"]
    ) -> Reply:
        message = Message(role="assistant", content=content, reasoning=sent.reasoning)
        return Reply(
            message=message,
            finish_reason=finish,
            usage=Usage(),
            model=sent.model or self.name,
            ms=0.0,
        )


def _checked(content: str, schema: dict[str, Any]) -> tuple[str, str]:
    """(the object's text, what is wrong): a fence or words around one object are forgiven."""
    try:
        value = json.loads(content, strict=False)
        text = content
    except ValueError as error:
        objects = [found for found in json_values(content) if isinstance(found, dict)]
        if len(objects) != 1:
            return "", f"not one JSON object: {error}"
        value = objects[0]
        text = json.dumps(value, ensure_ascii=False)
    return text, problem(schema, value) or ""


def _repair(message: Message, wrong: str, thinking: bool) -> list[WireMessage]:
    turn: WireMessage = {"role": "assistant", "content": message.content}
    if thinking and message.reasoning is not None:
        turn["reasoning_content"] = message.reasoning
    ask = f"That is not usable: {wrong}. Reply again with one JSON object and nothing else."
    return [turn, {"role": "user", "content": ask}]
