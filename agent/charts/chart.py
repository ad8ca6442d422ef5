"""`chart`: an answer's figures as a Vega-Lite specification, from its evidence and nothing else."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from agent.answer import Answer, EvidenceView
from agent.charts.columns import shape_of
from agent.charts.files import OURS
from agent.charts.marks import Marks, marks_of
from agent.charts.spec import specification
from agent.charts.wording import say
from agent.errors import NoChart
from agent.language import Language, language_of
from tools.evidence import Evidence

Source = Evidence | EvidenceView
KINDS = ("rows", "calculation", "human")


@dataclass(frozen=True)
class _Drawn:
    source: Source
    marks: Marks


def chart(answer: Answer, evidence: Mapping[str, Evidence] | None = None) -> dict[str, Any]:
    """A Vega-Lite 6 specification of the evidence that the answer cites.

    A date or period column gives a line for each name, names give bars in the order of the rows,
    and figures of different kinds stand in views of their own. `evidence` is the whole evidence of
    the thread by id (`Agent.evidence`); without it the answer's own rows are drawn, the first 100.
    `usermeta["zaiko"]` says what was drawn and, under `notes`, what was not.

    Raises NoChart when nothing is proved or nothing that is cited can be compared.
    """
    if answer.status in ("handed_off", "not_found"):
        said = "was handed to a person" if answer.status == "handed_off" else "found nothing"
        raise NoChart(f"the answer {said}: nothing is proved that could be drawn")
    language = language_of(answer.question)
    drawn, reasons = _drawn(answer, evidence or {}, language)
    if not drawn:
        first = next(iter(reasons.values()), None)
        if first is None:
            raise NoChart(
                "the answer cites no rows", "ask for figures by month, by warehouse or by product"
            )
        raise NoChart("; ".join(f"{i}: {r.message}" for i, r in reasons.items()), first.hint)
    best = _best(drawn)
    others = [one.source.id for one in drawn if one is not best]
    notes = [*_cut(best.source, language), *best.marks.notes]
    notes += [say("others", language, names=", ".join(others))] if others else []
    caption = [*_caption(answer, best.source, language), *notes]
    spec = specification(best.marks, answer.question, caption)
    return {**spec, "usermeta": {OURS: _meta(answer, best, notes)}}


def _drawn(
    answer: Answer, evidence: Mapping[str, Evidence], language: Language
) -> tuple[list[_Drawn], dict[str, NoChart]]:
    drawn: list[_Drawn] = []
    reasons: dict[str, NoChart] = {}
    for source in _cited(answer, evidence):
        try:
            shape = shape_of(source.columns, source.rows)
        except NoChart as reason:
            reasons[source.id] = reason
        else:
            drawn.append(_Drawn(source, marks_of(source.columns, shape, language)))
    return drawn, reasons


def _cited(answer: Answer, evidence: Mapping[str, Evidence]) -> Iterator[Source]:
    views = {view.id: view for view in answer.evidence}
    for identifier in dict.fromkeys(c.evidence_id for c in answer.citations):
        found: Source | None = evidence.get(identifier) or views.get(identifier)
        if found is not None and found.kind in KINDS and found.rows:
            yield found


def _best(drawn: list[_Drawn]) -> _Drawn:
    """What a calculation used is not drawn beside its result; else the one with the most rows."""
    used = {
        name
        for one in drawn
        if one.source.kind == "calculation"
        for name in one.source.source.split(", ")
    }
    final = [one for one in drawn if one.source.id not in used] or drawn
    return max(final, key=lambda one: len(one.source.rows))


def _caption(answer: Answer, source: Source, language: Language) -> list[str]:
    day, revision = answer.audit.today, answer.audit.data_revision
    named = " · ".join(
        (
            say(
                "row" if source.row_count == 1 else "rows", language, id=source.id, source=source.source or source.tool,
                count=source.row_count,
            ),
            say("asked", language, day=day, revision=revision),
        )
    )  # fmt: skip
    told = list(source.notes) if isinstance(source, Evidence) else []
    if not told and source.excluded_cells:
        told.append(say("excluded", language, count=source.excluded_cells))
    return [named, *told, *filter(None, [source.status_note])]


def _cut(source: Source, language: Language) -> list[str]:
    shown = len(source.rows)
    if shown >= source.row_count:
        return []
    return [say("cut", language, shown=shown, count=source.row_count)]


def _meta(answer: Answer, best: _Drawn, notes: list[str]) -> dict[str, Any]:
    source = best.source
    return {
        "evidence_id": source.id,
        "source": source.source,
        "query": source.query,
        "hash": source.hash,
        "rows": source.row_count,
        "data_revision": answer.audit.data_revision,
        "today": answer.audit.today,
        "thread_id": answer.thread_id,
        "trace_id": answer.trace_id,
        "mark": best.marks.mark,
        "notes": notes,
    }
