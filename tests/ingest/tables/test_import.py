from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from ingest.store.errors import FileRejected
from ingest.store.settings import IngestSettings
from ingest.tables import TableImport, drop_tables, import_tables

Take = Callable[..., TableImport]


def rows(connection: duckdb.DuckDBPyConnection, query: str) -> list[tuple[object, ...]]:
    return connection.execute(query).fetchall()


def test_a_misfit_within_the_share_is_null_and_quarantined(
    take: Take, connection: duckdb.DuckDBPyConnection
) -> None:
    lines = "".join(f"{i},{i * 10}\n" for i in range(1, 100))
    result = take(f"id,qty\n{lines}100,約50\n")
    cell = result.quarantined[0]
    assert len(result.quarantined) == 1
    assert (cell.table, cell.column, cell.row, cell.value) == ("sales", "qty", 101, "約50")
    assert rows(connection, "SELECT count(*), count(qty), sum(qty) FROM sales") == [
        (100, 99, 49500)
    ]
    assert result.tables[0].columns[1].quarantined == 1


def test_more_misfits_than_the_share_keep_the_column_text_with_a_note(take: Take) -> None:
    result = take("id,qty\n1,10\n2,20\n3,約50\n")
    assert result.quarantined == ()
    assert result.tables[0].columns[1].type == "VARCHAR"
    assert result.tables[0].notes == (
        "Column qty stays text: no number in 1 of 3 cells, such as '約50'.",
    )


def test_a_percent_column_quarantines_a_bare_number(take: Take) -> None:
    lines = "".join(f"{i},{i}%\n" for i in range(1, 100))
    result = take(f"id,rate\n{lines}100,7\n")
    assert [(c.row, c.value) for c in result.quarantined] == [(101, "7")]
    assert result.tables[0].columns[1].unit == "%"


def test_extra_cells_are_reported_and_missing_ones_are_null(
    take: Take, connection: duckdb.DuckDBPyConnection
) -> None:
    result = take("a,b\n1,2\n3\n4,5,6\n")
    assert rows(connection, "SELECT a, b FROM sales ORDER BY a") == [(1, 2), (3, None), (4, 5)]
    cell = result.quarantined[0]
    assert (cell.column, cell.row, cell.value) == ("column_3", 4, "6")


def test_blank_lines_are_no_rows_but_count_in_row_numbers(take: Take) -> None:
    lines = "".join(f"{i},{i}\n" for i in range(1, 101))
    result = take(f"id,qty\n\n,\n{lines}101,abc\n")
    assert result.tables[0].rows == 101
    assert result.quarantined[0].row == 104


def test_quotes_newlines_and_delimiters_inside_cells_survive(
    take: Take, connection: duckdb.DuckDBPyConnection
) -> None:
    take('id,note\n1,"a, ""b""\r\nc"\n2,"; | \t"\n3,plain\n')
    assert rows(connection, "SELECT note FROM sales ORDER BY id") == [
        ('a, "b"\r\nc',),
        ("; |",),
        ("plain",),
    ]


@pytest.mark.parametrize("delimiter", [";", "\t", "|", "^", "~", "\x1f"])
def test_the_delimiter_is_found(take: Take, delimiter: str) -> None:
    lines = [("name", "price"), ("pen, black", "1,200"), ("ink, red", "950")]
    text = "".join(delimiter.join(line) + "\n" for line in lines)
    table = take(text).tables[0]
    assert [(c.name, c.type) for c in table.columns] == [("name", "VARCHAR"), ("price", "BIGINT")]


@pytest.mark.parametrize("delimiter", [":", " "])
def test_a_colon_or_a_blank_separates_cells_where_it_divides_every_record_alike(
    take: Take, connection: duckdb.DuckDBPyConnection, delimiter: str
) -> None:
    lines = [("sku", "place", "qty"), ("A1", "東京", "3"), ("A2", '"大 阪"', "4")]
    table = take("".join(delimiter.join(line) + "\n" for line in lines)).tables[0]
    assert rows(connection, "SELECT * FROM sales") == [("A1", "東京", 3), ("A2", "大 阪", 4)]
    assert any(note.startswith("Cells are separated by") for note in table.notes)


@pytest.mark.parametrize(
    "text",
    [
        "time\n10:20:30\n11:21:31\n",
        "opening hours\nMon Tue Wed\n9 10 11\n",
        "a note\nit is here\nso it was\nas it is\n",
    ],
)
def test_a_file_of_one_column_stays_one(take: Take, text: str) -> None:
    assert len(take(text).tables[0].columns) == 1


def test_the_encoding_that_was_found_is_said(take: Take) -> None:
    table = take("商品名,単価\nえんぴつ,50\n".encode("cp932")).tables[0]
    assert table.notes == ("Read as cp932.",)
    assert table.columns[0].examples == ("えんぴつ",)


def test_a_scale_word_in_the_header_is_multiplied_in(
    take: Take, connection: duckdb.DuckDBPyConnection
) -> None:
    table = take("月,売上（千円）\n4月,1,234\n5月,▲20\n".replace("1,234", '"1,234.5"')).tables[0]
    column = table.columns[1]
    assert (column.name, column.type, column.unit) == ("売上", "DECIMAL(18,1)", "JPY")
    assert rows(connection, "SELECT 売上 FROM sales") == [
        (Decimal("1234500.0"),),
        (Decimal(-20000),),
    ]
    assert "multiplied by 1,000" in table.notes[0]


def test_a_yen_sign_is_yuan_in_a_chinese_table(take: Take) -> None:
    assert take("产品名称,金额\n中性笔,¥12\n").tables[0].columns[1].unit == "CNY"
    japanese = take("商品,金額\nボールペン,¥12\n", name="b.csv")
    assert japanese.tables[0].columns[1].unit == "JPY"


def test_rows_above_the_header_and_totals_below_are_left_out_and_noted(
    take: Take, connection: duckdb.DuckDBPyConnection
) -> None:
    table = take("4月度 売上表,,\n,,\n店舗,数量,金額\n東京,5,100\n大阪,7,200\n合計,12,300\n")
    notes = table.tables[0].notes
    assert rows(connection, "SELECT 店舗, 数量 FROM sales") == [("東京", 5), ("大阪", 7)]
    assert notes[0] == "Row 1 above the header was skipped: 4月度 売上表"
    assert notes[1] == "Total row 6 was left out, for it adds up other rows: 合計 | 12 | 300"


def test_a_last_row_that_only_names_a_total_in_passing_stays(take: Take) -> None:
    text = "brand,country,sales\nShell,UK,10\nTotal,France,20\n"
    assert take(text).tables[0].rows == 2


def test_a_file_without_a_header_gets_numbered_columns(take: Take) -> None:
    table = take("P01,4,198.0\nP02,5,149.5\nP03,6,20.5\n").tables[0]
    assert [c.name for c in table.columns] == ["column_1", "column_2", "column_3"]
    assert table.rows == 3


def test_years_over_the_columns_are_a_header(take: Take) -> None:
    table = take("店舗,2023,2024\n東京,100,200\n大阪,300,400\n").tables[0]
    assert [c.name for c in table.columns] == ["店舗", "2023", "2024"]
    assert table.rows == 2


def test_a_table_name_in_use_gets_a_suffix(take: Take) -> None:
    assert take("a,b\n1,x\n", taken=["Sales"]).tables[0].name == "sales_2"


@pytest.mark.parametrize("content", ["", "\n\n", "1,2,3\n", "hello\n", "   \n"])
def test_a_file_without_rows_or_header_is_refused(take: Take, content: str) -> None:
    with pytest.raises(FileRejected) as refused:
        take(content)
    assert refused.value.hint


def test_a_header_alone_is_a_table_without_rows(take: Take) -> None:
    table = take("id,name,amount\n").tables[0]
    assert (table.rows, [c.name for c in table.columns]) == (0, ["id", "name", "amount"])


def test_a_quote_that_never_closes_is_refused_with_its_record(take: Take) -> None:
    with pytest.raises(FileRejected, match="record 2 is never closed"):
        take('a,b\n"1,2\n3,4\n')


def test_a_table_that_is_too_wide_is_refused(take: Take) -> None:
    header = ",".join(f"c{i}" for i in range(501))
    with pytest.raises(FileRejected, match="501 columns; the limit is 500"):
        take(f"{header}\n" + ",".join("1" * 501) + "\n")


def test_a_file_over_the_limit_is_refused(
    tmp_path: Path, connection: duckdb.DuckDBPyConnection
) -> None:
    path = tmp_path / "big.csv"
    path.write_bytes(b"a,b\n" + b"1,2\n" * 300_000)
    with pytest.raises(FileRejected, match="limit is 1 MB"):
        import_tables(connection, path, "big.csv", IngestSettings(max_file_mb=1))


def test_a_refused_file_leaves_nothing_behind(
    take: Take, connection: duckdb.DuckDBPyConnection
) -> None:
    with pytest.raises(FileRejected):
        take('a,b\n1,2\n3,"4\n')
    assert rows(connection, "SHOW ALL TABLES") == []


def test_dropped_tables_are_gone_and_missing_names_are_passed_over(
    take: Take, connection: duckdb.DuckDBPyConnection
) -> None:
    take("a,b\n1,2\n2,3\n")
    drop_tables(connection, ["sales", "never_there"])
    assert rows(connection, "SHOW TABLES") == []


def test_json_lines_keep_leading_zeros_numbers_and_nested_values(
    take: Take, connection: duckdb.DuckDBPyConnection
) -> None:
    text = '{"sku": "007", "qty": 5}\n\n{"sku": "008", "price": 0.10, "tags": ["a", "b"]}\n'
    table = take(text, name="items.jsonl").tables[0]
    assert [c.type for c in table.columns] == ["VARCHAR", "BIGINT", "DECIMAL(18,2)", "VARCHAR"]
    assert rows(connection, "SELECT * FROM items") == [
        ("007", 5, None, None),
        ("008", None, Decimal("0.10"), '["a", "b"]'),
    ]


def test_a_line_that_is_not_json_is_named(take: Take) -> None:
    with pytest.raises(FileRejected, match="line 2 is not JSON"):
        take('{"a": 1}\n{"a": \n', name="items.jsonl")


def test_parquet_keeps_its_types_and_reads_only_the_named_file(
    tmp_path: Path, connection: duckdb.DuckDBPyConnection
) -> None:
    for name in ("a[1].parquet", "a1.parquet"):
        query = f"COPY (SELECT '{name}' AS \"file name\", 1.50::DECIMAL(9,2) AS price) TO ?"
        connection.execute(query, [str(tmp_path / name)])
    result = import_tables(connection, tmp_path / "a[1].parquet", "p", IngestSettings())
    table = result.tables[0]
    assert [(c.name, c.type) for c in table.columns] == [
        ("file_name", "VARCHAR"),
        ("price", "DECIMAL(9,2)"),
    ]
    assert rows(connection, f'SELECT file_name FROM "{table.name}"') == [("a[1].parquet",)]


def test_a_damaged_parquet_file_is_refused(take: Take) -> None:
    with pytest.raises(FileRejected, match="cannot be read as Parquet"):
        take(b"PAR1 this is not parquet", name="x.parquet")


def test_many_columns_of_irregular_cells_are_all_read(
    take: Take, connection: duckdb.DuckDBPyConnection
) -> None:
    header = ",".join(f"c{i}" for i in range(60))
    lines = "".join(",".join(["TRUE", f"▲{i}"] * 30) + "\n" for i in range(1, 6))
    table = take(f"{header}\n{lines}").tables[0]
    assert [c.type for c in table.columns] == ["BOOLEAN", "BIGINT"] * 30
    assert rows(connection, "SELECT bool_and(c58), sum(c1), sum(c59) FROM sales") == [
        (True, -15, -15)
    ]


def test_figures_that_a_parquet_file_holds_as_text_are_said(
    connection: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    path = tmp_path / "p.parquet"
    rows = "(VALUES ('a', '1,234', '007'), ('b', '▲5', '008')) AS t(name, amount, code)"
    connection.execute(f"COPY (SELECT * FROM {rows}) TO '{path}' (FORMAT parquet)")
    (table,) = import_tables(connection, path, path.name, IngestSettings()).tables
    assert table.notes == ("Column amount is text in the file, though it holds such as '1,234'.",)
