"""What a document says, in its own words: to answer where the model could not, and to hold its
answer against.

Of the passages in force, the row that the question names, or the sentence that has the figure
asked for and nearly all words of the question, is quoted as it stands; without such a one nothing
is, nor where the question asks for what is not in force.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from agent.asked import names_no_figure
from agent.in_force import asks_for_old, is_out_of_force
from agent.state import Claimed, Draft
from tools.evidence import Evidence
from tools.knowledge.extract import is_named_row, split_sentences, table_heads
from tools.text import casefolded
from tools.verify.coverage import coverage
from tools.verify.facts import quantities_of

LEAST = 0.75
"""So much of the question's content must stand in the sentence."""


@dataclass(frozen=True)
class Quote:
    """`text` of an evidence, `share` of the question's content in it. `asked`: of a row, the cells
    whose header the question names, or else all."""

    text: str
    share: float
    evidence_id: str
    asked: str = ""


def quoted_answer(question: str, evidence: Sequence[Evidence], today: date) -> Draft | None:
    """The row or sentence that answers a question for a figure; None where none is certain to."""
    quote = named_row(question, evidence, today) or max(
        _certain(question, evidence, today, _sentences), key=lambda q: q.share, default=None
    )
    if quote is None:
        return None
    claim = Claimed(text=quote.text, evidence_ids=(quote.evidence_id,))
    return Draft(text=quote.text, claims=(claim,))


def named_row(question: str, evidence: Sequence[Evidence], today: date) -> Quote | None:
    """The one row of a table in the passages whose label the question names; None where there is
    none, or several that differ."""
    rows = list(_certain(question, evidence, today, _rows))
    return rows[0] if len({row.text for row in rows}) == 1 else None


def other_than_named_row(
    question: str, text: str, evidence: Sequence[Evidence], today: date
) -> str:
    """Why a text does not answer a question whose row is there: it has none of the figures that
    this row has; else "". With figures of tables or calculations it cannot be told."""
    if any(e.kind in ("rows", "calculation") for e in evidence):
        return ""
    row = named_row(question, evidence, today)
    figures = _figures(row.asked) if row is not None else frozenset()
    if row is None or not figures or figures & _figures(text):
        return ""
    return f"the document says: {row.text}"


def _certain(
    question: str,
    evidence: Sequence[Evidence],
    today: date,
    read: Callable[[str, str], Iterator[tuple[str, str]]],
) -> Iterator[Quote]:
    """What is read of the passages in force that has the figure and the words of the question."""
    if asks_for_old(question, [e for e in evidence if is_out_of_force(e)]):
        return
    for item in evidence:
        if item.kind != "chunk" or is_out_of_force(item):
            continue
        for text, asked in read(item.text or "", question):
            share = coverage(question, f"{item.locator} {text}") or 0.0
            if share >= LEAST and not names_no_figure(question, text, today):
                yield Quote(text, share, item.id, asked)


def _sentences(text: str, question: str) -> Iterator[tuple[str, str]]:
    yield from ((s, "") for s in split_sentences(text) if not s.startswith("|"))


def _rows(text: str, question: str) -> Iterator[tuple[str, str]]:
    """The rows that the question names, with their headers, and what it asks of them."""
    sentences = split_sentences(text)
    said = casefolded(question)
    for index, head in table_heads(sentences).items():
        row, header = sentences[index], sentences[head]
        names, cells = _cells(header), _cells(row)
        if not (_stands_in(cells[0], said) or is_named_row(row, header, question)):
            continue
        pairs = [(n, c) for n, c in zip(names, cells, strict=False) if c]
        asked = [c for n, c in pairs[1:] if n and casefolded(n) in said]
        yield (
            " / ".join(f"{name}: {cell}" for name, cell in pairs),
            " / ".join(asked or [c for _, c in pairs[1:]]),
        )


def _stands_in(label: str, text: str) -> bool:
    """A label of one character stands in nearly every text; a Latin one must be whole words."""
    label = casefolded(label)
    if len(label) < 2:
        return False
    whole = rf"(?<![a-z0-9]){re.escape(label)}(?![a-z0-9])"
    return re.search(whole, text) is not None if label.isascii() else label in text


def _figures(text: str) -> frozenset[tuple[Decimal, bool]]:
    return frozenset((q.value, q.is_percent) for q in quantities_of(text, lenient=True))


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().strip("|").split("|")]
