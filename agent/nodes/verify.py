"""verify: the draft against the evidence; decides revise, deliver or hand off."""

import asyncio
from typing import Any

from langgraph.runtime import Runtime

from agent.absence import proved_absence
from agent.asked import with_open_question
from agent.confidence import Doubt, confidence, is_empty, open_failures
from agent.copied import mended
from agent.deps import Deps
from agent.in_force import only_outdated
from agent.language import is_in_other_script, language_of
from agent.nodes.answer import question_evidence
from agent.notices import notice
from agent.quote import other_than_named_row, quoted_answer
from agent.state import Claimed, Draft, State
from tools.evidence import Evidence
from tools.verify import Claim, Verification
from tools.verify import verify as check
from tools.verify.sentences import split_sentences

MAX_REVISIONS = 1


async def verify(state: State, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Sets `verification`, `confidence` and the doubts. A proved absence replaces the draft."""
    deps = runtime.context
    deps.on_event("verify", "checking every figure against the evidence")
    evidence = question_evidence(state, deps)
    absent = await asyncio.to_thread(
        proved_absence, state["reading"], evidence, deps.relevance.knows
    )
    draft = state.get("draft") or Draft(text="")
    if absent is not None:
        language = language_of(state["question"])
        text = notice("absent", language, value=absent.value, tables=absent.tables)
        claim = Claimed(text=text, evidence_ids=(absent.evidence_id,))
        draft = Draft(text=text, claims=(claim,))
        nothing = Verification().model_dump()
        return {"draft": draft, "verification": nothing, "confidence": 1.0, "absent": True}
    known = known_text(state, deps)
    found = await asyncio.to_thread(_checked, draft, evidence, known)
    text = mended(draft.text, found.unsupported, evidence)
    if text != draft.text:
        draft = draft.model_copy(update={"text": text})
        found = await asyncio.to_thread(_checked, draft, evidence, known)
    found = only_outdated(found, evidence, f"{state['question']}\n{state['reading']}")
    if state["retrieve"] and not draft.by_rule:
        asked = state["reading"]
        other = other_than_named_row(asked, draft.text, evidence, deps.today)
        opened = with_open_question(found, asked, draft.text, evidence, deps.today, other)
        was_revised = state.get("revisions", 0) >= MAX_REVISIONS
        if (
            opened is not found
            and was_revised
            and (quoted := quoted_answer(asked, evidence, deps.today))
        ):
            draft = quoted
            found = await asyncio.to_thread(_checked, draft, evidence, known)
        else:
            found = opened
    score, doubts = confidence(
        found,
        failed=open_failures(state.get("steps", []), state.get("sub_tasks", [])),
        empty=state["retrieve"] and is_empty(evidence),
        differing=_differing(state),
        by_rule=draft.by_rule,
    )
    if not draft.text:
        score = 0.0
    elif not state["retrieve"] and not found.failed:
        # A greeting states nothing that could need proof.
        score = max(score, deps.settings.graph.threshold)
    return {
        "draft": draft,
        "verification": found.model_dump(),
        "confidence": score,
        "doubts": [{"what": d.what, "why": d.why} for d in (*doubts, *_unfinished(state))],
    }


def needs_revision(state: State) -> bool:
    """Once, and only when the model may still mend it: a fault, or another language."""
    found = state.get("verification") or {}
    faults = bool(found.get("unsupported") or found.get("contradicted"))
    draft = state.get("draft") or Draft(text="")
    if draft.by_rule:
        return False
    text = draft.text
    faults = faults or is_in_other_script(text, language_of(state["question"]))
    return faults and state.get("revisions", 0) < MAX_REVISIONS and state.get("limit") != "time"


def _checked(draft: Draft, evidence: list[Evidence], known: str) -> Verification:
    return check(draft.text, evidence, question=known, claims=_statements(draft))


def _statements(draft: Draft) -> list[Claim]:
    """What is judged are the sentences that a person will read, not the model's own list of
    claims; that list says which evidence to look at first. What code wrote is true by its figures."""
    named = tuple(dict.fromkeys(i for c in draft.claims for i in c.evidence_ids))
    by_rule = "\n".join(c.text for c in draft.claims if c.by_rule)
    sentences = [s.text for s in split_sentences(draft.text) if s.text.strip() not in by_rule]
    return [Claim(text=text, evidence_ids=named) for text in sentences]


def _differing(state: State) -> str:
    second = state.get("second")
    return second.query if second is not None and not second.agrees else ""


def _unfinished(state: State) -> list[Doubt]:
    """Sub-tasks that a limit left open: no fault, but what a person should know."""
    why = state.get("limit") or ""
    return [Doubt(t.task, why) for t in state.get("sub_tasks", []) if why and t.state == "open"]


def known_text(state: State, deps: Deps) -> str:
    """What a draft may repeat without proof: the question, its reading, its dates."""
    return "\n".join([state["question"], state["reading"], state.get("dates", ""), str(deps.today)])
