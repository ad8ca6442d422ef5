"""Damage inside the live generation: seen at the start of a run, built again, or said."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ingest.report import IngestReport
from ingest.store import Store
from ingest.store.checksums import write_checksums
from ingest.store.errors import StoreBroken
from ingest.store.generations import rollback
from ingest.store.manifest import ENGINE, read_manifest, write_manifest
from ingest.store.settings import IngestSettings

pytestmark = pytest.mark.slow

Ingest = Callable[..., IngestReport]
Contents = Callable[[], dict[str, Any]]


def spoil(path: Path, start: int = 0) -> None:
    """Other bytes, the same size."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(start)
        file.write(b"\xff" * (size - start))


def vectors(generation: Path) -> Path:
    (found,) = generation.glob("index/*/segments/*/vector_storage-dense/vectors/chunk_0.mmap")
    return found


def lose_catalog(generation: Path) -> None:
    (generation / "catalog.yaml").unlink()


def break_catalog(generation: Path) -> None:
    (generation / "catalog.yaml").write_text("tables: [")


def overwrite_warehouse(generation: Path) -> None:
    spoil(generation / "warehouse.duckdb", 12288)


def break_quarantine(generation: Path) -> None:
    (generation / "quarantine.jsonl").write_text("nonsense\n")


def cut_off_vectors(generation: Path) -> None:
    os.truncate(vectors(generation), 4096)


def overwrite_vectors(generation: Path) -> None:
    with vectors(generation).open("r+b") as file:
        file.write(b"\x07" * 64)


def lose_an_index_file(generation: Path) -> None:
    vectors(generation).unlink()


def lose_the_index(generation: Path) -> None:
    shutil.rmtree(generation / "index")


def change_a_record(generation: Path) -> None:
    path = generation / "manifest.json"
    text = path.read_text(encoding="utf-8")
    assert '"title": "返品規程"' in text
    path.write_text(text.replace('"title": "返品規程"', '"title": "返品規定"'), encoding="utf-8")


def break_manifest(generation: Path) -> None:
    (generation / "manifest.json").write_text("{")


def break_checksums(generation: Path) -> None:
    (generation / "checksums.json").write_text("{")


DAMAGES = [
    (lose_catalog, "tables"),
    (break_catalog, "tables"),
    (overwrite_warehouse, "tables"),
    (break_quarantine, "tables"),
    (cut_off_vectors, "documents of default"),
    (overwrite_vectors, "documents of default"),
    (lose_an_index_file, "documents of default"),
    (lose_the_index, "documents of default"),
    (change_a_record, "manifest"),
    (break_manifest, "manifest"),
    (break_checksums, "manifest"),
]
ONE_A_PART = (overwrite_warehouse, overwrite_vectors, break_manifest)
"""The damages that the fast tests make; each of the others is found by the same checksums."""


@pytest.fixture
def live(data_dir: Path) -> Callable[[], Path]:
    def path() -> Path:
        return data_dir / "generations" / (data_dir / "CURRENT").read_text().strip()

    return path


@pytest.mark.parametrize(
    ("damage", "part"),
    [pytest.param(*d, marks=[] if d[0] in ONE_A_PART else pytest.mark.slow) for d in DAMAGES],
)
def test_the_same_paths_build_again_what_is_damaged(
    *,
    ingest: Ingest,
    company: Path,
    contents: Contents,
    live: Callable[[], Path],
    damage: Callable[[Path], None],
    part: str,
) -> None:
    ingest(company)
    before = contents()
    damage(live())
    report = ingest(company)
    assert report.ok
    assert {d.name for d in report.rebuilt} == {part}
    assert report.to_json()["rebuilt"][0]["part"] == part
    assert contents() == before
    assert ingest(company).rebuilt == ()
    assert live().name == "2"


def test_only_the_damaged_part_is_read_again(
    ingest: Ingest, company: Path, live: Callable[[], Path], embedder: Any
) -> None:
    ingest(company)
    spoil(live() / "warehouse.duckdb", 12288)
    before = embedder.passages
    report = ingest(company)
    assert (report.tables.added, report.documents.unchanged) == (1, 2)
    assert embedder.passages == before


@pytest.mark.parametrize("damage", [break_catalog, overwrite_warehouse, lose_an_index_file])
def test_paths_that_do_not_hold_the_lost_files_are_refused_with_the_command(
    *,
    ingest: Ingest,
    company: Path,
    tmp_path: Path,
    live: Callable[[], Path],
    damage: Callable[[Path], None],
) -> None:
    ingest(company)
    damage(live())
    other = tmp_path / "other.csv"
    other.write_text("a,b\n1,2\n")
    with pytest.raises(StoreBroken, match="the live generation 1 is damaged") as caught:
        ingest(other)
    assert caught.value.hint == f"run: zaiko ingest {company}"
    assert live().name == "1"


def test_a_lost_file_that_was_named_alone_must_be_given_too(
    ingest: Ingest, company: Path, tmp_path: Path, live: Callable[[], Path]
) -> None:
    alone = tmp_path / "one more.csv"
    alone.write_text("a,b\n1,2\n")
    ingest(company, alone)
    break_catalog(live())
    with pytest.raises(StoreBroken) as caught:
        ingest(company)
    assert caught.value.hint == f"run: zaiko ingest {company} '{alone}'"
    assert ingest(company, alone).tables.added == 2


def test_one_knowledge_base_is_built_again_alone(
    ingest: Ingest, company: Path, contents: Contents, live: Callable[[], Path]
) -> None:
    rules = company / "rules"
    ingest(rules / "okada.md", kb="sales")
    ingest(rules / "returns.md", kb="rules", settings=IngestSettings(keep_generations=1))
    before = contents()
    shutil.rmtree(live() / "index" / "rules" / "segments")
    with pytest.raises(StoreBroken) as caught:
        ingest(rules / "okada.md", kb="sales")
    assert caught.value.hint == f"run: zaiko ingest {rules / 'returns.md'} --kb rules"
    report = ingest(rules / "returns.md", kb="rules")
    assert [d.name for d in report.rebuilt] == ["documents of rules"]
    assert contents() == before


def test_two_damaged_knowledge_bases_need_a_new_directory(
    ingest: Ingest, company: Path, live: Callable[[], Path]
) -> None:
    rules = company / "rules"
    ingest(rules / "okada.md", kb="sales")
    ingest(rules / "returns.md", kb="rules", settings=IngestSettings(keep_generations=1))
    lose_the_index(live())
    with pytest.raises(StoreBroken) as caught:
        ingest(rules, kb="rules")
    assert caught.value.hint == (
        "ingest each knowledge base into a new directory (--data-dir NEW): "
        f"zaiko ingest {rules / 'returns.md'} --kb rules; "
        f"zaiko ingest {rules / 'okada.md'} --kb sales"
    )


def test_an_earlier_whole_generation_is_gone_back_to_instead(
    ingest: Ingest, company: Path, data_dir: Path, contents: Contents, live: Callable[[], Path]
) -> None:
    ingest(company)
    (company / "new.csv").write_text("code,pieces\nA1,3\n")
    ingest(company)
    after = contents()
    overwrite_vectors(live())
    with pytest.raises(StoreBroken) as caught:
        ingest(company)
    assert caught.value.hint.startswith("run: zaiko rollback")
    assert rollback(data_dir, IngestSettings()) == 1
    assert ingest(company).tables.added == 1
    assert contents() == after


def test_a_rollback_passes_over_a_generation_that_changed(
    ingest: Ingest, company: Path, data_dir: Path, live: Callable[[], Path]
) -> None:
    for number in (1, 2, 3):
        (company / "stock.csv").write_text(f"sku,quantity\nXR-4200,{number}\n")
        ingest(company)
    overwrite_vectors(data_dir / "generations" / "2")
    assert rollback(data_dir, IngestSettings()) == 1


def test_a_file_that_is_gone_since_is_gone_after_the_repair(
    ingest: Ingest, company: Path, contents: Contents, live: Callable[[], Path]
) -> None:
    ingest(company)
    break_catalog(live())
    (company / "stock.csv").unlink()
    assert ingest(company).rebuilt
    assert contents()["tables"] == {}
    assert len(contents()["documents"]) == 2


def test_a_persons_catalog_is_an_error_with_its_line_and_is_never_overwritten(
    ingest: Ingest, company: Path, data_dir: Path, live: Callable[[], Path]
) -> None:
    ingest(company)
    edits = data_dir / "catalog.yaml"
    edits.write_text("currency: JPY\ntabels: {}\n")
    break_catalog(live())
    assert ingest(company).rebuilt
    assert ingest(company).rebuilt == ()
    assert edits.read_text() == "currency: JPY\ntabels: {}\n"
    with pytest.raises(StoreBroken, match=r"catalog\.yaml, line 2: unknown key 'tabels'"):
        Store.open(data_dir)


def test_an_edit_of_the_generations_own_catalog_is_kept_and_told(
    ingest: Ingest, company: Path, data_dir: Path, live: Callable[[], Path]
) -> None:
    ingest(company)
    catalog = live() / "catalog.yaml"
    catalog.write_text(edited := catalog.read_text() + "# mine\n")
    report = ingest(company)
    kept = data_dir / "catalog-of-generation-1.yaml"
    assert kept.read_text() == edited
    assert "edits belong in the catalog.yaml of the data directory" in report.rebuilt[0].reason
    assert str(kept) in report.rebuilt[1].reason


@pytest.mark.parametrize("damage", [break_catalog, overwrite_warehouse, lose_the_index])
def test_a_generation_without_checksums_is_opened_to_see_its_damage(
    *,
    ingest: Ingest,
    company: Path,
    contents: Contents,
    live: Callable[[], Path],
    damage: Callable[[Path], None],
) -> None:
    ingest(company)
    before = contents()
    (live() / "checksums.json").unlink()
    assert ingest(company).data_revision == 1
    damage(live())
    assert ingest(company).rebuilt
    assert contents() == before


@pytest.mark.parametrize("text", [b"", b"seven", b"9\n", b"\xff"])
def test_a_current_that_points_nowhere_is_rolled_back_and_then_goes_on(
    ingest: Ingest, company: Path, data_dir: Path, text: bytes
) -> None:
    ingest(company)
    (data_dir / "CURRENT").write_bytes(text)
    with pytest.raises(StoreBroken) as caught:
        ingest(company)
    assert caught.value.hint.startswith("run: zaiko rollback")
    rollback(data_dir, IngestSettings())
    assert ingest(company).data_revision == 1


def test_a_first_run_that_was_killed_before_its_last_act_is_finished_by_the_next(
    ingest: Ingest, company: Path, data_dir: Path, embedder: Any
) -> None:
    ingest(company)
    (data_dir / "CURRENT").unlink()
    before = embedder.passages
    report = ingest(company)
    assert (report.data_revision, report.documents.unchanged) == (1, 2)
    assert embedder.passages == before


def test_what_another_version_of_the_engine_rewrote_is_no_damage_where_it_opens(
    ingest: Ingest, company: Path, live: Callable[[], Path]
) -> None:
    ingest(company)
    manifest = read_manifest(live())
    older = manifest.model_copy(update={"versions": {**manifest.versions, ENGINE: "0.0.1"}})
    write_manifest(older, live())
    write_checksums(live())
    (gaps,) = live().glob("index/*/segments/*/payload_storage/gaps.dat")
    gaps.write_bytes(gaps.read_bytes()[:-1] + b"\x01")
    assert ingest(company).data_revision == 1
    (live() / "index" / "default" / "edge_config.json").write_text("{")
    assert [d.name for d in ingest(company).rebuilt] == ["documents of default"]
