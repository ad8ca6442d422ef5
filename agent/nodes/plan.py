"""plan: one model call that says goal, next step and why, and carries the tool call itself."""

from collections.abc import Sequence
from itertools import takewhile
from typing import Any

from langgraph.runtime import Runtime

from agent.deps import Deps
from agent.nodes.common import Exchange, limit_reached
from agent.prompts import prompt
from agent.state import EvidenceKind, State, Step, SubTask

# The tools that bring each kind of evidence; the first is named in the instruction.
_TOOLS: dict[EvidenceKind, tuple[str, ...]] = {
    "rows": ("sql",),
    "chunk": ("knowledge_search",),
    "calculation": ("calculate",),
    "date": ("dates",),
    "any": ("sql", "knowledge_search", "calculate", "catalog"),
}


PROBLEM_CHARACTERS = 600


async def plan(state: State, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Sets `calls`; none when the model answered in text, gave no usable reply, or a limit
    was reached: then the answer is next."""
    deps = runtime.context
    limit = limit_reached(state, deps)
    number, task = current_task(state)
    if limit or task is None:
        return {"calls": [], "limit": limit}
    count = len(state["sub_tasks"])
    deps.on_event("plan", task.task if count > 1 else "choosing the next step")
    steps = [s for s in state.get("steps", []) if s.sub_task == number]
    instruction = prompt(
        "plan",
        count=count,
        number=number + 1,
        task=task.task,
        kind=task.evidence_kind,
        problem=_problem(steps[-1]) if steps else "",
        tool=_TOOLS[task.evidence_kind][0] if task.evidence_kind != "any" else "",
    )
    exchange = Exchange(state, deps)
    only, tried = _TOOLS[task.evidence_kind], _tries(steps)
    reply = await exchange.ask("plan", instruction, only=only, tried=tried)
    calls = list(reply.message.tool_calls) if reply is not None else []
    return {**exchange.update(), "calls": calls, "limit": "" if calls else "the model made no call"}


def _tries(steps: Sequence[Step]) -> int:
    """How many calls in a row brought nothing."""
    return len(list(takewhile(lambda step: not step.completes, reversed(steps))))


def _problem(last: Step) -> str:
    """What was wrong with the last call, said again where a small model heeds it: at the end."""
    if last.completes:
        return ""
    return f"{last.summary}. {last.hint}"[:PROBLEM_CHARACTERS].strip()


def current_task(state: State) -> tuple[int, SubTask | None]:
    """The first open sub-task and its index; None when all are closed."""
    for index, task in enumerate(state["sub_tasks"]):
        if task.state == "open":
            return index, task
    return len(state["sub_tasks"]), None
