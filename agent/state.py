"""The graph's one typed state: a TypedDict with reducers at the edge, frozen models inside.

Only short things live here; the full evidence is in the evidence store, by thread and id.
"""

import operator
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from pydantic import Field

from agent.models.base import Frozen, Message, ToolCall, Usage

EvidenceKind = Literal["rows", "chunk", "calculation", "date", "any"]


class SubTask(Frozen):
    task: str
    evidence_kind: EvidenceKind = "any"
    state: Literal["open", "done", "failed"] = "open"
    evidence_ids: tuple[str, ...] = ()
    rule: Literal["", "reorder", "compare_stock", "policy"] = ""
    """Its calls and its words in the answer are made by rule."""
    prepared: dict[str, str] = Field(default_factory=dict)
    """What a rule asks first, by name: SQL, or the words of a search."""
    limited_to: tuple[str, ...] = ()
    whole_list: bool = False
    missing: tuple[str, ...] = ()
    """The sources that a rule would need and the catalog lacks."""


class Step(Frozen):
    """One tool call as it was asked for and what became of it."""

    sub_task: int
    goal: str = ""
    plan: str = ""
    reason: str = ""
    tool: str = ""
    arguments: dict[str, Any] = Field(default_factory=dict)
    ok: bool = False
    final: bool = False
    """The failure will not change: the same call is never run again."""
    ms: float = 0.0
    summary: str = ""
    hint: str = ""
    """What to do about it, when it failed or found nothing."""
    evidence_ids: tuple[str, ...] = ()
    completes: bool = False


class Reflection(Frozen):
    progress: bool
    verdict: Literal["continue", "change", "stop"]
    reason: str = ""


class Confirmed(Frozen):
    """A confirmed pair that was shown as an example; `repeat` when its SQL, with the days of today,
    answers the very same question."""

    id: str
    sql: str
    repeat: bool = False


class Turn(Frozen):
    """A finished question of the thread, as the gate sees it."""

    question: str
    reading: str
    answer: str


class Claimed(Frozen):
    text: str
    evidence_ids: tuple[str, ...] = ()
    by_rule: bool = False
    """Code wrote it: its figures are checked, and what it names is its source."""


class SecondQuery(Frozen):
    """A query that was written without sight of the first, and whether its figures are the same."""

    query: str
    agrees: bool


class Draft(Frozen):
    text: str
    claims: tuple[Claimed, ...] = ()
    self_confidence: float | None = None

    @property
    def by_rule(self) -> bool:
        """Whether no model wrote any of it."""
        return bool(self.claims) and all(claim.by_rule for claim in self.claims)


class State(TypedDict):
    """`transcript` and the logs only grow within a question; `begin` clears them for the next."""

    question: str
    thread_id: str
    trace_id: str
    started: float
    reading: NotRequired[str]
    retrieve: NotRequired[bool]
    dates: NotRequired[str]
    pairs: NotRequired[list[Confirmed]]
    transcript: NotRequired[Annotated[list[Message], operator.add]]
    sub_tasks: NotRequired[list[SubTask]]
    calls: NotRequired[list[ToolCall]]
    steps: NotRequired[Annotated[list[Step], operator.add]]
    reflections: NotRequired[Annotated[list[Reflection], operator.add]]
    reflected_at: NotRequired[int]
    """How many steps there were at the last reflection."""
    evidence_ids: NotRequired[Annotated[list[str], operator.add]]
    usage: NotRequired[Annotated[Usage, operator.add]]
    llm_ms: NotRequired[Annotated[float, operator.add]]
    second: NotRequired[SecondQuery | None]
    draft: NotRequired[Draft | None]
    revisions: NotRequired[int]
    verification: NotRequired[dict[str, Any] | None]
    confidence: NotRequired[float]
    doubts: NotRequired[list[dict[str, str]]]
    absent: NotRequired[bool]
    limit: NotRequired[str]
    """Why the run was cut short ("steps", "time", "no progress", "model: …"); "" when it was not."""
    answer: NotRequired[dict[str, Any] | None]
    resolution: NotRequired[dict[str, Any] | None]
    history: NotRequired[list[Turn]]
