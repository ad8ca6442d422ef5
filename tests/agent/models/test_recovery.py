"""Calls and JSON in text that a model wrote."""

import pytest

from agent.models.recovery import find_calls, looks_cut, parse_arguments

NAMES = {"sql", "dates"}
CALL = '{"name": "sql", "arguments": {"query": "SELECT 1"}}'


@pytest.mark.parametrize(
    "text",
    [
        CALL,
        f"```json\n{CALL}\n```",
        f"```\n{CALL}\n```",
        f"```json\n{CALL}",
        f"[{CALL}]",
        f"<tool_call>\n{CALL}\n</tool_call>",
        f"<tool_call>{CALL}",
        f"<tools> {CALL} </tool",
        f"<function>{CALL}</function>",
        f"I will look that up. {CALL} That should do.",
        f"{CALL} ```  مواليد",
        '{"tool": "sql", "arguments": {"query": "SELECT 1"}}',
        '{"name": "sql", "parameters": {"query": "SELECT 1"}}',
        '{"type": "function", "function": {"name": "sql", "arguments": {"query": "SELECT 1"}}}',
        '{"name": "sql", "arguments": "{\\"query\\": \\"SELECT 1\\"}"}',
        f"a set {{x}} and then {CALL}",
    ],
)
def test_a_call_is_found_in_every_wrapping(text: str) -> None:
    (call,) = find_calls(text, NAMES)
    assert (call.name, call.arguments) == ("sql", {"query": "SELECT 1"})
    assert call.raw == '{"query": "SELECT 1"}'


@pytest.mark.parametrize(
    "text",
    [
        "",
        "There are 42 units.",
        '{"name": "rm", "arguments": {"path": "/"}}',
        '{"name": "sql"}',
        '{"name": "sql", "arguments": ["SELECT 1"]}',
        '{"name": "sql", "arguments": null}',
        '{"name": "sql", "arguments": "not json"}',
        '{"name": "sql", "arguments": {"query": "SELECT',
        '{"answer": "use {\\"name\\": \\"sql\\", \\"arguments\\": {}}"}',
        '{"name": 7, "arguments": {}}',
        "[" * 5000,
        '{"a":' * 3000,
    ],
)
def test_what_is_no_whole_call_of_a_declared_tool_is_not_one(text: str) -> None:
    assert find_calls(text, NAMES) == ()


def test_several_calls_are_found_in_order() -> None:
    other = '{"name": "dates", "arguments": {"expression": "今月"}}'
    found = find_calls(f"<tool_call>{CALL}</tool_call><tool_call>{other}</tool_call>", NAMES)
    assert [call.name for call in found] == ["sql", "dates"]
    assert found[1].raw == '{"expression": "今月"}'


def test_a_nested_object_that_looks_like_a_call_is_not_taken_out_of_its_parent() -> None:
    assert find_calls(f'{{"example": {CALL}}}', NAMES) == ()


@pytest.mark.parametrize(
    ("raw", "cut"),
    [
        ('{"q": "a"}', False),
        ('{"q": "SELECT 1 FROM ', True),
        ('{"q": "a"', True),
        ('{"q": "a"} trailing', False),
        ("", False),
        ('"x"', False),
        ("null", False),
    ],
)
def test_a_cut_argument_text_is_told_from_a_wrong_one(raw: str, cut: bool) -> None:
    assert looks_cut(raw) is cut


def test_empty_arguments_are_an_empty_object() -> None:
    assert parse_arguments(" ") == ({}, None)


def test_arguments_that_are_no_object_say_what_they_are() -> None:
    assert parse_arguments("[1]") == ({}, "the arguments must be one JSON object, not list")
