"""act: runs the calls. No model is called; every exception becomes a result for the model."""

import asyncio
import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from langgraph.runtime import Runtime
from pydantic import ValidationError

from agent.absence import proved_absence
from agent.deps import Deps
from agent.figures import unproved_figures
from agent.memory import PastCall
from agent.models.base import Message, ToolCall
from agent.nodes.common import failures_in_a_row
from agent.nodes.plan import current_task
from agent.state import State, Step, SubTask
from agent.telemetry import tool_span
from agent.toolbox import split_arguments
from tools.base import Result, ToolContext
from tools.errors import ToolError, ToolRefused, ToolRetry, ToolUnavailable
from tools.evidence import Evidence

GRACE = 1.5
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
    """Independent calls of one turn run side by side; evidence is numbered in call order."""
    deps = runtime.context
    number, _ = current_task(state)
    room = _room(state, number, deps)
    outcomes = await _run_once_each(state["calls"][:room], state["reading"], deps)
    messages, steps = [], []
    for outcome in outcomes:
        step, shown = await _record(outcome, number, deps)
        steps.append(step)
        messages.append(Message(role="tool", content=shown, tool_call_id=outcome.call.id))
    steps = await _settled_by_absence(state, number, steps, deps)
    for call in state["calls"][room:]:
        messages.append(Message(role="tool", content=BEYOND_LIMIT, tool_call_id=call.id))
    tasks = _advance(state, number, steps, deps)
    fresh = [e for s in steps for e in s.evidence_ids if e not in state.get("evidence_ids", [])]
    return {
        "transcript": messages,
        "steps": steps,
        "sub_tasks": tasks,
        "evidence_ids": list(dict.fromkeys(fresh)),
        "calls": [],
    }


async def _settled_by_absence(
    state: State, number: int, steps: list[Step], deps: Deps
) -> list[Step]:
    """The second call that finds nothing completes its task when what is asked is proved absent;
    after the first the model sees the stored values that are like it, and may mend the name."""
    before = [s for s in state.get("steps", []) if s.sub_task == number and s.ok]
    if not before or any(step.completes for step in steps):
        return steps
    known = deps.memory.evidence(deps.thread_id)
    evidence = [known[i] for step in steps for i in step.evidence_ids if i in known]
    question, knows = state["reading"], deps.relevance.knows
    if await asyncio.to_thread(proved_absence, question, evidence, knows) is None:
        return steps
    return [step.model_copy(update={"completes": step.ok}) for step in steps]


def _room(state: State, number: int, deps: Deps) -> int:
    """How many calls may still run for this sub-task and this question."""
    limits, steps = deps.settings.graph, state.get("steps", [])
    own = sum(step.sub_task == number for step in steps)
    return max(0, min(limits.steps_per_task - own, limits.steps - len(steps)))


async def _run_once_each(calls: Sequence[ToolCall], question: str, deps: Deps) -> list[Outcome]:
    """Side by side; the same call twice in one turn runs once."""
    runs: dict[str, asyncio.Task[Outcome]] = {}
    keys = [_key(call, deps) for call in calls]
    async with asyncio.TaskGroup() as group:
        for key, call in zip(keys, calls, strict=True):
            if key not in runs:
                runs[key] = group.create_task(_run(call, key, question, deps))
    done = [runs[key].result() for key in keys]
    return [replace(one, call=call) for one, call in zip(done, calls, strict=True)]


def _key(call: ToolCall, deps: Deps) -> str:
    """A call whose arguments could not be read is like no other."""
    if call.error is not None:
        return f"unreadable {call.id}"
    return call_key(call.name, split_arguments(call.arguments)[1], deps)


async def _run(call: ToolCall, key: str, question: str, deps: Deps) -> Outcome:
    said, arguments = split_arguments(call.arguments)
    past = deps.memory.past_call(deps.thread_id, deps.store.revision, key)
    if past is not None:
        return Outcome(call, said, arguments, past=past)
    deps.on_event("act", f"{call.name}: {_first(arguments)}")
    start = time.perf_counter()
    try:
        result = await _execute(call, arguments, question, deps)
    except ToolError as error:
        return Outcome(call, said, arguments, _since(start), error=error)
    return Outcome(call, said, arguments, _since(start), result=result)


async def _execute(call: ToolCall, arguments: dict[str, Any], question: str, deps: Deps) -> Result:
    if call.error is not None:
        raise ToolRetry("unreadable_arguments", call.error, "send the arguments as one JSON object")
    tool = deps.tools.get(call.name)
    if tool is None:
        names = ", ".join(deps.tools)
        raise ToolRetry("unknown_tool", f"there is no tool {call.name!r}", f"use one of: {names}")
    try:
        parsed = tool.arguments.model_validate(arguments)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(p) for p in first["loc"])
        raise ToolRetry("bad_arguments", f"{where}: {first['msg']}", "correct it") from None
    evidence = deps.memory.evidence(deps.thread_id)
    if call.name == "calculate":
        _require_proved_figures(str(arguments.get("code", "")), evidence, question)
    context = ToolContext(
        store=deps.store, today=deps.today, evidence=evidence, kbs=deps.kbs, question=question
    )
    limit = deps.settings.graph.tool_seconds
    with tool_span(call.name, call_id=call.id):
        try:
            # The tool's own limit is the same; this one is for a tool that breaks it.
            return await asyncio.wait_for(
                asyncio.to_thread(tool.run, parsed, context), limit * GRACE
            )
        except TimeoutError:
            raise ToolRetry("time_limit", f"no result within {limit:g} s", "ask for less") from None
        except ToolError:
            raise
        except Exception as error:  # The boundary: a tool's defect ends no question.
            what = f"{call.name} failed: {type(error).__name__}: {error}"
            raise ToolUnavailable("tool_defect", what, "go on with another tool") from error


def _require_proved_figures(code: str, evidence: dict[str, Evidence], question: str) -> None:
    wrong = unproved_figures(code, list(evidence.values()), question)
    if wrong:
        known = ", ".join(evidence) or "none yet"
        raise ToolRetry(
            "figure_without_proof",
            f"{', '.join(wrong)} stands in no result and not in the question",
            f"read figures with value('E1') or rows('E1'); results: {known}",
        )


async def _record(outcome: Outcome, number: int, deps: Deps) -> tuple[Step, str]:
    """The step and the text that the model sees; stores evidence and what must not run again."""
    key = call_key(outcome.call.name, outcome.arguments, deps)
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
        return _repeated(step, outcome.past, deps)
    if outcome.error is not None:
        error = outcome.error
        shown = f"Error ({error.kind}): {error.message}"
        shown = f"{shown}\nNext: {error.hint}" if error.hint else shown
        final = isinstance(error, ToolRefused)
        if final:
            past = PastCall(ok=False, shown=shown)
            await deps.memory.remember_call(deps.thread_id, deps.store.revision, key, past)
        summary = f"{error.kind}: {error.message}"
        told = {"final": final, "summary": summary, "hint": error.hint}
        return step.model_copy(update=told), shown
    assert outcome.result is not None
    evidence = await deps.memory.add_evidence(deps.thread_id, outcome.result.evidence())
    ids = tuple(e.id for e in evidence)
    shown = outcome.result.for_model(ids)
    past = PastCall(ok=True, shown=shown, evidence_ids=ids)
    await deps.memory.remember_call(deps.thread_id, deps.store.revision, key, past)
    done = {"ok": True, "summary": outcome.result.summary(), "evidence_ids": ids}
    found = _found(evidence)
    told = {"completes": found, "hint": "" if found else f"It found nothing. {shown}"}
    return step.model_copy(update={**done, **told}), shown


def _found(evidence: Iterable[Evidence]) -> bool:
    return any((e.row_count or e.text) and not e.found_nothing for e in evidence)


def _repeated(step: Step, past: PastCall, deps: Deps) -> tuple[Step, str]:
    if past.ok:
        ids = ", ".join(past.evidence_ids) or "nothing"
        known = deps.memory.evidence(deps.thread_id)
        found = _found(known[i] for i in past.evidence_ids if i in known)
        done = {"ok": True, "evidence_ids": past.evidence_ids, "completes": found}
        text = f"This call was already run; its result is {ids}. Go on with it."
        return step.model_copy(update={**done, "summary": f"already run: {ids}"}), text
    text = f"This call was already refused and will not be run again.\n{past.shown}"
    return step.model_copy(update={"final": True, "summary": "already refused"}), text


def _advance(state: State, number: int, steps: list[Step], deps: Deps) -> list[SubTask]:
    """Closes the current sub-task when its evidence is there, or when it failed too often."""
    tasks = list(state["sub_tasks"])
    if number >= len(tasks):
        return tasks
    task = tasks[number]
    limits = deps.settings.graph
    own = [s for s in [*state.get("steps", []), *steps] if s.sub_task == number]
    ids = (*task.evidence_ids, *(e for s in steps for e in s.evidence_ids))
    if any(_satisfies(task, s, deps) for s in steps):
        task = task.model_copy(update={"state": "done"})
    elif (
        failures_in_a_row(own) > limits.repairs
        or _is_stuck(own)
        or len(own) >= limits.steps_per_task
    ):
        task = task.model_copy(update={"state": "failed"})
    tasks[number] = task.model_copy(update={"evidence_ids": tuple(dict.fromkeys(ids))})
    return tasks


def _is_stuck(own: Sequence[Step]) -> bool:
    """The same failed call three times in a row: the model will not mend it."""
    last = own[-3:]
    return len(last) == 3 and all(
        not s.ok and (s.tool, s.arguments) == (last[0].tool, last[0].arguments) for s in last
    )


def _satisfies(task: SubTask, step: Step, deps: Deps) -> bool:
    if not (step.ok and step.completes):
        return False
    if task.evidence_kind == "any":
        return step.tool not in ("dates", "catalog")
    known = deps.memory.evidence(deps.thread_id)
    return any(known[e].kind == task.evidence_kind for e in step.evidence_ids if e in known)


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
