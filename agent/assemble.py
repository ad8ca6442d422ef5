"""Puts an `Answer` together from the state: text, citations, evidence, steps, audit."""

from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from agent.answer import (
    Answer,
    Audit,
    Citation,
    EvidenceView,
    ReflectionView,
    Status,
    StepView,
    SubTaskView,
    Timing,
    UsageView,
    Verified,
)
from agent.deps import Deps
from agent.language import Language, language_of
from agent.links import link_of
from agent.models.base import Usage
from agent.nodes.answer import question_evidence, shown_as_tables
from agent.nodes.verify import known_text
from agent.notices import limit_notice, notice
from agent.prompts import prompt_hash
from agent.render import with_tables
from agent.said import in_language
from agent.state import Draft, State, SubTask
from agent.used_dates import used_dates
from tools.evidence import Evidence
from tools.verify import Verification, cite, strike, verify


def assemble(
    state: State,
    deps: Deps,
    status: Status,
    *,
    handoff_id: str | None = None,
    person: Sequence[Evidence] = (),
) -> Answer:
    """`person`: the evidence of a resolution, which the text then rests on alone."""
    language = language_of(state["question"])
    draft = state.get("draft") or Draft(text="")
    evidence = question_evidence(state, deps)
    verification = Verification.model_validate(state.get("verification") or {})
    if person:
        text, citations = _cited_person(draft.text, person, deps, language)
    else:
        text, citations = _cited(state, deps, draft, verification, evidence, language)
    body = text
    if status == "handed_off":
        text = notice("handed_off", language, id=handoff_id)
    return Answer(
        question=state["question"],
        status=status,
        text=text,
        draft=body,
        confidence=state.get("confidence", 0.0),
        citations=tuple(citations) if status != "handed_off" else (),
        evidence=tuple(EvidenceView.of(e) for e in evidence),
        verification=Verified.model_validate(verification.to_json()),
        **_record(state),
        audit=_audit(state, deps),
        handoff_id=handoff_id,
        thread_id=deps.thread_id,
        trace_id=state["trace_id"],
    )


def _record(state: State) -> dict[str, Any]:
    """What was done: sub-tasks, steps, reflections, tokens and time."""
    steps = state.get("steps", [])
    usage = state.get("usage", Usage())
    return {
        "sub_tasks": tuple(_task(t) for t in state.get("sub_tasks", [])),
        "steps": tuple(
            StepView(**{k: getattr(s, k) for k in StepView.model_fields}) for s in steps
        ),
        "reflections": tuple(
            ReflectionView(**r.model_dump()) for r in state.get("reflections", [])
        ),
        "usage": UsageView(**usage.model_dump()),
        "timing": Timing(
            llm_ms=round(state.get("llm_ms", 0.0), 1),
            tools_ms=round(sum(s.ms for s in steps), 1),
        ),
    }


def _task(task: SubTask) -> SubTaskView:
    return SubTaskView(**{name: getattr(task, name) for name in SubTaskView.model_fields})


def _cited(
    state: State,
    deps: Deps,
    draft: Draft,
    verification: Verification,
    evidence: list[Evidence],
    language: Language,
) -> tuple[str, list[Citation]]:
    """Faulty parts struck, citations inserted, tables and what must be said along appended."""
    text, places = cite(draft.text, verification)
    if verification.failed:
        # Marks would stand at the wrong places in a text that lost sentences: cite it anew.
        struck = strike(draft.text, verification)
        text, places = cite(struck, verify(struck, evidence, question=known_text(state, deps)))
    used = {identifier for _, identifier, _ in places}
    tables = shown_as_tables(state, evidence)
    known = {e.id: e for e in evidence}
    citations = [_citation(n, known[i], locator, deps) for n, i, locator in places if i in known]
    # What the model names is a source only where no proof names one: in another language.
    named = [known[i] for c in draft.claims for i in c.evidence_ids if i in known]
    by_rule = [known[i] for c in draft.claims if c.by_rule for i in c.evidence_ids if i in known]
    extra = by_rule if used or tables else named
    for item in dict.fromkeys(e.id for e in (*tables, *extra)):
        if item not in used:
            used.add(item)
            cited = known[item]
            citations.append(_citation(len(citations) + 1, cited, cited.locator, deps))
    said = _said_along(state, used, known, language, deps)
    parts = [with_tables(text, tables, language), *said]
    return "\n\n".join(filter(None, parts)), citations


def _cited_person(
    text: str, person: Sequence[Evidence], deps: Deps, language: Language
) -> tuple[str, list[Citation]]:
    citations = [_citation(n, e, e.locator, deps) for n, e in enumerate(person, start=1)]
    said = notice("person", language, text=f"{text} [1]")
    return with_tables(said, person, language), citations


def _citation(n: int, evidence: Evidence, locator: str, deps: Deps) -> Citation:
    return Citation(
        n=n,
        evidence_id=evidence.id,
        source=evidence.source,
        locator=locator or evidence.locator,
        link=link_of(evidence, deps.store),
    )


def _said_along(
    state: State, used: set[str], known: dict[str, Evidence], language: Language, deps: Deps
) -> list[str]:
    """Dates used, cells left out, "as of" of stock, open sub-tasks."""
    # What is not there may be cited by nothing: its days are those of what was looked through.
    looked = used or (set(known) if state.get("absent") else set())
    rests_on = [known[i] for i in sorted(_with_inputs(looked, known))]
    notes = [note for evidence in rests_on for note in evidence.notes]
    rows = [evidence for evidence in rests_on if evidence.kind == "rows"]
    if dates := _dates_used(state.get("dates", ""), rows, notes, deps):
        notes.insert(0, notice("dates", language, dates=dates))
    open_tasks = [t.task for t in state.get("sub_tasks", []) if t.state != "done"]
    if open_tasks and not state.get("absent"):
        notes.append(notice("partial", language, tasks="; ".join(open_tasks)))
        notes.append(limit_notice(state.get("limit", ""), language))
    return list(dict.fromkeys(in_language(note, language) for note in notes if note))


def _with_inputs(used: set[str], known: dict[str, Evidence]) -> set[str]:
    """With what their calculations were worked out from."""
    found: set[str] = set()
    waiting = [i for i in used if i in known]
    while waiting:
        identifier = waiting.pop()
        if identifier not in found:
            found.add(identifier)
            waiting += [i for i in known[identifier].inputs if i in known]
    return found


def _dates_used(asked: str, rows: Sequence[Evidence], notes: Sequence[str], deps: Deps) -> str:
    """The dates of the question, and those of the queries beside them; "" without rows."""
    if not rows:
        return ""
    said = [asked] if asked else []
    for evidence in rows:
        for days in used_dates(evidence.query or "", deps.store.catalog):
            if not any(days in text for text in (*said, *notes)):
                said.append(days)
    return "; ".join(said)


def _audit(state: State, deps: Deps) -> Audit:
    dates = state.get("dates", "")
    return Audit(
        data_revision=deps.store.revision,
        today=deps.today.isoformat(),
        model=deps.models["plan"].name,
        prompt_hash=prompt_hash(),
        version=product_version(),
        reading=f"{state['reading']} ({dates})" if dates else state["reading"],
        pairs=tuple(p.id for p in state.get("pairs", [])),
    )


def product_version() -> str:
    try:
        return version("zaiko")
    except PackageNotFoundError:
        return "0+unknown"
