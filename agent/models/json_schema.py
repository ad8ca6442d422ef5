"""The part of JSON Schema that the tools and outputs use: preparing it and checking against it.

Covers what pydantic writes for plain models: type, properties, required, additionalProperties,
enum, const, items, anyOf/oneOf/allOf, lengths, bounds and local `$ref`s.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

_ANNOTATIONS = frozenset({"title", "description", "default", "examples", "$defs"})
_MAX_DEPTH = 32


def compact(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The same schema without annotations and with every `$ref` replaced by what it names.

    The order of properties is kept: it is the order in which a grammar writes them. Raises
    ValueError on a recursive schema and on an unknown reference.
    """
    prepared = _prepare(dict(schema), schema.get("$defs", {}), 0)
    assert isinstance(prepared, dict)
    return prepared


def problem(schema: Mapping[str, Any], value: Any, path: str = "") -> str | None:
    """What is wrong with `value` under a compact schema, or None; `path` names the place."""
    where = path or "the object"
    for check in _CHECKS:
        found = check(schema, value, where)
        if found is not None:
            return found
    return None


def _prepare(node: Any, definitions: Mapping[str, Any], depth: int) -> Any:
    if depth > _MAX_DEPTH:
        raise ValueError("the schema is recursive or nested too deeply")
    if isinstance(node, list):
        return [_prepare(item, definitions, depth + 1) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        name = str(node["$ref"]).removeprefix("#/$defs/")
        if name not in definitions:
            raise ValueError(f"unknown reference {node['$ref']!r} in a schema")
        return _prepare(definitions[name], definitions, depth + 1)
    return {
        key: _prepare_keyword(key, item, definitions, depth)
        for key, item in node.items()
        if key not in _ANNOTATIONS
    }


def _prepare_keyword(key: str, item: Any, definitions: Mapping[str, Any], depth: int) -> Any:
    """`properties` maps names, not keywords: a property may be called `title`."""
    if key == "properties":
        return {name: _prepare(sub, definitions, depth + 1) for name, sub in item.items()}
    if key in ("enum", "const", "required"):
        return item
    return _prepare(item, definitions, depth + 1)


def _check_type(schema: Mapping[str, Any], value: Any, where: str) -> str | None:
    wanted = schema.get("type")
    if wanted is None:
        return None
    names = wanted if isinstance(wanted, list) else [wanted]
    if any(_TYPES[name](value) for name in names):
        return None
    return f"{where} must be {' or '.join(names)}"


def _check_choice(schema: Mapping[str, Any], value: Any, where: str) -> str | None:
    if "const" in schema and value != schema["const"]:
        return f"{where} must be {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{where} must be one of {', '.join(map(repr, schema['enum']))}"
    return None


def _check_alternatives(schema: Mapping[str, Any], value: Any, where: str) -> str | None:
    for part in schema.get("allOf", ()):
        found = problem(part, value, where)
        if found is not None:
            return found
    options = schema.get("anyOf") or schema.get("oneOf")
    if not options:
        return None
    found_all = [problem(option, value, where) for option in options]
    return None if None in found_all else found_all[0]


def _check_object(schema: Mapping[str, Any], value: Any, where: str) -> str | None:
    if not isinstance(value, dict):
        return None
    prefix = "" if where == "the object" else f"{where}."
    properties: Mapping[str, Any] = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            return f"{prefix}{name} is missing"
    for name, item in value.items():
        if name in properties:
            found = problem(properties[name], item, f"{prefix}{name}")
        else:
            found = _check_extra(schema.get("additionalProperties", True), item, f"{prefix}{name}")
        if found is not None:
            return found
    return None


def _check_extra(rule: bool | Mapping[str, Any], value: Any, where: str) -> str | None:
    if rule is False:
        return f"{where} is not a known field"
    return None if rule is True else problem(rule, value, where)


def _check_array(schema: Mapping[str, Any], value: Any, where: str) -> str | None:
    if not isinstance(value, list):
        return None
    if len(value) < schema.get("minItems", 0):
        return f"{where} must have at least {schema['minItems']} items"
    if len(value) > schema.get("maxItems", len(value)):
        return f"{where} must have at most {schema['maxItems']} items"
    for index, item in enumerate(value):
        found = problem(schema.get("items", {}), item, f"{where}[{index}]")
        if found is not None:
            return found
    return None


def _check_bounds(schema: Mapping[str, Any], value: Any, where: str) -> str | None:
    if isinstance(value, str):
        return _check_text(schema, value, where)
    if not _TYPES["number"](value):
        return None
    if value < schema.get("minimum", value) or value > schema.get("maximum", value):
        low, high = schema.get("minimum", "-∞"), schema.get("maximum", "∞")
        return f"{where} must be between {low} and {high}"
    return None


def _check_text(schema: Mapping[str, Any], value: str, where: str) -> str | None:
    if len(value) < schema.get("minLength", 0):
        return f"{where} must have at least {schema['minLength']} characters"
    if len(value) > schema.get("maxLength", len(value)):
        return f"{where} must have at most {schema['maxLength']} characters"
    if "pattern" in schema and re.search(schema["pattern"], value) is None:
        return f"{where} must match {schema['pattern']}"
    return None


_TYPES: Mapping[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
}
_CHECKS = (
    _check_type,
    _check_choice,
    _check_alternatives,
    _check_object,
    _check_array,
    _check_bounds,
)
