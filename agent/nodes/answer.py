"""answer: text and claims in the question's language, from evidence only."""

from typing import Any

from langgraph.runtime import Runtime

from agent.deps import Deps
from agent.language import language_of
from agent.models.base import OutputSchema
from agent.nodes.common import Exchange, schema, string
from agent.notices import LANGUAGE_NAMES, notice
from agent.prompts import prompt
from agent.render import VALUES_IN_TEXT, is_table
from agent.reorder import told
from agent.state import Claimed, Draft, State
from ingest.store import Store
from tools.evidence import Evidence
from tools.text import casefolded

_CLAIM = {
    "type": "object",
    "properties": {
        "text": string(200),
        "evidence_ids": {"type": "array", "items": string(6), "maxItems": 4},
    },
    "required": ["text", "evidence_ids"],
    "additionalProperties": False,
}
TEXT_CHARACTERS = 600
CAPTION_CHARACTERS = 200
"""Enough for a sentence over a table; not for the table's values."""


async def answer(state: State, runtime: Runtime[Deps]) -> dict[str, Any]:
    """The first draft, or the one revision after verification found faults in it."""
    deps = runtime.context
    is_revision = state.get("verification") is not None
    revisions = state.get("revisions", 0) + is_revision
    evidence = question_evidence(state, deps)
    by_rule = _by_rule(state, evidence, deps)
    if state["retrieve"] and not evidence and by_rule is None:
        return {"draft": Draft(text=""), "revisions": revisions}
    if by_rule is not None and all(t.rule for t in state["sub_tasks"]):
        return {"draft": by_rule, "revisions": revisions}
    deps.on_event("answer", "revising the answer" if is_revision else "writing the answer")
    exchange = Exchange(state, deps)
    instruction = _revision(state) if is_revision else _instruction(state, evidence)
    limit = CAPTION_CHARACTERS if _long_tables(state, evidence) else TEXT_CHARACTERS
    value = await exchange.ask_json("answer", instruction, _output(limit))
    draft = _draft(value, state, evidence)
    if by_rule is not None:
        draft = _with(draft, by_rule)
    return {**exchange.update(), "draft": draft, "revisions": revisions}


def _by_rule(state: State, evidence: list[Evidence], deps: Deps) -> Draft | None:
    """What code says of the sub-tasks that it planned; None where it planned none."""
    tasks = state.get("sub_tasks", [])
    if not state["retrieve"] or not any(task.rule for task in tasks):
        return None
    known = {e.id: e for e in evidence}
    sources = deps.store.catalog.replenishment
    return told(tasks, known, language_of(state["question"]), sources)


def _with(draft: Draft, by_rule: Draft) -> Draft:
    text = "\n\n".join(filter(None, (draft.text, by_rule.text)))
    return draft.model_copy(update={"text": text, "claims": (*draft.claims, *by_rule.claims)})


def question_evidence(state: State, deps: Deps) -> list[Evidence]:
    """This question's evidence; without retrieval, all that the thread has of what is still there."""
    known = deps.memory.evidence(deps.thread_id)
    if not state["retrieve"]:
        there = _names(deps.store)
        return [e for e in known.values() if e.kind != "chunk" or e.source in there]
    return [known[i] for i in state.get("evidence_ids", []) if i in known]


def shown_as_tables(state: State, evidence: list[Evidence]) -> list[Evidence]:
    """The last table of each sub-task: what an answer shows, rendered by code. What a calculated
    table was worked out from is not shown beside it."""
    last: dict[int, str] = {}
    # What a rule asked for a calculation is no answer, whatever came of the calculation.
    ruled = {n for n, t in enumerate(state.get("sub_tasks", [])) if t.rule == "reorder"}
    asked = {i for s in state.get("steps", []) if s.sub_task in ruled for i in s.evidence_ids}
    tables = {e.id for e in evidence if is_table(e) and (e.kind != "rows" or e.id not in asked)}
    for step in state.get("steps", []):
        # Of one step the first is the best, so it is the one that stays.
        for identifier in reversed(step.evidence_ids):
            if step.ok and identifier in tables:
                last[step.sub_task] = identifier
    found = [e for e in evidence if e.id in last.values()]
    inputs = {i for e in found if e.kind == "calculation" for i in e.inputs}
    return [e for e in found if e.id not in inputs]


def _names(store: Store) -> set[str]:
    """What the documents are called, and were before they were moved: a passage of any other one
    was of a document that has been removed since, and is not cited again."""
    return {name for d in store.documents() for name in (d.source, *d.former_sources)}


def _problems(state: State) -> list[str]:
    found = state.get("verification") or {}
    items = [*found.get("unsupported", []), *found.get("contradicted", [])]
    return [f"{i['text']}: {i['message']}" if i.get("message") else i["text"] for i in items]


def _revision(state: State) -> str:
    language = LANGUAGE_NAMES[language_of(state["question"])]
    return prompt("revise", problems=_problems(state), language=language)


def _instruction(state: State, evidence: list[Evidence]) -> str:
    return prompt(
        "answer",
        limit=state.get("limit", ""),
        language=LANGUAGE_NAMES[language_of(state["question"])],
        ids=", ".join(e.id for e in evidence) or "above",
        tables=", ".join(_long_tables(state, evidence)),
    )


def _long_tables(state: State, evidence: list[Evidence]) -> list[str]:
    shown = shown_as_tables(state, evidence)
    return [e.id for e in shown if len(e.rows) * len(e.columns) > VALUES_IN_TEXT]


def _output(characters: int) -> OutputSchema:
    return schema(
        "answer",
        text=string(characters),
        claims={"type": "array", "items": _CLAIM, "maxItems": 4},
        self_confidence={"type": "number", "minimum": 0, "maximum": 1},
    )


def _draft(value: dict[str, Any] | None, state: State, evidence: list[Evidence]) -> Draft:
    """An answer that cannot be read, or only says the question again, leaves the rows to speak:
    they are rendered by code."""
    has_rows = bool(shown_as_tables(state, evidence))
    if value is None or (has_rows and _repeats_the_question(str(value["text"]), state)):
        language = language_of(state["question"])
        return Draft(text=notice("results", language) if has_rows else "")
    known = {e.id for e in evidence}
    claims = tuple(
        Claimed(
            text=str(c["text"]),
            evidence_ids=tuple(i for i in c["evidence_ids"] if i in known),
        )
        for c in value["claims"]
    )
    return Draft(
        text=str(value["text"]).strip(), claims=claims, self_confidence=value["self_confidence"]
    )


def _repeats_the_question(text: str, state: State) -> bool:
    asked = {_letters(state["question"]), _letters(state["reading"])}
    return bool(_letters(text)) and _letters(text) in asked


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, casefolded(text)))
