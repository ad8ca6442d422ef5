"""The period in a file's name, as days."""

from datetime import date

import pytest

from ingest.tables.periods import period_of
from ingest.tables.series import SeriesRules, last_days


@pytest.mark.parametrize(
    ("name", "first", "last"),
    [
        ("s_2026-06.csv", date(2026, 6, 1), date(2026, 6, 30)),
        ("s_202602.csv", date(2026, 2, 1), date(2026, 2, 28)),
        ("売上_2026年6月.csv", date(2026, 6, 1), date(2026, 6, 30)),
        ("売上_令和8年12月度.csv", date(2026, 12, 1), date(2026, 12, 31)),
        ("Jun-2026 s.csv", date(2026, 6, 1), date(2026, 6, 30)),
        ("s_20260605.csv", date(2026, 6, 5), date(2026, 6, 5)),
        ("s_31.01.2026.csv", date(2026, 1, 31), date(2026, 1, 31)),
        ("s_2026q4.csv", date(2026, 10, 1), date(2026, 12, 31)),
        ("Q2_2026.csv", date(2026, 4, 1), date(2026, 6, 30)),
        ("2026年第一季度.csv", date(2026, 1, 1), date(2026, 3, 31)),
        ("s_2026H1.csv", date(2026, 1, 1), date(2026, 6, 30)),
        ("stock_2026W05.csv", date(2026, 1, 26), date(2026, 2, 1)),
        ("2024.csv", date(2024, 1, 1), date(2024, 12, 31)),
    ],
)
def test_a_name_gives_first_and_last_day_however_it_is_written(
    name: str, first: date, last: date
) -> None:
    found = period_of(f"folder/{name}")
    assert found is not None
    assert (found.first, found.last, found.years) == (first, last, "calendar")


@pytest.mark.parametrize("name", ["sales.csv", "s_20260231.csv", "s_2026W54.csv", "13月.csv"])
def test_no_period_and_one_that_does_not_exist_are_none(name: str) -> None:
    assert period_of(name) is None


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        ("s_2026-01.csv", "s_2026-02.csv", None),
        ("s_2025.csv", "s_2026-01.csv", None),
        ("s_2026-01.csv", "s_2026Q2.csv", None),
        ("s_2026-01.csv", "s_202601.csv", "names the same period"),
        ("s_05.06.2026.csv", "s_2026-06-05.csv", "names the same period"),
        ("s_2026-01.csv", "s_2026-Q1.csv", "overlaps"),
        ("s_2026.csv", "s_2026-03.csv", "overlaps"),
        ("s_2026W05.csv", "s_2026-01.csv", "overlaps"),
        ("FY2025.csv", "FY2025Q3.csv", "overlaps"),
        ("FY2025Q2.csv", "FY2025Q3.csv", None),
        ("2026年度.csv", "2026年.csv", "cannot be told"),
        ("4月.csv", "2026年4月.csv", "cannot be told"),
        ("4月.csv", "5月.csv", None),
    ],
)
def test_files_whose_periods_may_share_a_day_clash(one: str, other: str, said: str | None) -> None:
    found = SeriesRules().clash(one, other)
    assert (found is None) == (said is None)
    assert (said or "") in (found or "")
    assert (SeriesRules().clash(other, one) is None) == (said is None)


def test_files_of_a_pattern_may_share_a_period() -> None:
    rules = SeriesRules(patterns=("store_*.csv",))
    assert rules.clash("store_tokyo_2026-01.csv", "store_osaka_2026-01.csv") is None


@pytest.mark.parametrize(
    "names", [["a_2026-01.csv", "a.csv"], ["1月.csv", "2月.csv"], ["FY2025.csv", "FY2026.csv"]]
)
def test_there_are_no_days_where_a_name_gives_none_for_certain(names: list[str]) -> None:
    assert last_days(names) is None


def test_the_day_comes_first_where_one_of_the_files_proves_it() -> None:
    assert last_days(["s_05.06.2026.csv", "s_04.06.2026.csv"]) is None
    assert last_days(["s_05.06.2026.csv", "s_31.05.2026.csv"]) == {
        "s_05.06.2026.csv": date(2026, 6, 5),
        "s_31.05.2026.csv": date(2026, 5, 31),
    }
