"""Tables of figures that stand in documents are asked with SQL, and say where they stand."""

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pymupdf
import pytest

from ingest.report import IngestReport
from ingest.store import Store
from tools.base import ToolContext
from tools.evidence import Evidence
from tools.sql.tool import SqlArguments, SqlTool

pytestmark = pytest.mark.slow

Ingest = Callable[..., IngestReport]
Open = Callable[[], Store]
mupdf: Any = pymupdf

FEES = """# Storage fees

Unit: JPY 1,000

| Zone | Pallets | Fee |
| --- | --- | --- |
| A | 120 | 1,250.50 |
| B | 80 | 900.00 |

| Word | Meaning |
| --- | --- |
| pallet | a wooden base |
"""


@pytest.fixture
def fees(tmp_path: Path) -> Path:
    path = tmp_path / "docs" / "fees.md"
    path.parent.mkdir()
    path.write_text(FEES, encoding="utf-8")
    return path


def rows(store: Store, query: str) -> list[tuple[object, ...]]:
    with duckdb.connect(str(store.warehouse), read_only=True) as connection:
        return connection.execute(query).fetchall()


def test_a_table_of_figures_is_asked_with_sql_and_one_of_words_is_not(
    fees: Path, ingest: Ingest, opened: Open
) -> None:
    report = ingest(fees)
    assert (report.documents.added, report.tables.added) == (1, 1)
    with opened() as store:
        assert rows(store, "SELECT sum(Pallets), max(Fee) FROM fees_t1") == [
            (200, Decimal("1250.50"))
        ]
        table = store.catalog.table("fees_t1")
        assert table is not None and table.doc_id == store.documents()[0].doc_id
        assert table.description == "Storage fees › Unit: JPY 1,000"
        assert table.notes == ("The document says above the table: Unit: JPY 1,000",)


def test_a_changed_document_replaces_its_tables(fees: Path, ingest: Ingest, opened: Open) -> None:
    ingest(fees)
    fees.write_text(FEES.replace("| B | 80 | 900.00 |\n", ""), encoding="utf-8")
    report = ingest(fees)
    assert (report.tables.added, report.tables.updated, report.tables.deleted) == (0, 1, 0)
    with opened() as store:
        assert rows(store, "SELECT Zone FROM fees_t1") == [("A",)]


def test_a_removed_document_takes_its_tables_with_it(
    fees: Path, ingest: Ingest, opened: Open
) -> None:
    ingest(fees.parent)
    fees.unlink()
    (fees.parent / "other.md").write_text("Nothing but words.", encoding="utf-8")
    report = ingest(fees.parent)
    assert report.tables.deleted == 1
    with opened() as store:
        assert store.warehouse is None and not store.catalog.tables


def test_a_moved_document_keeps_its_tables_under_its_new_path(
    fees: Path, ingest: Ingest, opened: Open
) -> None:
    ingest(fees.parent)
    (fees.parent / "old").mkdir()
    fees.rename(fees.parent / "old" / "fees.md")
    report = ingest(fees.parent)
    assert report.documents.moved == 1
    with opened() as store:
        table = store.catalog.table("fees_t1")
        assert table is not None and table.source == "docs/old/fees.md"
    fees.parent.joinpath("old", "fees.md").unlink()
    (fees.parent / "other.md").write_text("Nothing but words.", encoding="utf-8")
    assert ingest(fees.parent).tables.deleted == 1


def test_tables_of_documents_are_joined_with_nothing(
    fees: Path, ingest: Ingest, opened: Open
) -> None:
    (fees.parent / "stocks.csv").write_text("Zone,City\nA,Osaka\nB,Tokyo\n", encoding="utf-8")
    ingest(fees.parent)
    with opened() as store:
        synonyms = {table.name: table.synonyms for table in store.catalog.tables}
        assert synonyms == {"fees_t1": (), "stocks": ("在庫", "库存")}
        assert store.catalog.joins == ()


def test_evidence_from_a_superseded_document_says_so(
    fees: Path, ingest: Ingest, opened: Open
) -> None:
    head = "---\nstatus: superseded\nsuperseded_by: fees_2027.md\n---\n"
    fees.write_text(head + FEES, encoding="utf-8")
    ingest(fees)
    with opened() as store:
        evidence = ask(store, "SELECT Fee FROM fees_t1")
    assert evidence.status_note == "⚠️置き換え済み → 外部"


def test_evidence_from_a_table_on_two_pages_names_document_page_and_box(
    tmp_path: Path, ingest: Ingest, opened: Open
) -> None:
    path = tmp_path / "report.pdf"
    figures = [[f"SKU-{i}", str(100 + i), f"{i},000.50"] for i in range(1, 9)]
    pdf = mupdf.open()
    ruled(pdf.new_page(), [["item", "pieces", "value"], *figures[:4]], top=600)
    ruled(pdf.new_page(), figures[4:], top=60)
    pdf.save(path)
    ingest(path)
    with opened() as store:
        evidence = ask(store, "SELECT count(*) AS n, sum(value) AS total FROM report_p1")
    assert evidence.rows == ((8, "36004.00"),)
    assert evidence.locator.endswith("report.pdf p.1 (60, 600, 420, 750)")
    assert evidence.page == 1
    assert evidence.box == pytest.approx((60, 600, 420, 750), abs=1)


def ask(store: Store, query: str) -> Evidence:
    tool, context = SqlTool(), ToolContext(store=store, today=date(2026, 11, 30))
    try:
        return tool.run(SqlArguments(query=query), context).evidence()[0]
    finally:
        tool.close()


def ruled(page: Any, cells: list[list[str]], top: float) -> None:
    """A table of rows 30 points high and columns 120 points wide."""
    for i, row in enumerate(cells):
        for j, text in enumerate(row):
            x, y = 60 + 120 * j, top + 30 * i
            page.draw_rect((x, y, x + 120, y + 30))
            page.insert_text((x + 4, y + 18), text, fontsize=9)
