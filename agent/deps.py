"""What the nodes are given through LangGraph's runtime context; never by import or global."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from agent.errors import ModelError
from agent.handoff import HandoffStore
from agent.memory import Memory
from agent.models.base import ChatModel, Message, OutputSchema, Reply, ToolSpec, Usage
from agent.pairs import PairLibrary
from agent.relevance import Relevance
from agent.settings import Role, Settings
from agent.usage_log import append_call
from ingest.store import Store
from tools.base import Tool

Monotonic = Callable[[], float]


@dataclass(frozen=True)
class Deps:
    """One question's dependencies. `tools` are keyed by name, in the order of declaration."""

    settings: Settings
    data_dir: Path
    store: Store
    tools: Mapping[str, Tool]
    specs: Sequence[ToolSpec]
    system_prompt: str
    catalog_is_whole: bool
    relevance: Relevance
    models: Mapping[Role, ChatModel]
    memory: Memory
    handoffs: HandoffStore
    today: date
    thread_id: str
    turn: int
    pairs: PairLibrary | None = None
    kbs: tuple[str, ...] | None = None
    now: Monotonic = time.monotonic
    on_event: Callable[[str, str], None] = field(default=lambda kind, text: None)
    """Progress for a person: (node, what it does)."""

    async def ask_model(
        self,
        role: Role,
        messages: Sequence[Message],
        *,
        trace_id: str,
        output: OutputSchema | None = None,
        only: Sequence[str] = (),
        attempt: int = 0,
    ) -> Reply:
        """One model call in a role, its tokens written to usage.jsonl, also where its reply could
        not be used. Raises ModelError."""
        model = self.models[role]
        limit = getattr(self.settings.roles, role).max_tokens
        start = time.perf_counter()
        try:
            reply = await model.complete(
                messages,
                tools=self.specs,
                output=output,
                max_tokens=limit,
                only=only,
                attempt=attempt,
            )
        except ModelError as error:
            if error.usage is not None:
                ms = (time.perf_counter() - start) * 1000
                self._count(role, trace_id, model.name, error.usage, ms)
            raise
        self._count(role, trace_id, reply.model, reply.usage, reply.ms)
        return reply

    def _count(self, role: Role, trace_id: str, model: str, usage: Usage, ms: float) -> None:
        append_call(
            self.data_dir,
            usage,
            trace_id=trace_id,
            thread_id=self.thread_id,
            role=role,
            model=model,
            ms=ms,
        )
