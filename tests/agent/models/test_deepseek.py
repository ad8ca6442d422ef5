"""The DeepSeek client against a server that refuses what DeepSeek refuses."""

import json
from decimal import Decimal
from typing import Any

import pytest
from pydantic import SecretStr

from agent.errors import (
    ContentRefused,
    EmptyReply,
    ModelBusy,
    ModelConfigError,
    ModelReplyError,
    ProtocolError,
)
from agent.models.base import Message, OutputSchema, ToolCall, ToolSpec
from agent.models.deepseek import DeepSeekModel
from agent.models.settings import ModelSettings
from tests.support.deepseek_server import KEY, fail, say, tool, wire_call
from tests.support.deepseek_server import Turn as ServerTurn

SQL = ToolSpec(
    name="sql",
    description="Runs one SELECT.",
    parameters={
        "type": "object",
        "properties": {"goal": {"type": "string"}, "query": {"type": "string"}},
        "required": ["goal", "query"],
        "additionalProperties": False,
    },
)
OUTPUT = OutputSchema(
    name="answer",
    schema_={
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
        "additionalProperties": False,
    },
)
ASK = (Message(role="system", content="Rules."), Message(role="user", content="How many?"))
ASK_JSON = (*ASK, Message(role="user", content='Reply in JSON, such as {"text": "…"}.'))
ARGUMENTS = '{"goal":"count","query":"SELECT 1"}'


def result(call: ToolCall, content: str = "1 row") -> Message:
    return Message(role="tool", tool_call_id=call.id, content=content)


async def test_a_request_says_thinking_max_tokens_and_user_id(server: Any, deepseek: Any) -> None:
    await deepseek().complete(ASK, tools=[SQL], max_tokens=77)
    body = server.requests[0]
    assert body["thinking"] == {"type": "disabled"}
    assert body["max_tokens"] == 77
    assert "max_completion_tokens" not in body
    assert body["user_id"] == "zaiko"
    assert body["temperature"] == 0.0
    assert body["model"] == "deepseek-flash"
    assert "tool_choice" not in body


async def test_a_thinking_request_sends_the_settings_limit_and_no_temperature(
    server: Any, deepseek: Any
) -> None:
    await deepseek(thinking=True, max_tokens=4000).complete(ASK, max_tokens=50)
    body = server.requests[0]
    assert body["thinking"] == {"type": "enabled"}
    assert body["max_tokens"] == 4000
    assert "temperature" not in body


async def test_a_tool_call_comes_out_with_its_raw_text(server: Any, deepseek: Any) -> None:
    server.play(tool("sql", ARGUMENTS, "call_7"))
    reply = await deepseek().complete(ASK, tools=[SQL])
    (call,) = reply.message.tool_calls
    assert (call.id, call.name, call.raw) == ("call_7", "sql", ARGUMENTS)
    assert call.arguments == {"goal": "count", "query": "SELECT 1"}
    assert reply.finish_reason == "tool_calls"


async def test_arguments_are_replayed_byte_for_byte(server: Any, deepseek: Any) -> None:
    raw = '{ "goal":"件数",\n "query":"SELECT 1" }'
    server.play(tool("sql", raw))
    model = deepseek()
    first = await model.complete(ASK, tools=[SQL])
    await model.complete([*ASK, first.message, result(first.message.tool_calls[0])], tools=[SQL])
    replayed = server.requests[1]["messages"][2]
    assert replayed["tool_calls"][0]["function"]["arguments"] == raw
    assert replayed["content"] == ""


@pytest.mark.parametrize("reasoning", ["I should count.", ""])
async def test_reasoning_is_replayed_when_it_was_sent_even_empty(
    server: Any, deepseek: Any, reasoning: str
) -> None:
    server.play(tool("sql", ARGUMENTS, reasoning=reasoning))
    model = deepseek(thinking=True)
    first = await model.complete(ASK, tools=[SQL])
    assert first.message.reasoning == reasoning
    await model.complete([*ASK, first.message, result(first.message.tool_calls[0])], tools=[SQL])
    assert server.requests[1]["messages"][2]["reasoning_content"] == reasoning


async def test_a_call_made_elsewhere_gets_an_empty_reasoning_while_thinking(
    server: Any, deepseek: Any
) -> None:
    call = ToolCall(id="c1", name="sql", raw=ARGUMENTS)
    turn = Message(role="assistant", tool_calls=(call,))
    await deepseek(thinking=True).complete([*ASK, turn, result(call)], tools=[SQL])
    assert server.requests[0]["messages"][2]["reasoning_content"] == ""


async def test_no_reasoning_is_sent_when_thinking_is_off(server: Any, deepseek: Any) -> None:
    turn = Message(role="assistant", content="Hello", reasoning="hm")
    await deepseek().complete([*ASK, turn, Message(role="user", content="And?")])
    assert "reasoning_content" not in server.requests[0]["messages"][2]


async def test_several_calls_of_one_turn_are_all_answered(server: Any, deepseek: Any) -> None:
    turn = ServerTurn(tool_calls=[wire_call("sql", ARGUMENTS, "a"), wire_call("sql", "{}", "b")])
    server.play(turn)
    model = deepseek()
    first = await model.complete(ASK, tools=[SQL])
    answers = [result(call) for call in first.message.tool_calls]
    again = await model.complete([*ASK, first.message, *answers], tools=[SQL])
    assert again.message.content == "ok"


async def test_an_id_given_twice_in_one_reply_is_renamed(server: Any, deepseek: Any) -> None:
    server.play(ServerTurn(tool_calls=[wire_call("sql", "{}", "a"), wire_call("sql", "{}", "a")]))
    model = deepseek()
    first = await model.complete(ASK, tools=[SQL])
    assert [call.id for call in first.message.tool_calls] == ["a", "a_d2"]
    answers = [result(call) for call in first.message.tool_calls]
    await model.complete([*ASK, first.message, *answers], tools=[SQL])


async def test_an_id_used_in_an_earlier_turn_is_renamed(server: Any, deepseek: Any) -> None:
    server.play(tool("sql", "{}", "call_0"), tool("sql", "{}", "call_0"))
    model, messages = deepseek(), list(ASK)
    for _ in range(2):
        reply = await model.complete(messages, tools=[SQL])
        messages += [reply.message, result(reply.message.tool_calls[0])]
    await model.complete(messages, tools=[SQL])
    ids = [one["tool_calls"][0]["id"] for one in server.requests[2]["messages"][2::2]]
    assert ids == ["call_0", "call_0_d2"]


async def test_a_transcript_that_repeats_an_id_is_sent_with_unique_ids(
    server: Any, deepseek: Any
) -> None:
    call = ToolCall(id="x", name="sql", raw="{}")
    turn = Message(role="assistant", tool_calls=(call,))
    await deepseek().complete([*ASK, turn, result(call), turn, result(call)], tools=[SQL])
    sent = server.requests[0]["messages"]
    assert [one.get("tool_call_id") for one in sent if one["role"] == "tool"] == ["x", "x_d2"]


async def test_an_empty_result_is_sent_as_words(server: Any, deepseek: Any) -> None:
    call = ToolCall(id="x", name="sql", raw="{}")
    turn = Message(role="assistant", tool_calls=(call,))
    await deepseek().complete([*ASK, turn, result(call, "")], tools=[SQL])
    assert server.requests[0]["messages"][3]["content"] == "(no output)"


@pytest.mark.parametrize(
    "raw",
    [
        '{"query": "a",}',
        '{"goal": "a"}{"goal": "b"}',
        '{"goal": "a"} ```  مواليد',
        '{"selected: ["A","C"]}',
        "null",
        "[]",
        '"x"',
        '{"goal": NaN}',
        '{"goal": "\\d"}',
    ],
)
async def test_arguments_that_cannot_be_read_are_an_error_on_the_call(
    server: Any, deepseek: Any, raw: str
) -> None:
    server.play(tool("sql", raw))
    model = deepseek()
    reply = await model.complete(ASK, tools=[SQL])
    (call,) = reply.message.tool_calls
    assert call.error is not None and "JSON" in call.error
    assert call.arguments == {}
    assert call.raw == raw
    await model.complete([*ASK, reply.message, result(call, "unreadable")], tools=[SQL])
    assert server.requests[1]["messages"][2]["tool_calls"][0]["function"]["arguments"] == raw


async def test_a_call_without_arguments_is_replayed_with_an_object(
    server: Any, deepseek: Any
) -> None:
    server.play(tool("sql", ""))
    model = deepseek()
    reply = await model.complete(ASK, tools=[SQL])
    (call,) = reply.message.tool_calls
    assert (call.arguments, call.error) == ({}, None)
    await model.complete([*ASK, reply.message, result(call)], tools=[SQL])
    assert server.requests[1]["messages"][2]["tool_calls"][0]["function"]["arguments"] == "{}"


async def test_a_line_break_inside_a_string_is_accepted(server: Any, deepseek: Any) -> None:
    server.play(tool("sql", '{"query": "SELECT\n1"}'))
    reply = await deepseek().complete(ASK, tools=[SQL])
    assert reply.message.tool_calls[0].arguments == {"query": "SELECT\n1"}


@pytest.mark.parametrize("reason", ["length", "tool_calls"])
async def test_a_cut_call_is_never_a_call(server: Any, deepseek: Any, reason: str) -> None:
    server.play(tool("sql", '{"goal": "x", "query": "DELETE FROM', finish_reason=reason))
    reply = await deepseek().complete(ASK, tools=[SQL])
    assert reply.finish_reason == "length"
    assert reply.message.tool_calls == ()


async def test_a_complete_call_cut_off_by_the_limit_is_not_executed(
    server: Any, deepseek: Any
) -> None:
    server.play(tool("sql", ARGUMENTS, finish_reason="length"))
    reply = await deepseek().complete(ASK, tools=[SQL])
    assert (reply.finish_reason, reply.message.tool_calls) == ("length", ())


async def test_max_tokens_really_cuts(server: Any, deepseek: Any) -> None:
    server.play(say("x" * 1000))
    reply = await deepseek().complete(ASK, max_tokens=5)
    assert reply.finish_reason == "length"
    assert reply.message.content == "x" * 20


LEAKS = [
    '<｜DSML｜tool_calls><｜DSML｜invoke name="sql"><｜DSML｜parameter name="goal" string="true">'
    'count</｜DSML｜parameter><｜DSML｜parameter name="query" string="true">SELECT 1'
    "</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜tool_calls>",
    '<‖DSML‖tool_calls><‖DSML‖invoke name="sql"><‖DSML‖parameter name="goal" string="true">'
    'count</‖DSML‖parameter><‖DSML‖parameter name="query" string="true">SELECT 1'
    "</‖DSML‖parameter></‖DSML‖invoke></‖DSML‖tool_calls>",
    '<｜｜DSML｜｜tool_calls>\n<｜｜DSML｜｜invoke name="sql">\n<｜｜DSML｜｜parameter name="goal"'
    ' string="true">count</｜｜DSML｜｜parameter>\n<｜｜DSML｜｜parameter name="query" string="true">'
    "SELECT 1</｜｜DSML｜｜parameter>\n</｜｜DSML｜｜invoke>",
    '<|DSML|tool_calls><|DSML|invoke name="sql"><|DSML|parameter name="goal" string="false">'
    '"count"</|DSML|parameter><|DSML|parameter name="query" string="true">SELECT 1'
    "</|DSML|parameter>",
]


@pytest.mark.parametrize("leak", LEAKS)
async def test_a_leaked_call_is_recovered_and_taken_out_of_the_text(
    server: Any, deepseek: Any, leak: str
) -> None:
    server.play(say(f"Let me look.\n{leak}"))
    model = deepseek(thinking=True)
    reply = await model.complete(ASK, tools=[SQL])
    (call,) = reply.message.tool_calls
    assert call.arguments == {"goal": "count", "query": "SELECT 1"}
    assert reply.message.content == "Let me look."
    assert reply.finish_reason == "tool_calls"
    await model.complete([*ASK, reply.message, result(call)], tools=[SQL])


async def test_a_leaked_call_of_an_unknown_tool_is_only_stripped(
    server: Any, deepseek: Any
) -> None:
    server.play(say("Here.\n" + LEAKS[0].replace("sql", "rm")))
    reply = await deepseek().complete(ASK, tools=[SQL])
    assert (reply.message.content, reply.message.tool_calls) == ("Here.", ())


async def test_a_reply_that_is_only_an_unusable_leak_counts_as_blank(
    server: Any, deepseek: Any
) -> None:
    server.play(say(LEAKS[0].replace("sql", "rm")), say("fine"))
    reply = await deepseek().complete(ASK, tools=[SQL])
    assert reply.message.content == "fine"
    assert len(server.requests) == 2


async def test_a_call_in_a_fence_is_recovered(server: Any, deepseek: Any) -> None:
    server.play(say(f'```json\n{{"name": "sql", "arguments": {ARGUMENTS}}}\n```'))
    reply = await deepseek().complete(ASK, tools=[SQL])
    assert reply.message.tool_calls[0].arguments["query"] == "SELECT 1"


async def test_an_output_keeps_the_tools_declared_in_the_same_bytes(
    server: Any, deepseek: Any
) -> None:
    server.play(say("ok"), say('{"text": "42"}'))
    model = deepseek()
    await model.complete(ASK, tools=[SQL])
    reply = await model.complete(ASK_JSON, tools=[SQL], output=OUTPUT)
    plan, answer = server.requests
    assert json.dumps(plan["tools"]) == json.dumps(answer["tools"])
    assert answer["tool_choice"] == "none"
    assert answer["response_format"] == {"type": "json_object"}
    assert answer["messages"][:2] == plan["messages"]
    assert json.loads(reply.message.content) == {"text": "42"}


async def test_an_output_works_while_thinking(server: Any, deepseek: Any) -> None:
    server.play(say('{"text": "42"}'))
    reply = await deepseek(thinking=True).complete(ASK_JSON, tools=[SQL], output=OUTPUT)
    assert reply.finish_reason == "stop"


async def test_the_schema_is_added_only_where_the_word_json_is_missing(
    server: Any, deepseek: Any
) -> None:
    server.play(say('{"text": "a"}'), say('{"text": "b"}'))
    model = deepseek()
    await model.complete(ASK, output=OUTPUT)
    await model.complete(ASK_JSON, output=OUTPUT)
    added, kept = (request["messages"][-1]["content"] for request in server.requests)
    assert added.startswith("How many?\n\n") and '"required": ["text"]' in added
    assert kept == ASK_JSON[-1].content


async def test_an_output_after_a_result_is_asked_for_by_a_user_message(
    server: Any, deepseek: Any
) -> None:
    call = ToolCall(id="x", name="sql", raw="{}")
    messages = [*ASK, Message(role="assistant", tool_calls=(call,)), result(call)]
    server.play(say('{"text": "a"}'))
    await deepseek().complete(messages, tools=[SQL], output=OUTPUT)
    assert [one["role"] for one in server.requests[0]["messages"]][-2:] == ["tool", "user"]


async def test_an_invalid_output_is_repaired_with_the_reason(server: Any, deepseek: Any) -> None:
    server.play(say('{"txt": "42"}'), say('{"text": "42"}'))
    reply = await deepseek().complete(ASK_JSON, output=OUTPUT)
    assert json.loads(reply.message.content) == {"text": "42"}
    repair = server.requests[1]["messages"][-2:]
    assert repair[0] == {"role": "assistant", "content": '{"txt": "42"}'}
    assert "text is missing" in repair[1]["content"]
    assert reply.usage.llm_calls == 2


async def test_an_output_that_stays_invalid_is_a_reply_error_after_two_repairs(
    server: Any, deepseek: Any
) -> None:
    server.play(*[say("no json here")] * 3)
    with pytest.raises(ModelReplyError, match="stays invalid") as caught:
        await deepseek().complete(ASK_JSON, output=OUTPUT)
    assert len(server.requests) == 3
    assert caught.value.usage is not None
    assert caught.value.usage.llm_calls == 3
    assert caught.value.usage.output_tokens > 0


async def test_a_fenced_output_is_taken_out_of_its_fence(server: Any, deepseek: Any) -> None:
    server.play(say('```json\n{"text": "42"}\n```'))
    reply = await deepseek().complete(ASK_JSON, output=OUTPUT)
    assert json.loads(reply.message.content) == {"text": "42"}


async def test_a_cut_output_is_a_reply_of_length(server: Any, deepseek: Any) -> None:
    server.play(say('{"text": "4', finish_reason="length"))
    reply = await deepseek().complete(ASK_JSON, output=OUTPUT)
    assert reply.finish_reason == "length"


async def test_a_blank_output_is_asked_for_again(server: Any, deepseek: Any, waits: Any) -> None:
    server.play(say("   "), say('{"text": "42"}'))
    reply = await deepseek().complete(ASK_JSON, output=OUTPUT)
    assert json.loads(reply.message.content) == {"text": "42"}
    assert waits.seconds == [0.5]


async def test_blank_replies_end_in_an_empty_reply_error(
    server: Any, deepseek: Any, waits: Any
) -> None:
    server.play(*[say("")] * 3)
    with pytest.raises(EmptyReply):
        await deepseek(max_retries=2).complete(ASK)
    assert len(server.requests) == 3
    assert waits.seconds == [0.5, 1.0]


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_busy_provider_is_asked_again(
    server: Any, deepseek: Any, waits: Any, status: int
) -> None:
    server.play(fail(status), say("done"))
    reply = await deepseek().complete(ASK)
    assert reply.message.content == "done"
    assert waits.seconds == [0.5]


async def test_retry_after_is_honoured(server: Any, deepseek: Any, waits: Any) -> None:
    server.play(fail(429, Retry_After="7"), say("done"))
    await deepseek().complete(ASK)
    assert waits.seconds == [7.0]


async def test_a_wait_longer_than_a_minute_is_left_to_the_caller(
    server: Any, deepseek: Any, waits: Any
) -> None:
    server.play(fail(429, Retry_After="3600"))
    with pytest.raises(ModelBusy):
        await deepseek().complete(ASK)
    assert (waits.seconds, len(server.requests)) == ([], 1)


async def test_retries_have_one_budget(server: Any, deepseek: Any) -> None:
    server.play(*[fail(503)] * 10)
    with pytest.raises(ModelBusy, match="503"):
        await deepseek(max_retries=3).complete(ASK)
    assert len(server.requests) == 4


async def test_a_cut_connection_is_tried_again(server: Any, deepseek: Any) -> None:
    server.play(say("half", cut=True), say("whole"))
    assert (await deepseek().complete(ASK)).message.content == "whole"


async def test_keep_alive_lines_before_the_body_do_no_harm(server: Any, deepseek: Any) -> None:
    server.play(say("fine", blank_lines=40))
    assert (await deepseek().complete(ASK)).message.content == "fine"


async def test_keep_alive_lines_and_then_nothing_is_busy(server: Any, deepseek: Any) -> None:
    server.play(say("", blank_lines=40, raw_body=""))
    with pytest.raises(ModelBusy):
        await deepseek(max_retries=0).complete(ASK)


async def test_a_slow_provider_is_busy_after_the_time_limit(server: Any, deepseek: Any) -> None:
    server.play(say("late", delay_s=0.6))
    with pytest.raises(ModelBusy, match="in time"):
        await deepseek(timeout_s=0.2, max_retries=0).complete(ASK)


async def test_nobody_listening_is_busy_and_names_the_address(server: Any, deepseek: Any) -> None:
    server.close()
    with pytest.raises(ModelBusy, match=server.url):
        await deepseek(max_retries=0).complete(ASK)


async def test_refused_content_is_not_tried_again(server: Any, deepseek: Any) -> None:
    with pytest.raises(ContentRefused):
        await deepseek().complete([Message(role="user", content="FORBIDDEN")])
    assert len(server.requests) == 1


async def test_a_filtered_reply_is_refused_content(server: Any, deepseek: Any) -> None:
    server.play(say("half a", finish_reason="content_filter"))
    with pytest.raises(ContentRefused):
        await deepseek().complete(ASK)


async def test_a_reply_stopped_for_lack_of_resources_is_tried_again(
    server: Any, deepseek: Any
) -> None:
    server.play(say("half", finish_reason="insufficient_system_resource"), say("whole"))
    assert (await deepseek().complete(ASK)).message.content == "whole"


async def test_a_wrong_key_is_a_config_error_that_shows_no_key(server: Any, deepseek: Any) -> None:
    wrong = "sk-wrong-and-secret"
    with pytest.raises(ModelConfigError, match="API key") as caught:
        await deepseek(api_key=SecretStr(wrong)).complete(ASK)
    shown = f"{caught.value.message} {caught.value.hint}"
    assert wrong not in shown and wrong[-4:] not in shown
    assert len(server.requests) == 1


async def test_no_balance_is_a_config_error(server: Any, deepseek: Any) -> None:
    server.play(fail(402, "Insufficient Balance"))
    with pytest.raises(ModelConfigError, match="balance"):
        await deepseek().complete(ASK)


async def test_an_unknown_model_is_a_config_error(deepseek: Any) -> None:
    with pytest.raises(ModelConfigError, match="deepseek-chat"):
        await deepseek(model="deepseek-chat").complete(ASK)


async def test_a_wrong_path_is_a_config_error(server: Any, deepseek: Any) -> None:
    with pytest.raises(ModelConfigError, match="does not know the model"):
        await deepseek(base_url=f"{server.url}/nowhere").complete(ASK)


async def test_an_unanswered_call_is_a_protocol_error(server: Any, deepseek: Any) -> None:
    turn = Message(role="assistant", tool_calls=(ToolCall(id="x", name="sql", raw="{}"),))
    with pytest.raises(ProtocolError, match="insufficient tool messages"):
        await deepseek().complete([*ASK, turn, Message(role="user", content="?")], tools=[SQL])
    assert len(server.requests) == 1


async def test_an_orphan_result_is_a_protocol_error(deepseek: Any) -> None:
    orphan = Message(role="tool", tool_call_id="x", content="1")
    with pytest.raises(ProtocolError, match="preceding message"):
        await deepseek().complete([*ASK, orphan])


async def test_usage_counts_cache_hits_and_costs_money(server: Any, deepseek: Any) -> None:
    long = [Message(role="system", content="Rules. " * 100), ASK[1]]
    model = deepseek()
    first = await model.complete(long)
    second = await model.complete([*long, first.message, Message(role="user", content="More?")])
    assert first.usage.cached_input_tokens == 0
    used = second.usage
    assert 0 < used.cached_input_tokens < used.input_tokens
    missed = used.input_tokens - used.cached_input_tokens
    by_hand = (
        used.cached_input_tokens * Decimal("0.04")
        + missed * Decimal("2")
        + used.output_tokens * Decimal("8")
    ) / 1_000_000
    assert used.cost == by_hand


async def test_another_user_id_does_not_share_the_cache(server: Any, deepseek: Any) -> None:
    long = [Message(role="system", content="Rules. " * 100), ASK[1]]
    await deepseek().complete(long)
    other = await deepseek(user_id="another").complete(long)
    assert other.usage.cached_input_tokens == 0


async def test_failed_attempts_are_part_of_the_usage(server: Any, deepseek: Any) -> None:
    server.play(say(" "), say("fine"))
    reply = await deepseek().complete(ASK)
    assert reply.usage.llm_calls == 2


def test_a_deepseek_client_without_a_key_says_what_to_set() -> None:
    with pytest.raises(ModelConfigError) as caught:
        DeepSeekModel(ModelSettings(provider="deepseek"))
    assert "DEEPSEEK_API_KEY" in caught.value.hint


def test_the_key_is_not_in_the_settings_text() -> None:
    assert KEY not in repr(ModelSettings(api_key=SecretStr(KEY)))
