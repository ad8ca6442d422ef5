"""act: runs the calls. No model is called, but by a reranker that is set to ask one; every exception becomes a result for the model."""

import asyncio
import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from langgraph.runtime import Runtime

from agent.deps import Deps
from agent.memory import PastCall
from agent.models.base import Message, ToolCall
from agent.nodes.advance import Known, advance, settled_by_absence
from agent.nodes.execute import Asked, execute
from agent.nodes.plan import current_task
from agent.state import State, Step
from agent.toolbox import split_arguments
from tools.base import Result
from tools.errors import ToolError, ToolRefused
from tools.evidence import Evidence

BEYOND_LIMIT = "Not run: the limit of calls is reached."


@dataclass(frozen=True)
class Outcome:
    """What became of a call before its evidence is numbered."""

    call: ToolCall
    said: dict[str, Any]
    arguments: dict[str, Any]
    ms: float = 0.0
    result: Result | None = None
    error: ToolError | None = None
    past: PastCall | None = None


async def act(state: State, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Independent calls of one turn run side by side; evidence is numbered in call order.

    The thread's evidence is read once; what the calls bring is added to it.
    """
    deps = runtime.context
    number, _ = current_task(state)
    room = _room(state, number, deps)
    known = deps.memory.evidence(deps.thread_id)
    tasks = state["sub_tasks"]
    alone = len(tasks) == 1 and tasks[0].evidence_kind == "rows"
    asked = Asked(state["reading"], "\n".join(p.sql for p in state.get("pairs", [])), alone)
    outcomes = await _run_once_each(state["calls"][:room], asked, known, deps)
    messages, steps = [], []
    for outcome in outcomes:
        step, shown, found = await _record(outcome, number, known, deps)
        known = known | {e.id: e for e in found}
        steps.append(step)
        messages.append(Message(role="tool", content=shown, tool_call_id=outcome.call.id))
    for call in state["calls"][room:]:
        messages.append(Message(role="tool", content=BEYOND_LIMIT, tool_call_id=call.id))
    steps = await settled_by_absence(state, number, steps, known, deps)
    tasks = advance(state, number, steps, known, deps.settings.graph)
    fresh = [e for s in steps for e in s.evidence_ids if e not in state.get("evidence_ids", [])]
    return {
        "transcript": messages,
        "steps": steps,
        "sub_tasks": tasks,
        "evidence_ids": list(dict.fromkeys(fresh)),
        "calls": [],
    }


def _room(state: State, number: int, deps: Deps) -> int:
    """How many calls may still run for this sub-task and this question."""
    limits, steps = deps.settings.graph, state.get("steps", [])
    if number < len(state["sub_tasks"]) and state["sub_tasks"][number].rule:
        return max(0, limits.steps - len(steps))
    own = sum(step.sub_task == number for step in steps)
    return max(0, min(limits.steps_per_task - own, limits.steps - len(steps)))


async def _run_once_each(
    calls: Sequence[ToolCall], asked: Asked, known: Known, deps: Deps
) -> list[Outcome]:
    """Side by side; the same call twice in one turn runs once."""
    runs: dict[str, asyncio.Task[Outcome]] = {}
    keys = [_key(call, deps) for call in calls]
    async with asyncio.TaskGroup() as group:
        for key, call in zip(keys, calls, strict=True):
            if key not in runs:
                runs[key] = group.create_task(_run(call, key, asked, known, deps))
    done = [runs[key].result() for key in keys]
    return [replace(one, call=call) for one, call in zip(done, calls, strict=True)]


def _key(call: ToolCall, deps: Deps) -> str:
    """A call whose arguments could not be read is like no other."""
    if call.error is not None:
        return f"unreadable {call.id}"
    return call_key(call.name, split_arguments(call.arguments)[1], deps)


async def _run(call: ToolCall, key: str, asked: Asked, known: Known, deps: Deps) -> Outcome:
    said, arguments = split_arguments(call.arguments)
    past = deps.memory.past_call(deps.thread_id, deps.store.revision, key)
    if past is not None:
        return Outcome(call, said, arguments, past=past)
    deps.on_event("act", f"{call.name}: {_first(arguments)}")
    start = time.perf_counter()
    try:
        result = await execute(call, arguments, asked, known, deps)
    except ToolError as error:
        return Outcome(call, said, arguments, _since(start), error=error)
    return Outcome(call, said, arguments, _since(start), result=result)


async def _record(
    outcome: Outcome, number: int, known: Known, deps: Deps
) -> tuple[Step, str, Sequence[Evidence]]:
    """The step, the text that the model sees, and the evidence of it, stored and numbered.

    What must not run again is remembered.
    """
    step = Step(
        sub_task=number,
        goal=str(outcome.said.get("goal", "")),
        plan=str(outcome.said.get("next_step", "")),
        reason=str(outcome.said.get("reason", "")),
        tool=outcome.call.name,
        arguments=outcome.arguments,
        ms=outcome.ms,
    )
    if outcome.past is not None:
        return (*_repeated(step, outcome.past, known), ())
    key = call_key(outcome.call.name, outcome.arguments, deps)
    if outcome.error is not None:
        return (*await _failed(step, outcome.error, key, deps), ())
    assert outcome.result is not None
    return await _succeeded(step, outcome.result, key, deps)


async def _succeeded(
    step: Step, result: Result, key: str, deps: Deps
) -> tuple[Step, str, Sequence[Evidence]]:
    evidence = await deps.memory.add_evidence(deps.thread_id, result.evidence())
    ids = tuple(e.id for e in evidence)
    shown = result.for_model(ids)
    past = PastCall(ok=True, shown=shown, evidence_ids=ids)
    await deps.memory.remember_call(deps.thread_id, deps.store.revision, key, past)
    done = {"ok": True, "summary": result.summary(), "evidence_ids": ids}
    found = _found(evidence)
    told = {"completes": found, "hint": "" if found else f"It found nothing. {shown}"}
    return step.model_copy(update={**done, **told}), shown, evidence


async def _failed(step: Step, error: ToolError, key: str, deps: Deps) -> tuple[Step, str]:
    shown = f"Error ({error.kind}): {error.message}"
    shown = f"{shown}\nNext: {error.hint}" if error.hint else shown
    final = isinstance(error, ToolRefused)
    if final:
        past = PastCall(ok=False, shown=shown)
        await deps.memory.remember_call(deps.thread_id, deps.store.revision, key, past)
    summary = f"{error.kind}: {error.message}"
    told = {"final": final, "summary": summary, "hint": error.hint}
    return step.model_copy(update=told), shown


def _repeated(step: Step, past: PastCall, known: Known) -> tuple[Step, str]:
    if past.ok:
        ids = ", ".join(past.evidence_ids) or "nothing"
        found = _found(known[i] for i in past.evidence_ids if i in known)
        done = {"ok": True, "evidence_ids": past.evidence_ids, "completes": found}
        text = f"This call was already run; its result is {ids}. Go on with it."
        return step.model_copy(update={**done, "summary": f"already run: {ids}"}), text
    text = f"This call was already refused and will not be run again.\n{past.shown}"
    return step.model_copy(update={"final": True, "summary": "already refused"}), text


def _found(evidence: Iterable[Evidence]) -> bool:
    return any((e.row_count or e.text) and not e.found_nothing for e in evidence)


def call_key(tool: str, arguments: dict[str, Any], deps: Deps) -> str:
    """The same call has the same key, whatever the order of its arguments; another day or
    another scope of knowledge bases is another call."""
    scope = "*" if deps.kbs is None else ",".join(deps.kbs)
    said = json.dumps(arguments, ensure_ascii=False, sort_keys=True)
    return f"{tool} {deps.today} {scope} {said}"


def _first(arguments: dict[str, Any]) -> str:
    return " ".join(str(next(iter(arguments.values()), "")).split())[:100]


def _since(start: float) -> float:
    return round((time.perf_counter() - start) * 1000, 1)
