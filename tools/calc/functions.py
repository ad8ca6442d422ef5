"""What the sandbox can call: evidence, the functions of the trade, and `help`."""

import inspect
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from reranker.language import Language
from tools.calc import deadline
from tools.calc.forecast import Forecaster
from tools.calc.inputs import EvidenceInputs
from tools.calc.numbers import BadInput, shown
from tools.calc.reorder import Reorder
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

Function = Callable[..., object]

FUNCTIONS: Mapping[str, Function] = {
    "moving_average": moving_average,
    "linear_trend": linear_trend,
    "seasonal_forecast": Forecaster.seasonal_forecast,
    "safety_stock": safety_stock,
    "reorder_point": reorder_point,
    "order_quantity": order_quantity,
    "days_of_stock": days_of_stock,
    "turnover": turnover,
    "abc_classes": abc_classes,
    "growth": growth,
    "average_cost": average_cost,
    "reorder_proposal": Reorder.reorder_proposal,
}
"""As the tool's description and `help` name them; two are bound to the call that uses them."""


@dataclass
class HostFunctions:
    """The functions of one calculation. The time spent in them counts towards its limit, which
    runs from `table` on; `failed` is the last refusal, by which an error of the sandbox is told."""

    inputs: EvidenceInputs
    forecaster: Forecaster
    language: Language
    limit_s: float
    failed: BadInput | None = None
    _ends: float = field(init=False)

    def __post_init__(self) -> None:
        self._reorder = Reorder(self.inputs.rows, self.language)

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._reorder.notes))

    def table(self) -> dict[str, Function]:
        """The functions by name, each guarded: asked for when a worker is ready."""
        self._ends = time.monotonic() + self.limit_s
        bound: dict[str, Function] = {
            **FUNCTIONS,
            "seasonal_forecast": self.forecaster.seasonal_forecast,
            "reorder_proposal": self._reorder.reorder_proposal,
            "rows": self.inputs.rows,
            "value": self.inputs.value,
            "column": self.inputs.column,
            "help": described,
        }
        return {name: self._guarded(name, function) for name, function in bound.items()}

    def _guarded(self, name: str, function: Function) -> Function:
        signature = inspect.signature(function)

        def call(*positional: object, **named: object) -> object:
            self._require_time()
            try:
                signature.bind(*positional, **named)
            except TypeError as error:
                self.failed = BadInput("bad_arguments", f"{name}(): {error}", usage(name))
                raise self.failed from None
            try:
                with deadline.until(self._ends):
                    found = function(*positional, **named)
            except BadInput as error:
                self.failed = error
                raise
            except ArithmeticError as error:
                message = f"{name}(): the figures are too large or too small to calculate with"
                self.failed = BadInput("bad_value", message, "check the size of the figures")
                raise self.failed from error
            self._require_time()
            return found

        return call

    def _require_time(self) -> None:
        if time.monotonic() > self._ends:
            raise TimeoutError(f"stopped after {self.limit_s:g} s")


def usage(name: str) -> str:
    """`safety_stock(service_level, demand_sd, lead_time, demand=0, lead_time_sd=0)`"""
    own: dict[str, Function] = {"rows": EvidenceInputs.rows, "value": EvidenceInputs.value}
    own |= {"column": EvidenceInputs.column, "help": described}
    parameters = inspect.signature({**FUNCTIONS, **own}[name]).parameters.values()
    shown_ones = [str(p.replace(annotation=p.empty)) for p in parameters if p.name != "self"]
    return f"{name}({', '.join(shown_ones)})"


def described(name: object = None) -> str:
    """`help()` names the functions with their arguments; `help('name')` explains one."""
    if name is None:
        lines = ["rows(evidence_id), value(evidence_id), column(evidence_id, name)"]
        return "\n".join([*lines, *map(usage, FUNCTIONS), "help('name') explains one"])
    if not isinstance(name, str) or name not in FUNCTIONS:
        raise BadInput("unknown_function", f"there is no function {shown(name)}", named())
    return f"{usage(name)}\n{inspect.getdoc(FUNCTIONS[name])}"


def named() -> str:
    return f"functions: {', '.join(FUNCTIONS)}"
