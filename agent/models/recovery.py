"""Finds tool calls that a model wrote as text: pure functions, used by every client.

Models answer with a fenced ```` ```json ```` block, a bare object or array, `<tool_call>` tags
(often unclosed) and text around them. One scan for JSON values covers all of these; only a
declared name with an object of arguments is taken for a call.
"""

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

_DECODER = json.JSONDecoder(strict=False)
_MAX_STARTS = 200
_NAME_KEYS = ("tool", "name", "function")
_ARGUMENT_KEYS = ("arguments", "parameters", "args")


@dataclass(frozen=True)
class FoundCall:
    """A call read from text; `raw` is its arguments as a JSON text."""

    name: str
    arguments: dict[str, Any]
    raw: str


def find_calls(text: str, names: Collection[str]) -> tuple[FoundCall, ...]:
    """The calls in `text` that name one of `names`, in order; empty when there is none."""
    calls: list[FoundCall] = []
    for value in json_values(text):
        for item in value if isinstance(value, list) else [value]:
            call = _as_call(item, names)
            if call is not None:
                calls.append(call)
    return tuple(calls)


def json_values(text: str) -> Iterator[Any]:
    """The JSON objects and arrays that stand in `text`, left to right, outermost only."""
    position, starts = 0, 0
    while starts < _MAX_STARTS:
        position = _next_start(text, position)
        if position < 0:
            return
        starts += 1
        try:
            value, position = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            position += 1
            continue
        yield value


def parse_arguments(raw: str) -> tuple[dict[str, Any], str | None]:
    """(arguments, error) of a call's argument text; nothing is repaired and nothing dropped.

    An empty text is a call without arguments. Raw control characters inside strings are
    accepted (models write line breaks in SQL).
    """
    if not raw.strip():
        return {}, None
    try:
        value = json.loads(raw, strict=False, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        return {}, f"the arguments are not valid JSON: {error}"
    if not isinstance(value, dict):
        return {}, f"the arguments must be one JSON object, not {type(value).__name__}"
    return value, None


def looks_cut(raw: str) -> bool:
    """Whether an argument text stops in the middle of its JSON value."""
    text = raw.strip()
    if not text or text.endswith("}"):
        return False
    try:
        _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        return text.startswith("{")
    return False


def _next_start(text: str, position: int) -> int:
    starts = [at for at in (text.find("{", position), text.find("[", position)) if at >= 0]
    return min(starts, default=-1)


def _as_call(value: Any, names: Collection[str]) -> FoundCall | None:
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("function"), dict):
        value = value["function"]
    name = next((value[key] for key in _NAME_KEYS if isinstance(value.get(key), str)), None)
    if name is None or name not in names:
        return None
    arguments = next((value[key] for key in _ARGUMENT_KEYS if key in value), None)
    if isinstance(arguments, str):
        arguments, error = parse_arguments(arguments)
        if error is not None:
            return None
    if not isinstance(arguments, dict):
        return None
    return FoundCall(name, arguments, json.dumps(arguments, ensure_ascii=False))


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")
