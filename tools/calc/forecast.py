"""Holt-Winters, by statsmodels: loaded with the first forecast, not with the tool."""

import math
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from statistics import NormalDist
from typing import Any

from tools.calc import deadline
from tools.calc.numbers import BadInput, numbers, share, whole

LONGEST_SERIES = 2_000
LONGEST_SEASON = 366
ESTIMATED_UP_TO = 12
ITERATIONS = 300
CYCLES = 2
# Level, trend, α, β, γ and the seasons less one: of these `season` + 4 the error is free of.
FITTED = 4


class Forecaster:
    """One fit at a time: statsmodels warns through the process's one list of filters. A fit that
    takes longer than `limit_s`, or than its calculation has left, raises TimeoutError."""

    def __init__(self, limit_s: float = 5.0) -> None:
        self._lock = threading.Lock()
        self._limit_s = limit_s

    @staticmethod
    def prepare() -> tuple[Any, Any]:
        """Loads statsmodels and pandas, which takes seconds the first time."""
        ets = import_module("statsmodels.tsa.exponential_smoothing.ets")
        return ets, import_module("pandas")

    def seasonal_forecast(
        self, values: object, season: object, ahead: object = None, level: object = 0.95
    ) -> list[dict[str, object]]:
        """The next `ahead` periods (one season) by Holt-Winters' additive method, with the
        interval that holds each with the probability `level`. `values`: oldest first, without
        gaps, at least two seasons and `season` + 5; `season`: periods in one (12 for months, 4
        for quarters, 7 for days). A series without a negative value is not forecast below 0.

        Formula: level, trend and season smoothed with α, β, γ of greatest likelihood (the state
        space model ETS(A,A,A)); interval = forecast ± z·σ(h), with σ² = Σe² / (n - season - 4), the
        parameters that were fitted. Source: Hyndman & Athanasopoulos, Forecasting: Principles and
        Practice, 3rd ed., 8.3 and 8.7; Holt (1957), Winters (1960).
        """
        length = whole(season, "season", 2, LONGEST_SEASON)
        series = [float(v) for v in numbers(values, "values", least=CYCLES * length)]
        if len(series) > LONGEST_SERIES:
            hint = f"take the last {LONGEST_SERIES}, or longer periods"
            raise BadInput("bad_value", f"values has {len(series)} values", hint)
        steps = whole(length if ahead is None else ahead, "ahead", 1, 5 * length)
        z = NormalDist().inv_cdf(0.5 + share(level, "level") / 2)
        means, sds = self._predicted(series, length, steps)
        floor = 0.0 if min(series) >= 0 else -math.inf
        rows: list[dict[str, object]] = []
        for step, (mean, sd) in enumerate(zip(means, sds, strict=True), start=1):
            if mean + z * sd < floor:
                raise _falls(step)
            low, high = max(floor, mean - z * sd), mean + z * sd
            rows.append({"step": step, "forecast": max(floor, mean), "low": low, "high": high})
        return rows

    def _predicted(
        self, series: list[float], season: int, steps: int
    ) -> tuple[list[float], list[float]]:
        """Means and standard deviations of the periods ahead."""
        scale = max(map(abs, series)) or 1.0
        if min(series) == max(series):
            return [series[0]] * steps, [0.0] * steps
        if len(series) < (least := season + FITTED + 1):
            message = f"values has {len(series)} values; at least {least} are needed"
            hint = "take a longer history: so few leave no error to measure an interval by"
            raise BadInput("bad_value", message, hint)
        ets, pandas = self.prepare()
        start = "estimated" if season <= ESTIMATED_UP_TO else "heuristic"
        with self._alone(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = ets.ETSModel(
                pandas.Series([v / scale for v in series]),
                error="add",
                trend="add",
                seasonal="add",
                seasonal_periods=season,
                initialization_method=start,
            )
            fitted = model.fit(disp=False, maxiter=ITERATIONS, callback=_timer)
            end = len(series) + steps - 1
            found = fitted.get_prediction(start=len(series), end=end)
            means = [float(m) * scale for m in found.predicted_mean]
            # statsmodels divides the squared errors by n: far too narrow for two or three years.
            widened = len(series) / (len(series) - season - FITTED)
            variances = [max(0.0, float(v)) * widened for v in found.forecast_variance]
            sds = [math.sqrt(v) * scale for v in variances]
        if not all(map(math.isfinite, (*means, *sds))):
            hint = "the series fits no season: use linear_trend or moving_average"
            raise BadInput("no_forecast", "Holt-Winters found no forecast for these values", hint)
        return means, sds

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Raises TimeoutError where another fit takes all the time there is."""
        if not self._lock.acquire(timeout=max(0.0, min(self._limit_s, deadline.remaining()))):
            raise TimeoutError("another forecast took all the time")
        try:
            with deadline.until(time.monotonic() + self._limit_s):
                yield
        finally:
            self._lock.release()


def _timer(_: object) -> None:
    """Called after each step of the fit."""
    deadline.check()


def _falls(step: int) -> BadInput:
    message = f"the forecast falls below 0 with its whole interval in step {step}"
    sooner = f"ask for fewer periods (ahead={step - 1})" if step > 1 else "take another method"
    return BadInput("no_forecast", message, f"{sooner}, or use moving_average")
