"""What documents declare, through sync: notes change, and nothing is embedded for it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ingest.embedders.seeded import SeededEmbedder
from ingest.index import open_index
from ingest.report import IngestReport
from ingest.sparse import Bm25, SparseVector
from ingest.store import IngestSettings, Store

pytestmark = pytest.mark.slow

Ingest = Callable[..., IngestReport]
Opened = Callable[[], Store]
NEWER = (
    "---\ntitle: 返品規程 第2版\nsupersedes: returns.md\n---\n# 返品規程\n\n返品は不可とする。\n"
)


def notes(store: Store) -> dict[str, str]:
    return {d.source.rpartition("/")[2]: store.status_note(d.doc_id) for d in store.documents()}


def test_a_superseding_document_changes_the_note_of_the_other_without_embedding_it(
    ingest: Ingest, company: Path, opened: Opened, embedder: Any
) -> None:
    ingest(company)
    assert notes(opened())["returns.md"] == ""
    before = embedder.passages
    (company / "rules" / "newer.md").write_text(NEWER, encoding="utf-8")
    report = ingest(company)
    assert (report.documents.added, report.documents.unchanged) == (1, 2)
    assert embedder.passages == before + 1  # the one passage of the new document
    assert notes(opened())["returns.md"] == "⚠️置き換え済み → 返品規程 第2版"
    (company / "rules" / "newer.md").unlink()
    ingest(company)
    assert notes(opened())["returns.md"] == ""
    assert embedder.passages == before + 1


def test_a_changed_sidecar_embeds_nothing(
    ingest: Ingest, company: Path, opened: Opened, embedder: Any
) -> None:
    ingest(company)
    before = embedder.passages
    sidecar = company / "rules" / "okada.md.yaml"
    for text, note in [
        ("status: proposed\n", "△提案中 (未承認)"),
        ("status: rejected\n", "⚠️却下"),
        ("status: 廃止\n", "⚠️非推奨"),
        ("status: perhaps\n", "状態不明"),
        ("superseded_by: newer.md\n", "⚠️置き換え済み → 外部"),
    ]:
        sidecar.write_text(text, encoding="utf-8")
        report = ingest(company)
        assert (report.documents.updated, report.documents.unchanged) == (1, 1)
        assert notes(opened())["okada.md"] == note
    sidecar.unlink()
    ingest(company)
    assert notes(opened())["okada.md"] == ""
    assert embedder.passages == before


def test_a_title_in_a_sidecar_embeds_its_document_again(
    ingest: Ingest, company: Path, opened: Opened, embedder: Any
) -> None:
    """The title stands before every passage that is embedded."""
    ingest(company)
    before = embedder.passages
    (company / "rules" / "okada.md.yaml").write_text("title: Terms of Okada\n")
    ingest(company)
    assert embedder.passages == before + 1
    assert "Terms of Okada" in [d.title for d in opened().documents()]


def test_links_follow_a_document_that_is_renamed_with_its_sidecar(
    ingest: Ingest, company: Path, opened: Opened, embedder: Any
) -> None:
    rules = company / "rules"
    (rules / "newer.md").write_text(
        NEWER.replace("returns.md", "company/rules/returns.md"), encoding="utf-8"
    )
    (rules / "returns.md.yaml").write_text("valid_from: 2024-04-01\n")
    ingest(company)
    before = embedder.passages
    (company / "archive").mkdir()
    (rules / "returns.md").rename(company / "archive" / "returns-2024.md")
    (rules / "returns.md.yaml").rename(company / "archive" / "returns-2024.md.yaml")
    report = ingest(company)
    assert (report.documents.moved, report.documents.added) == (1, 0)
    assert embedder.passages == before
    assert notes(opened())["returns-2024.md"] == "⚠️置き換え済み → 返品規程 第2版"
    hits = opened().search("default", "返品 送料")
    assert "company/archive/returns-2024.md" in [h.chunk.source for h in hits]


def test_a_document_that_moves_without_its_sidecar_is_not_embedded_again(
    ingest: Ingest, company: Path, opened: Opened, embedder: Any
) -> None:
    (company / "rules" / "okada.md.yaml").write_text("status: proposed\n")
    ingest(company)
    before = embedder.passages
    (company / "rules" / "okada.md").rename(company / "okada.md")
    report = ingest(company)
    assert (report.documents.updated, report.documents.added, report.documents.deleted) == (1, 0, 0)
    assert embedder.passages == before
    assert notes(opened())["okada.md"] == ""


def test_a_change_later_keeps_what_the_document_was_called(
    ingest: Ingest, company: Path, opened: Opened
) -> None:
    ingest(company)
    moved = company / "okada-2025.md"
    (company / "rules" / "okada.md").rename(moved)
    ingest(company)
    moved.write_text("# Supplier agreement Okada\n\nOkada delivers within 21 days.\n")
    ingest(company)
    records = {d.source: d.former_sources for d in opened().documents()}
    assert records["company/okada-2025.md"] == ("company/rules/okada.md",)


def test_what_an_ignore_file_names_later_is_removed(
    ingest: Ingest, company: Path, opened: Opened
) -> None:
    ingest(company)
    (company / ".zaikoignore").write_text("okada.*\n")
    report = ingest(company)
    assert (report.documents.deleted, report.left_out) == (1, 1)
    assert [d.source for d in opened().documents()] == ["company/rules/returns.md"]
    ingest(company, settings=IngestSettings(ignore_files=False))
    assert len(opened().documents()) == 2


@pytest.mark.parametrize("concurrency", [1, 4])
def test_batches_side_by_side_build_the_same_index(
    ingest: Ingest, company: Path, opened: Opened, concurrency: int
) -> None:
    for n in range(9):
        (company / f"note-{n}.md").write_text(f"# Note {n}\n\nShelf {n} is full.\n")
    ingest(company, settings=IngestSettings(embed_batch=2, embed_concurrency=concurrency))
    hits = opened().search("default", "Shelf 7 is full")
    assert hits[0].chunk.source == "company/note-7.md"
    assert len({h.chunk.chunk_id for h in hits}) == len(hits) == 11


def test_a_removed_document_is_found_by_no_strategy(
    ingest: Ingest, company: Path, opened: Opened, data_dir: Path
) -> None:
    """By vector alone, by words alone, by its id, and through the whole search."""
    ingest(company)
    gone = next(d for d in opened().documents() if d.source.endswith("okada.md"))
    old = opened()
    words = "Okada delivers within 14 days XR-4200"
    assert gone.doc_id in [h.chunk.doc_id for h in old.search("default", words)]
    (company / "rules" / "okada.md").unlink()
    ingest(company)
    store = opened()
    path = data_dir / "generations" / str(store.revision) / "index" / "default"
    index = open_index("edge", path, read_only=True)
    dense = SeededEmbedder().embed_query(words)
    nothing, sparse = SparseVector((), ()), Bm25(0.0).query(words)
    for vector, terms in ((dense, nothing), (None, sparse), (dense, sparse)):
        hits = index.search(vector, terms, dense_limit=100, sparse_limit=100)
        assert gone.doc_id not in [h.chunk.doc_id for h in hits]
    assert index.chunk_ids(gone.doc_id) == set()
    index.close()
    assert gone.doc_id not in [h.chunk.doc_id for h in store.search("default", words)]
    assert store.search("default", words, doc_ids=[gone.doc_id]) == []
    assert store.document(gone.doc_id) is None and store.file_path(gone.doc_id) is None
