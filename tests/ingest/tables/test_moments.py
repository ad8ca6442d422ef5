from collections.abc import Callable
from datetime import date, datetime
from typing import Any

import pytest

from ingest.tables import TableImport
from ingest.tables.cells import read_moment

Column = Callable[..., tuple[str, list[Any]]]


@pytest.mark.parametrize(
    "cell",
    [
        "2026-01-05",
        "2026/1/5",
        "2026.1.5",
        "2026年1月5日",
        "令和8年1月5日",
        "R8.1.5",
        "平成38年1月5日",
        "5.1.2026",
        "２０２６／１／５",
        "2026/1/5(月)",
        "5-Jan-2026",
        "Jan 5, 2026",
    ],
)
def test_a_date_is_read_in_every_common_form(cell: str) -> None:
    moment = read_moment(cell)
    assert moment is not None
    assert (moment.text, moment.has_time) == ("2026-01-05", False)


def test_the_first_year_of_an_era_may_be_written_as_gannen() -> None:
    moment = read_moment("令和元年5月1日")
    assert moment is not None
    assert moment.text == "2019-05-01"


@pytest.mark.parametrize(
    "cell", ["2026-02-30", "2026/13/1", "2026-1", "1月5日", "31.4.2026", "令和8年"]
)
def test_a_date_that_does_not_exist_or_is_incomplete_is_none(cell: str) -> None:
    assert read_moment(cell) is None


@pytest.mark.parametrize(
    "cell", ["R1-2-3", "H1-2-3", "S2-10-1", "Decor 12, 2024", "1.25.2026", "Mars 12 1000"]
)
def test_a_code_or_a_name_is_no_date(cell: str) -> None:
    assert read_moment(cell) is None


@pytest.mark.parametrize(
    "cells",
    [
        ("R1-2-3", "R1-2-4", "R2-10-1"),
        ("R1.2.3", "R1.2.4", "R2.10.1"),
        ("1.2.2026", "5.1.2026"),
        ("1001-10-02", "1001-10-03"),
    ],
)
def test_codes_that_could_be_read_as_dates_stay_text(
    take: Callable[..., TableImport], cells: tuple[str, ...]
) -> None:
    (table,) = take("sku,x\n" + "".join(f"A{i},{c}\n" for i, c in enumerate(cells))).tables
    assert (table.columns[1].type, table.date_column) == ("VARCHAR", None)
    assert cells[0].startswith("R1-") or "stays text" in table.notes[0]


def test_what_settles_that_they_are_dates_is_taken(column: Column) -> None:
    assert column("5.1.2026", "13.1.2026")[1] == [date(2026, 1, 5), date(2026, 1, 13)]
    assert column("R8.1.5", "R8/1/6", header="受注日")[1] == [date(2026, 1, 5), date(2026, 1, 6)]
    assert column("R8.1.5", "令和8年1月6日")[0] == "DATE"
    assert column("0001-01-01", "2026-01-05", "9999-12-31")[0] == "DATE"


def test_a_column_of_dates_is_a_date_column(column: Column) -> None:
    assert column("2026/1/5", "2026-02-28", "令和8年3月1日") == (
        "DATE",
        [date(2026, 1, 5), date(2026, 2, 28), date(2026, 3, 1)],
    )


def test_dates_with_a_time_of_day_are_timestamps(column: Column) -> None:
    assert column("2026/1/5 9:31:00", "2026-01-06T18:05", "2026-01-07") == (
        "TIMESTAMP",
        [datetime(2026, 1, 5, 9, 31), datetime(2026, 1, 6, 18, 5), datetime(2026, 1, 7)],
    )


def test_one_day_above_twelve_settles_the_order_of_a_column(column: Column) -> None:
    assert column("03/04/2026", "25/04/2026")[1] == [date(2026, 4, 3), date(2026, 4, 25)]
    assert column("03/04/2026", "04/25/2026")[1] == [date(2026, 3, 4), date(2026, 4, 25)]


def test_days_and_months_that_cannot_be_told_apart_stay_text(column: Column) -> None:
    assert column("03/04/2026", "05/06/2026") == ("VARCHAR", ["03/04/2026", "05/06/2026"])


def test_both_orders_in_one_column_stay_text(column: Column) -> None:
    assert column("25/04/2026", "04/25/2026")[0] == "VARCHAR"


def test_eight_digits_are_a_date_only_where_the_name_says_so(column: Column) -> None:
    assert column("20260105", "20260228", header="order_date") == (
        "DATE",
        [date(2026, 1, 5), date(2026, 2, 28)],
    )
    assert column("20260105", "20260228", header="売上日")[0] == "DATE"
    assert column("20260105", "20260228", header="amount")[0] == "BIGINT"


def test_offsets_that_differ_stay_text(column: Column) -> None:
    assert column("2026-01-05T10:00:00+09:00", "2026-01-05T10:00:00Z")[0] == "VARCHAR"


def test_one_offset_for_all_keeps_the_local_time(column: Column) -> None:
    assert column("2026-01-05T10:00:00+09:00", "2026-01-06T11:30:00+09:00") == (
        "TIMESTAMP",
        [datetime(2026, 1, 5, 10), datetime(2026, 1, 6, 11, 30)],
    )


def test_truth_values_are_boolean_but_flags_are_not(column: Column) -> None:
    assert column("TRUE", "false", "") == ("BOOLEAN", [True, False, None])
    assert column("0", "1")[0] == "BIGINT"
    assert column("Y", "N")[0] == "VARCHAR"


# 46027 is 2026-01-05: 2026-01-01 is day 46023 (45658 is 2025-01-01, as Excel shows it).
@pytest.mark.parametrize(
    ("cells", "type_", "first"),
    [
        (("46027", "46028"), "DATE", date(2026, 1, 5)),
        (("46027", "2026/1/6"), "DATE", date(2026, 1, 5)),
        (("46027.5", "46028"), "TIMESTAMP", datetime(2026, 1, 5, 12)),
    ],
)
@pytest.mark.parametrize("header", ["出荷日", "日時"])
def test_day_numbers_under_the_name_of_a_date_are_dates(
    column: Column, header: str, cells: tuple[str, ...], type_: str, first: object
) -> None:
    found = column(*cells, header=header)
    assert (found[0], found[1][0]) == (type_, first)


def test_the_same_numbers_under_another_name_stay_numbers(column: Column) -> None:
    assert column("46027", "46028", header="金額") == ("BIGINT", [46027, 46028])
    assert column("20", "31", header="締め日")[0] == "BIGINT"
