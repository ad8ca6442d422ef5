"""Workbooks are written by hand as the XML of the format, so that no writer is a dependency."""

import zipfile
from collections.abc import Callable
from datetime import date, datetime, timedelta
from pathlib import Path

import duckdb
import pytest

from ingest.pipeline import run_ingest
from ingest.store.errors import FileRejected
from ingest.store.settings import IngestSettings
from ingest.tables import TableImport, import_tables
from ingest.tables.workbook import cell_text, read_workbook

Take = Callable[..., TableImport]
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"


def cell_xml(column: int, row: int, value: object) -> str:
    place = f'r="{chr(65 + column)}{row}"'
    if value is None:
        return ""
    if isinstance(value, bool):
        return f'<c {place} t="b"><v>{int(value)}</v></c>'
    if isinstance(value, date):
        return f'<c {place} s="1"><v>{(value - date(1899, 12, 30)).days}</v></c>'
    if isinstance(value, int | float):
        return f"<c {place}><v>{value}</v></c>"
    return f'<c {place} t="inlineStr"><is><t>{value}</t></is></c>'


def sheet_xml(rows: list[list[object]], merges: list[str]) -> str:
    body = "".join(
        f'<row r="{r}">' + "".join(cell_xml(c, r, v) for c, v in enumerate(row)) + "</row>"
        for r, row in enumerate(rows, 1)
    )
    spans = "".join(f'<mergeCell ref="{ref}"/>' for ref in merges)
    merged = f"<mergeCells>{spans}</mergeCells>" if merges else ""
    return f'<worksheet xmlns="{MAIN}"><sheetData>{body}</sheetData>{merged}</worksheet>'


def write_xlsx(
    path: Path,
    sheets: dict[str, list[list[object]]],
    hidden: tuple[str, ...] = (),
    merges: list[str] | None = None,
) -> Path:
    entries, links = "", ""
    with zipfile.ZipFile(path, "w") as archive:
        for i, (name, rows) in enumerate(sheets.items(), 1):
            state = ' state="hidden"' if name in hidden else ""
            entries += f'<sheet name="{name}" sheetId="{i}" r:id="r{i}"{state}/>'
            links += (
                f'<Relationship Id="r{i}" Type="{OFFICE}/worksheet" Target="worksheets/s{i}.xml"/>'
            )
            archive.writestr(f"xl/worksheets/s{i}.xml", sheet_xml(rows, merges or []))
        links += f'<Relationship Id="st" Type="{OFFICE}/styles" Target="styles.xml"/>'
        archive.writestr(
            "xl/styles.xml",
            f'<styleSheet xmlns="{MAIN}"><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>'
            "</styleSheet>",
        )
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{entries}</sheets></workbook>',
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{PACKAGE}">{links}</Relationships>',
        )
        archive.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{PACKAGE}"><Relationship Id="r1" '
            f'Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        )
        archive.writestr(
            "[Content_Types].xml",
            '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
        )
    return path


def load(connection: duckdb.DuckDBPyConnection, path: Path) -> TableImport:
    return import_tables(connection, path, path.name, IngestSettings())


def test_the_only_sheet_is_named_like_the_file_and_typed(
    tmp_path: Path, connection: duckdb.DuckDBPyConnection
) -> None:
    rows: list[list[object]] = [
        ["品番", "数量", "出荷済", "出荷日"],
        ["007", 5, True, date(2026, 1, 5)],
        ["008", 0, False, None],
    ]
    table = load(connection, write_xlsx(tmp_path / "出荷.xlsx", {"Sheet1": rows})).tables[0]
    assert (table.name, table.sheet) == ("出荷", None)
    assert [c.type for c in table.columns] == ["VARCHAR", "BIGINT", "BOOLEAN", "DATE"]
    assert connection.execute("SELECT * FROM 出荷").fetchall() == [
        ("007", 5, True, date(2026, 1, 5)),
        ("008", 0, False, None),
    ]


def test_each_visible_sheet_is_a_table_and_hidden_ones_are_noted(
    tmp_path: Path, connection: duckdb.DuckDBPyConnection
) -> None:
    sheet: list[list[object]] = [["a", "b"], [1, "x"], [2, "y"]]
    path = write_xlsx(
        tmp_path / "book.xlsx", {"4月": sheet, "控え": sheet, "5月": sheet, "空": []}, ("控え",)
    )
    result = load(connection, path)
    assert [(t.name, t.sheet) for t in result.tables] == [("book_4月", "4月"), ("book_5月", "5月")]
    assert result.tables[0].notes == (
        "Hidden sheets were left out: 控え.",
        "Sheets without rows were left out: 空.",
    )


def test_hidden_sheets_stand_in_the_report_until_the_file_changes(tmp_path: Path) -> None:
    sheet: list[list[object]] = [["a", "b"], [1, "x"]]
    path = write_xlsx(tmp_path / "book.xlsx", {"4月": sheet, "控え": sheet}, ("控え",))
    hidden = [{"path": str(path), "sheets": ["控え"]}]
    for _ in range(2):
        report = run_ingest(tmp_path / "data", [path], settings=IngestSettings())
        assert report.to_json()["hidden_sheets"] == hidden
    write_xlsx(path, {"4月": sheet, "控え": sheet})
    report = run_ingest(tmp_path / "data", [path], settings=IngestSettings())
    assert report.to_json()["hidden_sheets"] == []


@pytest.mark.parametrize("shown", [{}, {"空": []}])
def test_a_workbook_whose_data_are_hidden_says_so(
    tmp_path: Path, connection: duckdb.DuckDBPyConnection, shown: dict[str, list[list[object]]]
) -> None:
    path = write_xlsx(tmp_path / "b.xlsx", {"控え": [["a", "b"], [1, "x"]], **shown}, ("控え",))
    with pytest.raises(FileRejected, match=r"[Hh]idden sheets: 控え"):
        load(connection, path)


def test_title_rows_totals_and_footnotes_are_left_out_and_noted(
    tmp_path: Path, connection: duckdb.DuckDBPyConnection
) -> None:
    rows: list[list[object]] = [
        ["2026年4月 売上報告"],
        [],
        ["店舗", "数量", "金額"],
        ["東京", 5, 100],
        ["大阪", 7, 200],
        ["合計", None, 300],
        [],
        ["※税抜"],
    ]
    table = load(connection, write_xlsx(tmp_path / "r.xlsx", {"S": rows})).tables[0]
    assert connection.execute("SELECT sum(金額) FROM r").fetchall() == [(300,)]
    assert table.rows == 2
    assert [note.split(" ")[0:2] for note in table.notes] == [
        ["Row", "1"],
        ["Row", "8"],
        ["Total", "row"],
    ]


def test_a_two_row_header_under_merged_cells_is_joined(
    tmp_path: Path, connection: duckdb.DuckDBPyConnection
) -> None:
    rows: list[list[object]] = [
        ["店舗", "4月", None, "5月", None],
        [None, "数量", "金額", "数量", "金額"],
        ["東京", 1, 10, 2, 20],
    ]
    path = write_xlsx(tmp_path / "m.xlsx", {"S": rows}, merges=["A1:A2", "B1:C1", "D1:E1"])
    table = load(connection, path).tables[0]
    assert [c.name for c in table.columns] == [
        "店舗",
        "4月_数量",
        "4月_金額",
        "5月_数量",
        "5月_金額",
    ]
    assert table.rows == 1


def test_a_cell_merged_downwards_holds_for_all_its_rows(
    tmp_path: Path, connection: duckdb.DuckDBPyConnection
) -> None:
    rows: list[list[object]] = [["区分", "数"], ["飲料", 1], [None, 2], ["菓子", 3]]
    load(connection, write_xlsx(tmp_path / "m.xlsx", {"S": rows}, merges=["A2:A3"]))
    assert connection.execute("SELECT 区分 FROM m").fetchall() == [("飲料",), ("飲料",), ("菓子",)]


def test_binary_fractions_are_shown_as_excel_shows_them() -> None:
    assert cell_text(0.1 + 0.2) == "0.3"
    assert cell_text(4901234567894.0) == "4901234567894"
    assert cell_text(1.5e-7) == "0.00000015"


def test_dates_times_and_durations_become_iso_text() -> None:
    assert cell_text(datetime(2026, 1, 5, 9, 30)) == "2026-01-05 09:30:00"
    assert cell_text(timedelta(hours=26, minutes=5)) == "26:05:00"


@pytest.mark.parametrize("name", ["a.xlsx", "a.xls", "a.ods"])
def test_a_file_that_is_no_workbook_is_refused(take: Take, name: str) -> None:
    with pytest.raises(FileRejected, match="cannot be read as a workbook"):
        take(b"PK\x03\x04 broken", name=name)


def test_a_workbook_that_unpacks_beyond_the_limit_is_refused(
    tmp_path: Path, connection: duckdb.DuckDBPyConnection
) -> None:
    path = tmp_path / "bomb.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b"0" * (3 * 2**20))
    with pytest.raises(FileRejected, match="unpacks to 3 MB; the limit is 1 MB"):
        import_tables(connection, path, "bomb.xlsx", IngestSettings(max_file_mb=1))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"<html><body><table><tr><td>a</td></tr></table></body></html>", "a web page"),
        (b"\xef\xbb\xbf<!DOCTYPE html><table></table>", "a web page"),
        (b"a,b\n1,2\n", "delimited text"),
        ("a\tb\n1\t2\n".encode("utf-16"), "delimited text"),
    ],
)
@pytest.mark.parametrize("suffix", [".xls", ".xlsx"])
def test_another_kind_of_file_under_the_name_of_a_workbook_is_named(
    tmp_path: Path, content: bytes, said: str, suffix: str
) -> None:
    path = tmp_path / f"sales{suffix}"
    path.write_bytes(content)
    with pytest.raises(FileRejected, match=f"is {said}.*, not a workbook"):
        read_workbook(path, 2**20)
