"""The chat model protocol: messages and tools in, tool calls or text out."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ToolCall(Frozen):
    """A call the model asks for. When its arguments could not be read, `error` says why and
    `arguments` is empty: such a call is answered by a tool error, never executed."""

    id: str
    name: str
    arguments: dict[str, Any] = {}
    raw: str = ""
    """The arguments as the model wrote them (a JSON text); replayed byte for byte."""
    error: str | None = None


class Message(Frozen):
    """One entry of the transcript.

    An assistant's `reasoning` is None when the provider sent no such field and a string (also
    "") when it did: presence, not truth, decides whether it is replayed.
    """

    role: Literal["system", "user", "assistant", "tool"]
    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    reasoning: str | None = None


class ToolSpec(Frozen):
    """A tool as declared to the model; `parameters` is a JSON schema of type object.

    `stated` are the arguments in which the model says what it is about; they stand first.
    """

    name: str
    description: str
    parameters: dict[str, Any]
    stated: tuple[str, ...] = ()


class OutputSchema(Frozen):
    """Asks for one JSON object of this schema instead of a tool call or free text."""

    name: str
    schema_: dict[str, Any]


class Usage(Frozen):
    """Tokens of one or more calls; `cached_input_tokens` is part of `input_tokens`."""

    llm_calls: int = 0
    input_tokens: int = 0
    cached_input_tokens: int = 0
    output_tokens: int = 0
    cost: Decimal | None = None

    def __add__(self, other: "Usage") -> "Usage":
        costs = [c for c in (self.cost, other.cost) if c is not None]
        return Usage(
            llm_calls=self.llm_calls + other.llm_calls,
            input_tokens=self.input_tokens + other.input_tokens,
            cached_input_tokens=self.cached_input_tokens + other.cached_input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cost=sum(costs, Decimal(0)) if costs else None,
        )


class Reply(Frozen):
    """The model's turn. `message.tool_calls` is empty when it answered in text.

    `finish_reason` is normalised: "stop", "tool_calls" or "length"; with "length" nothing in
    `message.tool_calls` may be executed (it is empty).
    """

    message: Message
    finish_reason: Literal["stop", "tool_calls", "length"]
    usage: Usage
    model: str
    ms: float


class Capabilities(Frozen):
    native_tools: bool
    json_schema: bool
    thinking: bool
    context_tokens: int


class ChatModel(Protocol):
    """A model client. Raises `agent.errors.ModelError` subclasses only."""

    name: str
    provider: str
    capabilities: Capabilities

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
        """One call.

        Without `output` the reply is a tool call (or several) or text. With `output` it is text
        that is one JSON object valid under the schema, and no tool is called, although `tools`
        are still declared in the same bytes.

        `only` names the tools of which one is to be called now. A model without native tools is
        held to it; a provider's own tool protocol is not (DeepSeek refuses to be, while it thinks).
        `attempt` counts the tries at one step: a small model, which would send a failed call word
        for word again, is made to vary from the second on; others do not need it.
        """
        ...

    async def aclose(self) -> None: ...
