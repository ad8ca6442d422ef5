from collections.abc import Callable
from typing import Any

import pytest

from ingest.tables import TableImport
from ingest.tables.names import column_names, names_identifier, table_name

Column = Callable[..., tuple[str, list[Any]]]


def test_one_leading_zero_makes_the_column_text(column: Column) -> None:
    assert column("12", "345", "0012") == ("VARCHAR", ["12", "345", "0012"])


def test_a_code_without_leading_zeros_is_text_by_its_name(column: Column) -> None:
    assert column("4901", "4902", header="商品コード") == ("VARCHAR", ["4901", "4902"])


def test_a_surrogate_key_of_plain_integers_is_an_integer(column: Column) -> None:
    assert column("1", "2", header="customer_id") == ("BIGINT", [1, 2])


def test_more_digits_than_an_integer_holds_are_text(
    column: Column, take: Callable[..., TableImport]
) -> None:
    assert column("12345678901234567890", "1")[0] == "VARCHAR"
    (table,) = take("k,x\na,12345678901234567890\nb,1\n").tables
    assert table.notes == ("Column x stays text: whole numbers of over 18 digits are codes.",)


@pytest.mark.parametrize(
    "name",
    [
        "code",
        "product_cd",
        "SKU",
        "ProductCode",
        "zip",
        "postal_code",
        "Phone 1",
        "tel_no",
        "jan_code",
        "郵便番号",
        "商品コード",
        "電話",
        "产品编号",
        "条码",
        "phone_number",
        "zip_postcode",
        "社員NO",
        "管理No.",
        "伝票№",
        "注文_No",
    ],
)
def test_names_of_codes_and_phones_are_identifiers(name: str) -> None:
    assert names_identifier(name)


@pytest.mark.parametrize(
    "name",
    ["id", "customer_id", "Jan_sales", "phone_sales", "レコード", "cd_quantity", "amount", "no"],
)
def test_names_of_keys_and_amounts_are_not_identifiers(name: str) -> None:
    assert not names_identifier(name)


def test_jan_is_a_barcode_or_january_by_the_length_of_its_values(column: Column) -> None:
    assert column("4901234567894", "4909876543216", header="JAN")[0] == "VARCHAR"
    assert column("120", "95", header="JAN")[0] == "BIGINT"


def test_headers_become_stable_unique_names() -> None:
    originals = [
        "商品名",
        " Unit Price ",
        "",
        "id",
        "ID",
        "売上(円)",
        "ＳＫＵ",
        "Zeit [MEZ]",
        "2024",
    ]
    assert column_names(originals) == (
        "商品名",
        "Unit_Price",
        "column_3",
        "id",
        "ID_2",
        "売上_円",
        "SKU",
        "Zeit_MEZ",
        "2024",
    )


def test_a_repeat_never_takes_a_name_that_is_in_the_header() -> None:
    assert column_names(["a", "a_2", "a"]) == ("a", "a_2", "a_3")


def test_long_names_are_cut_and_stay_unique() -> None:
    first, second = column_names(["x" * 300, "x" * 300])
    assert (len(first), second) == (200, "x" * 200 + "_2")


def test_combining_marks_are_part_of_a_word() -> None:
    assert column_names(["สวัสดี ครับ"]) == ("สวัสดี_ครับ",)


def test_table_names_come_from_file_and_sheet() -> None:
    assert table_name("Order-Items 2", None, ()) == "Order_Items_2"
    assert table_name("売上明細", "４月", ()) == "売上明細_4月"
    assert table_name("2024売上", None, ()) == "t_2024売上"
    assert table_name("Sales", None, ("sales", "SALES_2")) == "Sales_3"
