"""The fake model."""

import pytest

from agent.errors import ModelBusy
from agent.models.base import Message, OutputSchema, ToolSpec
from agent.models.scripted import Request, ScriptedModel, ScriptEndedError, call, calls, data, text

ASK = [Message(role="user", content="How many?")]
TOOL = ToolSpec(name="sql", description="d", parameters={"type": "object"})


async def test_steps_are_played_in_order_and_ids_are_given() -> None:
    model = ScriptedModel([call("sql", q="1"), calls(("a", {}), ("b", {})), text("42")])
    replies = [await model.complete(ASK) for _ in range(3)]
    assert [[c.id for c in r.message.tool_calls] for r in replies] == [
        ["call_1"],
        ["call_2", "call_3"],
        [],
    ]
    assert replies[0].message.tool_calls[0].raw == '{"q": "1"}'
    assert [r.finish_reason for r in replies] == ["tool_calls", "tool_calls", "stop"]
    assert replies[2].message.content == "42"


async def test_what_was_sent_is_kept() -> None:
    model = ScriptedModel([data({"text": "件"})])
    output = OutputSchema(name="answer", schema_={"type": "object"})
    await model.complete(ASK, tools=[TOOL], output=output, max_tokens=9)
    assert model.requests == [Request(tuple(ASK), (TOOL,), output, 9)]
    assert model.history == [tuple(ASK)]


async def test_an_exception_in_the_script_is_raised() -> None:
    model = ScriptedModel([ModelBusy("away"), text("back")])
    with pytest.raises(ModelBusy):
        await model.complete(ASK)
    assert (await model.complete(ASK)).message.content == "back"


async def test_a_callable_sees_the_request() -> None:
    model = ScriptedModel([lambda request: text(request.messages[-1].content.upper())])
    assert (await model.complete(ASK)).message.content == "HOW MANY?"


async def test_a_call_too_many_is_an_error() -> None:
    with pytest.raises(ScriptEndedError, match="call 1"):
        await ScriptedModel().complete(ASK)


async def test_a_prompt_that_extends_an_earlier_one_counts_as_cached() -> None:
    model = ScriptedModel([text("a"), text("b")])
    first = await model.complete(ASK)
    second = await model.complete([*ASK, first.message])
    assert first.usage.cached_input_tokens == 0
    assert second.usage.cached_input_tokens == first.usage.input_tokens
    assert second.usage.input_tokens > first.usage.input_tokens
