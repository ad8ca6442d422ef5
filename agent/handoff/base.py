"""Handoffs: what a person gets to settle, and what became of it.

open ──claim──▶ claimed
  │                │
  ├────resolve─────┴──▶ resolved ──mark_delivered──▶ delivered
  └────reject──────┴──▶ rejected
"""

import hashlib
from typing import Any, Literal, Protocol

from pydantic import Field, field_validator

from agent.models.base import Frozen

State = Literal["open", "claimed", "resolved", "rejected"]
ROWS_KEPT = 100


class Unsure(Frozen):
    what: str
    why: str


class Packet(Frozen):
    """All that was found for a question. `created` is ISO 8601 in UTC.

    `evidence` are JSON objects; of each the first 100 `rows` are kept, its `row_count` stays.
    """

    id: str = Field(pattern=r"^h-[0-9a-f]{4,64}$")
    thread_id: str
    turn: int
    question: str
    reading: str = ""
    language: str = ""
    sub_tasks: tuple[dict[str, Any], ...] = ()
    steps: tuple[dict[str, Any], ...] = ()
    evidence: tuple[dict[str, Any], ...] = ()
    draft: str = ""
    confidence: float
    unsure: tuple[Unsure, ...] = ()
    settle: str = ""
    """The cheapest question that would settle it."""
    trace_id: str = ""
    data_revision: int
    created: str

    @field_validator("evidence")
    @classmethod
    def _first_rows(cls, evidence: tuple[dict[str, Any], ...]) -> tuple[dict[str, Any], ...]:
        return tuple(
            {**item, "rows": list(item["rows"])[:ROWS_KEPT]} if "rows" in item else item
            for item in evidence
        )


class Resolution(Frozen):
    """A person's answer; `at` is ISO 8601 in UTC."""

    text: str
    sql: str | None = None
    by: str
    at: str


class Handoff(Frozen):
    """A packet and its state. `claimed_at` and `closed_at` are ISO 8601 in UTC; `closed_by` is
    who resolved or rejected it, `reason` why it was rejected."""

    packet: Packet
    state: State
    claimed_by: str | None = None
    claimed_at: str | None = None
    resolution: Resolution | None = None
    reason: str | None = None
    closed_by: str | None = None
    closed_at: str | None = None
    delivered: bool = False

    @property
    def id(self) -> str:
        return self.packet.id


Handoffs = list[Handoff]


class HandoffStore(Protocol):
    """Keeps handoffs. Every change is atomic across processes and returns the new state.

    An `id` may be shortened to a unique beginning, with or without its `h-`. All methods raise
    `agent.errors.HandoffError`: for an unknown or ambiguous id, and when the state forbids it.
    """

    def add(self, packet: Packet) -> Handoff:
        """Stores a packet. The same id again changes nothing and returns what is there."""
        ...

    def list(self, state: State | None = None) -> Handoffs:
        """Oldest first; [] where no store exists yet."""
        ...

    def get(self, id: str) -> Handoff: ...

    def claim(self, id: str, who: str) -> Handoff:
        """Takes an open one. One's own again is fine, another's is an error."""
        ...

    def resolve(self, id: str, resolution: Resolution) -> Handoff:
        """Closes an open or claimed one with an answer. The same text and SQL again is fine."""
        ...

    def mark_delivered(self, id: str) -> Handoff:
        """The outcome of a resolved or rejected one has reached the asker."""
        ...

    def reject(self, id: str, reason: str, by: str) -> Handoff:
        """Closes an open or claimed one without an answer. The same reason again is fine."""
        ...


def packet_id(thread_id: str, turn: int) -> str:
    """The id of a thread's turn: `h-` and 16 hexadecimal digits, the same every time."""
    digest = hashlib.sha256(f"{thread_id}\x00{turn}".encode("utf-8", "surrogatepass")).hexdigest()
    return f"h-{digest[:16]}"
