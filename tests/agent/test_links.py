"""A citation's link opens the file, at the page or sheet where that is known."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Literal, cast

import pytest

from agent.links import link_of
from ingest.store import Catalog, Store, TableRecord
from ingest.store.manifest import FileEntry, Manifest
from tests.support.desk import SIMPLE, Desk, said, search, sql
from tools.evidence import Evidence


def entry(path: str, source: str, *tables: str) -> FileEntry:
    kind: Literal["table", "document"] = "table" if tables else "document"
    return FileEntry(path=path, source=source, sha256="", size=1, kind=kind, tables=tables)


def table(name: str, source: str, sheet: str | None = None) -> TableRecord:
    return TableRecord(name=name, source=source, sheet=sheet, rows=1, columns=())


FILES = (
    entry("/data/規定/returns 2026.pdf", "規定/returns 2026.pdf"),
    entry("/data/manual.md", "docs/manual.md"),
    entry("/a/same.md", "x/same.md"),
    entry("/b/same.md", "x/same.md"),
    entry("/data/book.xlsx", "book.xlsx", "sales", "stock"),
    entry("/data/items.csv", "items.csv", "items"),
    entry("/data/report.pdf", "report.pdf").model_copy(update={"tables": ("report_p3",)}),
)
TABLES = (
    table("sales", "book.xlsx", "May's sales"),
    table("stock", "book.xlsx", "Stock"),
    table("items", "items.csv"),
    table("report_p3", "report.pdf"),
)
STORE = cast(
    Store,
    SimpleNamespace(
        manifest=Manifest(revision=1, created_at=datetime.now(UTC), files=FILES),
        catalog=Catalog(tables=TABLES),
    ),
)


def passage(source: str, page: int | None = None) -> Evidence:
    return Evidence(kind="chunk", tool="knowledge_search", source=source, page=page)


def rows(source: str, page: int | None = None) -> Evidence:
    return Evidence(kind="rows", tool="sql", source=source, page=page)


@pytest.mark.parametrize(
    ("evidence", "link"),
    [
        (
            passage("規定/returns 2026.pdf", 3),
            "file:///data/%E8%A6%8F%E5%AE%9A/returns%202026.pdf#page=3",
        ),
        (passage("規定/returns 2026.pdf"), "file:///data/%E8%A6%8F%E5%AE%9A/returns%202026.pdf"),
        (passage("docs/manual.md", 1), "file:///data/manual.md"),
        (rows("items"), "file:///data/items.csv"),
        (rows("sales"), "file:///data/book.xlsx#%27May%27%27s%20sales%27%21A1"),
        (rows("sales, stock"), "file:///data/book.xlsx"),
        (rows("report_p3", 3), "file:///data/report.pdf#page=3"),
    ],
)
def test_a_link_opens_the_file_at_its_page_or_sheet(evidence: Evidence, link: str) -> None:
    assert link_of(evidence, STORE) == link


@pytest.mark.parametrize(
    "evidence",
    [
        passage("x/same.md"),
        passage("gone.md"),
        rows("sales, items"),
        rows("sales, gone"),
        rows("catalog"),
        Evidence(kind="calculation", tool="calculate", source="E1"),
        Evidence(kind="human", origin="person", tool="handoff", source="person"),
    ],
)
def test_what_is_in_no_single_known_file_has_no_link(evidence: Evidence) -> None:
    assert link_of(evidence, STORE) is None


def test_the_citations_of_an_answer_have_links_to_the_ingested_files(desk: Desk) -> None:
    answer = desk.ask(SIMPLE, sql(), said("There are 19 units.", "E1"))
    (path,) = (f.path for f in desk.agent.store.manifest.files if f.tables == ("stock",))
    assert [c.link for c in answer.citations] == [f"file://{path}"]
    text = "Customers may return goods within 30 days of delivery."
    answer = desk.ask("What is the return policy?", search(), said(text, "E1"))
    cited = next(c for c in answer.citations if c.source.endswith("returns.md"))
    assert str(cited.link).endswith("/returns.md")
