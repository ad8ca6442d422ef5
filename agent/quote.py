"""What a document says, in its own words, where the model could not say it.

Of the passages in force, the sentence or row that has the figure asked for and nearly all words of
the question is quoted as it stands; without such a one nothing is.
"""

from collections.abc import Iterator, Sequence
from datetime import date

from agent.asked import names_no_figure
from agent.state import Claimed, Draft
from tools.evidence import Evidence
from tools.knowledge.extract import split_sentences, table_heads
from tools.knowledge.results import OUT_OF_FORCE
from tools.text import casefolded
from tools.verify.coverage import coverage

LEAST = 0.75
"""So much of the question's content must stand in the sentence."""


def quoted_answer(question: str, evidence: Sequence[Evidence], today: date) -> Draft | None:
    """The sentence that answers a question for a figure; None where none is certain to."""
    found: list[tuple[float, str, str]] = []
    for item in evidence:
        if item.kind != "chunk" or (item.status_note or "").startswith(OUT_OF_FORCE):
            continue
        for sentence in _statements(item.text or "", question):
            share = coverage(question, f"{item.locator} {sentence}") or 0.0
            if share >= LEAST and not names_no_figure(question, sentence, today):
                found.append((share, sentence, item.id))
    if not found:
        return None
    _, sentence, identifier = max(found, key=lambda f: f[0])
    return Draft(text=sentence, claims=(Claimed(text=sentence, evidence_ids=(identifier,)),))


def _statements(text: str, question: str) -> Iterator[str]:
    """Sentences, and the rows of tables whose label the question names, with their headers."""
    sentences = split_sentences(text)
    heads = table_heads(sentences)
    asked = casefolded(question)
    for index, sentence in enumerate(sentences):
        if index in heads:
            names, cells = (_cells(sentences[i]) for i in (heads[index], index))
            if cells[0] and casefolded(cells[0]) in asked:
                pairs = zip(names, cells, strict=False)
                yield " / ".join(f"{name}: {cell}" for name, cell in pairs if cell)
        elif not sentence.startswith("|"):
            yield sentence


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().strip("|").split("|")]
