from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from ingest.report import IngestReport, Progress
from ingest.store import IngestSettings, KnowledgeBaseSettings, Store
from ingest.store.errors import (
    EmbedderMismatch,
    StoreError,
    StoreMissing,
    UnknownKnowledgeBase,
)
from ingest.store.manifest import read_manifest

Ingest = Callable[..., IngestReport]
Contents = Callable[[], dict[str, Any]]


ALL: dict[str, Any] = {
    "tables": {"stock": [("XR-4200", "Osaka", 12), ("0012", "Tokyo", 7), ("Z-9", "Osaka", 0)]},
    "documents": [("company/rules/okada.md", 1), ("company/rules/returns.md", 1)],
    "found": {"default": ["company/rules/okada.md", "company/rules/returns.md"]},
}


def test_a_first_run_takes_in_tables_and_documents(
    ingest: Ingest, company: Path, contents: Contents
) -> None:
    report = ingest(company)
    assert report.ok
    assert (report.documents.added, report.tables.added) == (2, 1)
    assert (report.chunks, report.data_revision) == (2, 1)
    assert contents() == ALL


def test_the_report_has_the_documented_json(ingest: Ingest, company: Path) -> None:
    (company / "broken.csv").write_bytes(b"")
    said = ingest(company).to_json()
    assert list(said) == [
        "documents",
        "tables",
        "chunks",
        "quarantined",
        "hidden_sheets",
        "apart",
        "notes",
        "rebuilt",
        "data_revision",
        "seconds",
    ]
    counts = ["added", "updated", "unchanged", "moved", "deleted", "failed"]
    assert list(said["documents"]) == list(said["tables"]) == counts
    assert said["tables"]["failed"][0]["path"] == str(company / "broken.csv")
    assert "empty" in said["tables"]["failed"][0]["reason"]
    assert said["quarantined"] == {"count": 0, "first": []}


def test_a_run_without_changes_publishes_nothing(
    ingest: Ingest, company: Path, data_dir: Path, embedder: Any
) -> None:
    ingest(company)
    before = embedder.passages
    report = ingest(company)
    assert (report.documents.unchanged, report.tables.unchanged) == (2, 1)
    assert report.data_revision == 1
    assert not report.documents.any() and not report.tables.any()
    assert embedder.passages == before
    assert [p.name for p in (data_dir / "generations").iterdir()] == ["1"]


def test_a_changed_file_is_replaced(ingest: Ingest, company: Path, contents: Contents) -> None:
    ingest(company)
    (company / "stock.csv").write_text("sku,warehouse,quantity\nXR-4200,Osaka,11\n")
    okada = company / "rules" / "okada.md"
    okada.write_text("# Supplier agreement Okada\n\nOkada delivers within 21 days.\n")
    report = ingest(company)
    assert (report.documents.updated, report.documents.unchanged) == (1, 1)
    assert (report.tables.updated, report.tables.added, report.tables.deleted) == (1, 0, 0)
    assert contents() == {**ALL, "tables": {"stock": [("XR-4200", "Osaka", 11)]}}


def test_the_words_of_a_replaced_document_are_not_found_any_more(
    ingest: Ingest, company: Path, opened: Callable[[], Store]
) -> None:
    ingest(company)
    okada = company / "rules" / "okada.md"
    okada.write_text("# Supplier agreement Okada\n\nOkada delivers within 21 days.\n")
    ingest(company)
    texts = [hit.chunk.text for hit in opened().search("default", "Okada delivers days")]
    assert any("21 days" in text for text in texts)
    assert not any("14 days" in text for text in texts)


def test_a_removed_file_is_removed(ingest: Ingest, company: Path, contents: Contents) -> None:
    ingest(company)
    (company / "stock.csv").unlink()
    (company / "rules" / "okada.md").unlink()
    report = ingest(company)
    assert (report.documents.deleted, report.tables.deleted) == (1, 1)
    assert contents() == {
        "tables": {},
        "documents": [("company/rules/returns.md", 1)],
        "found": {"default": ["company/rules/returns.md"]},
    }


def test_a_moved_document_costs_no_embedding_and_is_called_by_its_new_path(
    ingest: Ingest, company: Path, contents: Contents, embedder: Any
) -> None:
    ingest(company)
    before = embedder.passages
    (company / "archive").mkdir()
    (company / "rules" / "okada.md").rename(company / "archive" / "okada-2025.md")
    report = ingest(company)
    assert report.documents.moved == 1
    assert not (report.documents.added or report.documents.deleted or report.documents.updated)
    assert embedder.passages == before
    assert contents()["found"] == {
        "default": ["company/archive/okada-2025.md", "company/rules/returns.md"]
    }


def test_a_moved_table_keeps_its_name_and_a_renamed_one_gets_the_new(
    ingest: Ingest, company: Path, contents: Contents, opened: Callable[[], Store]
) -> None:
    ingest(company)
    (company / "tables").mkdir()
    (company / "stock.csv").rename(company / "tables" / "stock.csv")
    report = ingest(company)
    assert (report.tables.moved, report.tables.added) == (1, 0)
    assert opened().catalog.tables[0].source == "company/tables/stock.csv"
    (company / "tables" / "stock.csv").rename(company / "tables" / "inventory.csv")
    report = ingest(company)
    assert (report.tables.moved, report.tables.added, report.tables.deleted) == (1, 0, 0)
    assert contents()["tables"] == {"inventory": ALL["tables"]["stock"]}


def test_a_file_that_fails_keeps_its_earlier_version_and_the_rest_goes_on(
    ingest: Ingest, company: Path, contents: Contents
) -> None:
    ingest(company)
    (company / "stock.csv").write_bytes(b"")
    (company / "rules" / "okada.md").write_bytes(b"")
    (company / "new.csv").write_text("code,amount\nA1,1.50\n")
    report = ingest(company)
    assert not report.ok
    assert [f.path for f in report.tables.failed] == [str(company / "stock.csv")]
    assert [f.path for f in report.documents.failed] == [str(company / "rules" / "okada.md")]
    after = contents()
    assert after["tables"] == {**ALL["tables"], "new": [("A1", Decimal("1.50"))]}
    assert after["documents"] == ALL["documents"]
    assert after["found"] == ALL["found"]


def test_a_file_that_failed_is_taken_in_once_it_is_mended(
    ingest: Ingest, company: Path, contents: Contents
) -> None:
    stock = company / "stock.csv"
    good = stock.read_bytes()
    stock.write_bytes(b"")
    ingest(company)
    stock.write_bytes(good)
    report = ingest(company)
    assert (report.tables.added, report.documents.unchanged) == (1, 2)
    assert contents() == ALL


def test_when_every_file_fails_nothing_is_published(
    ingest: Ingest, data_dir: Path, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_bytes(b"")
    report = ingest(bad)
    assert not report.ok and report.data_revision is None
    with pytest.raises(StoreMissing):
        Store.open(data_dir)


def test_files_outside_the_given_paths_stay(
    ingest: Ingest, company: Path, contents: Contents, tmp_path: Path
) -> None:
    ingest(company)
    other = tmp_path / "other.csv"
    other.write_text("a,b\n1,2\n")
    report = ingest(other)
    assert (report.tables.added, report.tables.unchanged) == (1, 0)
    assert contents()["tables"] == {**ALL["tables"], "other": [(1, 2)]}
    assert contents()["documents"] == ALL["documents"]


def test_the_same_files_may_stand_in_two_knowledge_bases(
    ingest: Ingest, company: Path, opened: Callable[[], Store]
) -> None:
    ingest(company / "rules", kb="sales")
    report = ingest(company / "rules", kb="規程")
    assert report.documents.added == 2
    (company / "rules" / "okada.md").unlink()
    ingest(company / "rules", kb="sales")
    store = opened()
    assert {kb.name: kb.documents for kb in store.knowledge_bases()} == {"sales": 1, "規程": 2}
    assert len({d.doc_id for d in store.documents()}) == 3


def test_another_chunk_size_takes_the_documents_in_again(
    ingest: Ingest, company: Path, opened: Callable[[], Store]
) -> None:
    long = " ".join(f"Sentence number {n} about the warehouse." for n in range(60))
    (company / "rules" / "long.md").write_text(f"# Long\n\n{long}\n")
    ingest(company)
    chosen = {"default": KnowledgeBaseSettings(chunk_tokens=64)}
    report = ingest(company, settings=IngestSettings(kb=chosen))
    assert report.documents.updated == 3
    assert report.tables.unchanged == 1
    assert report.chunks > 4


def test_a_changed_sidecar_changes_what_its_document_declares(
    ingest: Ingest, company: Path, opened: Callable[[], Store]
) -> None:
    ingest(company)
    (company / "rules" / "okada.md.yaml").write_text("status: rejected\n")
    report = ingest(company)
    assert (report.documents.updated, report.documents.unchanged, report.ignored) == (1, 1, 0)
    store = opened()
    okada = next(d for d in store.documents() if d.source.endswith("okada.md"))
    assert store.status_note(okada.doc_id, "en") == "⚠️rejected"


def test_a_cell_that_does_not_fit_is_reported_and_kept_apart(
    ingest: Ingest, company: Path, opened: Callable[[], Store]
) -> None:
    rows = "".join(f"A{n},{n}\n" for n in range(300))
    (company / "orders.csv").write_text(f"code,pieces\n{rows}B,about 40\n")
    report = ingest(company)
    said = report.to_json()["quarantined"]
    assert said["count"] == 1
    assert {k: said["first"][0][k] for k in ("table", "column", "row", "value")} == {
        "table": "orders",
        "column": "pieces",
        "row": 302,
        "value": "about 40",
    }
    assert [cell.value for cell in opened().quarantine("orders")] == ["about 40"]
    (company / "orders.csv").unlink()
    assert ingest(company).to_json()["quarantined"]["count"] == 0


def test_the_manifest_says_what_built_the_generation(
    ingest: Ingest, company: Path, data_dir: Path
) -> None:
    ingest(company)
    manifest = read_manifest(data_dir / "generations" / "1")
    assert manifest.embedder is not None and manifest.embedder.name == "seeded"
    assert {Path(f.path).name: len(f.sha256) for f in manifest.files} == {
        "stock.csv": 64,
        "okada.md": 64,
        "returns.md": 64,
    }
    assert manifest.bm25_average_length["default"] > 0
    assert "duckdb" in manifest.versions


def test_a_run_with_another_embedder_is_refused_and_changes_nothing(
    ingest: Ingest, company: Path, contents: Contents
) -> None:
    ingest(company)
    (company / "rules" / "new.md").write_text("# New\n\nText.\n")
    with pytest.raises(EmbedderMismatch, match="seeded") as caught:
        ingest(company, embedder=None)
    assert 'embedder = "seeded"' in caught.value.hint
    assert contents() == ALL


def test_tables_alone_need_no_embedder(
    ingest: Ingest, company: Path, opened: Callable[[], Store]
) -> None:
    ingest(company / "stock.csv", embedder=None)
    store = opened()
    assert store.knowledge_bases() == []
    with pytest.raises(UnknownKnowledgeBase, match="there is none yet"):
        store.search("default", "stock")


def test_old_generations_are_removed_beyond_the_last_few(
    ingest: Ingest, company: Path, data_dir: Path
) -> None:
    settings = IngestSettings(keep_generations=2)
    for n in range(4):
        (company / "stock.csv").write_text(f"sku,quantity\nA,{n}\n")
        ingest(company, settings=settings)
    assert sorted(p.name for p in (data_dir / "generations").iterdir()) == ["3", "4"]


def test_progress_names_every_stage_and_ends_complete(ingest: Ingest, company: Path) -> None:
    seen: list[Progress] = []
    ingest(company, progress=seen.append)
    last = {p.stage: (p.done, p.total) for p in seen}
    assert last == {
        "scan": (3, 3),
        "tables": (1, 1),
        "documents": (2, 2),
        "embed": (2, 2),
        "check": (1, 1),
    }
    assert next(p for p in seen if p.stage == "embed").rate > 0


@pytest.mark.parametrize("name", ["", ".", "../up", "a/b", "-x", "a b"])
def test_a_knowledge_base_cannot_be_called_like_a_path(
    ingest: Ingest, company: Path, data_dir: Path, name: str
) -> None:
    with pytest.raises(StoreError, match="name of a knowledge base"):
        ingest(company, kb=name)
    assert not data_dir.exists()
