"""What comes out of the sandbox, checked: JSON values only, finite, not too deep, not too big."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal

from tools.errors import ToolRetry
from tools.evidence import Column, Value

MAX_DEPTH = 20
MAX_VALUES = 50_000
MAX_CHARS = 1_000_000
MAX_BITS = 3_300
MAX_EXPONENT = 1_000
CYCLE_MARKS = ("[...]", "{...}", "(...)")
INT64 = 2**63


@dataclass
class _Budget:
    values: int = MAX_VALUES
    chars: int = MAX_CHARS


def checked(value: object, max_values: int = MAX_VALUES) -> object:
    """`value` as plain lists, dicts with text keys, and scalars (Decimal and dates kept).

    Raises `ToolRetry`: not_finite, result_too_deep, result_too_large, cyclic_result,
    unsupported_result.
    """
    return _checked(value, 0, _Budget(max_values))


def _checked(value: object, depth: int, budget: _Budget) -> object:
    budget.values -= 1
    if budget.values < 0:
        raise _refused("result_too_large", "the result is too large", "return fewer values")
    if depth > MAX_DEPTH:
        hint = "return a number, a list of rows or a dict"
        raise _refused("result_too_deep", "the result is nested too deeply", hint)
    if isinstance(value, dict):
        return {_key(k): _checked(v, depth + 1, budget) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_checked(v, depth + 1, budget) for v in value]
    if isinstance(value, set | frozenset):
        return [_checked(v, depth + 1, budget) for v in sorted(value, key=str)]
    return _scalar(value, budget)


def _scalar(value: object, budget: _Budget) -> object:
    if isinstance(value, str):
        budget.chars -= len(value)
        if budget.chars < 0:
            raise _refused("result_too_large", "the result is too large", "return less text")
        if value in CYCLE_MARKS:
            raise _refused(
                "cyclic_result", "the result contains itself", "return a value without cycles"
            )
        return value
    if value is None or isinstance(value, bool | date | time):
        return value
    if isinstance(value, int):
        if value.bit_length() > MAX_BITS:
            raise _refused("result_too_large", "the number has over 1000 digits", "check the code")
        return value
    if isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) > MAX_EXPONENT:
        raise _refused("result_too_large", "the number has over 1000 digits", "check the code")
    if isinstance(value, float | Decimal):
        if not math.isfinite(value):
            hint = "check for a division by zero or a missing value"
            raise _refused("not_finite", f"the result is {value}: no number", hint)
        return value
    if isinstance(value, timedelta):
        return str(value)
    hint = "return numbers, texts, dates, lists or dicts"
    raise _refused("unsupported_result", f"a {type(value).__name__} can't be returned", hint)


def _key(key: object) -> str:
    if isinstance(key, str):
        return key
    return ", ".join(map(str, key)) if isinstance(key, tuple) else str(key)


def _refused(kind: str, message: str, hint: str) -> ToolRetry:
    return ToolRetry(kind, message, hint)


def to_json_value(value: object) -> object:
    """Decimal as text, dates as ISO 8601, the rest as it is."""
    if isinstance(value, dict):
        return {k: to_json_value(v) for k, v in value.items()}
    if isinstance(value, list):
        return [to_json_value(v) for v in value]
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, date | time):
        return value.isoformat()
    return value


def as_table(result: object) -> tuple[tuple[Column, ...], tuple[tuple[Value, ...], ...]]:
    """The result as columns and rows; empty when it has no such shape.

    A scalar is one cell; a dict of scalars one row; a list of dicts, of lists or of scalars one
    row each.
    """
    records = _records(result)
    if records is None:
        return (), ()
    names = list(dict.fromkeys(name for record in records for name in record))
    kinds = {n: _column_type([r.get(n) for r in records]) for n in names}
    columns = tuple(Column(name=n, type=kinds[n]) for n in names)
    rows = tuple(tuple(_cell(r.get(n), kinds[n]) for n in names) for r in records)
    return columns, rows


def _records(result: object) -> Sequence[Mapping[str, object]] | None:
    if result is None:
        return None
    if not isinstance(result, list | dict):
        return [{"result": result}]
    items = [result] if isinstance(result, dict) else result
    if not items:
        return None
    records: list[dict[str, object]] = []
    for item in items:
        if isinstance(item, dict):
            records.append(item)
        elif isinstance(item, list):
            records.append({f"column{i + 1}": v for i, v in enumerate(item)})
        else:
            records.append({"result": item})
    if any(isinstance(v, list | dict) for r in records for v in r.values()):
        return None
    return records if all(records) else None


def _column_type(values: Sequence[object]) -> str:
    kinds = {_type(v) for v in values if v is not None}
    if kinds <= {"BIGINT", "HUGEINT"} and kinds:
        return "HUGEINT" if "HUGEINT" in kinds else "BIGINT"
    if kinds <= {"BIGINT", "HUGEINT", "DECIMAL"} and kinds:
        return "DECIMAL"
    if kinds == {"BIGINT", "DOUBLE"}:
        return "DOUBLE"
    return kinds.pop() if len(kinds) == 1 else "VARCHAR"


def _type(value: object) -> str:
    if isinstance(value, bool):
        return "BOOLEAN"
    if isinstance(value, int):
        return "BIGINT" if -INT64 <= value < INT64 else "HUGEINT"
    named = ((float, "DOUBLE"), (Decimal, "DECIMAL"), (datetime, "TIMESTAMP"), (date, "DATE"))
    return next((name for kind, name in named if isinstance(value, kind)), "VARCHAR")


def _cell(value: object, kind: str) -> Value:
    plain = to_json_value(value)
    if kind in ("DECIMAL", "HUGEINT", "VARCHAR") and plain is not None:
        return str(plain)
    assert plain is None or isinstance(plain, str | int | float | bool)
    return plain
