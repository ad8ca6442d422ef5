"""Figures in a calculation's code must come from evidence or the question, never from memory."""

import ast
from collections.abc import Sequence

from tools.evidence import Evidence
from tools.verify import verify

# Counts of units, halves and months, percent and thousands: part of a formula, not a fact.
_FORMULA = frozenset({24, 30, 52, 60, 90, 100, 360, 365, 1000})
_SMALL = 12


def unproved_figures(code: str, evidence: Sequence[Evidence], question: str) -> list[str]:
    """The numeric literals that stand in no evidence and not in the question.

    A rate may be written as a share: 0.02 is proved by "2%". Code that does not parse has none:
    the sandbox says what is wrong with it.
    """
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError):
        return []
    found = dict.fromkeys(
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, int | float)
        and not isinstance(node.value, bool)
    )
    return [repr(v) for v in found if not _is_proved(v, evidence, question)]


def _is_proved(value: float, evidence: Sequence[Evidence], question: str) -> bool:
    if value in _FORMULA or (float(value).is_integer() and abs(value) <= _SMALL):
        return True
    readings = [f"{value}", f"{value * 100:g}%"]
    return any(not verify(text, evidence, question=question).failed for text in readings)
