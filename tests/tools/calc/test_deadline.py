"""No function that the sandbox calls works past the calculation's end."""

import time
from collections.abc import Callable, Iterator

import pytest

from reranker.language import Language
from tools.base import ToolContext
from tools.calc import deadline
from tools.calc.forecast import Forecaster
from tools.calc.functions import HostFunctions
from tools.calc.inputs import EvidenceInputs, unique_names
from tools.calc.settings import CalcSettings
from tools.calc.tool import CalculationArguments, CalculationTool
from tools.errors import ToolRetry
from tools.evidence import Column

ENGLISH: Language = "en"
MANY = list(range(1, 2_001))
ROWS = [{"sku": str(n), "quantity": 1, "on_hand": 1, "lead_time_days": 1} for n in MANY]


@pytest.fixture(scope="module")
def hasty() -> Iterator[CalculationTool]:
    tool = CalculationTool(CalcSettings(time_limit_s=0.3))
    yield tool
    tool.close()


def test_a_loop_ends_when_the_time_is_over() -> None:
    seen = []
    with pytest.raises(TimeoutError), deadline.until(time.monotonic() + 0.05):
        for n in deadline.in_time(iter(int, 1)):
            seen.append(n)
    assert len(seen) % deadline.EVERY == 0


def test_an_inner_end_does_not_move_an_outer_one_further() -> None:
    with deadline.until(0.0), deadline.until(time.monotonic() + 60), pytest.raises(TimeoutError):
        deadline.check()
    deadline.check()


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("moving_average", (MANY, 1000)),
        ("linear_trend", (MANY,)),
        ("growth", (MANY, 1)),
        ("average_cost", (MANY, MANY)),
        ("abc_classes", (MANY, MANY)),
        ("reorder_proposal", (ROWS, ROWS, ROWS, None, 0.95, 30, 1, 90)),
    ],
)
def test_a_function_looks_at_the_clock_while_it_works(
    name: str, arguments: tuple[object, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock is past the end at its second look: in time when called, late inside."""
    functions = HostFunctions(EvidenceInputs({}), Forecaster(), ENGLISH, limit_s=60.0)
    call = functions.table()[name]
    looks = iter([0.0])
    clock = lambda: next(looks, float("inf"))  # noqa: E731
    monkeypatch.setattr(time, "monotonic", clock)
    with pytest.raises(TimeoutError, match="time is over"):
        call(*arguments)


def test_a_result_that_comes_late_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    functions = HostFunctions(EvidenceInputs({}), Forecaster(), ENGLISH, limit_s=60.0)
    call = functions.table()["turnover"]
    looks = iter([0.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(looks, float("inf")))
    with pytest.raises(TimeoutError, match="stopped after 60 s"):
        call(6, 2)


@pytest.mark.slow
@pytest.mark.parametrize(
    "code",
    [
        "x = list(range(1, 100_001))\nabc_classes(x, x)[0]",
        "for _ in range(4000):\n    moving_average([1] * 1000, 500)\n1",
    ],
)
def test_much_work_in_functions_is_stopped_by_name(
    code: str, hasty: CalculationTool, context: ToolContext
) -> None:
    started = time.monotonic()
    with pytest.raises(ToolRetry) as error:
        hasty.run(CalculationArguments(code=code), context)
    assert error.value.kind == "time_limit"
    assert time.monotonic() - started < 20


def test_a_forecast_waits_for_another_no_longer_than_it_may() -> None:
    forecaster = Forecaster(limit_s=0.05)
    with forecaster._alone(), pytest.raises(TimeoutError, match="another forecast"):  # noqa: SIM117
        with forecaster._alone():
            pass


def test_columns_of_one_name_are_numbered_in_little_time() -> None:
    started = time.thread_time()
    names = unique_names([Column(name="a", type="BIGINT")] * 5_000)
    assert (names[:3], names[-1]) == (["a", "a_2", "a_3"], "a_5000")
    assert time.thread_time() - started < 2


def test_a_numbered_name_that_a_column_has_already_is_passed_over() -> None:
    columns = [Column(name=n, type="BIGINT") for n in ("a_2", "a", "a", "a", "a_2")]
    assert unique_names(columns) == ["a_2", "a", "a_3", "a_4", "a_2_2"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "is_loaded"), [("seasonal_forecast([1, 2] * 9, 2)", "True"), ("1 + 1", "False")]
)
def test_the_statistics_are_loaded_before_the_time_runs_and_only_for_a_forecast(
    code: str, is_loaded: str, run_python: Callable[[str], str]
) -> None:
    script = (
        "import sys\nfrom tools.calc.tool import CalculationArguments, CalculationTool\n"
        f"CalculationTool().prepare(CalculationArguments(code={code!r}))\n"
        "print('statsmodels.tsa.exponential_smoothing.ets' in sys.modules)"
    )
    assert run_python(script) == is_loaded
