from collections.abc import Callable

import pytest

from tools.base import ToolContext
from tools.dates import DatesArguments, DatesTool
from tools.errors import ToolRetry

Build = Callable[..., ToolContext]


def test_a_range_becomes_date_evidence_of_one_row(context: Build) -> None:
    result = DatesTool().run(DatesArguments(expression="先月"), context())
    (evidence,) = result.evidence()
    assert evidence.kind == "date"
    assert evidence.rows == (("2026-10-01", "2026-10-31"),)
    assert [(c.name, c.type) for c in evidence.columns] == [("start", "DATE"), ("end", "DATE")]
    assert evidence.text == "先月 = 2026-10-01〜2026-10-31"
    assert result.for_model(["E3"]).startswith("E3: 先月 = 2026-10-01")


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        (None, None, None),
        ("2024-01-01", "2026-11-30", True),
        ("2024-01-01", "2026-10-31", True),
        ("2024-01-01", "2026-10-30", False),
        ("2026-10-02", "2026-11-30", False),
        ("2020-01-01", "2021-12-31", False),
    ],
)
def test_has_data_is_true_only_when_the_whole_range_is_covered(
    context: Build, first: str | None, last: str | None, expected: bool | None
) -> None:
    result = DatesTool().run(DatesArguments(expression="last month"), context(first, last))
    assert result.to_json()["has_data"] is expected
    assert ("note" in result.to_json()) is (expected is False)


def test_the_note_says_through_which_day_data_reach(context: Build) -> None:
    result = DatesTool().run(DatesArguments(expression="今月"), context("2024-01-01", "2026-11-15"))
    assert result.to_json()["note"] == (
        "The tables hold data from 2024-01-01 through 2026-11-15: only part of this range."
    )


def test_the_calendar_of_the_catalog_is_used(context: Build) -> None:
    made = context(fiscal_year_start=10, closing_day=15)
    assert (
        DatesTool().run(DatesArguments(expression="FY2025"), made).to_json()["end"] == "2026-09-30"
    )
    closing = DatesTool().run(DatesArguments(expression="2025年3月度"), made).to_json()
    assert (closing["start"], closing["end"]) == ("2025-02-16", "2025-03-15")


def test_an_unreadable_expression_is_left_to_the_model_to_mend(context: Build) -> None:
    with pytest.raises(ToolRetry, match="No date"):
        DatesTool().run(DatesArguments(expression="the good old times"), context())
