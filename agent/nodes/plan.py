"""plan: one model call that says goal, next step and why, and carries the tool call itself."""

import asyncio
import json
from collections.abc import Sequence
from itertools import takewhile
from typing import Any

from langgraph.runtime import Runtime

from agent.deps import Deps
from agent.document_questions import document_call
from agent.metric_questions import metric_call
from agent.models.base import Message, ToolCall
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
QUERY_CHARACTERS = 1000
QUERIES_IN_VAIN = 2


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
    if certain := _confirmed(state, task, steps, deps) or _call_by_rule(task, number, steps, deps):
        return {"transcript": [_calling(certain, deps)], "calls": [certain], "limit": ""}
    if searched := await asyncio.to_thread(_search_instead, task, number, steps, deps):
        tasks = list(state["sub_tasks"])
        tasks[number] = task.model_copy(update={"evidence_kind": "chunk"})
        turn = {"transcript": [_calling(searched, deps)], "calls": [searched], "limit": ""}
        return {**turn, "sub_tasks": tasks}
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
    if not calls and (searched := _search_for_it(task, number, steps, deps)):
        exchange.added.append(_calling(searched, deps))
        calls = [searched]
    limit = "" if calls else limit_reached(state, deps) or "the model made no call"
    return {**exchange.update(), "calls": calls, "limit": limit}


def _call_by_rule(task: SubTask, number: int, steps: Sequence[Step], deps: Deps) -> ToolCall | None:
    """A metric of the catalog, and no more, is computed by its own query; which documents there
    are is asked of the catalog, once, without a model; what they say is first searched in the
    task's own words where the model is small: its words are no better."""
    if not steps and (metric := _metric(task, number, deps)):
        return metric
    if steps or "catalog" not in deps.tools or not deps.store.knowledge_bases():
        return None
    if task.evidence_kind == "chunk" and not deps.models["plan"].capabilities.native_tools:
        return _search_for_it(task, number, steps, deps, "the task is about the documents")
    arguments = document_call(task.task, deps.store, deps.today)
    if arguments is None:
        return None
    said = {
        "goal": "which documents there are",
        "next_step": "ask the catalog",
        "reason": "it is about the documents themselves",
    }
    return _tool_call(number, "catalog", {**said, **arguments})


def _metric(task: SubTask, number: int, deps: Deps) -> ToolCall | None:
    if "sql" not in deps.tools or task.evidence_kind not in ("rows", "any"):
        return None
    call = metric_call(task.task, deps.store.catalog, deps.today)
    if call is None:
        return None
    said = {
        "goal": call.metric.name,
        "next_step": "run the catalog's query",
        "reason": f"it asks for {call.metric.name} = {call.metric.formula}",
    }
    return _tool_call(number, "sql", {**said, "query": call.query})


def _confirmed(state: State, task: SubTask, steps: Sequence[Step], deps: Deps) -> ToolCall | None:
    """The SQL that a person confirmed for this very question, as the first call."""
    repeat = next((p for p in state.get("pairs", []) if p.repeat), None)
    alone = len(state["sub_tasks"]) == 1 and task.evidence_kind in ("rows", "any")
    if repeat is None or steps or not alone or "sql" not in deps.tools:
        return None
    said = {
        "goal": "the figures",
        "next_step": "run the confirmed query",
        "reason": f"a person confirmed it for this question ({repeat.id})",
    }
    return _tool_call(0, "sql", {**said, "query": repeat.sql})


def is_confirmed(call: ToolCall) -> bool:
    """Whether the call is SQL that a person or the catalog has for this very question, which runs
    as it is."""
    return call.id.startswith("rule_") and call.name == "sql"


def _search_instead(
    task: SubTask, number: int, steps: Sequence[Step], deps: Deps
) -> ToolCall | None:
    """Queries that bring nothing, of a small model, were perhaps asked of the wrong place."""
    is_small = not deps.models["plan"].capabilities.native_tools
    if not is_small or task.evidence_kind != "rows" or _tries(steps) < QUERIES_IN_VAIN:
        return None
    if any(s.completes or s.tool == "knowledge_search" for s in steps):
        return None
    if not deps.relevance.has_passage(task.task):
        return None
    as_text = task.model_copy(update={"evidence_kind": "chunk"})
    return _search_for_it(as_text, number, steps, deps, "the tables brought nothing")


def _search_for_it(
    task: SubTask,
    number: int,
    steps: Sequence[Step],
    deps: Deps,
    reason: str = "the model made no call",
) -> ToolCall | None:
    """A model that makes no call, or cannot, still gets what the documents say: retrieved by the
    task's own words, once, when nothing has been found for it."""
    tried = any(s.completes or s.tool == "knowledge_search" for s in steps)
    wanted = task.evidence_kind in ("chunk", "any")
    if tried or not wanted or "knowledge_search" not in deps.tools:
        return None
    said = {
        "goal": "what the documents say",
        "next_step": "search with the question",
        "reason": reason,
    }
    asked = {**said, "query_text": task.task[:QUERY_CHARACTERS]}
    return _tool_call(number, "knowledge_search", asked)


def _tool_call(number: int, name: str, arguments: dict[str, Any]) -> ToolCall:
    """A call that code makes; each is made once a sub-task, which tells its id from the others."""
    raw = json.dumps(arguments, ensure_ascii=False)
    return ToolCall(id=f"rule_{number}_{name}", name=name, arguments=arguments, raw=raw)


def _calling(call: ToolCall, deps: Deps) -> Message:
    """A model that thinks refuses a turn of its own without its thoughts; here there are none."""
    thinks = deps.models["plan"].capabilities.thinking
    return Message(role="assistant", tool_calls=(call,), reasoning="" if thinks else None)


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
