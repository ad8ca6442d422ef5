"""Worked examples of textbooks and standards, as they are printed there."""

from collections.abc import Callable
from decimal import Decimal

import pytest

from tools.calc.functions import FUNCTIONS, described, usage
from tools.calc.numbers import BadInput
from tools.calc.series import growth, linear_trend, moving_average
from tools.calc.stock import (
    abc_classes,
    average_cost,
    days_of_stock,
    order_quantity,
    reorder_point,
    safety_stock,
    turnover,
)
from tools.calc.tool import CalculationResult, CalculationTool
from tools.errors import ToolRetry
from tools.evidence import Evidence
from tools.tokens import estimate_tokens

Calculate = Callable[[str], CalculationResult]


def test_a_moving_average_is_that_of_donnas_garden_supply() -> None:
    """Heizer, Render & Munson, Operations Management, ch. 4, example 1: sheds sold."""
    sold = [10, 12, 13, 16, 19, 23, 26]
    means = moving_average(sold, 3)
    assert means[:2] == [None, None]
    # 11 2/3, 13 2/3, 16, 19 1/3, 22 2/3
    assert [round(float(m), 4) for m in means[2:] if m is not None] == [
        11.6667, 13.6667, 16, 19.3333, 22.6667,
    ]  # fmt: skip


def test_a_moving_average_of_decimals_is_exact() -> None:
    assert moving_average([Decimal("10.10"), Decimal("10.20"), Decimal("10.31")], 2) == [
        None, Decimal("10.15"), Decimal("10.255"),
    ]  # fmt: skip


def test_a_linear_trend_is_that_of_the_power_demand_of_new_york() -> None:
    """Heizer, Render & Munson, Operations Management, ch. 4, example 8: y = 56.71 + 10.54 x, so
    141.03 in period 8 and 151.57 in period 9 (in the book rounded on the way)."""
    trend = linear_trend([74, 79, 80, 90, 105, 142, 122], 2)
    assert trend["slope"] == pytest.approx(10.54, abs=0.005)
    assert trend["intercept"] == pytest.approx(56.71, abs=0.01)
    assert trend["forecast"] == pytest.approx([141.02, 151.56], abs=0.03)
    # r = 0.895 is the book's example 9 with the same data.
    assert float(str(trend["r2"])) ** 0.5 == pytest.approx(0.895, abs=0.001)


def test_a_flat_series_has_a_flat_trend() -> None:
    assert linear_trend([5, 5, 5]) == {
        "slope": 0.0, "intercept": 5.0, "r2": 1.0, "forecast": [5.0],
    }  # fmt: skip


def test_growth_is_that_of_the_consumer_price_index() -> None:
    """BLS, Handbook of Methods, Consumer Price Index: from 129.9 to 136.0 is 4.7 percent."""
    (first, second) = growth([Decimal("129.9"), Decimal("136.0")])
    assert first is None
    assert second == Decimal("4.69591993841")  # 6.1 / 129.9 = 0.0469591993841…
    assert round(float(second), 1) == 4.7


def test_growth_against_the_same_period_of_last_year_takes_the_lag() -> None:
    assert growth([100, 200, 110, 150], 2) == [None, None, 10, -25]


def test_growth_has_no_value_over_nothing() -> None:
    assert growth([0, 5, -5, 10]) == [None, None, -200, None]


@pytest.mark.parametrize(
    ("arguments", "stock"),
    [((0.95, 5, 10), 26.1), ((0.95, 0, 10, 30, 3), 148.5), ((0.95, 5, 10, 30, 3), 150.8)],
)
def test_a_safety_stock_is_that_of_the_carpet_store(
    arguments: tuple[float, ...], stock: float
) -> None:
    """Taylor, Introduction to Management Science, ch. 16: 30 yards a day with deviation 5, lead
    time 10 days, in the later examples with deviation 3; 95% with z rounded to 1.65."""
    assert safety_stock(*arguments) == pytest.approx(stock * 1.6449 / 1.65, abs=0.06)


def test_a_service_level_of_one_half_needs_no_safety_stock() -> None:
    assert safety_stock(0.5, 5, 10) == pytest.approx(0, abs=1e-12)


def test_a_reorder_point_is_that_of_the_carpet_store() -> None:
    """Taylor, ch. 16: 30 · 10 + 26.1 = 326.1 yards."""
    assert reorder_point(30, 10, Decimal("26.1")) == Decimal("326.1")


@pytest.mark.parametrize(
    ("demand", "order", "holding", "quantity"),
    [(1000, 10, Decimal("0.50"), 200), (10_000, 150, 0.75, 2000)],
)
def test_an_order_quantity_is_that_of_the_books(
    demand: int, order: int, holding: float, quantity: int
) -> None:
    """Heizer, Render & Munson, ch. 12, example 3 (Sharp, Inc.); Taylor, ch. 16 (carpet store)."""
    assert order_quantity(demand, order, holding) == pytest.approx(quantity)


def test_turnover_and_weeks_of_supply_are_those_of_pepsico() -> None:
    """Heizer, Render & Munson, ch. 11: cost of goods sold 14.2, stock 0.74 + 0.11 + 0.84 = 1.69
    billion dollars; 8.4 turns, 6.19 weeks of supply (43.4 days)."""
    cost, stock = Decimal("14.2"), Decimal("1.69")
    assert round(float(turnover(cost, stock)), 1) == 8.4
    days = days_of_stock(stock, cost, 52 * 7)
    assert round(float(days) / 7, 2) == 6.19


def test_days_of_stock_of_units_are_exact() -> None:
    assert days_of_stock(500, 300, 90) == 150


def test_an_average_cost_is_that_of_call_mart() -> None:
    """Kieso, Weygandt & Warfield, Intermediate Accounting, ch. 8: $43,900 / 10,000 = $4.39."""
    quantities, costs = [2000, 6000, 2000], [Decimal("4.00"), Decimal("4.40"), Decimal("4.75")]
    assert average_cost(quantities, costs) == Decimal("4.39")


def test_abc_classes_are_those_of_silicon_chips() -> None:
    """Heizer, Render & Munson, ch. 12, example 1: two A, four B (its last is past 95% by 0.2
    points), four C; 38.8% and 33.2% of 232,057 dollars are the first two."""
    values = {
        "10286": Decimal(90_000), "11526": Decimal(77_000), "12760": Decimal(26_350),
        "10867": Decimal(15_001), "10500": Decimal(12_500), "12572": Decimal("8502"),
        "14075": Decimal(1_200), "01036": Decimal(850), "01307": Decimal(504),
        "10572": Decimal(150),
    }  # fmt: skip
    table = abc_classes(list(values)[::-1], list(values.values())[::-1], 0.8, 0.955)
    assert [r["name"] for r in table] == list(values)
    assert "".join(str(r["class"]) for r in table) == "AABBBCCCCC"
    assert [round(float(str(r["share"])), 1) for r in table[:2]] == [38.8, 33.2]
    assert table[-1]["cumulative"] == 100


def test_the_largest_item_is_a_whatever_its_share_and_nothing_sold_is_c() -> None:
    table = abc_classes(["x", "y", "z"], [90, 10, -3])
    assert [(r["name"], r["class"]) for r in table] == [("x", "A"), ("y", "C"), ("z", "C")]


@pytest.mark.parametrize(
    ("function", "arguments", "word"),
    [
        (moving_average, ([1, None, 3], 2), "leave it out"),
        (moving_average, ([1, "2"], 2), "int(x)"),
        (moving_average, ([1, True], 2), "give a number"),
        (moving_average, (5, 2), "column('E1', 'name')"),
        (moving_average, ([1, 2], 3), "from 1 to 2"),
        (moving_average, ([1, float("nan")], 1), "finite"),
        (linear_trend, ([1],), "longer history"),
        (growth, ([1, 2], 2), "smaller lag"),
        (safety_stock, (95, 5, 10), "0.95 for 95%"),
        (safety_stock, (0.95, -5, 10), "0 or more"),
        (safety_stock, (0.95, 5, 10, 0, 3), "give demand"),
        (order_quantity, (100, 10, 0), "above 0"),
        (turnover, (100, 0), "above 0"),
        (average_cost, ([1, 2], [1]), "same rows"),
        (average_cost, ([1, -1], [1, 1]), "check the quantities"),
        (abc_classes, (["a"], [1], 0.9, 0.8), "a below b"),
    ],
)
def test_wrong_arguments_say_what_to_do(
    function: Callable[..., object], arguments: tuple[object, ...], word: str
) -> None:
    with pytest.raises(BadInput) as error:
        function(*arguments)
    assert error.value.kind == "bad_value"
    assert word in error.value.hint


def test_a_column_of_evidence_flows_into_a_function_exactly(calculate: Calculate) -> None:
    result = calculate("moving_average(column('E1', 'amount'), 2)")
    assert result.result == [None, "125.15"]
    assert result.inputs == ("E1",)


def test_a_function_is_called_in_loops_and_by_name(calculate: Calculate) -> None:
    code = "[turnover(cost_of_sales=r['amount'], average_stock=2) for r in rows('E1')]"
    assert calculate(code).result == ["100.05", "25.1"]


@pytest.mark.parametrize(
    ("code", "kind", "word"),
    [
        ("column('E1', 'price')", "missing_column", "columns: city, amount"),
        ("column('E9', 'price')", "unknown_evidence", "E1, E2, E3, E4"),
        ("turnover(1)", "bad_arguments", "turnover(cost_of_sales, average_stock)"),
        ("turnover(1, 2, 3)", "bad_arguments", "turnover(cost_of_sales, average_stock)"),
        ("turnover(1, stock=2)", "bad_arguments", "turnover(cost_of_sales, average_stock)"),
        ("moving_average(column('E1', 'quantity'), 2)", "bad_value", "leave it out"),
        ("holt_winters([1, 2])", "unknown_function", "seasonal_forecast"),
        ("help('holt_winters')", "unknown_function", "seasonal_forecast"),
        ("sorted([1, 2], key=lambda x: turnover(x, 1))", "calculation_error", "for loop"),
        ("safety_stock(0.95, 5, 10) + Decimal('1')", "calculation_error", "float(x)"),
        ("try:\n    turnover(1)\nexcept TypeError:\n    pass\nexcept ValueError:\n    pass\n1 / 0",
         "calculation_error", "divisor"),
    ],
)  # fmt: skip
def test_a_call_that_fails_is_told_by_its_own_name(
    code: str, kind: str, word: str, calculate: Calculate
) -> None:
    with pytest.raises(ToolRetry) as error:
        calculate(code)
    assert error.value.kind == kind
    assert word in error.value.hint


def test_help_names_every_function_with_its_arguments(calculate: Calculate) -> None:
    text = str(calculate("help()").result)
    assert all(f"{name}(" in text for name in FUNCTIONS)
    assert "column(evidence_id, name)" in text
    assert "self" not in text


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_tells_its_formula_and_its_source(name: str) -> None:
    text = described(name)
    assert text.startswith(usage(name))
    assert "Formula: " in text
    assert "Source:" in text


def test_the_description_names_every_function_in_few_tokens() -> None:
    text = CalculationTool.description
    assert all(name in text for name in FUNCTIONS)
    assert estimate_tokens(text) <= 115


def test_a_calculation_without_functions_loads_no_statistics(
    run_python: Callable[[str], str],
) -> None:
    code = "import sys, tools.calc.tool; print([m for m in sys.modules if 'statsmodels' in m or 'scipy' in m or m == 'pandas'])"
    assert run_python(code) == "[]"


def test_evidence_of_a_calculation_over_a_column_names_its_source(calculate: Calculate) -> None:
    (evidence,) = calculate("growth(column('E1', 'amount'))").evidence()
    assert isinstance(evidence, Evidence)
    assert (evidence.kind, evidence.source) == ("calculation", "E1")
