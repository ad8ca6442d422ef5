"""second_query: the same question, asked of the tables once more by a query written anew.

Two queries that were written without sight of each other and bring the same figures are a sign
that the question was understood; two that differ are one that it may not have been.
"""

import re
import time
from typing import Any

from langgraph.runtime import Runtime

from agent.agreement import same_figures
from agent.deps import Deps
from agent.models.base import Message
from agent.nodes.common import Exchange, limit_reached
from agent.nodes.execute import Asked, execute
from agent.prompts import prompt
from agent.state import SecondQuery, State, Step
from agent.toolbox import split_arguments
from tools.errors import ToolError
from tools.evidence import Evidence

# What can be understood in more than one way; one row looked up by its key cannot.
_PAYS = re.compile(
    r"\bJOIN\b|\b(?:SUM|AVG|COUNT|MIN|MAX|MEDIAN)\s*\(|\bGROUP BY\b|\bNOT (?:IN|EXISTS)\b|\bEXCEPT\b",
    re.IGNORECASE,
)


def wants_second_query(state: State, deps: Deps) -> bool:
    """For one figure question whose query joins or aggregates, while there is time for it."""
    if not deps.settings.graph.second_query or limit_reached(state, deps):
        return False
    if any(pair.repeat for pair in state.get("pairs", [])):
        return False
    return len(state["sub_tasks"]) == 1 and _first(state, deps) is not None


async def second_query(state: State, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Sets `second`, unless the model wrote no query that runs. Nothing of it is shown to the
    model that answers."""
    deps = runtime.context
    first, head = _first(state, deps), _head(state)
    if first is None or head is None:
        return {}
    deps.on_event("second_query", "writing a second query to compare with")
    anew: State = {**state, "transcript": [state["transcript"][0], head]}
    exchange = Exchange(anew, deps)
    reply = await exchange.ask("plan", prompt("second_query"), only=("sql",))
    said = exchange.update()
    cost = {"usage": said["usage"], "llm_ms": said["llm_ms"]}
    call = next((c for c in reply.message.tool_calls if c.name == "sql"), None) if reply else None
    if call is None:
        return cost
    _, arguments = split_arguments(call.arguments)
    began = time.perf_counter()
    other, second = None, None
    try:
        result = await execute(call, arguments, Asked(state["reading"]), {}, deps)
    except ToolError as error:
        summary = f"{error.kind}: {error.message}"
    else:
        other, summary = next(iter(result.evidence()), None), "no rows"
    ms = round((time.perf_counter() - began) * 1000, 1)
    if other is not None:
        agrees = same_figures(first, other)
        second = SecondQuery(query=str(arguments.get("query", "")), agrees=agrees)
        summary = f"{'agrees with' if agrees else 'differs from'} {first.id}"
    step = Step(
        sub_task=0,
        goal="a second query, written anew",
        plan="",
        reason="",
        tool="sql",
        arguments=arguments,
        ms=ms,
        ok=second is not None,
        summary=summary,
    )
    return {**cost, "steps": [step], "second": second}


def _first(state: State, deps: Deps) -> Evidence | None:
    """The rows that the answer would rest on, where it pays to ask for them twice."""
    known = deps.memory.evidence(deps.thread_id)
    for step in reversed(state.get("steps", [])):
        if not (step.ok and step.completes):
            continue
        rows = [known[i] for i in step.evidence_ids if i in known and known[i].kind == "rows"]
        if step.tool != "sql" or not rows or not _PAYS.search(rows[0].query or ""):
            return None
        return rows[0]
    return None


def _head(state: State) -> Message | None:
    """The question with what stands beside it; None once the transcript was shortened."""
    messages = state.get("transcript", [])
    return next(
        (m for m in messages if m.role == "user" and m.content.startswith("Question:")), None
    )
