"""The transcript as the embedded model sees it."""

import pytest

from agent.errors import ProtocolError
from agent.models.base import Message, ToolCall, ToolSpec
from agent.models.transcript import next_call_id, render, reply_schema

CALL = ToolCall(id="call_1", name="sql", arguments={"q": "1"}, raw='{"q": "1"}')
TURN = Message(
    role="assistant", content='{ "tool":"sql","arguments":{"q": "1"}}', tool_calls=(CALL,)
)
RESULT = Message(role="tool", tool_call_id="call_1", content="E1: 42")
HEAD = (Message(role="system", content="Rules."), Message(role="user", content="件数は?"))


def test_a_turn_is_replayed_as_the_model_wrote_it() -> None:
    assert render([TURN]) == [{"role": "assistant", "content": TURN.content}]


def test_a_result_becomes_a_user_message_that_names_its_call() -> None:
    assert render([TURN, RESULT])[1] == {
        "role": "user",
        "content": "Result of sql (call_1):\nE1: 42",
    }


def test_a_turn_without_text_is_written_as_its_call() -> None:
    turn = Message(role="assistant", tool_calls=(CALL,))
    assert render([turn])[0]["content"] == '{"tool": "sql", "arguments": {"q": "1"}}'


def test_a_longer_transcript_extends_a_shorter_one() -> None:
    whole = [*HEAD, TURN, RESULT, Message(role="user", content="Reflect.")]
    for length in range(1, len(whole)):
        assert render(whole)[:length] == render(whole[:length])


def test_an_orphan_result_is_a_protocol_error() -> None:
    with pytest.raises(ProtocolError, match="answers no call"):
        render([*HEAD, RESULT])


SPEC = ToolSpec(
    name="sql",
    description="d",
    parameters={
        "type": "object",
        "properties": {
            "goal": {"type": "string"},
            "zone": {"type": "string", "description": "d"},
            "area": {"type": "integer"},
        },
        "required": ["goal", "zone"],
    },
    stated=("goal",),
)


def test_the_schema_offers_each_tool_with_its_required_arguments_and_an_answer() -> None:
    call, answer = reply_schema([SPEC])["anyOf"]
    assert list(call["properties"]) == ["tool", "arguments"]
    assert call["properties"]["tool"] == {"const": "sql"}
    assert call["properties"]["arguments"]["properties"]["zone"] == {"type": "string"}
    assert answer["required"] == ["answer"]
    assert call["additionalProperties"] is False


def test_what_a_call_is_about_is_stated_after_its_arguments() -> None:
    arguments = reply_schema([SPEC], may_answer=False)["properties"]["arguments"]
    assert list(arguments["properties"]) == arguments["required"] == ["zone", "goal"]


def test_call_ids_follow_the_transcript() -> None:
    assert next_call_id(HEAD) == "call_1"
    assert next_call_id([*HEAD, TURN, RESULT]) == "call_2"


def test_a_taken_call_id_is_skipped() -> None:
    other = Message(role="assistant", tool_calls=(CALL.model_copy(update={"id": "call_2"}),))
    assert next_call_id([other]) == "call_3"
