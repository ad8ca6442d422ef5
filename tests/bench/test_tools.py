import pytest

from tests.bench.tools import Pairs, report


def pairs(*both: tuple[float, float]) -> Pairs:
    return Pairs([t for t, _ in both], [b for _, b in both])


def test_an_overhead_is_the_difference_of_each_pair() -> None:
    assert pairs((5.0, 1.0), (2.0, 3.0)).overhead == [4.0, -1.0]


@pytest.mark.parametrize(("tool", "said"), [(11.5, "held"), (12.5, "MISSED")])
def test_the_report_says_side_by_side_what_a_call_takes(tool: float, said: str) -> None:
    three = pairs((tool, 2.0), (tool, 2.0), (99.0, 2.0))
    text = report({"all queries": three}, {"all snippets": pairs((3.0, 0.0))})
    assert f"| SQL: all queries | 3 | {tool:.2f} | 2.00 | {tool - 2:.2f} |" in text
    assert f"overhead p50 {tool - 2:.2f} ms, target 10 ms: {said}" in text
    assert "calculation tool: overhead p50 3.00 ms, target 5 ms: held" in text
