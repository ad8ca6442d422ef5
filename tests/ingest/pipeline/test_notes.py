"""A workbook's sheets of sentences are text; its other sheets stay tables."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from ingest.report import IngestReport
from ingest.store import Store

Ingest = Callable[..., IngestReport]
Open = Callable[[], Store]
Workbook = Callable[..., Path]
xlsxwriter: Any = import_module("xlsxwriter")  # it has no annotations; python-pptx needs it
STOCK: list[list[object]] = [["sku", "pieces"], ["XR-4200", 12], ["Z-9", 7]]
NOTES: list[list[object]] = [
    ["棚卸の注意事項"],
    ["差異が出た品目は、翌営業日までに倉庫長へ報告する。"],
    [],
    ["冷凍品は最後に数える。温度の上昇を避けるためである。"],
]


@pytest.fixture
def workbook() -> Workbook:
    def write(path: Path, sheets: dict[str, list[list[object]]]) -> Path:
        with xlsxwriter.Workbook(str(path)) as book:
            for name, rows in sheets.items():
                sheet = book.add_worksheet(name)
                for i, row in enumerate(rows):
                    sheet.write_row(i, 0, row)
        return path

    return write


@pytest.fixture
def path(tmp_path: Path, workbook: Workbook) -> Path:
    folder = tmp_path / "books"
    folder.mkdir()
    return workbook(folder / "stock.xlsx", {"Stock": STOCK, "注意": NOTES})


def test_notes_are_found_by_search_and_tables_by_sql(
    path: Path, ingest: Ingest, opened: Open
) -> None:
    report = ingest(path)
    assert (report.documents.added, report.tables.added, report.chunks) == (1, 1, 1)
    with opened() as store:
        assert [table.rows for table in store.catalog.tables] == [2]
        chunk = store.search("default", "冷凍品 差異 報告")[0].chunk
        assert chunk.heading == ("注意",) and chunk.source == "stock.xlsx"
        assert "温度の上昇を避けるためである。" in chunk.text


def test_a_workbook_that_is_not_changed_is_not_read_again(path: Path, ingest: Ingest) -> None:
    ingest(path.parent)
    again = ingest(path.parent)
    assert not again.documents.any() and not again.tables.any()


def test_a_workbook_of_notes_only_has_no_table(
    path: Path, workbook: Workbook, ingest: Ingest, opened: Open
) -> None:
    workbook(path, {"注意": NOTES})
    assert ingest(path).ok
    with opened() as store:
        assert not store.catalog.tables and len(store.documents()) == 1


def test_notes_go_where_their_workbook_goes(path: Path, ingest: Ingest, opened: Open) -> None:
    ingest(path.parent)
    (path.parent / "old").mkdir()
    path.rename(path.parent / "old" / "stock.xlsx")
    assert ingest(path.parent).documents.moved == 1
    with opened() as store:
        assert [d.source for d in store.documents()] == ["books/old/stock.xlsx"]
    (path.parent / "old" / "stock.xlsx").unlink()
    (path.parent / "rest.csv").write_text("sku,pieces\nA,1\n", encoding="utf-8")
    ingest(path.parent)
    with opened() as store:
        assert store.documents() == [] and store.knowledge_bases() == []


def test_notes_that_are_taken_out_are_removed(
    path: Path, workbook: Workbook, ingest: Ingest, opened: Open
) -> None:
    ingest(path)
    workbook(path, {"Stock": STOCK})
    assert ingest(path).documents.deleted == 1
    with opened() as store:
        assert store.documents() == []
