"""langchain-openai's client, made to send and return exactly what is on the wire.

The stock client drops `reasoning_content` both ways, renames `max_tokens`, rewrites the argument
text of calls and repairs truncated ones. Here the wire form of each message travels beside its
LangChain message, and what came back is kept as it came.
"""

import json
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import httpx
import openai
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from langchain_core.outputs import ChatResult
from langchain_openai.chat_models.base import BaseChatOpenAI
from pydantic import SecretStr

from agent.errors import ModelBusy, ModelConfigError

WireMessage = dict[str, Any]
_WIRE = "wire"
_REPLY = "wire_reply"


@dataclass(frozen=True)
class WireReply:
    """One choice as the server sent it; `reasoning` is None when it sent no such field."""

    content: str
    reasoning: str | None
    calls: tuple[tuple[str, str, str], ...]
    """(id, name, arguments text) in order."""
    finish_reason: str
    model: str
    usage: Mapping[str, Any] = field(default_factory=dict)


class WireChat(BaseChatOpenAI):
    """See the module's docstring. The wire form is read from `additional_kwargs`."""

    def _get_request_payload(self, input_: Any, *, stop: Any = None, **kwargs: Any) -> Any:
        payload = super()._get_request_payload(input_, stop=stop, **kwargs)
        messages = self._convert_input(input_).to_messages()
        payload["messages"] = [message.additional_kwargs[_WIRE] for message in messages]
        return payload

    def _create_chat_result(self, response: Any, generation_info: Any = None) -> ChatResult:
        whole = (
            response if isinstance(response, dict | str) else response.model_dump(warnings=False)
        )
        body = _checked_body(whole)
        choice, plain = _first_choice(body)
        result = super()._create_chat_result(plain, generation_info)
        result.generations[0].message.additional_kwargs[_REPLY] = _wire_reply(body, choice)
        return result


def open_chat(
    *, model: str, base_url: str, api_key: str, timeout_s: float, direct: bool = False
) -> WireChat:
    """A client without retries of its own and without kept connections.

    A connection kept alive belongs to the event loop that opened it, and a program may run
    several; `direct` goes past any proxy of the environment (loopback).
    """
    trust_env = not direct
    common: dict[str, Any] = {
        "limits": httpx.Limits(max_keepalive_connections=0),
        "timeout": timeout_s,
        "trust_env": trust_env,
        "verify": _certificates(trust_env),
    }
    return WireChat(
        model=model,
        base_url=base_url,
        api_key=SecretStr(api_key),
        max_retries=0,
        disable_streaming=True,
        use_responses_api=False,
        http_async_client=httpx.AsyncClient(**common),
        http_client=httpx.Client(**common),
        timeout=timeout_s,
    )


@cache
def _certificates(trust_env: bool) -> ssl.SSLContext:
    """Reading the certificates takes 25 ms, and each role has two HTTP clients."""
    return httpx.create_ssl_context(trust_env=trust_env)


async def send(
    chat: WireChat, messages: Sequence[WireMessage], body: Mapping[str, Any]
) -> WireReply:
    """One request; `body` goes to the top level of the request as it is.

    Raises the openai package's errors, ModelBusy for a broken body and ModelConfigError when the
    server is no chat completions API.
    """
    try:
        message = await chat.ainvoke([_as_langchain(m) for m in messages], extra_body=dict(body))
    except openai.APIResponseValidationError as error:
        raise _broken_body() from error
    except json.JSONDecodeError as error:
        raise _unreadable(error.doc) from error
    reply = message.additional_kwargs[_REPLY]
    assert isinstance(reply, WireReply)
    return reply


def close_sync(chat: WireChat) -> None:
    """Close the synchronous client (never used, but it holds a pool)."""
    if chat.http_client is not None:
        chat.http_client.close()


def _as_langchain(message: WireMessage) -> BaseMessage:
    extra = {_WIRE: message}
    text = message["content"]
    match message["role"]:
        case "system":
            return SystemMessage(text, additional_kwargs=extra)
        case "user":
            return HumanMessage(text, additional_kwargs=extra)
        case "tool":
            call_id = message["tool_call_id"]
            return ToolMessage(text, tool_call_id=call_id, additional_kwargs=extra)
        case _:
            return AIMessage(text, additional_kwargs=extra)


def _checked_body(body: Any) -> Mapping[str, Any]:
    if isinstance(body, Mapping):
        return body
    raise _unreadable(str(body))


def _first_choice(body: Mapping[str, Any]) -> tuple[Mapping[str, Any], dict[str, Any]]:
    """The first choice, and the body without the fields that LangChain would interpret."""
    choices = body.get("choices") or []
    if not choices or not isinstance(choices[0].get("message"), dict):
        raise ModelBusy("the server's reply holds no message", "try again")
    choice = choices[0]
    message = {"role": "assistant", "content": choice["message"].get("content") or ""}
    return choice, {**body, "error": None, "choices": [{**choice, "message": message}]}


def _wire_reply(body: Mapping[str, Any], choice: Mapping[str, Any]) -> WireReply:
    message = choice["message"]
    calls = []
    for call in message.get("tool_calls") or ():
        function = call.get("function") or {}
        calls.append(
            (call.get("id") or "", function.get("name") or "", function.get("arguments") or "")
        )
    reasoning = message.get("reasoning_content")
    return WireReply(
        content=message.get("content") or "",
        reasoning=(reasoning or "") if "reasoning_content" in message else None,
        calls=tuple(calls),
        finish_reason=choice.get("finish_reason") or "",
        model=body.get("model") or "",
        usage=body.get("usage") or {},
    )


def _unreadable(text: str) -> ModelBusy | ModelConfigError:
    """Blank or a cut JSON object: try again. Anything else, such as a page: a wrong address."""
    if not text.strip() or text.lstrip().startswith("{"):
        return _broken_body()
    return ModelConfigError(
        "the server's reply is not a chat completion",
        "check base_url: it must be the root of an OpenAI-compatible API",
    )


def _broken_body() -> ModelBusy:
    return ModelBusy("the model server's reply broke off before it was complete", "try again")
