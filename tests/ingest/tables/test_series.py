import pytest

from ingest.tables.series import joint_type, series_key, series_name, series_source


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("d/sales_2026-01.csv", "d/sales_2026-02.csv"),
        ("d/売上_202601.xlsx", "d/売上_202602.csv"),
        ("d/売上2026年1月.xlsx", "d/売上2026年12月.xlsx"),
        ("d/売上_令和7年12月度.xlsx", "d/売上_令和8年1月度.xlsx"),
        ("d/4月売上.csv", "d/5月売上.csv"),
        ("d/2025.csv", "d/2026.csv"),
        ("d/stock 2026-01-31.csv", "d/stock 2026-02-28.csv"),
        ("d/stock_20260131.csv", "d/stock_20260228.csv"),
        ("d/Report Jan-2026.csv", "d/Report February-2026.csv"),
        ("d/FY2025Q3.csv", "d/FY2025Q4.csv"),
        ("d/库存2026年第1季度.csv", "d/库存2026年第2季度.csv"),
    ],
)
def test_names_that_differ_in_a_period_are_of_one_series(left: str, right: str) -> None:
    assert series_key(left, None) == series_key(right, None) is not None


@pytest.mark.parametrize(
    "name", ["sales.csv", "sales_v2.csv", "part1.csv", "acs2012_population.csv", "100knocks.csv"]
)
def test_a_name_without_a_period_is_of_no_series(name: str) -> None:
    assert series_key(f"d/{name}", None) is None


def test_other_folders_names_and_sheets_are_other_series() -> None:
    keys = [
        series_key("a/sales_2026-01.csv", None),
        series_key("b/sales_2026-01.csv", None),
        series_key("a/stock_2026-01.csv", None),
        series_key("a/sales_2026-01.csv", "Tokyo"),
    ]
    assert len(set(keys)) == 4


def test_the_table_is_called_after_the_name_without_its_period_else_after_the_folder() -> None:
    assert series_name("months/売上_202601.xlsx") == "売上"
    assert series_name("months/sales_2026-01_tokyo.csv") == "sales_tokyo"
    assert series_name("months/2026-01.csv") == "months"
    assert series_source("months/sales_2026-01.csv") == "months/sales_*.csv"


@pytest.mark.parametrize(
    ("left", "right", "joint"),
    [
        ("BIGINT", "DECIMAL(18,2)", "DECIMAL(38,2)"),
        ("DECIMAL(18,2)", "DECIMAL(18,3)", "DECIMAL(38,3)"),
        ("BIGINT", "DOUBLE", "DOUBLE"),
        ("DATE", "TIMESTAMP", "TIMESTAMP"),
        ("BIGINT", "VARCHAR", "VARCHAR"),
        ("DATE", "BIGINT", None),
        ("DATE", "VARCHAR", None),
        ("BOOLEAN", "BIGINT", None),
    ],
)
def test_types_join_without_loss_or_not_at_all(left: str, right: str, joint: str | None) -> None:
    assert joint_type(left, right) == joint_type(right, left) == joint
