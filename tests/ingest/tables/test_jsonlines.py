"""JSON lines: what an object says twice, and characters that no cell can hold."""

from collections.abc import Callable

import duckdb

from ingest.tables import TableImport

Take = Callable[..., TableImport]


def test_a_key_with_two_values_is_quarantined_with_both(
    take: Take, connection: duckdb.DuckDBPyConnection
) -> None:
    result = take('{"sku":"A","n":1}\n\n{"sku":"B","n":2,"n":3}\n', name="sales.jsonl")
    assert connection.execute("SELECT * FROM sales").fetchall() == [("A", 1), ("B", None)]
    (cell,) = result.quarantined
    assert (cell.column, cell.row, cell.value) == ("n", 3, "2 | 3")
    assert "stands more than once" in cell.reason
    assert [c.quarantined for c in result.tables[0].columns] == [0, 1]


def test_a_key_that_says_the_same_twice_is_read(
    take: Take, connection: duckdb.DuckDBPyConnection
) -> None:
    result = take('{"sku":"A","n":1,"n":1}\n', name="sales.jsonl")
    assert connection.execute("SELECT * FROM sales").fetchall() == [("A", 1)]
    assert result.quarantined == ()


def test_a_key_that_stands_twice_inside_of_a_value_is_quarantined(take: Take) -> None:
    text = '{"sku":"A","size":[{"w":1,"w":2}]}\n{"sku":"B","size":[{"w":3}]}\n'
    (cell,) = take(text, name="sales.jsonl").quarantined
    assert (cell.column, cell.row, cell.value) == ("size", 1, '[{"w": "2"}]')


def test_nul_characters_are_left_out_and_said(
    take: Take, connection: duckdb.DuckDBPyConnection
) -> None:
    table = take('{"sku":"A\\u0000B"}\n{"sku":"C"}\n', name="sales.jsonl").tables[0]
    assert connection.execute("SELECT * FROM sales").fetchall() == [("AB",), ("C",)]
    assert table.notes == ("NUL characters were left out of cells in row 1.",)


def test_nul_characters_of_a_text_file_are_said_with_their_lines(take: Take) -> None:
    assert take("a,b\n1,x\0y\0\n2,w\n").tables[0].notes == (
        "2 NUL characters were left out, in line 2.",
    )
    utf16 = "a,b\n1,x\0y\n\0z,w\n".encode("utf-16")
    assert (
        "2 NUL characters were left out, in lines 2, 3."
        in take(utf16, name="b.csv").tables[0].notes
    )
    assert take("a,b\n1,x\n", name="c.csv").tables[0].notes == ()
