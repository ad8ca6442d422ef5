"""Figures that were copied with zeros or a point in the wrong place."""

import pytest

from agent.copied import mended
from tools.evidence import Column, Evidence, Value
from tools.verify import verify


def _evidence(*values: Value) -> Evidence:
    return Evidence(
        id="E1",
        kind="rows",
        tool="sql",
        source="sales",
        columns=(Column(name="amount", type="BIGINT"),),
        rows=tuple((v,) for v in values),
        row_count=len(values),
    )


def _mended(text: str, *values: Value) -> str:
    evidence = [_evidence(*values)]
    return mended(text, verify(text, evidence).unsupported, evidence)


@pytest.mark.parametrize(
    ("text", "value", "right"),
    [
        ("It was 120,415,000 yen.", 1204150, "It was 1,204,150 yen."),
        ("合計は12041500円です。", "1204150", "合計は1204150円です。"),
        ("The average is 288.3389.", 28.83389, "The average is 28.83389."),
    ],
)
def test_the_one_value_with_these_digits_is_put_in(text: str, value: Value, right: str) -> None:
    assert _mended(text, value) == right


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("It was 1,204,151 yen.", (1204150,)),
        ("It was 1200 yen.", (12,)),
        ("It was 12,041,500 yen.", (1204150, 120415)),
        ("It was 12,041,500 yen.", tuple(range(1204100, 1204200))),
    ],
)
def test_what_could_be_another_figure_is_left_for_the_check(
    text: str, values: tuple[Value, ...]
) -> None:
    assert _mended(text, *values) == text


def test_a_figure_that_is_right_is_not_touched() -> None:
    assert _mended("It was 1,204,150 yen.", 1204150) == "It was 1,204,150 yen."
