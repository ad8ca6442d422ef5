import pytest

from ingest.documents.tables import Row, header_depth, join_lines, to_markdown


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["1,905,943,80", "5.66"], "1,905,943,805.66"),
        (["304,000,000.", "00"], "304,000,000.00"),
        (["-48,941,877.", "12"], "-48,941,877.12"),
        (["1,618,", "820,25", "3.00"], "1,618,820,253.00"),
        (["201,812", ",279.17"], "201,812,279.17"),
        (["2019", "2020"], "2019 2020"),
        (["12.50", "13.20"], "12.50 13.20"),
        (["1,234", "56"], "1,234 56"),
    ],
)
def test_a_wrapped_figure_is_one_number_and_two_figures_stay_two(
    lines: list[str], expected: str
) -> None:
    assert join_lines(lines, full_width=True) == expected


def test_a_figure_that_does_not_fill_its_cell_was_not_wrapped() -> None:
    assert join_lines(["12.5", "3"], full_width=False) == "12.5 3"


def test_chinese_lines_join_without_a_blank_and_english_with_one() -> None:
    assert join_lines(["浙江海翔药", "业销售有限", "公司"]) == "浙江海翔药业销售有限公司"
    assert join_lines(["Lead", "time"]) == "Lead time"
    assert join_lines(["inven-", "tory"]) == "inventory"


def test_merged_header_cells_name_each_column() -> None:
    rows: list[Row] = [["Item", "2019", None], [None, "Amount", "Share"], ["ODB-2", "12", "74%"]]
    assert header_depth(rows) == 2
    assert to_markdown(rows, 2).splitlines()[0] == "| Item | 2019 / Amount | 2019 / Share |"


def test_a_title_over_all_columns_stands_once() -> None:
    rows: list[Row] = [["Stock", None, None], ["SKU", "Qty", "Unit"], ["XR-1", "3", "pcs"]]
    assert to_markdown(rows, header_depth(rows)).splitlines()[0] == "| Stock / SKU | Qty | Unit |"


def test_a_merged_body_cell_is_not_repeated() -> None:
    rows: list[Row] = [["Name", "A", "B"], ["Note", "closed in May", None]]
    assert to_markdown(rows).splitlines()[2] == "| Note | closed in May |  |"


def test_empty_rows_and_columns_are_dropped_and_short_rows_padded() -> None:
    rows: list[Row] = [["", "", ""], ["a", "", "b"], ["1"]]
    assert to_markdown(rows) == "| a | b |\n| --- | --- |\n| 1 |  |"


def test_a_grid_without_text_is_no_table() -> None:
    assert to_markdown([["", None], []]) == ""


@pytest.mark.parametrize(
    "periods",
    [
        ("2024", "2025"),
        ("FY2024", "FY2025"),
        ("2024年度", "2025年度"),
        ("Q1", "Q2"),
        ("4月", "5月"),
    ],
)
def test_years_and_months_under_a_merged_cell_are_header(periods: tuple[str, str]) -> None:
    rows: list[Row] = [["Region", "Sales", None], ["", *periods], ["East", "1,200", "300"]]
    assert header_depth(rows) == 2
    first = f"| Region | Sales / {periods[0]} | Sales / {periods[1]} |"
    assert to_markdown(rows, header_depth(rows)).splitlines()[0] == first


@pytest.mark.parametrize("figures", [("2024", "310"), ("1200", "1300"), ("12", "74%")])
def test_figures_under_a_merged_cell_are_no_header(figures: tuple[str, str]) -> None:
    rows: list[Row] = [["Region", "Sales", None], ["East", *figures], ["West", "1", "2"]]
    assert header_depth(rows) == 1
