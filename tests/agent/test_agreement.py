"""Two results agree by their figures, whatever the order of rows and columns."""

import pytest

from agent.agreement import same_figures
from tools.evidence import Column, Evidence, Value

Rows = tuple[tuple[Value, ...], ...]


def rows(*values: tuple[Value, ...]) -> Evidence:
    columns = tuple(Column(name=f"c{n}", type="VARCHAR") for n in range(len(values[0])))
    return Evidence(
        kind="rows", tool="sql", source="t", columns=columns, rows=values, row_count=len(values)
    )


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (rows((19,)), rows(("19.0",))),
        (rows(("A", 1), ("B", 2)), rows((2, "b-name"), (1, "a-name"))),
        (rows(("A", 1)), rows(("A", 1, 70, "Tokyo"))),
        (rows((1.23456789,)), rows(("1.2345681",))),
        (rows(("Tokyo",), ("Osaka",)), rows(("osaka",), ("tokyo",))),
    ],
)
def test_the_same_figures_agree(first: Evidence, second: Evidence) -> None:
    assert same_figures(first, second) and same_figures(second, first)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (rows((19,)), rows((20,))),
        (rows((1,), (2,)), rows((1,))),
        (rows((1, 2)), rows((1, 3))),
        (rows((1, 1)), rows((1, 2))),
        (rows(("Tokyo",)), rows(("Osaka",))),
        (rows(("A", None)), rows(("A", 5))),
        (rows(("A", 1), ("B", 2)), rows(("A", 2), ("B", 1))),
    ],
)
def test_other_figures_differ(first: Evidence, second: Evidence) -> None:
    assert not same_figures(first, second) and not same_figures(second, first)
