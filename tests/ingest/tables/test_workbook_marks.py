"""What a workbook holds beside its values: errors, formulas without a value, number formats."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
import xlsxwriter  # type: ignore[import-untyped]

from ingest.pipeline import run_ingest
from ingest.store.errors import FileRejected
from ingest.store.settings import IngestSettings
from ingest.tables import TableImport, import_tables
from ingest.tables.number_formats import shown_by
from ingest.tables.workbook_marks import sheet_marks


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """300 rows below a title and a blank row; in row 5 `#DIV/0!`, in row 6 a formula's 2."""
    path = tmp_path / "book.xlsx"
    with xlsxwriter.Workbook(str(path)) as written:
        written.add_worksheet("empty")
        sheet: Any = written.add_worksheet("売上 & co")
        sheet.write(0, 0, "Sales of 2026")
        sheet.write_row(2, 0, ["id", "qty", "rate"])
        for line in range(3, 303):
            sheet.write_row(line, 0, [line, 1, 2])
        sheet.write_formula(4, 1, "=1/0", None, "#DIV/0!")
        sheet.write_formula(5, 1, "=1+1", None, 2)
    return path


def test_an_error_is_found_where_it_stands(book: Path) -> None:
    found = [marks.unread for marks in sheet_marks(book)]
    assert found == [{}, {(4, 1): ("#DIV/0!", "an error of the workbook")}]


def test_an_error_goes_to_quarantine_and_is_counted(book: Path) -> None:
    report = run_ingest(book.parent / "data", [book], settings=IngestSettings())
    (cell,) = report.quarantined
    assert (cell.row, cell.column, cell.value) == (5, "qty", "#DIV/0!")


def test_a_file_that_is_no_archive_has_none(tmp_path: Path) -> None:
    path = tmp_path / "old.xls"
    path.write_bytes(b"\xd0\xcf\x11\xe0")
    assert sheet_marks(path) == []


Write = Callable[[Any, Any], None]


def take(
    connection: duckdb.DuckDBPyConnection, path: Path, write: Write
) -> tuple[TableImport, list[Any]]:
    with xlsxwriter.Workbook(str(path)) as written:
        write(written, written.add_worksheet())
    result = import_tables(connection, path, path.name, IngestSettings())
    name = result.tables[0].name
    return result, connection.execute(f'SELECT * FROM "{name}"').fetchall()


def test_a_formula_without_a_stored_value_is_listed_and_never_a_nought(
    tmp_path: Path, connection: duckdb.DuckDBPyConnection
) -> None:
    """xlsxwriter stores 0 for what it does not calculate, other programs nothing."""

    def write(book: Any, sheet: Any) -> None:
        sheet.write_row(1, 1, ["item", "amount", "tax"])
        sheet.write_row(2, 1, ["a", 100, 10])
        sheet.write_row(3, 1, ["b", 0])
        sheet.write_formula(3, 3, "=C4/10", None, "")
        sheet.write_row(4, 1, ["c"])
        sheet.write_formula(4, 2, "=C3*2&C4")
        sheet.write_formula(4, 3, "=C5+1", None, 7)

    result, rows = take(connection, tmp_path / "b.xlsx", write)
    assert rows == [("a", 100, 10), ("b", 0, None), ("c", None, 7)]
    assert [(c.row, c.column, c.value) for c in result.quarantined] == [
        (4, "tax", "=C4/10"),
        (5, "amount", "=C3*2&C4"),
    ]
    assert {c.reason for c in result.quarantined} == {
        "a formula whose value is not stored in the file"
    }
    assert [c.quarantined for c in result.tables[0].columns] == [0, 1, 1]


def test_a_whole_column_of_such_formulas_is_listed_but_not_the_total_below(
    tmp_path: Path, connection: duckdb.DuckDBPyConnection
) -> None:
    def write(book: Any, sheet: Any) -> None:
        sheet.write_row(0, 0, ["item", "qty", "amount"])
        for line in (1, 2):
            sheet.write_row(line, 0, [f"i{line}", line])
            sheet.write_formula(line, 2, f"=B{line + 1}*100")
        sheet.write_row(3, 0, ["合計", 3])
        sheet.write_formula(3, 2, "=SUM(C2:C3)")

    result, rows = take(connection, tmp_path / "b.xlsx", write)
    assert rows == [("i1", 1, None), ("i2", 2, None)]
    assert [c.row for c in result.quarantined] == [2, 3]


def test_cells_of_a_sheet_that_starts_further_right_are_found_where_they_stand(
    tmp_path: Path, connection: duckdb.DuckDBPyConnection
) -> None:
    def write(book: Any, sheet: Any) -> None:
        sheet.merge_range("B1:B2", "店")
        sheet.merge_range("C1:D1", "4月")
        sheet.write_row("C2", ["数量", "金額"])
        sheet.write_row("B3", ["東京", 1, 10])
        sheet.write_row("B4", ["大阪", 2])
        sheet.write_formula("D4", "=1/0", None, "#DIV/0!")

    result, rows = take(connection, tmp_path / "b.xlsx", write)
    assert [c.name for c in result.tables[0].columns] == ["店", "4月_数量", "4月_金額"]
    assert rows == [("東京", 1, 10), ("大阪", 2, None)]
    assert [(c.row, c.column, c.value) for c in result.quarantined] == [(4, "4月_金額", "#DIV/0!")]


def test_number_formats_make_codes_percents_and_units(
    tmp_path: Path, connection: duckdb.DuckDBPyConnection
) -> None:
    def write(book: Any, sheet: Any) -> None:
        codes = ("00000", "0.0%", "[$¥-411]#,##0", '#,##0,"千円"', '0"箱"')
        formats = [book.add_format({"num_format": code}) for code in codes]
        sheet.write_row(0, 0, ["part", "率", "価格", "売上", "数", "day"])
        for line, cells in enumerate([(123, 0.125, 1200, 1234567, 3), (45678, 0.08, -5, 0, 4)], 1):
            for at, value in enumerate(cells):
                sheet.write_number(line, at, value, formats[at])
            sheet.write_number(line, 5, 46027, book.add_format({"num_format": "yyyy/m/d"}))

    result, rows = take(connection, tmp_path / "b.xlsx", write)
    columns = result.tables[0].columns
    assert [c.type for c in columns[:2]] == ["VARCHAR", "DECIMAL(18,1)"]
    assert [c.unit for c in columns] == [None, "%", "JPY", "JPY", "箱", None]
    assert [tuple(map(str, row)) for row in rows] == [
        ("00123", "12.5", "1200", "1234567", "3", "2026-01-05"),
        ("45678", "8.0", "-5", "0", "4", "2026-01-05"),
    ]


# What Excel shows for the value under the format (ECMA-376 part 1, 18.8.31).
@pytest.mark.parametrize(
    ("code", "value", "text"),
    [
        ("0000000", 600000, "0600000"),
        ("000-0000", 1600022, "160-0022"),
        ("[<=999]000;[<=9999]000-00;000-0000", 1600022, "160-0022"),
        ("[<=999]000;[<=9999]000-00;000-0000", 60, "060"),
        ('"A"000', 5, "A005"),
        ("000", 12345, "12345"),
        ("000", 1.5, None),
        ("0%", 0.07, "7%"),
        ("0.00%;[Red]-0.00%", -0.125, "-12.5%"),
        ("\\#,##0", 5, None),
        ('"¥"#,##0;-"¥"#,##0', -1234.5, "-¥1234.5"),
        ("[$€-2] #,##0.00", 2.5, "€2.5"),
        ('#,##0"円"', 1200, "1200円"),
        ('#,##0"千円"', 1234, "1234千円"),
        ('#,##0,"千円"', 1234567, "1234567円"),
    ],
)
def test_a_value_is_what_its_format_shows(code: str, value: float, text: str | None) -> None:
    show = shown_by(code)
    assert (show(value) if show else None) == text


@pytest.mark.parametrize("code", ["", "General", "0", "0.00", "#,##0", "@", "yyyy/m/d", "0.0E+0"])
def test_a_format_that_adds_nothing_is_not_followed(code: str) -> None:
    assert shown_by(code) is None


def test_hidden_rows_and_columns_are_read_and_said(
    tmp_path: Path, connection: duckdb.DuckDBPyConnection
) -> None:
    def write(book: Any, sheet: Any) -> None:
        for line, row in enumerate([["item", "x", "qty"], ["a", "p", 1], ["b", "q", 2]]):
            sheet.write_row(line, 0, row)
        sheet.set_row(2, None, None, {"hidden": True})
        sheet.set_column("B:B", None, None, {"hidden": True})
        sheet.set_column("H:XFD", None, None, {"hidden": True})

    result, rows = take(connection, tmp_path / "b.xlsx", write)
    assert rows == [("a", "p", 1), ("b", "q", 2)]
    assert result.tables[0].notes == (
        "Hidden columns were read, too: B.",
        "1 hidden rows were read, too.",
    )


@pytest.mark.parametrize(
    ("content", "said"),
    [("<html><table><tr><td>1</td>", "web page"), ("a,b\n1,2\n", "delimited text")],
)
@pytest.mark.parametrize("name", ["a.xls", "a.xlsx"])
def test_what_is_only_named_like_a_workbook_says_what_it_is(
    tmp_path: Path, connection: duckdb.DuckDBPyConnection, name: str, content: str, said: str
) -> None:
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(FileRejected, match=said):
        import_tables(connection, path, name, IngestSettings())
