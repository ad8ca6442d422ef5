"""deliver and hand off: the end of a question, and what a person's resolution makes of it."""

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import interrupt

from agent.answer import Answer, Status, SubTaskView
from agent.assemble import assemble
from agent.deps import Deps
from agent.handoff import Packet, Unsure, packet_id
from agent.language import language_of
from agent.notices import notice
from agent.settle import cheapest_question
from agent.state import Claimed, Draft, State
from tools.base import ToolContext
from tools.errors import ToolError, ToolUnavailable
from tools.evidence import Evidence, content_hash


async def deliver(state: State, runtime: Runtime[Deps]) -> dict[str, Any]:
    """The answer at or above the threshold: answered, partial, or a proved not_found."""
    deps = runtime.context
    status: Status = "answered"
    if state.get("absent"):
        status = "not_found"
    elif state.get("limit") or any(t.state != "done" for t in state.get("sub_tasks", [])):
        status = "partial"
    return await _finish(state, deps, assemble(state, deps, status))


async def hand_off(state: State, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Stores the packet (idempotent by its id) before the run stops at the interrupt."""
    deps = runtime.context
    identifier = packet_id(deps.thread_id, deps.turn)
    answer = assemble(state, deps, "handed_off", handoff_id=identifier)
    deps.on_event("hand_off", f"handing over to a person ({identifier})")
    doubts = state.get("doubts", [])
    deps.handoffs.add(
        Packet(
            id=identifier,
            thread_id=deps.thread_id,
            turn=deps.turn,
            question=state["question"],
            reading=state["reading"],
            language=language_of(state["question"]),
            sub_tasks=tuple(
                t.model_dump(include=set(SubTaskView.model_fields))
                for t in state.get("sub_tasks", [])
            ),
            steps=tuple(s.model_dump() for s in state.get("steps", [])),
            evidence=tuple(e.model_dump(mode="json") for e in answer.evidence),
            draft=answer.draft,
            confidence=answer.confidence,
            unsure=tuple(Unsure(what=d["what"], why=d["why"]) for d in doubts),
            settle=cheapest_question(state, doubts),
            trace_id=state["trace_id"],
            data_revision=deps.store.revision,
            created=datetime.now(UTC).isoformat(timespec="seconds"),
        )
    )
    return await _finish(state, deps, answer)


async def await_person(state: State, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Stops here until a person resolves or rejects; no side effect stands before this."""
    answer = state.get("answer") or {}
    resolution = interrupt({"handoff_id": answer.get("handoff_id")})
    return {"resolution": resolution}


async def resolve(state: State, runtime: Runtime[Deps]) -> dict[str, Any]:
    """A person's resolution becomes evidence of kind `human`, and its answer is delivered.

    The time is that of the work before: how long the person took is no part of it.
    """
    deps = runtime.context
    resolution = state.get("resolution") or {}
    language = language_of(state["question"])
    before = Answer.model_validate(state.get("answer"))
    if resolution.get("rejected"):
        text = notice("rejected", language, reason=resolution.get("text", ""))
        return await _ended(state, deps, before.model_copy(update={"text": text}))
    drafts = [_human(resolution), *_person_rows(resolution, deps)]
    numbered = await deps.memory.add_evidence(deps.thread_id, drafts)
    ids = [*state.get("evidence_ids", []), *(e.id for e in numbered)]
    text = str(resolution["text"])
    draft = Draft(text=text, claims=(Claimed(text=text, evidence_ids=(numbered[0].id,)),))
    resolved: State = {
        **state, "draft": draft, "evidence_ids": ids, "confidence": 1.0, "verification": None
    }  # fmt: skip
    answer = assemble(resolved, deps, "answered", person=numbered)
    kept = {"handoff_id": before.handoff_id, "timing": before.timing}
    return {"draft": draft, **await _ended(resolved, deps, answer.model_copy(update=kept))}


async def _finish(state: State, deps: Deps, answer: Answer) -> dict[str, Any]:
    total = (deps.now() - state["started"]) * 1000
    timing = answer.timing.model_copy(update={"total_ms": round(total, 1)})
    return await _ended(state, deps, answer.model_copy(update={"timing": timing}))


async def _ended(state: State, deps: Deps, answer: Answer) -> dict[str, Any]:
    await deps.memory.end_turn(deps.thread_id, deps.turn, state["reading"], answer.text)
    return {"answer": answer.to_json(), "confidence": answer.confidence}


def _human(resolution: dict[str, Any]) -> Evidence:
    text = str(resolution["text"])
    return Evidence(
        kind="human",
        origin="person",
        tool="handoff",
        source=str(resolution.get("by") or "person"),
        locator=str(resolution.get("at") or time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())),
        text=text,
        hash=content_hash((), (), text),
    )


def check_person_sql(resolution: dict[str, Any], deps: Deps) -> None:
    """Raises ToolError when the SQL that a person gave does not run; asked before it is stored."""
    _run_sql(resolution, deps)


def _person_rows(resolution: dict[str, Any], deps: Deps) -> list[Evidence]:
    """The rows of the SQL that the person gave; it ran when it was given."""
    try:
        found = _run_sql(resolution, deps)
    except ToolError:
        return []
    return [e.model_copy(update={"origin": "person"}) for e in found]


def _run_sql(resolution: dict[str, Any], deps: Deps) -> Sequence[Evidence]:
    """The same guards as for the model."""
    sql, tool = resolution.get("sql"), deps.tools.get("sql")
    if not sql:
        return ()
    if tool is None:
        raise ToolUnavailable("no_tables", "there is no table to query", "give the text alone")
    context = ToolContext(store=deps.store, today=deps.today, kbs=deps.kbs)
    return tool.run(tool.arguments.model_validate({"query": sql}), context).evidence()


__all__ = ["await_person", "check_person_sql", "deliver", "hand_off", "resolve"]
