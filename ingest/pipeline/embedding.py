"""Embeds passages in batches, several at a time, and gives them back in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from ingest.embedders import Embedder, Encoded, EncodedPassages
from ingest.pipeline.journal import EmbeddingJournal
from ingest.sparse import SparseVector


@dataclass(frozen=True)
class Batch:
    """`part` of the texts; `fresh` of them were embedded just now, the others before."""

    part: slice
    passages: EncodedPassages
    fresh: int


@dataclass(frozen=True)
class _Made:
    encoded: dict[str, Encoded]
    fresh: list[str]


def embed_in_batches(
    texts: Sequence[str],
    embedder: Embedder,
    journal: EmbeddingJournal,
    *,
    size: int,
    concurrency: int,
) -> Iterator[Batch]:
    """In the order of the texts. Vectors are in the journal before they are given back."""
    embedder.prepare(concurrency)
    pool = ThreadPoolExecutor(concurrency, "embed")
    waiting: deque[tuple[slice, Future[_Made]]] = deque()
    try:
        for start in range(0, len(texts), size):
            part = slice(start, start + size)
            known = journal.read(texts[part])
            waiting.append((part, pool.submit(_embed, texts[part], known, embedder)))
            if len(waiting) > concurrency:
                yield _finish(texts, *waiting.popleft(), journal)
        while waiting:
            yield _finish(texts, *waiting.popleft(), journal)
    finally:
        pool.shutdown(cancel_futures=True)


def _embed(texts: Sequence[str], known: dict[str, Encoded], embedder: Embedder) -> _Made:
    """Of a text that stands twice in a batch one is embedded."""
    fresh = [text for text in dict.fromkeys(texts) if text not in known]
    if not fresh:
        return _Made(known, fresh)
    made = embedder.encode_passages(fresh)
    sparse: Sequence[SparseVector | None] = made.sparse or [None] * len(fresh)
    vectors = map(Encoded, made.dense, sparse)
    return _Made({**known, **dict(zip(fresh, vectors, strict=True))}, fresh)


def _finish(
    texts: Sequence[str], part: slice, future: Future[_Made], journal: EmbeddingJournal
) -> Batch:
    made = future.result()
    if made.fresh:
        journal.write(made.fresh, [made.encoded[text] for text in made.fresh])
    rows = [made.encoded[text] for text in texts[part]]
    learned = [row.sparse for row in rows if row.sparse is not None]
    dense = np.stack([row.dense for row in rows])
    return Batch(part, EncodedPassages(dense, learned or None), len(made.fresh))
