"""Answers that cite one evidence of given rows."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from agent.answer import Answer, Audit, Citation, EvidenceView
from tools.evidence import Column, Evidence, Value

Columns = Sequence[tuple[str, str]]
Rows = Sequence[Sequence[Value]]


def evidence_of(columns: Columns, rows: Rows, **fields: Any) -> Evidence:
    given: dict[str, Any] = {
        "id": "E1",
        "kind": "rows",
        "tool": "sql",
        "source": "sales",
        "columns": tuple(Column(name=n, type=t) for n, t in columns),
        "rows": tuple(tuple(row) for row in rows),
        "row_count": len(rows),
        "hash": "0123",
    }
    return Evidence(**(given | fields))


def answer_of(*evidence: Evidence, question: str = "Sales by month", **fields: Any) -> Answer:
    """An answered question that cites all of the evidence, in this order."""
    given: dict[str, Any] = {
        "question": question,
        "status": "answered",
        "text": "See the table.",
        "draft": "",
        "confidence": 0.9,
        "citations": tuple(
            Citation(n=n, evidence_id=e.id, source=e.source, locator="")
            for n, e in enumerate(evidence, start=1)
        ),
        "evidence": tuple(EvidenceView.of(e) for e in evidence),
        "audit": Audit(
            data_revision=3, today="2026-11-30", model="m", prompt_hash="h", version="1", reading=""
        ),
        "thread_id": "t-1",
        "trace_id": "abc",
    }
    return Answer(**(given | fields))


@pytest.fixture
def evidence() -> Callable[..., Evidence]:
    return evidence_of


@pytest.fixture
def answer() -> Callable[..., Answer]:
    return answer_of
