"""The table of an answer as a file, read back by other readers."""

import csv
from pathlib import Path
from typing import Any

import pytest
from python_calamine import CalamineWorkbook

from agent.answer import Answer, Audit, Citation, EvidenceView
from agent.errors import UsageError
from agent.export import TableFile, main_table
from tests.support.desk import Desk, said, sql
from tools.evidence import Column, Evidence


def evidence(name: str = "E1", kind: str = "rows", **changed: Any) -> Evidence:
    fields: dict[str, Any] = {
        "id": name, "kind": kind, "tool": "sql", "source": "sales", "query": "SELECT 1",
        "columns": (
            Column(name="品番", type="VARCHAR"), Column(name="=cmd", type="VARCHAR"),
            Column(name="amount", type="DECIMAL(12,2)"), Column(name="n", type="HUGEINT"),
            Column(name="day", type="DATE"), Column(name="share", type="DOUBLE"),
            Column(name="ok", type="BOOLEAN"),
        ),
        "rows": (
            ("00123", "=1+2", "-1234.50", "12345678901234567890", "2026-01-05", 0.1, True),
            ("XR-4200", "@SUM(A1)", None, "-7", "1850-01-01", 1e-7, None),
        ),
        "row_count": 2, "notes": ("as of 2026-11-30",),
    }  # fmt: skip
    return Evidence.model_validate({**fields, **changed})


def answer(*items: Evidence, cited: tuple[str, ...]) -> Answer:
    audit = Audit(
        data_revision=1, today="2026-11-30", model="m", prompt_hash="h", version="1", reading="q"
    )
    citations = tuple(
        Citation(n=n, evidence_id=i, source="", locator="") for n, i in enumerate(cited, start=1)
    )
    return Answer(
        question="q", status="answered", text="", draft="", confidence=1, citations=citations,
        evidence=tuple(map(EvidenceView.of, items)), audit=audit, thread_id="t", trace_id="x",
    )  # fmt: skip


def test_csv_is_exact_and_runs_no_formula(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    TableFile.at(path).save(evidence())
    raw = path.read_bytes()
    assert raw.startswith("\ufeff品番".encode())
    assert list(csv.reader(raw.decode("utf-8-sig").splitlines())) == [
        ["品番", "'=cmd", "amount", "n", "day", "share", "ok"],
        ["00123", "'=1+2", "-1234.50", "12345678901234567890", "2026-01-05", "0.1", "true"],
        ["XR-4200", "'@SUM(A1)", "", "-7", "1850-01-01", "0.0000001", ""],
    ]
    assert raw.count(b"\r\n") == 3


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("-12.5", "-12.5"), ("+81-3-1234", "'+81-3-1234"), ("\tx", "'\tx"), ("＝1", "'＝1"),
        ("－", "'－"), ("a=b", "a=b"), ("", ""), ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
    ],
)  # fmt: skip
def test_a_text_that_begins_like_a_formula_is_led_by_an_apostrophe(
    text: str, written: str, tmp_path: Path
) -> None:
    one = evidence(columns=(Column(name="a", type="VARCHAR"),), rows=((text,),), row_count=1)
    path = tmp_path / "t.csv"
    TableFile.at(path).save(one)
    with path.open(encoding="utf-8-sig", newline="") as lines:
        (_, *rows) = csv.reader(lines)
    assert rows == [[written]] if written else rows == [[""]]


def test_xlsx_keeps_texts_dates_and_figures_and_has_the_proof(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    TableFile.at(path).save(evidence())
    book = CalamineWorkbook.from_path(str(path))
    head, first, second = book.get_sheet_by_name("table").to_python()
    assert head[:3] == ["品番", "=cmd", "amount"]
    assert first[:2] == ["00123", "=1+2"]
    assert first[2] == -1234.5
    assert first[3] == "12345678901234567890"  # more digits than a sheet's number keeps
    assert str(first[4]) == "2026-01-05"
    assert first[6] is True
    assert second[3:5] == [-7, "1850-01-01"]
    proof = {row[0]: row[1] for row in book.get_sheet_by_name("proof").to_python()}
    assert proof["evidence"] == "E1"
    assert (proof["query"], proof["note"]) == ("SELECT 1", "as of 2026-11-30")


def test_every_row_is_written_not_the_first_hundred(tmp_path: Path) -> None:
    rows = tuple((i,) for i in range(2500))
    whole = evidence(columns=(Column(name="n", type="BIGINT"),), rows=rows, row_count=2500)
    assert len(answer(whole, cited=("E1",)).evidence[0].rows) == 100
    found = main_table(answer(whole, cited=("E1",)), {"E1": whole})
    assert found is not None
    for name in ("t.csv", "t.xlsx"):
        TableFile.at(tmp_path / name).save(found)
    lines = (tmp_path / "t.csv").read_text(encoding="utf-8-sig").splitlines()
    assert (len(lines), lines[-1]) == (2501, "2499")
    sheet = CalamineWorkbook.from_path(str(tmp_path / "t.xlsx")).get_sheet_by_name("table")
    assert sheet.to_python()[-1] == [2499]


def test_the_table_is_the_calculated_one_before_its_inputs() -> None:
    inputs, proposal = evidence("E1"), evidence("E2", "calculation")
    value = evidence(
        "E3", "calculation", columns=(Column(name="result", type="BIGINT"),), rows=((1,),)
    )
    known = {e.id: e for e in (inputs, proposal, value)}
    for cited, expected in (
        (("E1", "E2", "E3"), "E2"),
        (("E1", "E3"), "E1"),
        (("E3",), "E3"),
    ):
        found = main_table(answer(*known.values(), cited=cited), known)
        assert found is not None
        assert found.id == expected


def test_an_answer_that_cites_no_table_has_none() -> None:
    passage = Evidence(id="E2", kind="chunk", tool="knowledge", source="a.md", text="x")
    known = {"E1": evidence(), "E2": passage}
    assert main_table(answer(*known.values(), cited=("E2",)), known) is None
    assert main_table(answer(*known.values(), cited=()), known) is None


@pytest.mark.parametrize(
    ("name", "word"),
    [("t.pdf", ".csv or .xlsx"), ("t", ".csv or .xlsx"), ("no/t.csv", "make it"), ("d.csv", "in it")],
)  # fmt: skip
def test_a_place_where_nothing_can_be_saved_is_refused_at_once(
    name: str, word: str, tmp_path: Path
) -> None:
    (tmp_path / "d.csv").mkdir()
    with pytest.raises(UsageError) as error:
        TableFile.at(tmp_path / name)
    assert word in error.value.hint


def test_nothing_is_left_of_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    path.write_bytes(b"before")
    long = evidence(columns=(Column(name="a", type="VARCHAR"),), rows=(("x" * 40_000,),))
    with pytest.raises(UsageError) as error:
        TableFile.at(path).save(long)
    assert ".csv" in error.value.hint
    assert [p.name for p in tmp_path.iterdir()] == ["t.xlsx"]
    assert path.read_bytes() == b"before"


def test_an_agent_gives_the_table_of_its_answer_with_all_rows(desk: Desk) -> None:
    rows = sql("SELECT sale_id, sku FROM sales ORDER BY sale_id")
    answer = desk.ask("List the total sales", rows, said("These are the sales.", "E1"))
    table = desk.agent.table(answer)
    assert table is not None
    assert (len(answer.evidence[0].rows), len(table.rows)) == (100, 150)
