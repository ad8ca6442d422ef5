from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date
from typing import Any, cast

import pytest

from ingest.sparse import terms
from ingest.store import Chunk, DocumentRecord, Hit, KnowledgeBaseInfo, Store
from ingest.store.errors import StoreBroken
from ingest.store.status import StatusIndex
from reranker import RerankerSettings, make_reranker
from tools.base import ToolContext
from tools.knowledge.search import KnowledgeSearch

RETURNS = Chunk(
    chunk_id="returns#0",
    doc_id="returns",
    kb="policies",
    source="policies/returns.pdf",
    ordinal=0,
    text="返品の期限は到着後30日です。開封済みの商品は交換のみです。",
    heading=("返品規程", "期限"),
    page=3,
    box=(10.0, 20.0, 300.0, 60.0),
    start=120,
    end=149,
    language="ja",
)
LEAD_TIME = Chunk(
    chunk_id="acme#0",
    doc_id="acme",
    kb="suppliers",
    source="suppliers/acme.md",
    ordinal=4,
    text="The lead time of Acme for XR-4200 is 14 days. Minimum order quantity: 200 units.",
    start=0,
    end=80,
    language="en",
)


class MemoryStore:
    """The read API of `Store` over chunks in memory; candidates are ranked by shared terms."""

    def __init__(self, chunks: Sequence[Chunk], broken: frozenset[str] = frozenset()) -> None:
        self.chunks = list(chunks)
        self.broken = broken
        self.notes: Mapping[str, str] = {}
        self.dates: Mapping[str, date] = {"returns": date(2025, 4, 1)}
        self.declared: Mapping[str, Mapping[str, Any]] = {}
        """What documents say of themselves, by doc_id: fields of their records."""

    def knowledge_bases(self) -> list[KnowledgeBaseInfo]:
        names = sorted({c.kb for c in self.chunks} | self.broken)
        return [
            KnowledgeBaseInfo(name=n, description=f"about {n}", documents=1, chunks=1)
            for n in names
        ]

    def documents(self, kb: str | None = None) -> list[DocumentRecord]:
        return [
            DocumentRecord.model_validate(
                {
                    "doc_id": c.doc_id,
                    "kb": c.kb,
                    "source": c.source,
                    "title": c.doc_id,
                    "sha256": "0" * 64,
                    "document_date": self.dates.get(c.doc_id),
                    **self.declared.get(c.doc_id, {}),
                }
            )
            for c in self.chunks
            if kb in (None, c.kb)
        ]

    def document(self, doc_id: str) -> DocumentRecord | None:
        return next((d for d in self.documents() if d.doc_id == doc_id), None)

    def document_chunks(self, doc_id: str) -> list[Chunk]:
        return sorted((c for c in self.chunks if c.doc_id == doc_id), key=lambda c: c.ordinal)

    def neighbours(self, chunk: Chunk, before: int = 1, after: int = 1) -> list[Chunk]:
        near = range(chunk.ordinal - before, chunk.ordinal + after + 1)
        return [c for c in self.document_chunks(chunk.doc_id) if c.ordinal in near]

    def section(self, chunk: Chunk) -> list[Chunk]:
        first, last = chunk.parent or (chunk.ordinal, chunk.ordinal)
        return [c for c in self.document_chunks(chunk.doc_id) if first <= c.ordinal <= last]

    def status_index(self, today: date | None = None) -> StatusIndex:
        return StatusIndex(self.documents(), today)

    def status_note(self, doc_id: str, language: str = "ja", today: date | None = None) -> str:
        note = self.notes.get(doc_id, "")
        return f"{note} ({language})" if note else self.status_index(today).note(doc_id, language)

    def query_has_terms(self, query: str) -> bool:
        return bool(terms(query))

    def search(self, kb: str, query: str, *, doc_ids: Collection[str] | None = None) -> list[Hit]:
        if kb in self.broken:
            raise StoreBroken(f"the index of {kb} is damaged")
        wanted = set(terms(query))
        shared = [
            (len(wanted & set(terms(" ".join((*c.heading, c.text))))), c)
            for c in self.chunks
            if c.kb == kb and (doc_ids is None or c.doc_id in doc_ids)
        ]
        ordered = sorted(shared, key=lambda s: -s[0])
        return [
            Hit(
                chunk=chunk,
                fused=1 / (60 + place),
                cosine=0.80 + 0.01 * min(n, 10),
                bm25=2.0 * n,
                dense_rank=place,
                sparse_rank=place,
            )
            for place, (n, chunk) in enumerate(ordered, start=1)
        ]


MakeContext = Callable[..., ToolContext]


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore([RETURNS, LEAD_TIME])


@pytest.fixture
def context() -> MakeContext:
    def make(store: MemoryStore, kbs: tuple[str, ...] | None = None) -> ToolContext:
        return ToolContext(store=cast(Store, store), today=date(2026, 11, 30), kbs=kbs)

    return make


@pytest.fixture
def tool() -> KnowledgeSearch:
    return KnowledgeSearch(make_reranker(RerankerSettings()))


@pytest.fixture
def chunk() -> Callable[..., Chunk]:
    def make(text: str, doc_id: str = "d", kb: str = "policies", **fields: Any) -> Chunk:
        base = RETURNS.model_dump() | {
            "chunk_id": f"{doc_id}#0",
            "doc_id": doc_id,
            "kb": kb,
            "source": f"{kb}/{doc_id}.md",
            "text": text,
            "heading": (),
            "end": 120 + len(text),
        }
        return Chunk.model_validate(base | fields)

    return make
