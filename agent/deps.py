"""What the nodes are given through LangGraph's runtime context; never by import or global."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from agent.handoff import HandoffStore
from agent.memory import Memory
from agent.models.base import ChatModel, Message, OutputSchema, Reply, ToolSpec
from agent.relevance import Relevance
from agent.settings import Role, Settings
from agent.usage_log import append_usage
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
        """One model call in a role, its tokens written to usage.jsonl. Raises ModelError."""
        model = self.models[role]
        limit = getattr(self.settings.roles, role).max_tokens
        reply = await model.complete(
            messages, tools=self.specs, output=output, max_tokens=limit, only=only, attempt=attempt
        )
        append_usage(
            self.data_dir,
            {
                "trace_id": trace_id,
                "thread_id": self.thread_id,
                "role": role,
                "model": reply.model,
                "input_tokens": reply.usage.input_tokens,
                "cached_input_tokens": reply.usage.cached_input_tokens,
                "output_tokens": reply.usage.output_tokens,
                "cost": None if reply.usage.cost is None else str(reply.usage.cost),
                "ms": round(reply.ms, 1),
            },
        )
        return reply
