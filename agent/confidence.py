"""Confidence, first version: the share of claims supported, with a cap.

The cap is 0.4 by any unsupported number, an open tool failure, empty evidence, or a second query
that brought other figures. Later it is
fitted from observable features; the model's own opinion has no part in it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from agent.state import Step, SubTask
from tools.evidence import Evidence
from tools.verify import Verification

CAP = 0.4


@dataclass(frozen=True)
class Doubt:
    """What lowers the confidence, and why; part of a handoff's packet."""

    what: str
    why: str


def confidence(
    verification: Verification,
    *,
    failed: Sequence[Doubt],
    empty: bool,
    differing: str = "",
    by_rule: bool = False,
) -> tuple[float, list[Doubt]]:
    """A number in 0–1 and the doubts behind it. `differing`: the second query, whose figures are
    others."""
    doubts = [
        Doubt(item.text, item.message or "not found in the evidence")
        for item in (*verification.unsupported, *verification.contradicted)
    ]
    capped = any(
        item.kind != "claim" for item in (*verification.unsupported, *verification.contradicted)
    )
    if not doubts:
        wrong = [c for c in verification.claims if c.state in ("unsupported", "contradicted")]
        doubts = [Doubt(c.text, c.message or "not found in the evidence") for c in wrong]
    doubts.extend(failed)
    if empty:
        doubts.append(Doubt("evidence", "no row and no passage was found"))
    if differing:
        doubts.append(Doubt("figures", f"another query for the question has others: {differing}"))
    share = 1.0 if by_rule and not verification.failed else verification.support_share()
    if capped or failed or empty or differing:
        share = min(share, CAP)
    return round(share, 3), doubts


def open_failures(steps: Sequence[Step], tasks: Sequence[SubTask]) -> list[Doubt]:
    """Sub-tasks given up, and those whose last call failed."""
    doubts = []
    for index, task in enumerate(tasks):
        if task.missing and not any(t.state == "done" and t.rule != "policy" for t in tasks):
            doubts.append(Doubt(task.task, f"the catalog has no {', '.join(task.missing)}"))
        last = next((s for s in reversed(steps) if s.sub_task == index), None)
        if task.state == "done" or last is None or (last.ok and task.state != "failed"):
            continue
        doubts.append(Doubt(task.task, last.summary))
    return doubts


def is_empty(evidence: Sequence[Evidence]) -> bool:
    """No rows, no passages, no results: dates alone, and SQL without a table, prove nothing."""
    return not any(
        (e.kind == "rows" and e.source and _has_value(e) and not e.found_nothing)
        or e.kind in ("chunk", "calculation", "human")
        for e in evidence
    )


def _has_value(evidence: Evidence) -> bool:
    return any(v is not None for row in evidence.rows for v in row)
