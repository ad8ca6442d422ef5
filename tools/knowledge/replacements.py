"""Beside a passage that was replaced stands the best passage of what replaced it."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from ingest.store import DocumentRecord
from ingest.store.errors import IngestError
from tools.base import ToolContext
from tools.errors import ToolError
from tools.knowledge.results import Passage

MOST = 3
"""So many replacing documents are searched for one question."""


def with_replacements(
    passages: Sequence[Passage],
    context: ToolContext,
    best_of: Callable[[DocumentRecord], Passage | None],
) -> tuple[Passage, ...]:
    """Each passage of a document that was replaced, wholly or in part, is followed by one of the
    document that replaced it, unless that stands before it already.

    `best_of` searches one document; it is asked only for what was not found by itself, and only
    for documents in the caller's scope. Ranks are given anew.
    """
    index = context.store.status_index(context.today)
    ordered = list(passages)
    searched: dict[str, Passage | None] = {}
    for old in passages:
        record = index.replacement(old.chunk.doc_id)
        if record is None or context.store.document(record.doc_id) is None:
            continue
        new = next((p for p in ordered if p.chunk.doc_id == record.doc_id), None)
        if new is None and record.doc_id not in searched and len(searched) < MOST:
            new = searched[record.doc_id] = _searched(best_of, record)
        if new is None:
            continue
        _put_beside(ordered, old, new)
    return tuple(replace(p, rank=rank) for rank, p in enumerate(ordered, start=1))


def _searched(
    best_of: Callable[[DocumentRecord], Passage | None], record: DocumentRecord
) -> Passage | None:
    try:
        return best_of(record)
    except (IngestError, ToolError):
        # The passage that was found is not lost by it; its note says that it was replaced.
        return None


def _put_beside(ordered: list[Passage], old: Passage, new: Passage) -> None:
    """`new` behind `old`, marked as what replaces it; where it stands before it, it stays."""
    place = ordered.index(old)
    marked = replace(new, replaces=old.chunk.source)
    if new not in ordered:
        ordered.insert(place + 1, marked)
    elif ordered.index(new) > place:
        ordered.remove(new)
        ordered.insert(place + 1, marked)
    ordered[place] = replace(old, replaced=True)
