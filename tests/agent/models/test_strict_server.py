"""The strict server itself: it must refuse what it is there to refuse."""

from typing import Any

import httpx
import pytest

from tests.support.deepseek_server import KEY, StrictDeepSeek, wire_call

USER = {"role": "user", "content": "hi"}
CALLING = {"role": "assistant", "content": "", "tool_calls": [wire_call("sql", "{}", "a")]}
ANSWER = {"role": "tool", "tool_call_id": "a", "content": "1"}
OFF = {"thinking": {"type": "disabled"}}


def post(server: StrictDeepSeek, messages: list[Any], **body: Any) -> Any:
    key = body.pop("key", KEY)
    return httpx.post(
        f"{server.url}/chat/completions",
        json={"model": "deepseek-flash", "messages": messages, **body},
        headers={"Authorization": f"Bearer {key}"},
        timeout=5,
        trust_env=False,
    )


@pytest.mark.parametrize(
    ("messages", "body", "words"),
    [
        ([USER, CALLING], OFF, "insufficient tool messages"),
        ([USER, CALLING, USER, ANSWER], OFF, "insufficient tool messages"),
        ([USER, ANSWER], OFF, "must be a response to a preceding message"),
        ([USER, CALLING, ANSWER, CALLING, ANSWER], OFF, "Duplicate value"),
        ([USER, CALLING, ANSWER], {}, "must be passed back"),
        ([USER], {"tool_choice": "required"}, "does not support this tool_choice"),
        ([USER], {"response_format": {"type": "json_schema"}}, "unavailable now"),
        ([USER], {"response_format": {"type": "json_object"}}, "must contain the word 'json'"),
        ([{"role": "user", "content": [{"type": "text"}]}], {}, "expected a string"),
        ([{"role": "assistant", "content": None}], {}, "content or tool_calls must be set"),
        ([USER, {**CALLING, "tool_calls": [{"id": "a", "function": {}}]}], {}, "missing field"),
        ([USER], {"model": "deepseek-chat"}, "Model Not Exist"),
        ([], {}, "Empty input"),
    ],
)
def test_what_the_api_refuses_is_refused(
    server: StrictDeepSeek, messages: list[Any], body: dict[str, Any], words: str
) -> None:
    response = post(server, messages, **body)
    assert response.status_code in (400, 422)
    assert words in response.json()["error"]["message"]


def test_a_wrong_key_is_refused(server: StrictDeepSeek) -> None:
    assert post(server, [USER], key="sk-other").status_code == 401


def test_a_proper_request_is_answered_with_reasoning_by_default(server: StrictDeepSeek) -> None:
    message = post(server, [USER]).json()["choices"][0]["message"]
    assert message["reasoning_content"] == "let me think"
    assert "reasoning_content" not in post(server, [USER], **OFF).json()["choices"][0]["message"]


def test_max_completion_tokens_is_ignored(server: StrictDeepSeek) -> None:
    def length(**limit: int) -> int:
        server.turns[0].content = "x" * 100
        choice = post(server, [USER], **limit).json()["choices"][0]
        return len(choice["message"]["content"])

    from tests.support.deepseek_server import say

    server.play(say("x" * 100), say("x" * 100))
    assert length(max_completion_tokens=5) == 100
    assert length(max_tokens=5) == 20
