"""Functions over a series of figures, oldest first: averages, trend, growth."""

import statistics
from decimal import Decimal

from tools.calc.deadline import in_time
from tools.calc.numbers import (
    BadInput,
    Number,
    moved,
    numbers,
    plain,
    product,
    quotient,
    total,
    whole,
)

LONGEST_STEP = 10_000


def moving_average(values: object, window: object) -> list[Number | None]:
    """The mean of each period and the `window` - 1 before it; None until there are so many.

    Formula: MA(t) = (y(t) + … + y(t-window+1)) / window; the last one is the forecast of the next
    period. Source: Heizer, Render & Munson, Operations Management, ch. 4, equation 4-1.
    """
    series = numbers(values, "values")
    size = whole(window, "window", 1, len(series))
    means: list[Number | None] = [None] * (size - 1)
    return means + [quotient(found, size) for found in in_time(moved(series, size))]


def linear_trend(values: object, ahead: object = 1) -> dict[str, object]:
    """The straight line of least squares through periods 1, 2, …: slope, intercept, r2, and
    `forecast`, the line at the next `ahead` periods.

    Formula: b = Σ(x-x̄)(y-ȳ) / Σ(x-x̄)², a = ȳ - b·x̄, forecast = a + b·x. Source: Heizer, Render &
    Munson, Operations Management, ch. 4, equations 4-11 to 4-13.
    """
    series = [float(v) for v in numbers(values, "values", least=2)]
    steps = whole(ahead, "ahead", 1, LONGEST_STEP)
    periods = range(1, len(series) + 1)
    slope, intercept = statistics.linear_regression(periods, series)
    constant = min(series) == max(series)
    r2 = 1.0 if constant else statistics.correlation(periods, series) ** 2
    following = range(len(series) + 1, len(series) + 1 + steps)
    forecast = [intercept + slope * x for x in following]
    return {"slope": slope, "intercept": intercept, "r2": r2, "forecast": forecast}


def growth(values: object, lag: object = 1) -> list[Number | None]:
    """Growth in percent against `lag` periods before: 1 is period over period, 12 the same month
    of last year, 4 the same quarter. None where there is no earlier value or it is not above 0.

    Formula: 100 · (y(t) - y(t-lag)) / y(t-lag). Source: U.S. Bureau of Labor Statistics, Handbook
    of Methods, Consumer Price Index, "Calculating percent changes".
    """
    series = numbers(values, "values")
    step = whole(lag, "lag", 1, LONGEST_STEP)
    if step >= len(series):
        message = f"{len(series)} values have none {step} periods before another"
        raise BadInput("bad_value", message, "take a longer history or a smaller lag")
    pairs = in_time(zip(series, series[step:], strict=False))
    return [None] * step + [_percent(old, new) for old, new in pairs]


def _percent(old: Number, new: Number) -> Number | None:
    if old <= 0:
        return None
    change = quotient(product(100, total([new, -old])), old)
    return plain(change) if isinstance(change, Decimal) else change
