"""What several nodes need: one model turn with one retry, schemas, and limits."""

import asyncio
import json
from collections.abc import Sequence
from itertools import takewhile
from typing import Any

from langgraph.types import Overwrite

from agent.deps import Deps
from agent.errors import ModelReplyError
from agent.models.base import Message, OutputSchema, Reply, Usage
from agent.prompts import prompt
from agent.settings import Role
from agent.state import State, Step
from agent.transcript import compacted, outgrown

RETRIES = 1


def user(text: str) -> Message:
    return Message(role="user", content=text)


def schema(name: str, **properties: dict[str, Any]) -> OutputSchema:
    """An object schema with all properties required, in the order given."""
    return OutputSchema(
        name=name,
        schema_={
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        },
    )


def string(limit: int) -> dict[str, Any]:
    return {"type": "string", "maxLength": limit}


CUT_OFF = "it was cut off; leave out all that the question does not ask for"


class Exchange:
    """Messages that one node adds to the transcript, and what they cost.

    A reply that was cut off or could not be read is not kept; the model is told why and asked
    once more, so that every prompt still extends the one before. Only a run that outgrows the
    model's context is shortened, before the node's first call.
    """

    def __init__(self, state: State, deps: Deps) -> None:
        self._state = state
        self._deps = deps
        self.added: list[Message] = []
        self.usage = Usage()
        self.ms = 0.0
        self._before: list[Message] = state.get("transcript", [])
        self._is_compacted = False

    async def ask(
        self,
        role: Role,
        instruction: str,
        output: OutputSchema | None = None,
        only: Sequence[str] = (),
        tried: int = 0,
    ) -> Reply | None:
        """The model's usable reply; None when it has none after the retry, or within the time of
        the question. Raises ModelError for what the model cannot mend."""
        self._make_room(role)
        self.added.append(user(instruction))
        for attempt in range(RETRIES + 1):
            try:
                reply = await self._call(role, output, only, tried + attempt)
            except TimeoutError:
                return None
            except ModelReplyError as error:
                problem = error.message
                self.usage += error.usage or Usage()
            else:
                if reply.finish_reason != "length":
                    self.added.append(reply.message)
                    return reply
                problem = CUT_OFF
            if attempt < RETRIES:
                self.added.append(user(prompt("unreadable", problem=problem)))
        return None

    async def ask_json(
        self, role: Role, instruction: str, output: OutputSchema
    ) -> dict[str, Any] | None:
        """None also for a reply that is no JSON object: a client should have refused it."""
        reply = await self.ask(role, instruction, output)
        if reply is None:
            return None
        try:
            value = json.loads(reply.message.content)
        except json.JSONDecodeError:
            return None
        return value if isinstance(value, dict) else None

    def update(self) -> dict[str, Any]:
        """The state update: what was said and what it cost."""
        said: Any = self.added
        if self._is_compacted:
            said = Overwrite([*self._before, *self.added])
        return {"transcript": said, "usage": self.usage, "llm_ms": self.ms}

    def _make_room(self, role: Role) -> None:
        context = self._deps.models[role].capabilities.context_tokens
        limit = getattr(self._deps.settings.roles, role).max_tokens
        if outgrown(self._before, context, limit):
            self._before = compacted(self._before, self._state["reading"])
            self._is_compacted = True

    async def _call(
        self, role: Role, output: OutputSchema | None, only: Sequence[str], attempt: int
    ) -> Reply:
        messages: Sequence[Message] = [*self._before, *self.added]
        async with asyncio.timeout(self._seconds_left(role)):
            reply = await self._deps.ask_model(
                role,
                messages,
                trace_id=self._state["trace_id"],
                output=output,
                only=only,
                attempt=attempt,
            )
        self.usage += reply.usage
        self.ms += reply.ms
        return reply

    def _seconds_left(self, role: Role) -> float | None:
        """Until the question's limit; the answer is written from what is there, however late."""
        if role == "answer":
            return None
        spent = self._deps.now() - self._state["started"]
        return max(0.0, self._deps.settings.graph.seconds - spent)


def limit_reached(state: State, deps: Deps) -> str:
    """Why no further call may be made: "time" or "steps"; "" while there is room."""
    limits = deps.settings.graph
    if deps.now() - state["started"] >= limits.seconds:
        return "time"
    if len(state.get("steps", [])) >= limits.steps:
        return "steps"
    return ""


def failures_in_a_row(steps: Sequence[Step]) -> int:
    """How many of the last steps failed, up to the last that succeeded."""
    return len(list(takewhile(lambda step: not step.ok, reversed(steps))))


__all__ = ["Exchange", "failures_in_a_row", "limit_reached", "schema", "string", "user"]
