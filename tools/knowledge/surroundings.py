"""Small to big: a small passage is found; the section or the document around it may be shown.

Each passage around a hit stays a passage of its own, so a figure in it has its own page and box.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ingest.store import Chunk, Store
from tools.base import Around
from tools.knowledge.results import Passage, shown_tokens


def with_surroundings(
    passages: Sequence[Passage], store: Store, around: Around, tokens: int | None = None
) -> tuple[Passage, ...]:
    """Each hit, then the passages around it in the order of the document; none stands there twice.

    What was replaced stays alone. `tokens`: what all passages may take in a prompt; those nearest
    to the best hits are taken first, and a hit never loses its place to them.
    """
    left = tokens if tokens is None else tokens - sum(map(shown_tokens, passages))
    taken = {p.chunk.chunk_id for p in passages}
    ordered: list[Passage] = []
    for hit in passages:
        beside: list[Passage] = []
        for chunk in () if hit.replaced else _nearest_first(hit.chunk, store, around):
            passage = replace(hit, chunk=chunk, beside=hit.rank, remark="")
            needed = shown_tokens(passage)
            if chunk.chunk_id in taken or (left is not None and needed > left):
                continue
            left = left if left is None else left - needed
            taken.add(chunk.chunk_id)
            beside.append(passage)
        ordered += [hit, *sorted(beside, key=lambda p: p.chunk.ordinal)]
    return tuple(ordered)


def _nearest_first(chunk: Chunk, store: Store, around: Around) -> Iterator[Chunk]:
    if around == "document":
        chunks = store.document_chunks(chunk.doc_id)
    elif around == "section":
        chunks = store.section(chunk)
    else:
        chunks = store.neighbours(chunk, around, around)
    yield from sorted(chunks, key=lambda c: (abs(c.ordinal - chunk.ordinal), c.ordinal))
