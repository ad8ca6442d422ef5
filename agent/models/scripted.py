"""A chat model that plays a script: the fake that ships with the product."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from agent.models.base import (
    Capabilities,
    Message,
    OutputSchema,
    Reply,
    ToolCall,
    ToolSpec,
    Usage,
)
from agent.models.tracing import chat_span, record_reply

Turn = Message | Reply | Exception
Step = Turn | Callable[["Request"], Turn]


class ScriptEndedError(AssertionError):
    """The model was called more often than its script foresees."""


@dataclass(frozen=True)
class Request:
    """What one call sent."""

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...]
    output: OutputSchema | None
    max_tokens: int


class ScriptedModel:
    """Plays its steps in order: messages and replies are returned, exceptions raised, callables
    asked. `requests` keeps what was sent, `history` only its messages."""

    provider = "scripted"

    def __init__(self, steps: Iterable[Step] = (), *, name: str = "scripted") -> None:
        self.name = name
        self.capabilities = Capabilities(
            native_tools=True, json_schema=True, thinking=False, context_tokens=8192
        )
        self.requests: list[Request] = []
        self.closed = False
        self._steps = list(steps)
        self._calls = 0

    @property
    def history(self) -> list[tuple[Message, ...]]:
        return [request.messages for request in self.requests]

    @property
    def remaining(self) -> int:
        return len(self._steps)

    def add(self, *steps: Step) -> None:
        self._steps.extend(steps)

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
        request = Request(tuple(messages), tuple(tools), output, max_tokens)
        self.requests.append(request)
        with chat_span(self, max_tokens) as span:
            turn = self._next(request)
            if isinstance(turn, Exception):
                raise turn
            reply = turn if isinstance(turn, Reply) else self._reply(turn, request)
            record_reply(span, reply)
            return reply

    async def aclose(self) -> None:
        self.closed = True

    def _next(self, request: Request) -> Turn:
        if not self._steps:
            raise ScriptEndedError(f"call {len(self.requests)} of {self.name} is not in its script")
        step = self._steps.pop(0)
        return step(request) if callable(step) else step

    def _reply(self, message: Message, request: Request) -> Reply:
        calls = []
        for call in message.tool_calls:
            self._calls += 1
            calls.append(call.model_copy(update={"id": call.id or f"call_{self._calls}"}))
        return Reply(
            message=message.model_copy(update={"tool_calls": tuple(calls)}),
            finish_reason="tool_calls" if calls else "stop",
            usage=_usage(self.requests[:-1], request, message),
            model=self.name,
            ms=0.0,
        )


def call(name: str, /, **arguments: Any) -> Message:
    """A turn that calls one tool; its id is given when it is played."""
    return calls((name, arguments))


def calls(*wanted: tuple[str, dict[str, Any]]) -> Message:
    """A turn that calls several tools."""
    return Message(role="assistant", tool_calls=tuple(_tool_call(*one) for one in wanted))


def text(content: str) -> Message:
    """A turn of plain text."""
    return Message(role="assistant", content=content)


def data(value: dict[str, Any]) -> Message:
    """A turn that is one JSON object, as asked for with `output`."""
    return text(json.dumps(value, ensure_ascii=False))


def _tool_call(name: str, arguments: dict[str, Any]) -> ToolCall:
    raw = json.dumps(arguments, ensure_ascii=False)
    return ToolCall(id="", name=name, arguments=arguments, raw=raw)


def _usage(earlier: Sequence[Request], request: Request, message: Message) -> Usage:
    """Characters for tokens; what an earlier prompt shares from its start counts as cached."""
    prompt = _flat(request.messages)
    shared = [_common_prefix(_flat(one.messages), prompt) for one in earlier]
    written = len(message.content) + sum(len(one.raw) for one in message.tool_calls)
    return Usage(
        llm_calls=1,
        input_tokens=len(prompt),
        cached_input_tokens=max(shared, default=0),
        output_tokens=written,
    )


def _flat(messages: Sequence[Message]) -> str:
    return "".join(message.model_dump_json() for message in messages)


def _common_prefix(left: str, right: str) -> int:
    limit = min(len(left), len(right))
    return next((at for at in range(limit) if left[at] != right[at]), limit)
