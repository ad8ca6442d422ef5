"""One corpus through the strategies: what each returned, and how long it took."""

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from ingest.index import Scope, VectorIndex, create_index
from ingest.sparse import Bm25, SparseVector, average_length
from ingest.store.records import Hit
from ingest.store.settings import KnowledgeBaseSettings
from reranker import Ranked, Reranker
from tests.bench.retrieval_data import Corpus, Query
from tools.knowledge.search import candidate_of

NOTHING = SparseVector((), ())
LIMITS = KnowledgeBaseSettings()


@dataclass(frozen=True)
class Outcome:
    """`ranked`: ids, best first; `ms`: search and second stage, the query already embedded."""

    query: Query
    ranked: tuple[str, ...]
    ms: float
    best: float | None = None
    """The second stage's best score; None where it did not run."""
    hits: tuple[Hit, ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class Searching:
    """An open index with what the strategies need."""

    index: VectorIndex
    bm25: Bm25
    scope: Scope
    reranker: Reranker

    def sparse(self, query: Query) -> tuple[list[Hit], list[Ranked]]:
        terms = self.bm25.query(query.words)
        return self._search(None, terms, 1, LIMITS.sparse_candidates), []

    def dense(self, query: Query) -> tuple[list[Hit], list[Ranked]]:
        return self._search(query, NOTHING, LIMITS.dense_candidates, 1), []

    def hybrid(self, query: Query) -> tuple[list[Hit], list[Ranked]]:
        terms = self.bm25.query(query.words)
        limits = LIMITS.dense_candidates, LIMITS.sparse_candidates
        return self._search(query, terms, *limits), []

    def default(self, query: Query) -> tuple[list[Hit], list[Ranked]]:
        hits, _ = self.hybrid(query)
        return hits, self.reranker.rerank(query.words, [candidate_of(h) for h in hits])

    def _search(
        self, query: Query | None, terms: SparseVector, dense: int, sparse: int
    ) -> list[Hit]:
        return self.index.search(
            None if query is None else query.vector,
            terms,
            dense_limit=dense,
            sparse_limit=sparse,
            scope=self.scope,
        )


Strategy = Callable[[Query], tuple[list[Hit], list[Ranked]]]


@contextmanager
def searching(corpus: Corpus, reranker: Reranker) -> Iterator[Searching]:
    bm25 = Bm25(average_length(corpus.texts))
    with tempfile.TemporaryDirectory() as directory:
        index = create_index("edge", Path(directory) / "index", corpus.vectors.shape[1])
        weighted = [bm25.document(t) for t in corpus.texts]
        index.upsert(corpus.chunks, corpus.vectors, weighted)
        index.flush()
        try:
            yield Searching(index, bm25, Scope(languages=index.languages()), reranker)
        finally:
            index.close()


def strategies(searching: Searching) -> Mapping[str, Strategy]:
    return {
        "BM25 alone": searching.sparse,
        "dense alone": searching.dense,
        "hybrid": searching.hybrid,
        "hybrid + rerank": searching.default,
    }


def run(strategy: Strategy, queries: Sequence[Query]) -> list[Outcome]:
    outcomes = []
    for query in queries:
        started = time.perf_counter()
        hits, ranked = strategy(query)
        ms = (time.perf_counter() - started) * 1000
        order = [hits[r.index] for r in ranked] if ranked else hits
        ids = tuple(h.chunk.chunk_id for h in order)
        best = ranked[0].score if ranked else None
        outcomes.append(Outcome(query, ids, ms, best, tuple(order)))
    return outcomes
