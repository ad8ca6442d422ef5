"""A strict local DeepSeek: refuses what the real API refuses, in its words, and misbehaves by script.

Rules and wordings: api-docs.deepseek.com (thinking mode, tool calls, JSON mode, error codes) and
the error texts quoted in public bug reports.
"""

import json
import re
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODELS = ("deepseek-flash", "deepseek-v4-pro")
KEY = "sk-strict-server-0123"
_CHARS_PER_TOKEN = 4
_CACHE_UNIT_TOKENS = 16
_NAME = re.compile(r"^[A-Za-z0-9_-]{1,64}$")


@dataclass
class Turn:
    """What the server does on one accepted request."""

    content: str | None = ""
    tool_calls: list[dict[str, Any]] = field(default_factory=list)
    reasoning: str | None = "let me think"
    finish_reason: str | None = None
    status: int = 200
    error: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    blank_lines: int = 0
    delay_s: float = 0.0
    cut: bool = False
    raw_body: str | None = None


def say(content: str, **more: Any) -> Turn:
    return Turn(content=content, **more)


def tool(name: str, arguments: str, call_id: str = "call_0", **more: Any) -> Turn:
    return Turn(tool_calls=[wire_call(name, arguments, call_id)], **more)


def wire_call(name: str, arguments: str, call_id: str = "call_0") -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {"id": call_id, "type": "function", "index": 0, "function": function}


def fail(status: int, error: str = "busy", **headers: str) -> Turn:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Turn(status=status, error=error, headers=named)


class RefusedError(Exception):
    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


class StrictDeepSeek:
    """Listens on loopback from construction to `close()`; `requests` keeps every body."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.turns: deque[Turn] = deque()
        self._prompts: dict[str, list[str]] = {}
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,))
        self._thread.start()

    def play(self, *turns: Turn) -> None:
        self.turns.extend(turns)

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def answer(self, body: dict[str, Any], authorization: str) -> Turn:
        """The next scripted turn, or RefusedError."""
        self.requests.append(body)
        check(body, authorization)
        return self.turns.popleft() if self.turns else say("ok")

    def completion(self, body: dict[str, Any], turn: Turn) -> dict[str, Any]:
        """The response of an accepted request; `max_tokens` cuts, anything else does not."""
        thinking = _thinks(body)
        content, finish = turn.content, turn.finish_reason
        limit = body.get("max_tokens")
        if limit is not None and content and len(content) > limit * _CHARS_PER_TOKEN:
            content, finish = content[: limit * _CHARS_PER_TOKEN], "length"
        message: dict[str, Any] = {"role": "assistant", "content": content}
        if thinking and turn.reasoning is not None:
            message["reasoning_content"] = turn.reasoning
        if turn.tool_calls:
            message["tool_calls"] = turn.tool_calls
        finish = finish or ("tool_calls" if turn.tool_calls else "stop")
        return {
            "id": "x",
            "object": "chat.completion",
            "created": 1,
            "model": body["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
            "usage": self._usage(body, content or "", turn),
        }

    def _usage(self, body: dict[str, Any], content: str, turn: Turn) -> dict[str, Any]:
        prompt = json.dumps([body.get("tools"), body["messages"]], ensure_ascii=False)
        earlier = self._prompts.setdefault(body.get("user_id", ""), [])
        shared = max((_common_prefix(one, prompt) for one in earlier), default=0)
        earlier.append(prompt)
        hit = shared // _CHARS_PER_TOKEN // _CACHE_UNIT_TOKENS * _CACHE_UNIT_TOKENS
        inputs = len(prompt) // _CHARS_PER_TOKEN
        written = content + "".join(c["function"]["arguments"] for c in turn.tool_calls)
        return {
            "prompt_tokens": inputs,
            "completion_tokens": max(1, len(written) // _CHARS_PER_TOKEN),
            "total_tokens": inputs,
            "prompt_cache_hit_tokens": hit,
            "prompt_cache_miss_tokens": inputs - hit,
        }


def check(body: dict[str, Any], authorization: str) -> None:
    """Raises RefusedError as the API does; the order of the checks is the API's own business."""
    _check_key(authorization)
    if body.get("model") not in MODELS:
        raise RefusedError("Model Not Exist")
    messages = body.get("messages")
    if not messages:
        raise RefusedError("Empty input messages")
    for index, message in enumerate(messages):
        _check_message(message, index)
    _check_order(messages)
    _check_ids(messages)
    if _thinks(body):
        _check_thinking(body)
    _check_format(body)
    _check_tools(body)
    if any("FORBIDDEN" in (message.get("content") or "") for message in messages):
        raise RefusedError("Content Exists Risk")


def _check_key(authorization: str) -> None:
    if authorization != f"Bearer {KEY}":
        tail = authorization[-4:]
        raise RefusedError(f"Authentication Fails, Your api key: ****{tail} is invalid", 401)


def _check_message(message: dict[str, Any], index: int) -> None:
    place = f"Failed to deserialize the JSON body into the target type: messages[{index}]"
    content = message.get("content")
    if isinstance(content, list):
        raise RefusedError(f"{place}: invalid type: sequence, expected a string", 422)
    calls = message.get("tool_calls")
    if content is None and not calls:
        raise RefusedError("Invalid assistant message: content or tool_calls must be set")
    for call in calls or ():
        if "arguments" not in call.get("function", {}):
            raise RefusedError(f"{place}: missing field `arguments`")
        if not isinstance(call["function"]["arguments"], str):
            raise RefusedError(f"{place}: invalid type: map, expected a string", 422)


def _check_order(messages: list[dict[str, Any]]) -> None:
    open_ids: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            if message.get("tool_call_id") not in open_ids:
                raise RefusedError(
                    "Messages with role 'tool' must be a response to a preceding message with "
                    "'tool_calls'"
                )
            open_ids.remove(message["tool_call_id"])
            continue
        _check_answered(open_ids)
        open_ids = [call["id"] for call in message.get("tool_calls") or ()]
    _check_answered(open_ids)


def _check_answered(open_ids: list[str]) -> None:
    if open_ids:
        raise RefusedError(
            "An assistant message with 'tool_calls' must be followed by tool messages responding "
            "to each 'tool_call_id'. (insufficient tool messages following tool_calls message)"
        )


def _check_ids(messages: list[dict[str, Any]]) -> None:
    ids = [call["id"] for message in messages for call in message.get("tool_calls") or ()]
    for call_id in ids:
        if ids.count(call_id) > 1:
            raise RefusedError(f"Duplicate value for 'tool_call_id' of {call_id} in message")


def _check_thinking(body: dict[str, Any]) -> None:
    if body.get("tool_choice", "auto") not in ("auto", "none"):
        raise RefusedError("Thinking mode does not support this tool_choice")
    for message in body["messages"]:
        if message.get("tool_calls") and "reasoning_content" not in message:
            raise RefusedError(
                "The `reasoning_content` in the thinking mode must be passed back to the API."
            )


def _check_format(body: dict[str, Any]) -> None:
    kind = body.get("response_format", {}).get("type", "text")
    if kind not in ("text", "json_object"):
        raise RefusedError("This response_format type is unavailable now")
    prompt = " ".join(message.get("content") or "" for message in body["messages"])
    if kind == "json_object" and "json" not in prompt.lower():
        raise RefusedError(
            "Prompt must contain the word 'json' in some form to use 'response_format' of type "
            "'json_object'."
        )


def _check_tools(body: dict[str, Any]) -> None:
    tools = body.get("tools") or []
    if len(tools) > 128:
        raise RefusedError("Invalid 'tools': array too long")
    for declared in tools:
        if declared.get("type") != "function" or not _NAME.match(declared["function"]["name"]):
            raise RefusedError("Invalid 'tools': bad function")
    if body.get("tool_choice") == "required" and not tools:
        raise RefusedError("tool_choice needs tools")


def _thinks(body: dict[str, Any]) -> bool:
    kind = body.get("thinking", {}).get("type", "enabled")
    if kind not in ("enabled", "disabled"):
        raise RefusedError("invalid thinking type")
    return bool(kind == "enabled")


def _common_prefix(left: str, right: str) -> int:
    limit = min(len(left), len(right))
    return next((at for at in range(limit) if left[at] != right[at]), limit)


def _handler(server: StrictDeepSeek) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            body = json.loads(self.rfile.read(length))
            if self.path not in ("/chat/completions", "/v1/chat/completions"):
                self._send(404, _error("Not Found"))
                return
            try:
                turn = server.answer(body, self.headers.get("Authorization", ""))
            except RefusedError as refusal:
                self._send(refusal.status, _error(str(refusal)))
                return
            time.sleep(turn.delay_s)
            self._play(body, turn)

        def _play(self, body: dict[str, Any], turn: Turn) -> None:
            if turn.status != 200:
                self._send(turn.status, _error(turn.error), turn.headers)
                return
            text = turn.raw_body
            if text is None:
                text = json.dumps(server.completion(body, turn), ensure_ascii=False)
            self._send(200, "\n" * turn.blank_lines + text, turn.headers, cut=turn.cut)

        def _send(
            self, status: int, text: str, headers: dict[str, str] | None = None, cut: bool = False
        ) -> None:
            payload = text.encode()
            self.send_response(status)
            given = dict(headers or {})
            self.send_header("Content-Type", given.pop("Content-Type", "application/json"))
            self.send_header("Content-Length", str(len(payload)))
            for name, value in given.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                self.wfile.write(payload[: len(payload) // 2] if cut else payload)
            except OSError:
                return
            self.close_connection = cut or self.close_connection

        def log_message(self, format: str, *args: object) -> None:
            return

    return Handler


def _error(message: str) -> str:
    return json.dumps({"error": {"message": message, "type": "invalid_request_error"}})
