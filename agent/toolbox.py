"""The tools as declared to the model: every schema begins with goal, next step and reason."""

from collections.abc import Mapping
from typing import Any

from agent.models.base import ToolSpec
from tools.base import Tool

SAID = ("goal", "next_step", "reason")


def tool_specs(tools: Mapping[str, Tool]) -> list[ToolSpec]:
    """In declaration order, with the same bytes for the same tools."""
    return [
        ToolSpec(name=name, description=tool.description, parameters=_parameters(tool), stated=SAID)
        for name, tool in tools.items()
    ]


def split_arguments(arguments: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """(goal, next step, reason) and the tool's own arguments; nulls mean absent."""
    said = {k: arguments[k] for k in SAID if k in arguments}
    own = {k: v for k, v in arguments.items() if k not in SAID and v is not None}
    return said, own


def _parameters(tool: Tool) -> dict[str, Any]:
    schema = tool.arguments.model_json_schema()
    said = {name: {"type": "string", "maxLength": 60} for name in SAID}
    properties = {**said, **schema.get("properties", {})}
    required = [*SAID, *schema.get("required", [])]
    merged = {"type": "object", "properties": properties, "required": required}
    if "$defs" in schema:
        merged["$defs"] = schema["$defs"]
    return {**merged, "additionalProperties": False}
