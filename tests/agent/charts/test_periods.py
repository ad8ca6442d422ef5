import pytest

from agent.charts.periods import find_period
from tools.evidence import Column, Value


def column(name: str, kind: str = "VARCHAR") -> Column:
    return Column(name=name, type=kind)


@pytest.mark.parametrize(
    ("texts", "unit", "order"),
    [
        (["2026-02", "2026-01"], "month", ("2026-01-01", "2026-02-01")),
        (["2026年10月", "2026年9月"], "month", ("2026-09-01", "2026-10-01")),
        (["2026/1/5", "2025/12/31"], "day", ("2025-12-31", "2026-01-05")),
        (["2026年1月5日", "2026年1月4日"], "day", ("2026-01-04", "2026-01-05")),
        (["2026年", "2024年"], "year", ("2024", "2026")),
        (["2024", "2026"], None, ()),
        (["0013", "0042"], None, ()),
        (["2026Q1", "2025Q4"], "label", ("2025Q4", "2026Q1")),
        (["2026年第1四半期", "2025年第4四半期"], "label", ("2025年第4四半期", "2026年第1四半期")),
        (["2026年第二季度", "2026年第一季度"], None, ()),
        (["2026-W10", "2026-W9"], "label", ("2026-W9", "2026-W10")),
        (["FY2026", "FY2025"], "label", ("FY2025", "FY2026")),
        (["令和元年度", "平成30年度"], "label", ("平成30年度", "令和元年度")),
        (["Mar 2026", "December 2025"], "label", ("December 2025", "Mar 2026")),
        (["Tokyo", "Osaka"], None, ()),
        (["XR-4200", "2026-01"], None, ()),
    ],
)
def test_written_periods_are_found_and_put_in_order(
    texts: list[str], unit: str | None, order: tuple[str, ...]
) -> None:
    found = find_period([column("x")], [(t,) for t in texts])
    assert (found.unit if found else None) == unit
    assert (found.order if found else ()) == order


def test_four_digits_are_years_where_the_column_says_so() -> None:
    found = find_period([column("fiscal_year")], [("2026",), ("2025",)])
    assert found is not None
    assert (found.unit, found.order) == ("year", ("2025", "2026"))


def test_months_without_a_year_stay_in_the_order_of_the_rows() -> None:
    fiscal = [f"{(n + 2) % 12 + 1}月" for n in range(1, 13)]
    found = find_period([column("月")], [(t,) for t in fiscal])
    assert found is not None
    assert found.order == tuple(fiscal)
    assert (found.order[0], found.order[-1]) == ("4月", "3月")


def test_rows_that_run_backwards_are_turned_round() -> None:
    found = find_period([column("月")], [("3月",), ("2月",), ("1月",)])
    assert found is not None
    assert found.order == ("1月", "2月", "3月")


def test_a_year_and_a_month_beside_each_other_are_one_point_in_time() -> None:
    columns = [column("year", "BIGINT"), column("n", "BIGINT"), column("month", "BIGINT")]
    rows: list[tuple[Value, ...]] = [(2026, 7, 1), (2025, 7, 12)]
    found = find_period(columns, rows)
    assert found is not None
    assert (found.unit, found.order, found.used) == ("month", ("2025-12-01", "2026-01-01"), (0, 2))


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("quantity", [1, 2, 3]),
        ("month", [1, 13]),
        ("月間件数", [3, 5]),
        ("year", [1, 2]),
        ("units_this_month", [3, 5]),
        ("前月", [3, 5]),
    ],
)
def test_plain_figures_are_no_periods(name: str, values: list[int]) -> None:
    assert find_period([column(name, "BIGINT")], [(v,) for v in values]) is None


@pytest.mark.parametrize(
    ("kind", "values", "unit"),
    [
        ("DATE", ["2026-01-01", "2026-02-01"], "month"),
        ("DATE", ["2026-01-01", "2026-02-02"], "day"),
        ("TIMESTAMP", ["2026-01-01T00:00:00", "2026-02-01T00:00:00"], "month"),
        ("TIMESTAMP", ["2026-01-01T09:30:00", "2026-02-01T00:00:00"], "time"),
        ("DATE", ["2026-01-01"], "day"),
    ],
)
def test_dates_are_days_months_or_moments(kind: str, values: list[str], unit: str) -> None:
    found = find_period([column("x", kind)], [(v,) for v in values])
    assert found is not None
    assert found.unit == unit


def test_warehouses_that_are_called_like_weeks_are_weeks_only_where_the_column_says_so() -> None:
    rows = [("W02",), ("W01",)]
    assert find_period([column("warehouse_code")], rows) is None
    found = find_period([column("sales_week")], rows)
    assert found is not None and found.order == ("W01", "W02")
