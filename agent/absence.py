"""Absence that is itself proved: a value that the question names and no stored value holds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import sqlglot
from sqlglot import exp

from tools.evidence import Evidence


@dataclass(frozen=True)
class Absent:
    """`value` stands in the question and in the query, and nowhere in the data."""

    value: str
    tables: str
    evidence_id: str


def proved_absence(
    question: str, evidence: Sequence[Evidence], knows: Callable[[str], bool]
) -> Absent | None:
    """Rests on SQL that ran and found nothing, never on an empty search; None when another query
    or a calculation found something.

    `knows(value)` tells whether any column holds the value, in any case or width.
    """
    folded = question.casefold()
    if any(e.kind in ("rows", "calculation") and not _nothing(e) for e in evidence):
        return None
    for item in evidence:
        if item.kind != "rows" or item.tool != "sql" or not _nothing(item):
            continue
        for value in _literals(item.query or ""):
            if value.casefold() in folded and not knows(value):
                return Absent(value, item.source, item.id)
    return None


def _nothing(evidence: Evidence) -> bool:
    """No row, or one row of zeros and NULLs (an aggregate over nothing)."""
    return not evidence.rows or (
        len(evidence.rows) == 1 and all(v in (None, 0, "0") for v in evidence.rows[0])
    )


def _literals(sql: str) -> list[str]:
    tree = sqlglot.parse_one(sql, dialect="duckdb")
    found = [str(node.this) for node in tree.find_all(exp.Literal) if node.is_string]
    return [text.strip("%") for text in found if len(text.strip("%")) > 1]
