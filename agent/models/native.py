"""The transcript as a provider with native tool calls takes and gives it."""

import re
from collections.abc import Collection, Sequence

from agent.models import dsml
from agent.models.base import Message, OutputSchema, ToolCall, ToolSpec
from agent.models.recovery import FoundCall, find_calls, looks_cut, parse_arguments
from agent.models.wire import WireMessage, WireReply

_NO_OUTPUT = "(no output)"
_BAD_NAME = re.compile(r"[^A-Za-z0-9_-]")


def to_wire(messages: Sequence[Message], *, replay_reasoning: bool) -> list[WireMessage]:
    """Content is always a string, arguments are the text that the model wrote, ids are unique.

    An id used twice is renamed the same way on every call (`<id>_d2`), so that the prefix stays
    the same; with `replay_reasoning` every assistant turn that has a reasoning, also an empty
    one, and every turn with calls carries `reasoning_content`.
    """
    wire: list[WireMessage] = []
    taken: set[str] = set()
    current: dict[str, str] = {}
    for message in messages:
        if message.role == "assistant":
            current = _unique_ids(message.tool_calls, taken)
            wire.append(_assistant(message, current, replay_reasoning))
        elif message.role == "tool":
            call_id = message.tool_call_id or ""
            content = message.content or _NO_OUTPUT
            wire.append(
                {
                    "role": "tool",
                    "tool_call_id": current.get(call_id, call_id),
                    "content": content,
                }
            )
        else:
            wire.append({"role": message.role, "content": message.content})
    return wire


def declared(tools: Sequence[ToolSpec]) -> list[dict[str, object]]:
    """The tools as the request declares them, in the order given."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.parameters,
            },
        }
        for tool in tools
    ]


def ask_for_json(wire: list[WireMessage], output: OutputSchema, schema_text: str) -> None:
    """Make the last message a user's that mentions JSON, as JSON mode demands; in place."""
    ask = f"Reply with one JSON object and nothing else. Its JSON schema:\n{schema_text}"
    last = wire[-1] if wire else None
    if last is None or last["role"] != "user":
        wire.append({"role": "user", "content": ask})
    elif "json" not in last["content"].lower():
        wire[-1] = {**last, "content": f"{last['content']}\n\n{ask}"}


def read_calls(
    reply: WireReply, names: Collection[str], before: Sequence[Message]
) -> tuple[tuple[ToolCall, ...], str]:
    """The calls of a complete reply and its content, leaked markup taken out.

    Without native calls, calls written as text (markup or JSON) are taken when they name a
    declared tool. A native call whose arguments cannot be read has `error` set. No id is used
    twice, neither in the reply nor in the messages before it.
    """
    content = reply.content
    if reply.calls:
        calls = [_native_call(*call) for call in reply.calls]
    elif dsml.leaked(content):
        calls = _recovered(dsml.find_leaked_calls(content, names))
    else:
        calls = _recovered(find_calls(content, names))
    taken = {call.id for message in before for call in message.tool_calls}
    unique = tuple(call.model_copy(update={"id": _unique(call.id, taken)}) for call in calls)
    return unique, dsml.strip(content) if dsml.leaked(content) else content


def cut_off(reply: WireReply) -> bool:
    """Whether the reply was cut by its limit, also when the provider does not say so."""
    return reply.finish_reason == "length" or any(looks_cut(raw) for _, _, raw in reply.calls)


def _unique_ids(calls: Sequence[ToolCall], taken: set[str]) -> dict[str, str]:
    renamed: dict[str, str] = {}
    for call in calls:
        renamed[call.id] = _unique(call.id, taken)
    return renamed


def _unique(call_id: str, taken: set[str]) -> str:
    """`call_id`, or the first free of `<id>_d2`, `<id>_d3`, …; it is then taken."""
    unique, number = call_id, 2
    while unique in taken:
        unique = f"{call_id}_d{number}"
        number += 1
    taken.add(unique)
    return unique


def _assistant(message: Message, ids: dict[str, str], replay_reasoning: bool) -> WireMessage:
    wire: WireMessage = {"role": "assistant", "content": message.content}
    if replay_reasoning and (message.reasoning is not None or message.tool_calls):
        wire["reasoning_content"] = message.reasoning or ""
    if message.tool_calls:
        wire["tool_calls"] = [
            {
                "id": ids[call.id],
                "type": "function",
                "function": {"name": call.name, "arguments": call.raw or "{}"},
            }
            for call in message.tool_calls
        ]
    return wire


def _native_call(call_id: str, name: str, raw: str) -> ToolCall:
    arguments, error = parse_arguments(raw)
    usable = _BAD_NAME.sub("_", name)[:64] or "unnamed"
    if not name:
        error = error or "the call names no tool"
    return ToolCall(
        id=call_id or "call",
        name=usable,
        arguments=arguments,
        raw=raw if raw.strip() else "{}",
        error=error,
    )


def _recovered(found: Sequence[FoundCall]) -> list[ToolCall]:
    return [
        ToolCall(id="call_text", name=call.name, arguments=call.arguments, raw=call.raw)
        for call in found
    ]
