"""Small to big: what stands around a passage comes with it, each passage with its own place."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from ingest.store import Chunk
from reranker import RerankerSettings, make_reranker
from tools.base import Around
from tools.knowledge.arguments import KnowledgeArguments
from tools.knowledge.results import Passage, SearchResult, shown_tokens
from tools.knowledge.search import KnowledgeSearch
from tools.knowledge.settings import KnowledgeSettings
from tools.knowledge.surroundings import with_surroundings
from tools.tokens import estimate_tokens

QUESTION = "返品の期限は何日ですか"
TEXTS = (
    "目的を定める。",
    "対象は全商品。",
    "返品の期限は到着後30日です。",
    "送料は客が負う。",
    "附則。",
)
MakeChunk = Callable[..., Chunk]


@pytest.fixture
def chunks(chunk: MakeChunk) -> list[Chunk]:
    """Five passages on pages 1 to 3; the middle three are one section."""
    return [
        chunk(
            text,
            "rules",
            chunk_id=f"rules#{n}",
            ordinal=n,
            page=1 + n // 2,
            parent=(1, 3) if 1 <= n <= 3 else (n, n),
        )
        for n, text in enumerate(TEXTS)
    ]


@pytest.fixture
def hit(chunks: list[Chunk]) -> Passage:
    return Passage(1, 0.9, chunks[2], "r", "2025-04-01", "△提案中 (未承認)")


@pytest.mark.parametrize(
    ("around", "ordinals"),
    [(0, [2]), (1, [2, 1, 3]), (9, [2, 0, 1, 3, 4]), ("section", [2, 1, 3])],
)
def test_the_passages_around_a_hit_follow_it_in_their_order(
    around: Around, ordinals: list[int], hit: Passage, chunks: list[Chunk], store: Any
) -> None:
    store.chunks = chunks
    found = with_surroundings([hit], store, around)
    assert [p.chunk.ordinal for p in found] == ordinals
    assert [p.beside for p in found] == [None if n == 2 else 1 for n in ordinals]


def test_a_whole_document_stands_there_once_for_two_hits(
    hit: Passage, chunks: list[Chunk], store: Any
) -> None:
    store.chunks = chunks
    second = replace(hit, rank=2, chunk=chunks[4])
    found = with_surroundings([hit, second], store, "document")
    assert sorted(p.chunk.ordinal for p in found) == [0, 1, 2, 3, 4]
    assert [p.chunk.ordinal for p in found if p.beside is None] == [2, 4]


def test_what_was_replaced_stays_alone(hit: Passage, chunks: list[Chunk], store: Any) -> None:
    store.chunks = chunks
    assert len(with_surroundings([replace(hit, replaced=True)], store, "section")) == 1


def test_only_the_nearest_come_where_room_is_short(
    hit: Passage, chunks: list[Chunk], store: Any
) -> None:
    store.chunks = chunks
    room = shown_tokens(hit) + shown_tokens(replace(hit, chunk=chunks[1]))
    found = with_surroundings([hit], store, "document", room)
    assert [p.chunk.ordinal for p in found] == [2, 1]


def test_a_neighbour_is_evidence_with_its_own_page_and_the_status_of_its_document(
    hit: Passage, chunks: list[Chunk], store: Any
) -> None:
    store.chunks = chunks
    result = SearchResult(
        QUESTION, with_surroundings([hit], store, "section"), tokens=2000, with_context=True
    )
    pages = [(e.page, e.text, e.status_note) for e in result.evidence()]
    note = "△提案中 (未承認)"
    assert pages == [(2, TEXTS[2], note), (1, TEXTS[1], note), (2, TEXTS[3], note)]
    beside = "stands around hit 1"
    assert [e.reason for e in result.evidence()] == ["r", beside, beside]
    assert result.to_json()["results"][0]["context"][1]["place"] == "after"  # type: ignore[index]


def test_the_model_is_shown_whole_sections_within_the_room_that_is_set(
    context: Any, store: Any, chunks: list[Chunk]
) -> None:
    store.chunks = chunks
    asked = KnowledgeArguments(query_text=QUESTION, top_k=1)
    settings = KnowledgeSettings(result_tokens=1000, sections=True)
    reranker = make_reranker(RerankerSettings())
    result = KnowledgeSearch(reranker, settings=settings).run(asked, context(store))
    text = result.for_model([f"E{n}" for n in range(1, 4)])
    assert all(f"> {TEXTS[n]}" in text for n in (1, 2, 3))
    assert estimate_tokens(text) <= 1000
    alone = KnowledgeSearch(reranker).run(asked, context(store))
    assert [line for line in alone.for_model(["E1"]).splitlines() if line.startswith("> ")] == [
        f"> {TEXTS[2]}"
    ]
