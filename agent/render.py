"""Tables in an answer: rendered by code from evidence rows, never copied by the model."""

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal

from agent.language import Language
from agent.notices import notice
from tools.evidence import Evidence, Value

ROWS_SHOWN = 20
VALUES_IN_TEXT = 5
FIGURES = 2
"""A calculation with one row of more columns than this is a table too."""


def is_table(evidence: Evidence) -> bool:
    """Rows of a query, or a calculation that has more than one row, or one of many columns; a
    single value is no table."""
    least = 1 if evidence.kind == "rows" or len(evidence.columns) > FIGURES else 2
    return evidence.kind in ("rows", "calculation") and len(evidence.rows) >= least


def with_tables(text: str, evidence: Iterable[Evidence], language: Language) -> str:
    """The text with a Markdown table for each one whose values it does not all state."""
    parts = [text.strip()]
    for item in evidence:
        if is_table(item) and not _stands_in(item.rows, text):
            parts.append(markdown_table(item, language))
    return "\n\n".join(filter(None, parts))


def markdown_table(evidence: Evidence, language: Language) -> str:
    """A caption with the evidence id and the row count, then at most 20 rows."""
    shown = evidence.rows[:ROWS_SHOWN]
    whole = "row" if evidence.row_count == 1 else "rows"
    name = whole if len(shown) == evidence.row_count else "rows_cut"
    caption = notice(name, language, id=evidence.id, count=evidence.row_count, shown=len(shown))
    head = _line([cell(c.name) for c in evidence.columns])
    rule = "|" + " --- |" * len(evidence.columns)
    return "\n".join([caption, "", head, rule, *(_line([cell(v) for v in r]) for r in shown)])


def cell(value: Value) -> str:
    """One cell: blank for NULL, floats without noise, line breaks and bars made harmless."""
    if value is None:
        return ""
    if isinstance(value, float):
        text = format(Decimal(repr(value)), "f")
        return text.rstrip("0").rstrip(".") if "." in text else text
    return re.sub(r"\s+", " ", str(value)).replace("|", "\\|")


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _stands_in(rows: Sequence[Sequence[Value]], text: str) -> bool:
    """Whether a small result is wholly stated in the text already."""
    values = [cell(v) for row in rows for v in row]
    if len(values) > VALUES_IN_TEXT:
        return False
    plain = text.replace(",", "")
    return all(_stated(v, plain) for v in values if v)


def _stated(value: str, text: str) -> bool:
    if re.fullmatch(r"-?\d+(\.\d+)?", value):
        return bool(re.search(rf"(?<![\d.]){re.escape(value)}(?!\.?\d)", text))
    # The stored name, not an English plural of it.
    whole = rf"(?<![0-9A-Za-z]){re.escape(value)}(?![0-9A-Za-z])"
    return bool(re.search(whole, text, re.IGNORECASE))
