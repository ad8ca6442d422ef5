import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ingest.embedders.seeded import SeededEmbedder
from ingest.pipeline import run_ingest
from ingest.store import IngestSettings, KnowledgeBaseSettings, Store
from ingest.store.errors import (
    EmbedderMismatch,
    OutOfScope,
    StoreBroken,
    StoreError,
    StoreMissing,
    UnknownKnowledgeBase,
)
from tests.support.copies import copied

EMBEDDER = SeededEmbedder()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two generations: a table, then two documents of which one replaces the other."""
    root = tmp_path_factory.mktemp("made")
    (root / "stock.csv").write_text("sku,quantity\nXR-4200,12\n0012,7\n")
    rules = root / "rules"
    rules.mkdir()
    (rules / "old.md").write_text("# 返品規程 2024\n\n返品は14日以内です。\n", encoding="utf-8")
    new = "---\nsupersedes: old.md\n---\n# 返品規程 2026\n\n返品は30日以内です。\n"
    (rules / "new.md").write_text(new, encoding="utf-8")
    settings = IngestSettings()
    run_ingest(root / "data", [root / "stock.csv"], settings=settings)
    run_ingest(root / "data", [rules], kb="rules", settings=settings, embedder=EMBEDDER)
    return root / "data"


@pytest.fixture
def data_dir(made: Path, tmp_path: Path) -> Path:
    return copied(made, tmp_path / "data")


@pytest.fixture
def opened(made: Path) -> Iterator[Store]:
    with Store.open(made, embedder=EMBEDDER) as store:
        yield store


def test_a_store_knows_its_revision_tables_and_knowledge_bases(opened: Store, made: Path) -> None:
    assert opened.revision == 2
    assert opened.warehouse == made / "generations" / "2" / "warehouse.duckdb"
    assert [table.name for table in opened.catalog.tables] == ["stock"]
    (info,) = opened.knowledge_bases()
    assert (info.name, info.documents, info.chunks, info.languages) == ("rules", 2, 2, ("ja",))


def test_a_search_finds_both_by_words_and_by_meaning(opened: Store) -> None:
    best = opened.search("rules", "返品は30日以内")[0]
    assert best.chunk.source == "rules/new.md"
    assert (best.dense_rank, best.sparse_rank) == (1, 1)


@pytest.mark.parametrize("query", ["", "  ", "！？…", "\0"])
def test_a_query_without_a_term_finds_nothing(opened: Store, query: str) -> None:
    assert not opened.query_has_terms(query)
    assert opened.search("rules", query) == []


def test_the_notes_come_from_all_records(opened: Store) -> None:
    ids = {Path(d.source).stem: d.doc_id for d in opened.documents("rules")}
    assert opened.status_note(ids["old"], "en") == "⚠️superseded → 返品規程 2026"
    assert opened.document_statuses() == {
        ids["old"]: ("superseded", "rules/new.md"),
        ids["new"]: ("undeclared", None),
    }


def test_a_document_knows_its_file(opened: Store, made: Path) -> None:
    (new,) = (d for d in opened.documents() if d.source == "rules/new.md")
    assert opened.document(new.doc_id) == new
    assert opened.file_path(new.doc_id) == made.parent / "rules" / "new.md"
    assert opened.file_path("none") is None


def test_descriptions_and_limits_of_a_knowledge_base_come_from_the_settings(made: Path) -> None:
    chosen = KnowledgeBaseSettings(description="社内規程", dense_candidates=1, sparse_candidates=1)
    settings = IngestSettings(kb={"rules": chosen})
    with Store.open(made, settings, embedder=EMBEDDER) as store:
        assert store.knowledge_bases()[0].description == "社内規程"
        assert len(store.search("rules", "返品は30日以内です")) == 1


def test_an_unknown_knowledge_base_is_an_error_that_names_the_known(opened: Store) -> None:
    for ask in (lambda: opened.search("sales", "返品"), lambda: opened.documents("sales")):
        with pytest.raises(UnknownKnowledgeBase, match="there are: rules"):
            ask()


def test_the_users_edits_lie_over_the_drafted_catalog(data_dir: Path) -> None:
    (data_dir / "catalog.yaml").write_text("tables: {stock: {description: Stock on hand}}\n")
    with Store.open(data_dir, embedder=EMBEDDER) as store:
        assert store.catalog.tables[0].description == "Stock on hand"


def test_a_missing_store_is_not_created(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none", tmp_path / "none" / "deeper"):
        with pytest.raises(StoreMissing) as caught:
            Store.open(path)
        assert caught.value.hint == "run: zaiko ingest PATH"
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_place_of_the_directory_is_said(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    with pytest.raises(StoreError, match="is a file"):
        Store.open(tmp_path / "data")


def break_manifest(generation: Path) -> None:
    (generation / "manifest.json").write_text('{"format": 1, "revision": "two"}')


def lose_warehouse(generation: Path) -> None:
    (generation / "warehouse.duckdb").unlink()


def cut_off_warehouse(generation: Path) -> None:
    with (generation / "warehouse.duckdb").open("r+b") as file:
        file.truncate(12288)


def lose_index(generation: Path) -> None:
    shutil.rmtree(generation / "index")


def lose_segments(generation: Path) -> None:
    shutil.rmtree(generation / "index" / "rules" / "segments")


def cut_off_vectors(generation: Path) -> None:
    (vectors,) = generation.glob("index/rules/segments/*/vector_storage-dense/vectors/chunk_0.mmap")
    os.truncate(vectors, 4096)


def break_catalog(generation: Path) -> None:
    (generation / "catalog.yaml").write_text("tables: [")


@pytest.mark.parametrize(
    "damage",
    [break_manifest, lose_warehouse, cut_off_warehouse, lose_index, lose_segments,
     cut_off_vectors, break_catalog],
)  # fmt: skip
def test_a_damaged_generation_is_said_with_the_way_out(
    data_dir: Path, damage: Callable[[Path], None]
) -> None:
    damage(data_dir / "generations" / "2")
    with pytest.raises(StoreBroken) as caught:
        Store.open(data_dir, embedder=EMBEDDER)
    assert "zaiko rollback" in caught.value.hint


def test_without_checksums_a_damaged_index_is_said_on_the_first_search(data_dir: Path) -> None:
    (data_dir / "generations" / "2" / "checksums.json").unlink()
    shutil.rmtree(data_dir / "generations" / "2" / "index" / "rules" / "segments")
    with (
        Store.open(data_dir, embedder=EMBEDDER) as store,
        pytest.raises(StoreBroken) as caught,
    ):
        store.search("rules", "返品")
    assert caught.value.hint == "run: zaiko rollback"


def test_another_embedder_by_name_is_refused_on_opening(made: Path) -> None:
    with pytest.raises(EmbedderMismatch) as caught:
        Store.open(made, IngestSettings())
    assert "seeded (64 dimensions" in caught.value.message
    assert "e5" in caught.value.message


def test_another_model_of_the_same_name_is_refused_on_the_first_search(made: Path) -> None:
    with (
        Store.open(made, embedder=SeededEmbedder(seed=1)) as store,
        pytest.raises(EmbedderMismatch),
    ):
        store.search("rules", "返品")


def test_without_settings_the_embedder_is_the_one_that_built_the_index(made: Path) -> None:
    with Store.open(made) as store:
        assert store.search("rules", "返品")


def test_a_closed_store_does_not_search(made: Path) -> None:
    store = Store.open(made, embedder=EMBEDDER)
    store.close()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.search("rules", "返品")


def test_opening_leaves_the_directory_as_it_is(made: Path) -> None:
    def names() -> list[Path]:
        return sorted(made.rglob("*"))

    before = names()
    with Store.open(made, embedder=EMBEDDER) as store:
        store.search("rules", "返品")
    assert names() == before


FEES = "\n| country | fee | days |\n|---|---|---|\n| JP | 500 | 3 |\n| CN | 800 | 7 |\n"


@pytest.fixture(scope="module")
def two_bases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`open` holds a rule that one of `secret` supersedes."""
    root = tmp_path_factory.mktemp("two")
    for kb, text in {
        "open": "# Old rule\n\nReturns within 14 days.\n",
        "secret": "---\nsupersedes: open.md\n---\n# Secret rule\n\nReturns within 3 days.\n" + FEES,
    }.items():
        (root / f"{kb}.md").write_text(text)
        run_ingest(
            root / "data", [root / f"{kb}.md"], kb=kb, settings=IngestSettings(), embedder=EMBEDDER
        )
    return root / "data"


def test_a_store_within_a_scope_refuses_every_other_knowledge_base(two_bases: Path) -> None:
    with Store.open(two_bases, embedder=EMBEDDER) as store:
        (secret,) = store.documents("secret")
        view = store.within(["open"])
        assert [kb.name for kb in view.knowledge_bases()] == ["open"]
        assert [d.kb for d in view.documents()] == ["open"]
        assert view.document(secret.doc_id) is None and view.file_path(secret.doc_id) is None
        asks: list[Callable[[], object]] = [
            lambda: view.search("secret", "Returns"),
            lambda: view.search("secret", "Returns", doc_ids=[secret.doc_id]),
            lambda: view.documents("secret"),
            lambda: view.within(["secret"]),
            lambda: view.within(["open", "secret"]),
        ]
        for ask in asks:
            with pytest.raises(OutOfScope, match="'secret' is outside"):
                ask()
        assert [h.chunk.kb for h in view.search("open", "Returns within days")] == ["open"]
        assert view.search("open", "Returns", doc_ids=[secret.doc_id]) == []


def test_within_a_scope_the_name_of_a_document_outside_is_not_said(two_bases: Path) -> None:
    with Store.open(two_bases, embedder=EMBEDDER) as store:
        (old,) = store.documents("open")
        assert store.status_note(old.doc_id, "en") == "⚠️superseded → Secret rule"
        view = store.within(["open"])
        assert view.status_note(old.doc_id, "en") == "⚠️superseded → external"
        assert view.document_statuses()[old.doc_id] == ("superseded", "external")


def test_within_a_scope_the_tables_of_documents_outside_are_not_there(two_bases: Path) -> None:
    with Store.open(two_bases, embedder=EMBEDDER) as store:
        (table,) = store.catalog.tables
        assert store.document(table.doc_id or "") in store.documents("secret")
        assert store.within(["open"]).catalog.tables == ()
        assert store.within(["secret"]).catalog == store.catalog


def test_a_scope_of_an_unknown_knowledge_base_is_refused(two_bases: Path) -> None:
    with Store.open(two_bases, embedder=EMBEDDER) as store:
        with pytest.raises(UnknownKnowledgeBase, match="'nope'"):
            store.within(["nope"])
        assert store.within(None) is store
