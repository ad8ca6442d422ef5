"""Holt-Winters against the book's figures and the book's formula of the interval."""

import math
from collections.abc import Callable
from statistics import NormalDist

import pytest

from tools.calc.forecast import Forecaster
from tools.calc.numbers import BadInput
from tools.calc.tool import CalculationResult

# International visitor nights in Australia, quarters of 2005 to 2015, in millions.
NIGHTS = [
    42.20566, 24.64917, 32.66734, 37.25735, 45.24246, 29.35048, 36.34421, 41.78208, 49.27660,
    31.27540, 37.85063, 38.83704, 51.23690, 31.83855, 41.32342, 42.79900, 55.70836, 33.40714,
    42.31664, 45.15712, 59.57608, 34.83733, 44.84168, 46.97125, 60.01903, 38.37118, 46.97586,
    50.73380, 61.64687, 39.29957, 52.67121, 54.33232, 66.83436, 40.87119, 51.82854, 57.49191,
    65.25147, 43.06121, 54.76076, 59.83447, 73.25703, 47.69662, 61.09777, 66.05576,
]  # fmt: skip
FITTED = 8  # level, trend, three seasons and three smoothing parameters


def forecast(values: object, *rest: object, **named: object) -> list[dict[str, float]]:
    found = Forecaster().seasonal_forecast(values, *rest, **named)
    return [{k: float(str(v)) for k, v in row.items()} for row in found]


@pytest.mark.slow
def test_the_forecast_is_that_of_the_visitor_nights() -> None:
    """Hyndman & Athanasopoulos, Forecasting: Principles and Practice, 2nd ed., table 7.3: the
    additive method gives 76.10, 51.60, 63.97, 68.37, 78.90, 54.41, 66.77, 71.18 (by R, whose
    optimiser stops a little earlier)."""
    printed = [76.10, 51.60, 63.97, 68.37, 78.90, 54.41, 66.77, 71.18]
    rows = forecast(NIGHTS, 4, 8)
    assert [r["step"] for r in rows] == list(range(1, 9))
    assert [r["forecast"] for r in rows] == pytest.approx(printed, abs=0.2)


@pytest.mark.slow
def test_the_interval_widens_by_the_books_formula() -> None:
    """Forecasting: Principles and Practice, 3rd ed., 8.7: σ(h)² = σ²·[1 + (h-1)·α² + γ·k·(2α + γ)]
    where β is next to 0 as here, k the whole seasons in h - 1. α follows from step 2, γ from 5."""
    rows = forecast(NIGHTS, 4, 9)
    widths = [(r["high"] - r["low"]) ** 2 / (rows[0]["high"] - rows[0]["low"]) ** 2 for r in rows]
    alpha = math.sqrt(widths[1] - 1)
    beyond = widths[4] - 1 - 4 * alpha**2
    gamma = -alpha + math.sqrt(alpha**2 + beyond)
    assert (alpha, gamma) == pytest.approx((0.26, 0.45), abs=0.01)
    expected = [
        1 + (h - 1) * alpha**2 + gamma * ((h - 1) // 4) * (2 * alpha + gamma) for h in range(1, 10)
    ]
    assert widths == pytest.approx(expected, rel=1e-3)


@pytest.mark.slow
def test_the_interval_is_as_wide_as_its_level_says() -> None:
    narrow, wide = forecast(NIGHTS, 4, 1, 0.8)[0], forecast(NIGHTS, 4, 1, 0.95)[0]
    ratio = (wide["high"] - wide["low"]) / (narrow["high"] - narrow["low"])
    assert ratio == pytest.approx(1.959964 / 1.281552, rel=1e-5)


@pytest.mark.slow
def test_the_error_is_divided_by_what_is_left_beside_the_fitted_parameters() -> None:
    """Two years of a season with known noise: the interval must not be narrower than the noise."""
    noise = [1.0, -2.0, 0.5, 1.5, -1.0, 2.0, -0.5, -1.5, 1.0, -1.0, 0.0, 0.0]
    season = [100 + 20 * math.sin(math.pi * i / 2) for i in range(12)]
    row = forecast([s + e for s, e in zip(season, noise, strict=True)], 4, 1)[0]
    sd = (row["high"] - row["low"]) / (2 * NormalDist().inv_cdf(0.975))
    assert sd > 0.8
    assert row["low"] < 100 < row["high"]


@pytest.mark.slow
def test_demand_is_not_forecast_below_nothing() -> None:
    rows = forecast([0, 0, 0, 9, 0, 0, 0, 7, 0, 0, 0, 8], 4)
    assert len(rows) == 4
    assert all(0 <= r["low"] <= r["forecast"] <= r["high"] for r in rows)


@pytest.mark.slow
def test_a_forecast_that_is_surely_below_nothing_is_refused_and_not_called_nothing() -> None:
    """100, 90, … 10 with hardly any noise: 0 is next, and 10 less from then on."""
    falling = [100 - 10 * i + (-1) ** i / 100 for i in range(10)]
    assert forecast(falling, 2, 1)[0]["forecast"] == pytest.approx(0, abs=0.2)
    with pytest.raises(BadInput, match="falls below 0 with its whole interval in step") as error:
        Forecaster().seasonal_forecast(falling, 2, 8)
    assert error.value.kind == "no_forecast"
    assert "moving_average" in error.value.hint


def test_a_constant_series_goes_on_as_it_is() -> None:
    assert forecast([5] * 8, 4, 1) == [{"step": 1, "forecast": 5, "low": 5, "high": 5}]


@pytest.mark.slow
def test_a_forecast_of_many_weeks_ends_within_the_limit(
    calculate: Callable[[str], CalculationResult],
) -> None:
    code = "seasonal_forecast([100 + 9 * math.sin(i / 8.3) + i % 5 for i in range(156)], 52, 4)"
    result = calculate(code).evidence()[0]
    assert [c.name for c in result.columns] == ["step", "forecast", "low", "high"]
    assert len(result.rows) == 4


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (([1, 2, 3], 4), "longer history"),
        (([1] * 24, 1), "from 2 to 366"),
        (([1] * 24, 12, 61), "from 1 to 60"),
        (([1] * 24, 12, 1, 95), "0.95 for 95%"),
        (([1, 2] * 1001, 2), "last 2000"),
        (([1000] * 4 + [100] * 4, 4), "no error to measure an interval by"),
        (([1e308] * 4 + [1e307] * 4, 4), "at most 100 digits"),
        (([1, None] * 12, 12), "leave it out"),
    ],
)
def test_what_cannot_be_forecast_says_why(arguments: tuple[object, ...], word: str) -> None:
    with pytest.raises(BadInput) as error:
        Forecaster().seasonal_forecast(*arguments)
    assert word in error.value.hint


@pytest.mark.slow
def test_a_fit_that_takes_too_long_is_stopped() -> None:
    with pytest.raises(TimeoutError):
        Forecaster(limit_s=0.0).seasonal_forecast(NIGHTS, 4)
    assert len(Forecaster().seasonal_forecast(NIGHTS[-12:], 4, 2)) == 2
