"""The transcript as plain chat messages, for a model that is steered by a JSON schema.

Every later prompt extends the former byte for byte: an assistant's turn is replayed as exactly
the text that the model produced, and a result is written once, as a user message.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from agent.errors import ProtocolError
from agent.models.base import Message, ToolCall, ToolSpec
from agent.models.json_schema import compact


def render(messages: Sequence[Message]) -> list[dict[str, str]]:
    """System, user and assistant messages only; raises ProtocolError on an orphan result."""
    names: dict[str, str] = {}
    rendered = []
    for message in messages:
        names.update({call.id: call.name for call in message.tool_calls})
        rendered.append(_render_one(message, names))
    return rendered


def reply_schema(tools: Sequence[ToolSpec], *, may_answer: bool = True) -> dict[str, Any]:
    """The schema of one turn: `{"tool", "arguments"}` for one of the tools, or `{"answer"}`."""
    options = [_call_schema(tool) for tool in tools]
    if may_answer:
        options.append(_object({"answer": {"type": "string"}}))
    return options[0] if len(options) == 1 else {"anyOf": options}


def next_call_id(messages: Sequence[Message]) -> str:
    """`call_1`, `call_2`, … in the order of the transcript: the same run gives the same ids."""
    taken = {call.id for message in messages for call in message.tool_calls}
    number = len(taken) + 1
    while f"call_{number}" in taken:
        number += 1
    return f"call_{number}"


def _render_one(message: Message, names: Mapping[str, str]) -> dict[str, str]:
    if message.role == "tool":
        return {"role": "user", "content": _result_text(message, names)}
    content = message.content
    if message.role == "assistant" and not content:
        content = "\n".join(_call_text(call) for call in message.tool_calls)
    return {"role": message.role, "content": content}


def _result_text(message: Message, names: Mapping[str, str]) -> str:
    call_id = message.tool_call_id or ""
    if call_id not in names:
        raise ProtocolError(
            f"a result in the transcript answers no call (id {call_id!r})",
            "this is a defect of zaiko; please report it with the trace id",
        )
    return f"Result of {names[call_id]} ({call_id}):\n{message.content}"


def _call_text(call: ToolCall) -> str:
    return f'{{"tool": "{call.name}", "arguments": {call.raw or "{}"}}}'


def _call_schema(tool: ToolSpec) -> dict[str, Any]:
    """The call first, what it is about after it, and no optional arguments.

    A small model that states its goal first talks itself into joins that nobody asked for, and
    it fills optional arguments with guesses.
    """
    parameters = compact(tool.parameters)
    required = parameters.get("required", [])
    names = [name for name in required if name not in tool.stated]
    properties = parameters.get("properties", {})
    own = {name: properties[name] for name in [*names, *tool.stated] if name in properties}
    return _object({"tool": {"const": tool.name}, "arguments": _object(own)})


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }
