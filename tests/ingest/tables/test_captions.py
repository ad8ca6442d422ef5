"""What stands above a header, or right below it: captions, units, the names in another language."""

from collections.abc import Callable
from typing import Any

import duckdb
import pytest

from ingest.tables import TableImport
from ingest.tables.captions import read_unit

Take = Callable[..., TableImport]
ROWS = "部門,売上,利益\nA,1000,100\nB,2000,▲50\n"


def values(connection: duckdb.DuckDBPyConnection, query: str) -> tuple[Any, ...]:
    row = connection.execute(query).fetchone()
    assert row is not None
    return row


@pytest.mark.parametrize(
    ("text", "scale", "unit"),
    [
        ("（単位：千円）", 3, "JPY"),
        ("単位:百万円", 6, "JPY"),
        ("(单位：万元)", 4, "CNY"),
        ("単位：円", 0, "JPY"),
        ("単位：個", 0, "個"),
        ("USD in millions", 6, "USD"),
        ("(In thousands of yen)", 3, "JPY"),
    ],
)
def test_a_caption_states_a_scale_and_a_unit(text: str, scale: int, unit: str) -> None:
    read = read_unit(text)
    assert read is not None
    assert (read.scale, read.unit) == (scale, unit)


@pytest.mark.parametrize(
    "text", ["売上一覧", "部署：営業部", "千円札の枚数", "Million Dollar Baby"]
)
def test_other_captions_state_none(text: str) -> None:
    assert read_unit(text) is None


def test_a_scale_above_columns_of_money_is_multiplied_in_and_said(
    take: Take, connection: duckdb.DuckDBPyConnection
) -> None:
    table = take(f"売上一覧,,\n（単位：千円）,,\n{ROWS}").tables[0]
    assert values(connection, "SELECT sum(売上)::INT, sum(利益)::INT FROM sales") == (
        3_000_000,
        50_000,
    )
    assert [c.unit for c in table.columns] == [None, "JPY", "JPY"]
    assert table.warnings == ()
    assert "Column 売上 (売上) was multiplied by 1,000." in table.notes


def test_a_scale_of_money_leaves_quantities_and_shares_as_they_are(
    take: Take, connection: duckdb.DuckDBPyConnection
) -> None:
    take("単位：千円,,,\n商品,数量,金額,構成比\nA,1,100,40%\nB,2,150,60%\n")
    assert values(
        connection, "SELECT sum(数量)::INT, sum(金額)::INT, sum(構成比)::INT FROM sales"
    ) == (
        3,
        250_000,
        100,
    )


def test_a_scale_above_columns_that_may_be_anything_is_warned_of(take: Take) -> None:
    table = take("単位：千円,,\n部門,売上,実施\nA,5,7\nB,6,8\n").tables[0]
    assert table.warnings == ("row 1 above the table says 単位：千円; its figures are as written",)
    assert [c.unit for c in table.columns] == [None, None, None]


@pytest.mark.parametrize(
    "above",
    [
        "売上一覧,,作成日：2026/1/5\n",
        "会社名：A社,期間：2026/1,担当：山田\n",
        "売上報告,,\n部署：営業部,,税抜\n",
        "売上一覧,作成日,2026-01-05\n\n",
    ],
)
def test_captions_above_a_header_are_no_header(take: Take, above: str) -> None:
    table = take(f"{above}商品,数量,備考\nA,1,x\nB,2,y\n").tables[0]
    assert [c.name for c in table.columns] == ["商品", "数量", "備考"]
    assert table.rows == 2


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ("2023,2024,2025", ["2023", "2024", "2025"]),
        ("商品,2025,2026-01-01", ["商品", "2025", "2026_01_01"]),
    ],
)
def test_years_and_dates_over_figures_are_a_header(
    take: Take, header: str, names: list[str]
) -> None:
    table = take(f"{header}\n1,2,3\n4,5,6\n").tables[0]
    assert [c.name for c in table.columns] == names
    assert table.rows == 2


def test_years_over_years_are_data(take: Take) -> None:
    assert take("2023,2024\n2021,2022\n2019,2020\n").tables[0].rows == 3


def test_a_row_of_units_below_the_header_belongs_to_it(
    take: Take, connection: duckdb.DuckDBPyConnection
) -> None:
    table = take("商品,重量,金額\n,(kg),(千円)\nA,1,2\nB,2,3\n").tables[0]
    assert [(c.name, c.unit) for c in table.columns[1:]] == [("重量_kg", "kg"), ("金額", "JPY")]
    assert values(connection, "SELECT sum(金額)::INT FROM sales") == (5000,)


def test_the_names_in_another_language_below_the_header_are_no_row(take: Take) -> None:
    table = take("商品,数量,金額\nitem,qty,amount\nA,1,2\nB,2,3\n").tables[0]
    assert [(c.name, c.type) for c in table.columns[1:]] == [("数量", "BIGINT"), ("金額", "BIGINT")]
    assert table.rows == 2
    assert table.notes == ("Row 2 repeats the header in other words: item | qty | amount",)
