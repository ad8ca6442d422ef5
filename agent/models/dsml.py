"""Tool calls that DeepSeek models leak into `content` as markup instead of `tool_calls`.

    <｜DSML｜tool_calls><｜DSML｜invoke name="sql"><｜DSML｜parameter name="query" string="true">…

Seen with other bars (`‖`, `｜｜`, ASCII `|`) and with the closing tags missing. A parameter marked
`string="true"` is text as it stands, any other is JSON.
"""

import json
import re
from collections.abc import Collection
from typing import Any

from agent.models.recovery import FoundCall

_BAR = r"[｜‖|]{1,2}"
_MARK = rf"{_BAR}\s*DSML\s*{_BAR}"
_BLOCK = re.compile(rf"<\s*/?\s*{_MARK}.*", re.DOTALL)
_INVOKE = re.compile(
    rf'<\s*{_MARK}\s*invoke\s+name="([^"]*)"\s*>(.*?)'
    rf"(?=<\s*/?\s*{_MARK}\s*(?:invoke|tool_calls|function_calls)|\Z)",
    re.DOTALL,
)
_PARAMETER = re.compile(
    rf'<\s*{_MARK}\s*parameter\s+name="([^"]*)"(?:\s+string="(true|false)")?\s*>(.*?)'
    rf"<\s*/\s*{_MARK}\s*parameter\s*>",
    re.DOTALL,
)
_OPENED = re.compile(rf"<\s*{_MARK}\s*parameter\b")


def leaked(text: str) -> bool:
    """Whether markup stands in `text`."""
    return _BLOCK.search(text) is not None


def strip(text: str) -> str:
    """`text` up to the first markup: what follows it was never meant to be read."""
    return _BLOCK.sub("", text).rstrip()


def find_leaked_calls(text: str, names: Collection[str]) -> tuple[FoundCall, ...]:
    """The complete leaked calls of declared tools, in order; one with a cut parameter is not."""
    calls = []
    for name, body in _INVOKE.findall(text):
        arguments = _arguments(body)
        if name in names and arguments is not None:
            calls.append(FoundCall(name, arguments, json.dumps(arguments, ensure_ascii=False)))
    return tuple(calls)


def _arguments(body: str) -> dict[str, Any] | None:
    found = _PARAMETER.findall(body)
    if len(found) != len(_OPENED.findall(body)):
        return None
    try:
        return {
            name: value if kind == "true" else _json_or_text(value, kind)
            for name, kind, value in found
        }
    except ValueError:
        return None


def _json_or_text(value: str, kind: str) -> Any:
    if kind == "false":
        return json.loads(value)
    try:
        return json.loads(value)
    except ValueError:
        return value
