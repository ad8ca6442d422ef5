"""The client of any OpenAI-style server."""

import asyncio
import json
from typing import Any

import pytest
from pydantic import SecretStr

from agent.errors import ModelConfigError, ProtocolError
from agent.models.base import Message, OutputSchema, ToolSpec
from agent.models.openai_compatible import OpenAICompatibleModel
from agent.models.settings import ModelSettings
from tests.support.deepseek_server import say, tool

SQL = ToolSpec(name="sql", description="d", parameters={"type": "object", "properties": {}})
OUTPUT = OutputSchema(
    name="answer",
    schema_={"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
)
ASK = [Message(role="user", content="How many?")]


async def test_native_tools_are_declared_and_no_foreign_field_is_sent(
    server: Any, compatible: Any
) -> None:
    server.play(tool("sql", "{}", reasoning=None))
    reply = await compatible().complete(ASK, tools=[SQL], max_tokens=40)
    body = server.requests[0]
    assert reply.message.tool_calls[0].name == "sql"
    assert body["tools"][0]["function"]["name"] == "sql"
    assert body["max_tokens"] == 40
    assert not {"thinking", "user_id", "tool_choice"} & set(body)


async def test_json_mode_is_used_unless_told_otherwise(server: Any, compatible: Any) -> None:
    server.play(say('{"text": "a"}'))
    reply = await compatible().complete(ASK, output=OUTPUT)
    assert json.loads(reply.message.content) == {"text": "a"}
    assert server.requests[0]["response_format"] == {"type": "json_object"}


async def test_a_json_schema_is_sent_when_told(server: Any, compatible: Any) -> None:
    with pytest.raises(ProtocolError, match="response_format"):
        await compatible(json_schema=True).complete(ASK, output=OUTPUT)
    wanted = server.requests[0]["response_format"]
    assert wanted["type"] == "json_schema"
    assert wanted["json_schema"]["schema"] == OUTPUT.schema_


async def test_a_model_without_a_price_has_no_cost(server: Any, compatible: Any) -> None:
    reply = await compatible(prices={}).complete(ASK)
    assert reply.usage.cost is None


@pytest.mark.parametrize("kind", ["text/html", "application/json"])
async def test_a_page_of_html_is_a_wrong_base_url(server: Any, compatible: Any, kind: str) -> None:
    server.play(say("", raw_body="<html>welcome</html>", headers={"Content-Type": kind}))
    with pytest.raises(ModelConfigError, match="not a chat completion") as caught:
        await compatible(max_retries=0).complete(ASK)
    assert "base_url" in caught.value.hint


def test_a_base_url_and_a_model_are_needed() -> None:
    with pytest.raises(ModelConfigError, match="base_url and model"):
        OpenAICompatibleModel(ModelSettings(base_url="http://127.0.0.1:1"))


def test_one_client_serves_several_event_loops(server: Any) -> None:
    model = OpenAICompatibleModel(
        ModelSettings(
            base_url=server.url,
            model="deepseek-flash",
            api_key=SecretStr("sk-strict-server-0123"),
        )
    )
    for _ in range(3):
        assert asyncio.run(model.complete(ASK)).message.content == "ok"
    asyncio.run(model.aclose())
