"""Figures of a draft that the model copied with zeros or a point in the wrong place.

A small model writes 120,415,000 for 1204150. Where all other digits are those of exactly one value
of the evidence, that value is put in by code, as tables are; nothing else is changed.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal, InvalidOperation

from tools.evidence import Evidence, Value
from tools.verify import Item

FEWEST_DIGITS = 4
"""Fewer digits could be those of another value by chance."""
CELLS = 40
"""Of a larger result no value is taken for the one that was meant."""
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


def mended(text: str, unsupported: Iterable[Item], evidence: Sequence[Evidence]) -> str:
    """The text with such figures put right; the same text where there are none."""
    values = dict(_by_digits(evidence))
    for item in sorted(unsupported, key=lambda i: -i.start):
        found = _NUMBER.search(item.text)
        if item.kind != "number" or found is None:
            continue
        meant = values.get(_digits(found.group()))
        if meant is not None:
            start = item.start + found.start()
            shown = f"{meant:,f}" if "," in found.group() else f"{meant:f}"
            text = text[:start] + shown + text[item.start + found.end() :]
    return text


def _by_digits(evidence: Sequence[Evidence]) -> Iterator[tuple[str, Decimal]]:
    """Digits without zeros at the ends → the one value that has them."""
    found: dict[str, set[Decimal]] = {}
    for item in evidence:
        cells = [v for row in item.rows for v in row]
        for value in (_number(v) for v in cells if len(cells) <= CELLS):
            if value is not None:
                found.setdefault(_digits(f"{value:f}"), set()).add(value)
    for digits, values in found.items():
        if len(digits) >= FEWEST_DIGITS and len(values) == 1:
            yield digits, values.pop()


def _number(value: Value) -> Decimal | None:
    if isinstance(value, bool) or value is None:
        return None
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return None
    if not number.is_finite():
        return None
    return number.quantize(Decimal(1)) if number == number.to_integral_value() else number


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text).strip("0")
