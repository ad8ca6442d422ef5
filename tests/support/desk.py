"""An agent over a small company with a model that plays a script: what the agent's tests ask."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from agent import Agent
from agent.answer import Answer
from agent.models.base import ChatModel, Message
from agent.models.scripted import ScriptedModel, Step, call, calls, data
from agent.settings import Role, Settings
from agent.telemetry import load_trace
from ingest.embedders import make_embedder
from ingest.store import Store

ROLES: tuple[Role, ...] = ("gate", "plan", "answer", "judge")
TODAY = date(2026, 11, 30)
SAID = {"goal": "count", "next_step": "query", "reason": "rows"}

SIMPLE = "How many units of XR-4200 are on hand?"
UNITS = "SELECT sum(quantity) AS units FROM stock WHERE sku = 'XR-4200'"
"""12 in Osaka and 7 in Tokyo."""
COMPOUND = "How many units of XR-4200 are on hand? And what does the return policy say?"


def sql(query: str = UNITS) -> Message:
    return call("sql", **SAID, query=query)


def search(words: str = "return policy") -> Message:
    return call("knowledge_search", **SAID, query_text=words)


def calculate(code: str) -> Message:
    return call("calculate", **SAID, code=code)


def together(*wanted: Message) -> Message:
    """Several calls in one turn."""
    return calls(*((c.name, c.arguments) for one in wanted for c in one.tool_calls))


def said(text: str, *evidence_ids: str, claims: Sequence[str] | None = None) -> Message:
    """An answer whose claims (its whole text, if none are given) rest on these evidence ids."""
    stated = [text] if claims is None else claims
    return data(
        {
            "text": text,
            "claims": [{"text": c, "evidence_ids": list(evidence_ids)} for c in stated],
            "self_confidence": 0.9,
        }
    )


def split(*tasks: tuple[str, str]) -> Message:
    """What decompose returns: (task, kind of evidence)."""
    return data({"sub_tasks": [{"task": t, "evidence_kind": k} for t, k in tasks]})


def looked(progress: bool, verdict: str = "continue") -> Message:
    """What reflect returns."""
    return data({"progress": progress, "verdict": verdict, "reason": "because"})


def gated(question: str, retrieve: bool = True) -> Message:
    """What gate returns for a question with a history."""
    return data({"retrieve": retrieve, "question": question, "reason": "because"})


@dataclass
class Clock:
    """A monotonic clock that stands still until it is moved. Seconds."""

    seconds: float = 1000.0

    def __call__(self) -> float:
        return self.seconds

    def then(self, seconds: float, step: Message) -> Callable[[Any], Message]:
        """A step of a script that takes this long."""

        def play(_: Any) -> Message:
            self.seconds += seconds
            return step

        return play


@dataclass
class Desk:
    """`roles` is the agent's own mapping: a new script is put in there."""

    agent: Agent
    roles: dict[Role, ChatModel]
    clock: Clock = field(default_factory=Clock)
    model: ScriptedModel = field(default_factory=ScriptedModel)

    def play(self, *steps: Step) -> ScriptedModel:
        """A new script for all roles."""
        self.model = ScriptedModel(steps)
        self.roles.update(dict.fromkeys(ROLES, self.model))
        return self.model

    def ask(self, question: str, *steps: Step, thread: str | None = None) -> Answer:
        """Asks with a script, which must be played to its end."""
        model = self.play(*steps)
        answer = self.agent.ask(question, thread_id=thread)
        assert model.remaining == 0, f"{model.remaining} steps were not played"
        return answer

    def limit(self, **changed: float) -> None:
        """Other limits from now on, for the code; the system prompt stays."""
        settings = self.agent.settings
        graph = settings.graph.model_copy(update=changed)
        self.agent.settings = settings.model_copy(update={"graph": graph})

    def nodes(self, answer: Answer) -> list[str]:
        """The nodes of an answer's trace, in order of start."""
        trace = load_trace(self.agent.data_dir, answer.trace_id)
        found = [s.attributes.get("zaiko.node") for s in trace.spans]
        return [str(name) for name in found if name is not None]


def open_desk(data_dir: Path, settings: Settings | None = None, **options: Any) -> Desk:
    clock = Clock()
    roles: dict[Role, ChatModel] = dict.fromkeys(ROLES, ScriptedModel())
    given: dict[str, Any] = {"today": TODAY, "now": clock, **options}
    chosen = settings or Settings()
    store = Store.open(data_dir, chosen.ingest_with_kb, embedder=make_embedder("seeded"))
    return Desk(Agent(chosen, data_dir, models=roles, store=store, **given), roles, clock)
