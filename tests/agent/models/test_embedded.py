"""The embedded client: its own code always, the real model where marked."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.errors import ModelConfigError, ModelReplyError
from agent.models.base import Message, OutputSchema, ToolSpec
from agent.models.embedded import EmbeddedModel
from agent.models.json_schema import problem
from agent.models.settings import ModelSettings
from agent.models.transcript import render

RULES = (
    'You answer inventory questions. Reply with one JSON object: {"tool": name, "arguments": '
    '{...}} or {"answer": text}.\nTools:\n- sql: runs one SELECT over the table sales(sku VARCHAR, '
    "day DATE, qty INTEGER). arguments: goal, query.\n- dates: resolves a date expression. "
    "arguments: expression."
)
SQL = ToolSpec(
    name="sql",
    description="runs one SELECT",
    parameters={
        "type": "object",
        "properties": {
            "goal": {"type": "string", "maxLength": 80},
            "query": {"type": "string", "maxLength": 300},
        },
        "required": ["goal", "query"],
        "additionalProperties": False,
    },
)
DATES = ToolSpec(
    name="dates",
    description="resolves a date expression",
    parameters={
        "type": "object",
        "properties": {"expression": {"type": "string", "maxLength": 40}},
        "required": ["expression"],
        "additionalProperties": False,
    },
)
TOOLS = (SQL, DATES)
ASK = (
    Message(role="system", content=RULES),
    Message(role="user", content="How many units of XR-4200 were sold in all?"),
)
SETTINGS = ModelSettings(timeout_s=280, context_tokens=2048)


@pytest.fixture(scope="module")
def model() -> Iterator[EmbeddedModel]:
    """One for all tests, each of which runs its own event loop."""
    opened = EmbeddedModel(SETTINGS)
    yield opened
    asyncio.run(opened.aclose())


async def test_a_missing_weights_file_is_a_config_error(tmp_path: Path) -> None:
    model = EmbeddedModel(ModelSettings(weights_file=tmp_path / "none.gguf"))
    with pytest.raises(ModelConfigError, match="does not exist"):
        await model.complete(ASK)


async def test_a_damaged_weights_file_is_a_config_error(tmp_path: Path) -> None:
    (tmp_path / "bad.gguf").write_bytes(b"GGUF and then nothing of use")
    model = EmbeddedModel(ModelSettings(weights_file=tmp_path / "bad.gguf"))
    with pytest.raises(ModelConfigError, match="cannot load") as caught:
        await model.complete(ASK)
    assert "ZAIKO_MODEL_FILE" in caught.value.hint


async def test_a_model_that_was_never_used_is_closed_at_once() -> None:
    await EmbeddedModel(ModelSettings()).aclose()


@pytest.mark.model
async def test_a_tool_call_comes_out_with_valid_arguments(model: EmbeddedModel) -> None:
    reply = await model.complete(ASK, tools=TOOLS, max_tokens=150)
    assert reply.finish_reason == "tool_calls"
    (call,) = reply.message.tool_calls
    assert (call.id, call.name) == ("call_1", "sql")
    assert list(call.arguments) == ["goal", "query"]
    assert problem(SQL.parameters, call.arguments) is None
    assert "XR-4200" in call.arguments["query"]


@pytest.mark.model
async def test_a_second_turn_extends_the_first_and_is_served_from_the_cache(
    model: EmbeddedModel,
) -> None:
    first = await model.complete(ASK, tools=TOOLS, max_tokens=150)
    (call,) = first.message.tool_calls
    result = Message(role="tool", tool_call_id=call.id, content="E1: sum(qty)\n4711")
    longer = [*ASK, first.message, result]
    second = await model.complete(longer, tools=TOOLS, max_tokens=80)
    assert render(longer)[: len(ASK)] == render(ASK)
    assert second.usage.cached_input_tokens >= first.usage.input_tokens - 1
    assert "4711" in second.message.content


@pytest.mark.model
async def test_an_output_is_valid_under_its_schema(model: EmbeddedModel) -> None:
    schema = {
        "type": "object",
        "properties": {
            "zeta": {"type": "boolean"},
            "alpha": {"type": "string", "maxLength": 30},
        },
        "required": ["zeta", "alpha"],
        "additionalProperties": False,
    }
    output = OutputSchema(name="gate", schema_=schema)
    reply = await model.complete(ASK, tools=TOOLS, output=output, max_tokens=60)
    assert reply.finish_reason == "stop"
    assert reply.message.tool_calls == ()
    assert reply.message.content.index("zeta") < reply.message.content.index("alpha")


@pytest.mark.model
async def test_a_reply_cut_by_its_limit_says_length_and_calls_nothing(
    model: EmbeddedModel,
) -> None:
    reply = await model.complete(ASK, tools=TOOLS, max_tokens=8)
    assert reply.finish_reason == "length"
    assert reply.message.tool_calls == ()
    assert reply.usage.output_tokens == 8


@pytest.mark.model
async def test_a_prompt_larger_than_the_context_is_a_reply_error(model: EmbeddedModel) -> None:
    with pytest.raises(ModelReplyError, match="does not fit"):
        await model.complete([Message(role="user", content="word " * 4000)])


@pytest.mark.model
async def test_calls_made_at_once_take_turns(model: EmbeddedModel) -> None:
    replies = await asyncio.gather(*(model.complete(ASK, max_tokens=4) for _ in range(3)))
    assert len({reply.message.content for reply in replies}) == 1


@pytest.mark.model
@pytest.mark.slow
@pytest.mark.parametrize("close", ["", "asyncio.run(model.aclose())"])
def test_a_process_that_used_the_model_ends_promptly(close: str) -> None:
    code = f"""
import asyncio, time
from agent.models.base import Message
from agent.models.embedded import EmbeddedModel
from agent.models.settings import ModelSettings
model = EmbeddedModel(ModelSettings(timeout_s=280, context_tokens=2048))
ask = [Message(role="user", content="Hi")]
for _ in range(2):
    asyncio.run(model.complete(ask, max_tokens=2))
{close}
print(time.time(), flush=True)
"""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert time.time() - float(done.stdout) < 10
