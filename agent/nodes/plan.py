"""plan: one model call that says goal, next step and why, and carries the tool call itself."""

from typing import Any

from langgraph.runtime import Runtime

from agent.deps import Deps
from agent.nodes.common import Exchange, limit_reached
from agent.prompts import prompt
from agent.state import State, SubTask

_HINTS = {
    "rows": " with the tool sql",
    "chunk": " with the tool knowledge_search",
    "calculation": " with the tool calculate",
    "date": " with the tool dates",
}


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
        failed=bool(steps) and not steps[-1].ok,
        hint=_HINTS.get(task.evidence_kind, "") if not steps else "",
    )
    exchange = Exchange(state, deps)
    reply = await exchange.ask("plan", instruction)
    calls = list(reply.message.tool_calls) if reply is not None else []
    return {**exchange.update(), "calls": calls, "limit": "" if calls else "the model made no call"}


def current_task(state: State) -> tuple[int, SubTask | None]:
    """The first open sub-task and its index; None when all are closed."""
    for index, task in enumerate(state["sub_tasks"]):
        if task.state == "open":
            return index, task
    return len(state["sub_tasks"]), None
