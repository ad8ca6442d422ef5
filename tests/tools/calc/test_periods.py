"""What the dates of a demand history stand for, counted on a calendar."""

from datetime import date

import pytest

from tools.calc.numbers import BadInput
from tools.calc.periods import periods


def days(*labels: str) -> list[date]:
    return [date.fromisoformat(label) for label in labels]


@pytest.mark.parametrize(
    ("labels", "kind", "first", "last", "count"),
    [
        (("2026-09-01", "2026-10-01"), "month", "2026-09-01", "2026-10-31", 2),
        (("2026-09-30", "2026-10-31"), "month", "2026-09-01", "2026-10-31", 2),
        (("2026-01-31", "2026-02-28"), "month", "2026-01-01", "2026-02-28", 2),
        (("2028-01-31", "2028-02-29", "2028-04-30"), "month", "2028-01-01", "2028-04-30", 4),
        (("2026-08-20", "2026-09-20", "2026-10-20"), "month closed on day 20",
         "2026-07-21", "2026-10-20", 3),
        (("2026-08-21", "2026-09-21", "2026-11-21"), "month closed on day 20",
         "2026-08-21", "2026-12-20", 4),
        (("2026-01-30", "2026-02-28", "2026-03-30"), "month closed on day 30",
         "2025-12-31", "2026-03-30", 3),
        (("2026-03-31", "2026-06-30", "2026-09-30"), "quarter", "2026-01-01", "2026-09-30", 3),
        (("2026-01-01", "2026-04-01", "2026-10-01"), "quarter", "2026-01-01", "2026-12-31", 4),
        (("2025-03-31", "2025-09-30", "2026-03-31"), "half-year", "2024-10-01", "2026-03-31", 3),
        (("2024-04-01", "2025-04-01", "2026-04-01"), "year", "2024-04-01", "2027-03-31", 3),
        (("2026-09-15", "2026-09-30", "2026-10-15"), "half a month", "2026-09-01", "2026-10-15", 3),
        (("2026-02-01", "2026-02-16", "2026-03-01"), "half a month", "2026-02-01", "2026-03-15", 3),
        (("2026-02-10", "2026-02-20", "2026-02-28"), "third of a month",
         "2026-02-01", "2026-02-28", 3),
        (("2026-09-01", "2026-09-11", "2026-09-21"), "third of a month",
         "2026-09-01", "2026-09-30", 3),
        (("2026-10-05", "2026-10-12", "2026-10-26"), "week", "2026-10-05", "2026-11-01", 4),
        (("2026-10-05", "2026-10-19", "2026-11-02"), "2 weeks", "2026-10-05", "2026-11-15", 3),
        (("2026-11-01", "2026-11-02", "2026-11-04"), "day", "2026-11-01", "2026-11-04", 4),
        (("2026-10-01", "2026-10-31"), "day", "2026-10-01", "2026-10-31", 31),
    ],
)  # fmt: skip
def test_dates_tell_their_periods(
    labels: tuple[str, ...], kind: str, first: str, last: str, count: int
) -> None:
    found = periods(days(*labels))
    told = (found.kind, found.first.isoformat(), found.last.isoformat(), found.count)
    assert told == (kind, first, last, count)
    assert found.days == (date.fromisoformat(last) - date.fromisoformat(first)).days + 1


@pytest.mark.parametrize(
    ("labels", "covered", "kind"),
    [
        (("2026-09-20", "2026-10-20"), 61, "month closed on day 20"),
        (("2026-09-20", "2026-10-20"), 31, "day"),
        (("2026-04-01", "2026-07-01"), 182, "quarter"),
        (("2026-04-01", "2026-07-01"), 122, "month"),
    ],
)
def test_two_dates_that_may_be_two_things_are_decided_by_the_days_given(
    labels: tuple[str, ...], covered: int, kind: str
) -> None:
    assert periods(days(*labels), covered).kind == kind
    with pytest.raises(BadInput) as error:
        periods(days(*labels))
    assert error.value.kind == "no_period"
    assert f"by {kind} " in str(error.value)
    assert "days=" in error.value.hint


@pytest.mark.parametrize("label", ["0001-01-01", "9999-12-01"])
def test_a_year_that_no_history_has_is_refused(label: str) -> None:
    with pytest.raises(BadInput, match=label):
        periods(sorted(days(label, "2026-12-01")))
