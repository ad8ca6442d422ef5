"""Files as people make them: what a controller would expect to find in the table."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import duckdb
import pytest

from ingest.tables import TableImport
from ingest.tables.cells import read_number

Take = Callable[..., TableImport]


@pytest.mark.parametrize("text", ["①", "5²", "1½", "㊿", "10³個", "½"])
def test_a_sign_that_is_no_digit_makes_no_figure(text: str) -> None:
    assert read_number(text) is None


def test_full_width_digits_are_digits() -> None:
    found = read_number("１，２００．５円")
    assert found is not None and found.value == Decimal("1200.5")


def test_a_failed_formula_is_quarantined_and_its_column_stays_a_column_of_figures(
    take: Take, connection: duckdb.DuckDBPyConnection
) -> None:
    result = take("k,v\na,10\nb,#DIV/0!\nc,30\nd,#REF!\n")
    assert connection.execute("SELECT sum(v)::INT, count(v) FROM sales").fetchone() == (40, 2)
    assert [(c.row, c.value) for c in result.quarantined] == [(3, "#DIV/0!"), (5, "#REF!")]
    assert result.tables[0].columns[1].quarantined == 2


def test_a_column_of_failed_formulas_only_is_text(take: Take) -> None:
    result = take("k,v\na,#DIV/0!\nb,#DIV/0!\n", share=1.0)
    assert (result.tables[0].columns[1].type, result.quarantined) == ("VARCHAR", ())


def test_excels_mark_for_text_is_left_out_and_said(
    take: Take, connection: duckdb.DuckDBPyConnection
) -> None:
    table = take("code,amount,name\n'00123,'45,'s Hertog\n'00124,46,B\n").tables[0]
    assert connection.execute("SELECT * FROM sales").fetchall() == [
        ("00123", 45, "'s Hertog"),
        ("00124", 46, "B"),
    ]
    assert table.notes == ("Apostrophes before numbers were left out in rows 2, 3.",)


def test_the_mark_is_left_out_of_a_large_file_too(
    take: Take, connection: duckdb.DuckDBPyConnection
) -> None:
    rows = "".join(f"{i:06}-ABCDEFGH,{i}\n" for i in range(15_000))
    take(f"code,amount\n{rows}X,'7\n")
    assert connection.execute("SELECT sum(amount)::INT FROM sales").fetchone() == (
        14_999 * 15_000 // 2 + 7,
    )


def test_decimal_commas_stay_text_and_it_is_said(take: Take) -> None:
    table = take("betrag;name\n1.234,56;A\n2.000,00;B\n-3,5;C\n").tables[0]
    assert table.columns[0].type == "VARCHAR"
    assert table.notes[-1] == (
        "Column betrag stays text: its commas may be decimal points, such as in '-3,5'."
    )


def test_a_remark_below_a_table_of_two_columns_is_no_row_of_it(take: Take) -> None:
    table = take("店舗,売上\n東京,5\n大阪,6\n\n※速報値\n").tables[0]
    assert table.rows == 2
    assert table.notes == ("Row 5 below the table was left out: ※速報値",)
    assert take("店舗,売上\n東京,5\n\n大阪,\n", name="b.csv").tables[0].rows == 2


@pytest.mark.parametrize(
    ("above", "said"),
    [
        ("単位：千円", "row 1 above the table says 単位：千円; its figures are as written"),
        ("(单位：万元)", "row 1 above the table says (单位：万元); its figures are as written"),
        (
            "USD in millions",
            "row 1 above the table says USD in millions; its figures are as written",
        ),
        ("単位：円", None),
        ("売上一覧", None),
    ],
)
def test_a_scale_above_the_table_is_warned_of(take: Take, above: str, said: str | None) -> None:
    table = take(f"{above}\n店舗,商品,実施\n東京,A,5\n大阪,B,6\n").tables[0]
    assert table.warnings == ((said,) if said else ())


@pytest.mark.parametrize(
    ("text", "warned"),
    [
        ("品番,数量\nA,1\nB,2\n\n倉庫,住所\n東京,x\n大阪,y\n", True),
        ("品番,数量\nA,1\nB,2\n\nC,3\nD,4\n", False),
        ("品番,名称\nA,x\nB,y\n\nC,z\nD,w\n", False),
    ],
)
def test_a_second_table_below_blank_rows_is_warned_of(take: Take, text: str, warned: bool) -> None:
    warnings: Any = take(text).tables[0].warnings
    assert len(warnings) == warned
    assert not warned or warnings[0].startswith("row 5 looks like the header of another table")
