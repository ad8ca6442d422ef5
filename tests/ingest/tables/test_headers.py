from collections.abc import Callable

import pytest

from ingest.tables import TableImport
from ingest.tables.headers import read_header

Take = Callable[..., TableImport]


@pytest.mark.parametrize(
    ("original", "text", "scale"),
    [
        ("売上千円", "売上", 3),
        ("売上高百万円", "売上高", 6),
        ("売上(千円)", "売上", 3),
        ("売上_千円", "売上", 3),
        ("売上 単位:百万円", "売上", 6),
    ],
)
def test_a_scale_word_at_the_end_of_a_header_is_taken_off(
    original: str, text: str, scale: int
) -> None:
    header = read_header(original)
    assert (header.text, header.scale, header.unit) == (text, scale, "JPY")


@pytest.mark.parametrize(
    ("original", "unit"),
    [("重量(KG)", "kg"), ("重量(kg)", "kg"), ("容量(L)", "l"), ("売上(円)", "JPY"), ("売上", None)],
)
def test_a_header_names_the_unit_as_a_cell_does(original: str, unit: str | None) -> None:
    assert read_header(original).unit == unit


@pytest.mark.parametrize("original", ["五千円", "1千円", "千円札", "一万円"])
def test_an_amount_in_a_header_is_no_scale(original: str) -> None:
    assert read_header(original).scale == 0


def test_two_header_rows_of_a_text_file_are_joined(take: Take) -> None:
    text = "店舗,4月,,5月,\n,数量,金額,数量,金額\n東京,1,10,2,20\n大阪,3,30,4,40\n"
    table = take(text).tables[0]
    names = ["店舗", "4月_数量", "4月_金額", "5月_数量", "5月_金額"]
    assert [c.name for c in table.columns] == names
    assert [c.type for c in table.columns] == ["VARCHAR", *["BIGINT"] * 4]
    assert table.rows == 2


def test_a_blank_header_over_text_is_no_second_header_row(take: Take) -> None:
    table = take("name,,city\nKato,Mr,Osaka\nSato,Ms,Kyoto\n").tables[0]
    assert [c.name for c in table.columns] == ["name", "column_2", "city"]
    assert table.rows == 2


@pytest.mark.parametrize("above", ["", "売上表,,,,\n"])
def test_two_groups_over_all_but_the_first_column_are_a_header_row(take: Take, above: str) -> None:
    text = f"{above},1月,,2月,\n商品,数量,金額,数量,金額\nA,1,100,2,200\nB,3,300,4,400\n"
    table = take(text).tables[0]
    names = ["商品", "1月_数量", "1月_金額", "2月_数量", "2月_金額"]
    assert [c.name for c in table.columns] == names
    assert table.rows == 2


def test_two_cells_above_a_header_that_begin_in_the_first_column_are_a_title(take: Take) -> None:
    table = take("Sales,,,,2026\nsku,a,b,c,d\nA,1,2,3,4\nB,5,6,7,8\n").tables[0]
    assert [c.name for c in table.columns] == ["sku", "a", "b", "c", "d"]


@pytest.mark.parametrize(
    ("original", "text", "scale", "unit"),
    [
        ("Sales (USD thousands)", "Sales", 3, "USD"),
        ("Sales ($000)", "Sales", 3, "USD"),
        ("Revenue (in millions)", "Revenue", 6, None),
        ("Cost (k JPY)", "Cost", 3, "JPY"),
        ("Length (m)", "Length (m)", 0, "m"),
        ("Model (K)", "Model (K)", 0, None),
    ],
)
def test_an_english_scale_in_a_header_is_taken_off(
    original: str, text: str, scale: int, unit: str | None
) -> None:
    header = read_header(original)
    assert (header.text, header.scale, header.unit) == (text, scale, unit)
