"""Damage where a file is in two parts: a document with tables, a workbook with notes."""

import shutil
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ingest.report import IngestReport
from ingest.store import Store
from ingest.store.errors import StoreBroken
from ingest.store.manifest import read_manifest
from ingest.store.settings import IngestSettings

pytestmark = pytest.mark.slow
Ingest = Callable[..., IngestReport]
xlsxwriter: Any = import_module("xlsxwriter")  # it has no annotations
FEES = "# Storage fees\n\n| Zone | Pallets |\n| --- | --- |\n| A | 120 |\n| B | 80 |\n"
NOTES = [["棚卸の注意事項"], ["差異が出た品目は、翌営業日までに倉庫長へ報告する。"]]
STOCK = [["sku", "pieces"], ["XR-4200", "12"], ["Z-9", "7"]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A document with a table of figures and a workbook with a sheet of notes."""
    root = tmp_path / "papers"
    root.mkdir()
    (root / "fees.md").write_text(FEES, encoding="utf-8")
    with xlsxwriter.Workbook(str(root / "stock.xlsx")) as book:
        for name, rows in {"Stock": STOCK, "注意": NOTES}.items():
            sheet = book.add_worksheet(name)
            for i, row in enumerate(rows):
                sheet.write_row(i, 0, row)
    return root


@pytest.fixture
def live(data_dir: Path) -> Callable[[], Path]:
    return lambda: data_dir / "generations" / (data_dir / "CURRENT").read_text().strip()


@pytest.fixture
def held(opened: Callable[[], Store]) -> Callable[[], dict[str, Any]]:
    """All that can be asked: the tables in the file, those in the catalog, passages by source."""

    def read() -> dict[str, Any]:
        store = opened()
        assert store.warehouse is not None
        with duckdb.connect(str(store.warehouse), read_only=True) as connection:
            names = connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
            rows = {n: connection.execute(f'FROM "{n}"').fetchall() for (n,) in sorted(names)}
        hits = store.search("default", "棚卸 差異 Pallets")
        return {
            "rows": rows,
            "tables": {t.name: (t.source, t.doc_id) for t in store.catalog.tables},
            "documents": {d.source: d.chunks for d in store.documents()},
            "passages": sorted((h.chunk.source, h.chunk.text) for h in hits),
        }

    return read


def break_tables(generation: Path) -> None:
    (generation / "warehouse.duckdb").write_bytes(b"nonsense")


def break_index(generation: Path) -> None:
    shutil.rmtree(generation / "index")


def break_both(generation: Path) -> None:
    break_tables(generation)
    break_index(generation)


@pytest.mark.parametrize("damage", [break_tables, break_index, break_both])
def test_both_parts_of_a_file_are_there_again(
    *,
    ingest: Ingest,
    folder: Path,
    live: Callable[[], Path],
    held: Callable[[], dict[str, Any]],
    damage: Callable[[Path], None],
) -> None:
    ingest(folder)
    before = held()
    assert set(before["rows"]) == {"fees_t1", "stock_Stock"} and len(before["passages"]) == 2
    damage(live())
    report = ingest(folder)
    assert report.ok and report.rebuilt
    assert held() == before
    again = ingest(folder)
    assert (again.rebuilt, again.data_revision) == ((), 2)


def test_the_passages_of_a_document_are_not_embedded_again_for_its_tables(
    ingest: Ingest, folder: Path, live: Callable[[], Path], embedder: Any
) -> None:
    (folder / "stock.xlsx").unlink()
    ingest(folder)
    break_tables(live())
    before = embedder.passages
    report = ingest(folder)
    assert (report.tables.added, report.documents.updated) == (1, 1)
    assert embedder.passages == before


@pytest.mark.parametrize("damage", [break_tables, break_index])
def test_files_that_are_gone_since_leave_nothing_behind(
    ingest: Ingest, folder: Path, live: Callable[[], Path], damage: Callable[[Path], None]
) -> None:
    (folder / "words.md").write_text("Nothing but words.", encoding="utf-8")
    ingest(folder)
    damage(live())
    (folder / "fees.md").unlink()
    (folder / "stock.xlsx").unlink()
    assert ingest(folder).rebuilt
    manifest = read_manifest(live())
    assert [d.source for d in manifest.documents] == ["papers/words.md"]
    assert [entry.source for entry in manifest.files] == ["papers/words.md"]
    assert manifest.tables == () and not (live() / "warehouse.duckdb").exists()


def test_a_moved_document_gets_its_tables_back_too(
    ingest: Ingest, folder: Path, live: Callable[[], Path], held: Callable[[], dict[str, Any]]
) -> None:
    ingest(folder)
    before = held()["rows"]
    break_tables(live())
    (folder / "old").mkdir()
    (folder / "fees.md").rename(folder / "old" / "fees.md")
    assert ingest(folder).rebuilt
    after = held()
    assert after["rows"] == before
    assert after["tables"]["fees_t1"][0] == "papers/old/fees.md"


def test_tables_of_documents_in_another_knowledge_base_must_be_given(
    ingest: Ingest, folder: Path, live: Callable[[], Path], tmp_path: Path
) -> None:
    other = tmp_path / "other.csv"
    other.write_text("a,b\n1,2\n")
    ingest(folder / "fees.md", kb="fees")
    ingest(other, settings=IngestSettings(keep_generations=1))
    break_tables(live())
    with pytest.raises(StoreBroken) as caught:
        ingest(other)
    assert caught.value.hint == f"run: zaiko ingest {other} {folder / 'fees.md'} --kb fees"
    assert ingest(folder / "fees.md", other, kb="fees").rebuilt
    assert {t.name for t in read_manifest(live()).tables} == {"fees_t1", "other"}
