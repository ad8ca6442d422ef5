"""Holt-Winters, by statsmodels: loaded with the first forecast, not with the tool."""

import math
import threading
import time
import warnings
from collections.abc import Callable
from importlib import import_module
from statistics import NormalDist
from typing import Any

from tools.calc.numbers import BadInput, numbers, share, whole

LONGEST_SERIES = 2_000
LONGEST_SEASON = 366
ESTIMATED_UP_TO = 12
ITERATIONS = 300
CYCLES = 2


class Forecaster:
    """One fit at a time: statsmodels warns through the process's one list of filters. A fit that
    takes more than `limit_s` of processor time raises TimeoutError."""

    def __init__(self, limit_s: float = 5.0) -> None:
        self._lock = threading.Lock()
        self._limit_s = limit_s

    def seasonal_forecast(
        self, values: object, season: object, ahead: object = None, level: object = 0.95
    ) -> list[dict[str, object]]:
        """The next `ahead` periods (one season) by Holt-Winters' additive method, with the
        interval that holds each with the probability `level`. `values`: oldest first, without
        gaps, at least two seasons; `season`: periods in one (12 for months, 4 for quarters, 7 for
        days). A series without a negative value is not forecast below 0.

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
        return [
            {
                "step": step,
                "forecast": max(floor, mean),
                "low": max(floor, mean - z * sd),
                "high": max(floor, mean + z * sd),
            }
            for step, (mean, sd) in enumerate(zip(means, sds, strict=True), start=1)
        ]

    def _predicted(
        self, series: list[float], season: int, steps: int
    ) -> tuple[list[float], list[float]]:
        """Means and standard deviations of the periods ahead."""
        scale = max(map(abs, series)) or 1.0
        if min(series) == max(series):
            return [series[0]] * steps, [0.0] * steps
        pandas: Any = import_module("pandas")
        ets: Any = import_module("statsmodels.tsa.exponential_smoothing.ets")
        start = "estimated" if season <= ESTIMATED_UP_TO else "heuristic"
        with self._lock, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = ets.ETSModel(
                pandas.Series([v / scale for v in series]),
                error="add",
                trend="add",
                seasonal="add",
                seasonal_periods=season,
                initialization_method=start,
            )
            fitted = model.fit(disp=False, maxiter=ITERATIONS, callback=self._timer())
            end = len(series) + steps - 1
            found = fitted.get_prediction(start=len(series), end=end)
            means = [float(m) * scale for m in found.predicted_mean]
            # statsmodels divides the squared errors by n: far too narrow for two or three years.
            widened = len(series) / max(1, len(series) - season - 4)
            variances = [max(0.0, float(v)) * widened for v in found.forecast_variance]
            sds = [math.sqrt(v) * scale for v in variances]
        if not all(map(math.isfinite, (*means, *sds))):
            hint = "the series fits no season: use linear_trend or moving_average"
            raise BadInput("no_forecast", "Holt-Winters found no forecast for these values", hint)
        return means, sds

    def _timer(self) -> Callable[[object], None]:
        """Called after each step of the fit."""
        ends = time.thread_time() + self._limit_s

        def check(_: object) -> None:
            if time.thread_time() > ends:
                raise TimeoutError(f"stopped after {self._limit_s:g} s")

        return check
