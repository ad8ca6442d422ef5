"""Functions of stock control: safety stock, reorder point, order quantity, turnover, ABC."""

import math
from statistics import NormalDist

from tools.calc.deadline import in_time
from tools.calc.numbers import (
    BadInput,
    Number,
    not_negative,
    numbers,
    positive,
    product,
    quotient,
    sequence,
    share,
    shown,
    total,
)

CHECKED = "check the quantities: take what was received, without issues and returns"


def safety_stock(
    service_level: object,
    demand_sd: object,
    lead_time: object,
    demand: object = 0,
    lead_time_sd: object = 0,
) -> float:
    """The stock that covers demand and lead time above their means with the probability
    `service_level` (0.5 or more; 0.95 for 95%) in an order cycle. Demand and lead time in the same
    periods.

    Formula: z · √(lead_time · demand_sd² + demand² · lead_time_sd²), z the quantile of the normal
    distribution. Source: Taylor, Introduction to Management Science, ch. 16, "Reorder point with
    variable demand and lead time"; Silver, Pyke & Thomas, Inventory and Production Management in
    Supply Chains, ch. 6.
    """
    z = NormalDist().inv_cdf(service(service_level))
    sd, length = not_negative(demand_sd, "demand_sd"), positive(lead_time, "lead_time")
    mean, length_sd = not_negative(demand, "demand"), not_negative(lead_time_sd, "lead_time_sd")
    if length_sd and not mean:
        hint = "give demand, the mean of a period: safety_stock(0.95, sd, lead_time, demand, lead_time_sd)"
        raise BadInput("bad_value", "lead_time_sd needs demand too", hint)
    variance = float(length) * float(sd) ** 2 + (float(mean) * float(length_sd)) ** 2
    return z * math.sqrt(variance)


def service(value: object) -> float:
    """A service level: below one half it would take stock away, not add any."""
    found = share(value, "service_level")
    if found < 0.5:
        hint = f"give 0.5 or more; for a risk of {found:g} to run out give {1 - found:g}"
        raise BadInput("bad_value", f"service_level is {shown(value)}", hint)
    return found


def reorder_point(demand: object, lead_time: object, safety_stock: object = 0) -> Number:
    """The stock, with what is on order, at which to order again. Demand a period, lead time in
    those periods.

    Formula: demand · lead_time + safety_stock. Source: Heizer, Render & Munson, Operations
    Management, ch. 12, "Reorder points".
    """
    used = product(not_negative(demand, "demand"), not_negative(lead_time, "lead_time"))
    extra = not_negative(safety_stock, "safety_stock")
    return total(_alike([used, extra]))


def order_quantity(demand: object, order_cost: object, holding_cost: object) -> float:
    """The economic order quantity (EOQ): `demand` a year, cost of one order, cost of holding one
    unit for a year.

    Formula: √(2 · demand · order_cost / holding_cost). Source: Harris, How many parts to make at
    once, Factory, The Magazine of Management 10 (1913); Heizer, Render & Munson, Operations
    Management, ch. 12, equation 12-1.
    """
    units, order = not_negative(demand, "demand"), not_negative(order_cost, "order_cost")
    holding = positive(holding_cost, "holding_cost")
    return math.sqrt(2 * float(units) * float(order) / float(holding))


def days_of_stock(stock: object, demand: object, days: object = 1) -> Number:
    """How many days the stock lasts: `demand` is what `days` days use up (units with units, cost
    with cost).

    Formula: stock · days / demand. Source: Heizer, Render & Munson, Operations Management, ch. 11,
    "Measuring supply-chain performance" (weeks of supply, there in weeks).
    """
    used, length = positive(demand, "demand"), positive(days, "days")
    return quotient(product(not_negative(stock, "stock"), length), used)


def turnover(cost_of_sales: object, average_stock: object) -> Number:
    """How often the stock is turned over in the period of `cost_of_sales`; both at cost.

    Formula: cost_of_sales / average_stock. Source: Heizer, Render & Munson, Operations Management,
    ch. 11, equation "Inventory turnover".
    """
    sold = not_negative(cost_of_sales, "cost_of_sales")
    return quotient(sold, positive(average_stock, "average_stock"))


def average_cost(quantities: object, costs: object) -> Number:
    """The weighted average cost of one unit; `costs` are unit costs, `quantities` what was on hand
    and received, none below 0.

    Formula: Σ(quantity · cost) / Σ quantity. Source: IAS 2 Inventories, paragraph 27; Kieso,
    Weygandt & Warfield, Intermediate Accounting, ch. 8, "Average-cost".
    """
    units, prices = numbers(quantities, "quantities"), numbers(costs, "costs")
    if len(units) != len(prices):
        message = f"quantities has {len(units)} values and costs {len(prices)}"
        raise BadInput("bad_value", message, "take both columns from the same rows")
    _require_none_below_nothing(units, "quantities", CHECKED)
    _require_none_below_nothing(prices, "costs", "check the unit costs")
    if (sum_of_units := total(units)) <= 0:
        raise BadInput("bad_value", "the quantities add up to 0", "check the quantities")
    values = [product(u, p) for u, p in in_time(zip(units, prices, strict=True))]
    return quotient(total(values), sum_of_units)


def _require_none_below_nothing(values: list[Number], what: str, hint: str) -> None:
    for n, value in enumerate(values):
        if value < 0:
            raise BadInput("bad_value", f"{what}[{n}] is {shown(value)}", hint)


def abc_classes(
    names: object, values: object, a: object = 0.8, b: object = 0.95
) -> list[dict[str, object]]:
    """The items by value, largest first, with share and cumulative share in percent and class: A
    up to the cumulative share `a`, B up to `b`, C behind. The largest is A, what is 0 or less C.

    Formula: cumulative share = Σ values down to the item / Σ all values above 0. Source: Heizer,
    Render & Munson, Operations Management, ch. 12, "ABC analysis" (after Dickie, 1951).
    """
    items, amounts = sequence(names, "names"), numbers(values, "values")
    if len(items) != len(amounts):
        message = f"names has {len(items)} entries and values {len(amounts)}"
        raise BadInput("bad_value", message, "take both columns from the same rows")
    first, second = share(a, "a"), share(b, "b")
    if first > second:
        raise BadInput("bad_value", f"a ({first:g}) is above b ({second:g})", "give a below b")
    whole_value = total([v for v in amounts if v > 0])
    ranked = sorted(zip(items, amounts, strict=True), key=lambda pair: -pair[1])
    table: list[dict[str, object]] = []
    running: Number = 0
    for name, amount in in_time(ranked):
        running = total([running, max(amount, 0)])
        cumulative = quotient(product(100, running), whole_value) if whole_value else 0
        kind = _class(amount, float(cumulative) / 100, first, second, is_first=not table)
        part = quotient(product(100, max(amount, 0)), whole_value) if whole_value else 0
        row = {"name": name, "value": amount, "share": part, "cumulative": cumulative}
        table.append({**row, "class": kind})
    return table


def _class(amount: Number, cumulative: float, a: float, b: float, *, is_first: bool) -> str:
    if amount <= 0:
        return "C"
    slack = 1e-9  # a share of exactly 80% is not lost to its tenth decimal
    if is_first or cumulative <= a + slack:
        return "A"
    return "B" if cumulative <= b + slack else "C"


def _alike(values: list[Number]) -> list[Number]:
    return [float(v) for v in values] if any(isinstance(v, float) for v in values) else values
