"""Arguments of the calculation functions, checked: lists of numbers, positive numbers, shares."""

import math
from collections.abc import Iterator, Sequence
from decimal import Context, Decimal, localcontext
from typing import TypeVar, cast

from tools.calc.deadline import in_time

Number = int | float | Decimal
Exact = TypeVar("Exact", int, int | Decimal)

MAX_VALUES = 100_000
SHOWN_CHARS = 40
# No formula of the trade leaves the range of a float with figures of so many digits.
DIGITS = 100
LARGEST: int = 10**DIGITS
QUOTIENT_PLACES = 10
QUOTIENT_DIGITS = 12
EXACT = Context(prec=9 * DIGITS)


class BadInput(ValueError):
    """What a function of the sandbox refuses: a named kind, what is wrong and what to do."""

    def __init__(self, kind: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.kind = kind
        self.hint = hint


def number(value: object, what: str) -> Number:
    """A finite int, float or Decimal: 0, or between 1E-100 and 1E+100 in size. Raises `BadInput`
    ("bad_value")."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise _bad(f"{what} is {shown(value)}, which is no number", _step(value))
    if not _is_finite(value):
        hint = f"give a finite number of at most {DIGITS} digits, or 0 for next to nothing"
        raise _bad(f"{what} is {shown(value)}", hint)
    return value


def _is_finite(value: Number) -> bool:
    if isinstance(value, int):
        return -LARGEST <= value <= LARGEST
    if isinstance(value, Decimal):
        return value.is_finite() and (value == 0 or abs(value.adjusted()) <= DIGITS)
    return value == 0 or 1 / LARGEST <= abs(value) <= LARGEST


def numbers(values: object, what: str, least: int = 1) -> list[Number]:
    """At least `least` finite numbers: all float where one of them is a float, else exact."""
    items = sequence(values, what)
    if len(items) < least:
        message = f"{what} has {len(items)} values; at least {least} are needed"
        raise _bad(message, "take a longer history")
    found = [number(v, f"{what}[{i}]") for i, v in enumerate(in_time(items))]
    return [float(v) for v in found] if any(isinstance(v, float) for v in found) else found


def sequence(values: object, what: str) -> Sequence[object]:
    if not isinstance(values, list | tuple):
        hint = (
            "give a list: column('E1', 'name') is one column, [r['name'] for r in rows('E1')] too"
        )
        raise _bad(f"{what} is {shown(values)}, not a list", hint)
    if len(values) > MAX_VALUES:
        message = f"{what} has {len(values)} values; at most {MAX_VALUES} are taken"
        raise _bad(message, "aggregate in SQL first")
    return values


def not_negative(value: object, what: str) -> Number:
    found = number(value, what)
    if found < 0:
        raise _bad(f"{what} is {shown(value)}", f"{what} must be 0 or more")
    return found


def positive(value: object, what: str) -> Number:
    found = number(value, what)
    if found <= 0:
        raise _bad(f"{what} is {shown(value)}", f"{what} must be above 0")
    return found


def share(value: object, what: str) -> float:
    """A share between 0 and 1, both excluded: 0.95 for 95%."""
    found = float(number(value, what))
    if not 0 < found < 1:
        raise _bad(f"{what} is {shown(value)}", f"{what} is a share between 0 and 1: 0.95 for 95%")
    return found


def whole(value: object, what: str, least: int, most: int) -> int:
    found = number(value, what)
    if found != int(found) or not least <= found <= most:
        raise _bad(f"{what} is {shown(value)}", f"{what} is a whole number from {least} to {most}")
    return int(found)


def total(values: Sequence[Number]) -> Number:
    """The exact sum (`math.fsum` for floats)."""
    if any(isinstance(v, float) for v in values):
        return math.fsum(values)
    with localcontext(EXACT):
        return sum(values)


def moved(values: Sequence[Number], size: int) -> list[Number]:
    """The sum of each `size` neighbours, exact: floats are added as the fractions they are."""
    if any(isinstance(v, float) for v in values):
        ratios = [v.as_integer_ratio() for v in values]
        scale = max(below for _, below in ratios)
        return [s / scale for s in _moved([n * (scale // below) for n, below in ratios], size)]
    exact = cast(Sequence[int | Decimal], values)
    with localcontext(EXACT):
        return list(_moved(exact, size))


def _moved(values: Sequence[Exact], size: int) -> Iterator[Exact]:
    running = sum(values[1:size], values[0])
    yield running
    for old, new in in_time(zip(values, values[size:], strict=False)):
        running = running + new - old
        yield running


def product(a: Number, b: Number) -> Number:
    if isinstance(a, float) or isinstance(b, float):
        return float(a) * float(b)
    if isinstance(a, int) and isinstance(b, int):
        return a * b
    return EXACT.multiply(a, b)


def quotient(a: Number, b: Number) -> Number:
    """a / b: a float where one of them is, else a Decimal of 10 places, or more for 12 digits."""
    if isinstance(a, float) or isinstance(b, float):
        return float(a) / float(b)
    found = EXACT.divide(Decimal(a), Decimal(b))
    places = max(QUOTIENT_PLACES, QUOTIENT_DIGITS - 1 - found.adjusted()) if found else 0
    return plain(EXACT.quantize(found, Decimal((0, (1,), -places))))


def plain(value: Decimal) -> Decimal:
    """Without trailing zeros behind the point and without an exponent: 12.50 is 12.5, 1E+2 100."""
    short = EXACT.normalize(value)
    exponent = short.as_tuple().exponent
    has_zeros = isinstance(exponent, int) and exponent > 0
    return EXACT.quantize(short, Decimal(1)) if has_zeros else short


def shown(value: object) -> str:
    """The value in an error: short, whatever it is."""
    if isinstance(value, list | tuple | dict | set):
        return f"a {type(value).__name__} of {len(value)}"
    if isinstance(value, int) and value.bit_length() > 200:
        return "a number of over 60 digits"
    text = repr(value) if not isinstance(value, str) else repr(value[: SHOWN_CHARS + 1])
    return text if len(text) <= SHOWN_CHARS + 2 else text[:SHOWN_CHARS] + "…"


def _step(value: object) -> str:
    if value is None:
        return "it has no value: leave it out, or put 0 where nothing means 0"
    if isinstance(value, str):
        return "convert texts: int(x), Decimal(x)"
    return "give a number"


def _bad(message: str, hint: str) -> BadInput:
    return BadInput("bad_value", message, hint)
