"""What counts as a right answer to a golden question."""

import pytest

from tests.bench.golden import Outcome, judge, report

EXPECT = {"status": ["answered"], "values": [1204150, "14日"], "sources": ["sales", "policy.md"]}


@pytest.mark.parametrize(
    ("status", "text", "sources", "why"),
    [
        ("answered", "1,204,150円、14日です。", ["sales", "kb/policy.md"], ""),
        ("handed_off", "", [], "handed_off, expected answered"),
        ("answered", "1,204,151円、14日です。", ["sales", "policy.md"], "not in the text: 1204150"),
        ("answered", "1204150 and 14日", ["sales"], "not cited: policy.md"),
    ],
)
def test_status_values_and_sources_must_all_be_right(
    status: str, text: str, sources: list[str], why: str
) -> None:
    assert judge(EXPECT, status, text, sources) == why


def test_an_honest_not_found_needs_no_values() -> None:
    expect = {"status": ["not_found", "handed_off"], "values": [], "sources": ["sales"]}
    assert judge(expect, "not_found", "", []) == ""
    assert judge(expect, "answered", "12", ["sales"]).startswith("answered, expected")


def test_the_report_counts_by_kind_and_names_what_went_wrong() -> None:
    told = report(
        [
            Outcome("t1", "table", "en", "answered", True, "", llm_calls=2, seconds=3.0),
            Outcome("t2", "table", "en", "answered", False, "not cited: sales", seconds=4.0),
            Outcome("d1", "document", "ja", "handed_off", False, "handed_off", seconds=5.0),
        ]
    ).splitlines()
    assert [line.split() for line in told[1:4]] == [
        ["table", "2", "1", "1", "0"],
        ["document", "1", "0", "0", "1"],
        ["all", "3", "1", "1", "1"],
    ]
    assert told[-2:] == ["- t2: not cited: sales", "- d1: handed_off"]
