"""With --json each command prints one document with exactly the documented fields."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import STOCK, Zaiko

pytestmark = pytest.mark.slow

CHANGES = {"added", "updated", "unchanged", "moved", "deleted", "failed"}
EVIDENCE = [{"id": "E1", "kind": "rows", "tool": "sql", "source": "stock", "row_count": 1,
             "columns": [{"name": "units", "type": "BIGINT"}], "rows": [[19]]}]  # fmt: skip


def test_ingest_reports_what_changed(zaiko: Zaiko, company: Path, tmp_path: Path) -> None:
    (company / "empty.csv").write_bytes(b"")
    called = zaiko("ingest", company, "--data-dir", tmp_path / "new", "--json")
    report = called.json()
    assert called.code == 1
    assert report.keys() == {
        "documents", "tables", "chunks", "quarantined", "hidden_sheets", "apart", "notes", "rebuilt",
        "data_revision", "seconds",
    }  # fmt: skip
    assert report["documents"].keys() == report["tables"].keys() == CHANGES
    assert report["quarantined"] == {"count": 0, "first": []}
    assert (report["documents"]["added"], report["tables"]["added"]) == (2, 1)
    assert report["data_revision"] == 1
    (failed,) = report["tables"]["failed"]
    assert failed.keys() == {"path", "reason"}
    assert "stock.csv" in called.err


def test_tables_names_the_live_warehouse(zaiko: Zaiko, published: Path) -> None:
    shown = zaiko("tables", "--data-dir", published, "--json").json()
    assert shown.keys() == {"warehouse", "tables", "declared_joins", "joins", "metrics"}
    assert shown["warehouse"] == str(published / "generations" / "1" / "warehouse.duckdb")
    (table,) = shown["tables"]
    assert (table["name"], table["rows"], table["source"]) == ("stock", 4, "company/stock.csv")
    assert table.keys() == {
        "name", "columns", "rows", "source", "key", "grain", "snapshot", "date_column", "data_from",
        "data_to", "quarantined", "warnings", "notes",
    }  # fmt: skip
    told = {"name": "sku", "type": "VARCHAR", "original": "sku"}
    assert table["columns"][1] == {**told, **dict.fromkeys(["measure", "unit", "currency", "tax"])}
    assert table["columns"][3]["measure"] == "stock"
    assert (table["date_column"], table["data_to"]) == ("as_of", "2026-11-30")


def test_documents_lists_every_document(zaiko: Zaiko, published: Path) -> None:
    found = zaiko("documents", "--kb", "default", "--data-dir", published, "--json").json()
    assert {d["title"] for d in found["documents"]} == {"Return policy", "配送規程"}


def test_search_gives_passages_with_their_place(zaiko: Zaiko, published: Path) -> None:
    called = zaiko("search", "return goods", "--data-dir", published, "--json")
    found = called.json()
    assert (called.code, called.err) == (0, "")
    assert {"results", "failed_kbs"} <= found.keys()
    first = found["results"][0]
    assert first.keys() == {
        "rank", "score", "kb", "source", "page", "heading", "text", "document_date", "origin",
        "status_note", "reason", "chunk_id",
    }  # fmt: skip
    assert (first["rank"], first["kb"]) == (1, "default")
    assert first["source"] == "company/rules/returns.md"


def test_search_gives_what_is_around_a_passage_on_request(zaiko: Zaiko, published: Path) -> None:
    search = ("search", "return goods", "--data-dir", published, "--top-k", "1")
    alone = zaiko(*search, "--json").json()["results"][0]
    around = zaiko(*search, "--around", "document", "--json").json()["results"][0]
    context = around.pop("context")
    assert around == alone
    assert {c["place"] for c in context} <= {"before", "after"}
    assert all(c["text"] and c["chunk_id"] != alone["chunk_id"] for c in context)
    assert zaiko(*search, "--around", "all").code == 2


def test_sql_gives_typed_rows(zaiko: Zaiko, published: Path) -> None:
    query = "SELECT sku, sum(quantity)::DECIMAL(9,2) AS units FROM stock GROUP BY 1 ORDER BY 1"
    called = zaiko("sql", query, "--data-dir", published, "--json")
    found = called.json()
    assert list(found) == ["columns", "rows", "row_count", "truncated", "notes"]
    assert found["rows"] == [["0012", "0.00"], ["XR-4200", "19.00"], ["Z-9", "40.00"]]
    assert (found["row_count"], found["truncated"], called.err) == (3, False, "")


def test_calc_gives_result_log_and_variables(zaiko: Zaiko) -> None:
    called = zaiko("calc", "x = 6\nprint('six')\nx * 7", "--json")
    assert called.json() == {"result": 42, "log": "six\n", "variables": {"x": 6}}
    assert (called.code, called.err) == (0, "")


def test_calc_says_the_notes_of_a_proposal(zaiko: Zaiko) -> None:
    code = (
        "reorder_proposal([{'sku': 'B', 'on_hand': 9}], [{'sku': 'A', 'quantity': 1}],"
        " [{'sku': 'B', 'lead_time_days': 1}], days=9)"
    )
    summary = "1 SKUs: 0 to order, 1 not, 0 not worked out; demand of 9 days"
    others = "1 SKUs with demand have no terms and are left out: A"
    assert {summary, others} <= set(zaiko("calc", code, "--json").json()["notes"])
    called = zaiko("calc", code)
    assert called.out == "[]\n"
    assert f"note: {others}" in called.err.splitlines()


def test_dates_gives_first_and_last_day(zaiko: Zaiko) -> None:
    found = zaiko("dates", "先月", "--today", "2026-11-30", "--json").json()
    assert {"start", "end", "label", "has_data"} <= found.keys() <= {*found, "note"}
    assert (found["start"], found["end"]) == ("2026-10-01", "2026-10-31")
    assert found["has_data"] is None


@pytest.mark.parametrize(
    "wrap",
    [
        pytest.param(lambda e: e, id="a list"),
        pytest.param(lambda e: {"evidence": e, "status": "answered"}, id="an answer"),
        pytest.param(lambda e: [{**e[0], "id": ""}], id="a draft without an id"),
    ],
)
def test_verify_checks_a_text(zaiko: Zaiko, tmp_path: Path, wrap: Callable[[Any], Any]) -> None:
    file = tmp_path / "evidence.json"
    file.write_text(json.dumps(wrap(EVIDENCE)), encoding="utf-8")
    draft = tmp_path / "draft.txt"
    draft.write_text("There are 19 units, not 20.", encoding="utf-8")
    called = zaiko("verify", "--text", draft, "--evidence", file, "--json")
    found = called.json()
    assert called.code == 0
    assert {"supported", "unsupported", "contradicted"} <= found.keys()
    assert [i["text"] for i in found["supported"]] == ["19 units"]
    wrong = [i["text"] for i in (*found["unsupported"], *found["contradicted"])]
    assert wrong == ["20"]


def test_rollback_names_the_revision(zaiko: Zaiko, data_dir: Path, company: Path) -> None:
    (company / "stock.csv").write_text(STOCK.replace("40", "41"), encoding="utf-8")
    assert zaiko("ingest", company, "--data-dir", data_dir).code == 0
    assert zaiko("rollback", "--data-dir", data_dir, "--json").json() == {"data_revision": 1}
    again = zaiko("rollback", "--data-dir", data_dir, "--json")
    assert (again.code, again.json()["error"]["kind"]) == (1, "store_error")


def test_the_lists_are_empty_at_first(zaiko: Zaiko, published: Path) -> None:
    assert zaiko("handoff", "list", "--data-dir", published, "--json").json() == {"handoffs": []}
    assert zaiko("trace", "--data-dir", published, "--json").json() == {"traces": []}


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("DROP TABLE stock", "statement_not_allowed"),
        ("SELECT * FROM stok", "unknown_table"),
        ("SELECT * FROM read_csv('/etc/passwd')", None),
    ],
)
def test_a_refusal_is_an_error_document(
    zaiko: Zaiko, published: Path, query: str, kind: str | None
) -> None:
    called = zaiko("sql", query, "--data-dir", published, "--json")
    error = called.json()["error"]
    assert called.code == 1
    assert error.keys() == {"kind", "message", "hint"}
    assert all(error.values())
    assert kind in (None, error["kind"])
    assert called.err.startswith(f"error: {error['message']}\nnext: ")


@pytest.fixture
def versions(zaiko: Zaiko, tmp_path: Path) -> Path:
    """Two editions of a rule, a draft, and a data directory with them."""
    files = tmp_path / "versions"
    files.mkdir()
    body = "# Return rule\n\nGoods may be returned.\n"
    for name, front in {
        "2024": "title: Return rule 2024\nvalid_from: 2024-04-01",
        "2026": "title: Return rule 2026\nvalid_from: 2026-01-01\nsupersedes: '2024'",
        "draft": "title: Packing rule\nstatus: proposed",
    }.items():
        (files / f"{name}.md").write_text(f"---\n{front}\n---\n{body}", encoding="utf-8")
    assert zaiko("ingest", files, "--data-dir", tmp_path / "made").code == 0
    return tmp_path / "made"


def test_documents_says_what_replaced_what_and_how_many_there_are(
    zaiko: Zaiko, versions: Path
) -> None:
    found = zaiko("documents", "--data-dir", versions, "--json").json()
    assert found["counts"] == {"superseded": 1, "undeclared": 1, "proposed": 1, "all": 3}
    old = next(d for d in found["documents"] if d["title"] == "Return rule 2024")
    assert (old["status"], old["replaced_by"]) == ("superseded", "versions/2026.md")
    assert old["status_note"] == "⚠️superseded → Return rule 2026"
    assert (old["valid_from"], old["valid_to"]) == ("2024-04-01", "2025-12-31")
    superseded = zaiko("documents", "--status", "superseded", "--data-dir", versions, "--json")
    assert [d["title"] for d in superseded.json()["documents"]] == ["Return rule 2024"]


@pytest.mark.parametrize(
    ("on", "titles"),
    [
        ("2025-03-01", ["Return rule 2024"]),
        ("2026-01-01", ["Return rule 2026"]),
        ("2023-01-01", []),
    ],
)
def test_documents_that_applied_on_a_day(
    zaiko: Zaiko, versions: Path, on: str, titles: list[str]
) -> None:
    found = zaiko("documents", "--on", on, "--data-dir", versions, "--json").json()
    assert [(d["title"], d["applied"]) for d in found["documents"]] == [(t, "yes") for t in titles]


def test_a_status_that_is_none_is_refused(zaiko: Zaiko, versions: Path) -> None:
    called = zaiko("documents", "--status", "old", "--data-dir", versions)
    assert called.code == 2 and "superseded" in called.err


def test_what_an_ignore_file_names_is_taken_in_with_no_ignore(
    zaiko: Zaiko, company: Path, tmp_path: Path
) -> None:
    (company / ".zaikoignore").write_text("rules/\n")
    data_dir = tmp_path / "made"
    called = zaiko("ingest", company, "--data-dir", data_dir)
    assert called.code == 0 and "left out   1 by .gitignore or .zaikoignore" in called.out
    assert zaiko("documents", "--data-dir", data_dir, "--json").json()["documents"] == []
    assert zaiko("ingest", company, "--no-ignore", "--data-dir", data_dir).code == 0
    assert len(zaiko("documents", "--data-dir", data_dir, "--json").json()["documents"]) == 2
