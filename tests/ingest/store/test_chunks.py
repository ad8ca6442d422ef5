"""Passages on request: neighbours, whole documents, and what a caller's filter lets through."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from ingest.embedders.seeded import SeededEmbedder
from ingest.pipeline import run_ingest
from ingest.store import DocumentFilter, IngestSettings, Store

LONG = "\n\n".join(f"## {n}\n\nRule {n} is about shelf {n}." for n in range(1, 6))
OLD = "---\nvalid_from: 2024-04-01\nvalid_to: 2026-03-31\n---\n# Old\n\nReturns take 14 days.\n"
NEW = "---\nvalid_from: 2026-04-01\n---\n# New\n\nReturns take 30 days.\n"


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("chunks")
    files = root / "files"
    files.mkdir()
    for name, text in (("long.md", LONG), ("old.md", OLD), ("new.md", NEW)):
        (files / name).write_text(text, encoding="utf-8")
    run_ingest(root / "data", [files], settings=IngestSettings(), embedder=SeededEmbedder())
    return root / "data"


@pytest.fixture
def store(data_dir: Path) -> Iterator[Store]:
    with Store.open(data_dir, embedder=SeededEmbedder()) as opened:
        yield opened


def test_a_passage_comes_with_its_neighbours_in_order(store: Store) -> None:
    found = next(h.chunk for h in store.search("default", "shelf 3") if "shelf 3" in h.chunk.text)
    around = store.neighbours(found, before=1, after=2)
    assert [c.ordinal for c in around] == [found.ordinal + n for n in (-1, 0, 1, 2)]
    assert {c.source for c in around} == {found.source}


def test_a_passage_comes_with_the_section_around_it(store: Store) -> None:
    found = next(h.chunk for h in store.search("default", "shelf 3") if "shelf 3" in h.chunk.text)
    first, last = found.parent or (-1, -1)
    section = store.section(found)
    assert [c.ordinal for c in section] == list(range(first, last + 1))
    assert found in section
    assert {c.parent_id for c in section} == {found.parent_id}
    assert store.section(found.model_copy(update={"parent": None})) == [found]


def test_a_document_comes_whole(store: Store) -> None:
    record = next(d for d in store.documents() if d.source.endswith("long.md"))
    chunks = store.document_chunks(record.doc_id)
    assert [c.ordinal for c in chunks] == list(range(record.chunks))
    assert "shelf 5" in chunks[-1].text
    assert store.document_chunks("unknown") == []


@pytest.mark.parametrize(("day", "name"), [("2025-03-01", "old.md"), ("2026-04-01", "new.md")])
def test_a_search_may_be_held_to_what_applied_on_a_day(store: Store, day: str, name: str) -> None:
    chosen = DocumentFilter(valid_on=date.fromisoformat(day), sources=("*old.md", "*new.md"))
    allowed = store.select("default", chosen)
    hits = store.search("default", "returns days", doc_ids=allowed)
    assert [h.chunk.source for h in hits] == [f"files/{name}"]
