from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from ingest.tables import TableImport
from ingest.tables.cells import read_number

Column = Callable[..., tuple[str, list[Any]]]


@pytest.mark.parametrize(
    ("cell", "value", "unit"),
    [
        ("１２３", "123", None),
        ("1,234,567", "1234567", None),
        ("▲1,200", "-1200", None),
        ("△12", "-12", None),
        ("−12.5", "-12.5", None),
        ("(12)", "-12", None),
        ("（1,000）", "-1000", None),
        ("12-", "-12", None),
        ("12,-", "12", None),
        ("+5", "5", None),
        ("¥1,200", "1200", "¥"),
        ("￥▲300", "-300", "¥"),
        ("-¥300", "-300", "¥"),
        ("1,234千円", "1234000", "JPY"),
        ("1.5百万円", "1500000", "JPY"),
        ("12.3万", "123000", None),
        ("3億円", "300000000", "JPY"),
        ("12.5％", "12.5", "%"),
        ("$19.90", "19.90", "USD"),
        ("20個", "20", "個"),
        ("2.5kg", "2.5", "kg"),
        ("0", "0", None),
        ("0.50", "0.50", None),
        ("¥1,000円", "1000", "JPY"),
        ("￥5元", "5", "CNY"),
        ("$5 USD", "5", "USD"),
        ("US$5", "5", "USD"),
        ("-US$5", "-5", "USD"),
        ("CN¥5", "5", "CNY"),
        ("JPY1,000", "1000", "JPY"),
        ("CNY 5", "5", "CNY"),
        ("RMB5", "5", "CNY"),
        ("€5", "5", "EUR"),
        ("円1,000", "1000", "JPY"),
        ("10KG", "10", "kg"),
        ("5Kg", "5", "kg"),
        ("500mL", "500", "ml"),
        ("20PCS", "20", "pcs"),
        ("1.5L", "1.5", "l"),
        ("１，２００Ｌ", "1200", "l"),
        ("1.2億", "120000000", None),
        ("12百万円", "12000000", "JPY"),
        ("5千万円", "50000000", "JPY"),
        ("1億2,000万円", "120000000", "JPY"),
        ("1億 2,000万円", "120000000", "JPY"),
        ("▲1億5千万円", "-150000000", "JPY"),
        ("2兆3,000億元", "2300000000000", "CNY"),
        ("3万5千", "35000", None),
        ("3万5千6百個", "35600", "個"),
        ("1万2345", "12345", None),
        ("1万500円", "10500", "JPY"),
        ("123456789012345678901234567890千", "123456789012345678901234567890000", None),
    ],
)
def test_a_cell_that_is_one_number_is_read(cell: str, value: str, unit: str | None) -> None:
    number = read_number(cell)
    assert number is not None
    assert (number.value, number.unit) == (Decimal(value), unit)


@pytest.mark.parametrize(
    "cell",
    [
        "約100",
        "100以上",
        "10~20",
        "1/2",
        "1,7",
        "1,23,456",
        "0,123",
        "1.234.567",
        "007",
        "12 34",
        "5x",
        "(-5",
        "-5-",
        "(5)-",
        "",
        "-",
        "円",
        "--5",
        "1,234,56",
        "３台位",
        "12%以上",
        "+-5",
        "-+5",
        "(+5)",
        "+5-",
        "$5円",
        "$5元",
        "€5£",
        "HK$5",
        "¥5個",
        "EUR001",
        "5L",
        "２Ｌ",
        "10K",
        "5T",
        "3XL",
        "L",
        "A4",
        "10MM",
        "10KGS",
        "100-200",
        "1万5",
        "1億5",
        "1万 2345",
        "3千5百万円",
        "1億2億",
        "1万20000",
        "1.5億2万",
        "1億2.5万",
        "1億0500万",
        "1e3万",
    ],
)
def test_a_cell_that_could_be_two_numbers_or_none_is_not_read(cell: str) -> None:
    assert read_number(cell) is None


def test_integers_are_bigint_and_zero_stays(column: Column) -> None:
    assert column("0", "5", "-7") == ("BIGINT", [0, 5, -7])


def test_decimals_are_exact_in_the_scale_of_the_data(column: Column) -> None:
    assert column("0.10", "19.999", "3") == (
        "DECIMAL(18,3)",
        [Decimal("0.100"), Decimal("19.999"), Decimal("3.000")],
    )


def test_many_digits_widen_the_decimal(column: Column) -> None:
    kind, values = column("12345678901234567.89", "0.01")
    assert kind == "DECIMAL(38,2)"
    assert values == [Decimal("12345678901234567.89"), Decimal("0.01")]


def test_whole_numbers_written_with_point_zero_are_integers(column: Column) -> None:
    assert column("6.0", "", "1980.0") == ("BIGINT", [6, None, 1980])


def test_money_written_with_two_zeros_stays_decimal(column: Column) -> None:
    assert column("5000.00", "20.00")[0] == "DECIMAL(18,2)"


def test_one_long_fraction_leaves_a_column_of_money_exact(column: Column) -> None:
    kind, values = column("0.10", "0.20", "35.6894871234")
    assert kind == "DECIMAL(18,10)"
    assert sum(values) == Decimal("35.9894871234")


def test_more_digits_than_are_exact_and_exponents_are_floating_point_and_said(
    take: Callable[..., TableImport],
) -> None:
    notes: list[str] = []
    for cell in ("0.1234567890123456789", "1.5E+3"):
        (table,) = take(f"k,x\na,{cell}\nb,2\n", name=f"t{cell[-1]}.csv").tables
        assert table.columns[1].type == "DOUBLE"
        notes += table.notes
    said = "Column x is floating point, for some of its figures have "
    assert notes == [f"{said}more than 18 digits after the point.", f"{said}an exponent."]


def test_forms_of_one_column_mix(column: Column) -> None:
    cells = ("1,200", "▲300", "４５", "(12)", "¥1,000", "30円", "12-")
    assert column(*cells) == ("BIGINT", [1200, -300, 45, -12, 1000, 30, -12])


def test_two_currencies_in_one_column_are_not_mixed(column: Column) -> None:
    assert column("$5", "€5", "$6")[0] == "VARCHAR"


def test_a_scale_word_in_the_header_and_in_the_cell_is_not_applied_twice(column: Column) -> None:
    cells = ["3"] * 99
    assert column(*cells, "5千円", header="売上(千円)")[1][-2:] == [3000, None]


def test_a_scale_word_inside_a_header_is_part_of_its_name(column: Column) -> None:
    assert column("3", "4", header="百万円以上件数") == ("BIGINT", [3, 4])


def test_capitals_and_small_letters_are_one_unit(column: Column) -> None:
    assert column("10KG", "5Kg", "2kg") == ("BIGINT", [10, 5, 2])


def test_whole_litres_are_read_beside_volumes(column: Column) -> None:
    assert column("1.5L", "2L", "500L", header="容量") == (
        "DECIMAL(18,1)",
        [Decimal("1.5"), Decimal("2.0"), Decimal("500.0")],
    )


@pytest.mark.parametrize("cells", [("3L", "5L", "10L"), ("5L", "10K", "7"), ("M", "3L", "3XL")])
def test_sizes_and_codes_stay_text(column: Column, cells: tuple[str, ...]) -> None:
    assert column(*cells, header="サイズ") == ("VARCHAR", list(cells))


def test_codes_that_look_like_weights_stay_text_by_the_name_of_their_column(
    column: Column,
) -> None:
    cells = ("10KG", "JPY5", "1.5L")
    for header in ("商品コード", "SKU"):
        assert column(*cells, header=header) == ("VARCHAR", list(cells))


def test_currencies_before_the_figure_are_read_in_a_column(column: Column) -> None:
    assert column("円1,000", "JPY 20", "¥30", "4円") == ("BIGINT", [1000, 20, 30, 4])
    assert column("JPY1,000", "USD5")[0] == "VARCHAR"


def test_compound_amounts_are_read_in_a_column(column: Column) -> None:
    assert column("1億2,000万円", "3万5千円", "500円") == ("BIGINT", [120_000_000, 35_000, 500])


def test_percent_stays_in_points(column: Column) -> None:
    assert column("12.5%", "８％") == ("DECIMAL(18,1)", [Decimal("12.5"), Decimal("8.0")])


def test_percent_beside_plain_numbers_is_not_guessed(column: Column) -> None:
    assert column("12%", "0.5", "0.7", "0.9")[0] == "VARCHAR"


def test_a_european_decimal_comma_is_never_read_as_thousands(column: Column) -> None:
    assert column(*["5"] * 99, "1,7", share=0.01) == ("BIGINT", [5] * 99 + [None])


@pytest.mark.parametrize("word", ["", "-", "N/A", "NULL", "NA", "なし", "#N/A"])
def test_words_for_nothing_are_null_among_numbers(column: Column, word: str) -> None:
    assert column("5", word, "0") == ("BIGINT", [5, None, 0])


@pytest.mark.parametrize(("header", "other"), [("数量", "5"), ("納期", "2026-01-05")])
def test_a_word_that_a_person_wrote_for_nothing_is_listed(
    take: Callable[..., TableImport], header: str, other: str
) -> None:
    result = take(f"k,{header}\na,{other}\nb,未定\nc,なし\nd,{other}\n")
    assert [(c.row, c.column, c.value) for c in result.quarantined] == [
        (3, header, "未定"),
        (4, header, "なし"),
    ]
    assert {c.reason.split(" a ")[0] for c in result.quarantined} == {"a word instead of"}
    assert result.tables[0].columns[1].quarantined == 2


def test_a_word_that_programs_write_for_a_blank_is_counted(
    take: Callable[..., TableImport],
) -> None:
    result = take("k,qty\na,5\nb,NaN\nc,none\nd,NaN\ne,\n")
    assert not result.quarantined
    assert result.tables[0].notes == ("Column qty is blank in 3 cells that say NaN, none.",)
