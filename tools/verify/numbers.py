"""Whether a figure equals a cell, under the unit, scale and rounding that the text shows."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from tools.verify.cells import NumericColumn
from tools.verify.quantities import Quantity

Interval = tuple[Decimal, Decimal]
_DOWN = re.compile(
    r"減|低下|下落|下降|マイナス|下回|少な|不足|赤字|decreas|declin|drop|fell|fall|fewer|less|lower|loss|shortfall|"
    r"deficit|down|below|under|reduc|减|降|亏|短缺|少|负",
    re.IGNORECASE,
)
_UP = re.compile(
    r"増|上昇|上回|多い|プラス|increas|rose|rise|grew|grow|higher|more|up\b|gain|增|上升|增长|多",
    re.IGNORECASE,
)
_GAP = re.compile(r"差|difference|gap|相差|変化|change|ギャップ", re.IGNORECASE)


def intervals(q: Quantity, context: str, *, signed: bool = False) -> list[Interval]:
    """Signed intervals that the figure may stand for: "fell by 5.2%" is -5.2%.

    With `signed` the value looked at has a direction of its own (a change, a growth rate), so
    that a fall is never a positive one; without, it may be the size of the fall.
    """
    low, high = q.interval()
    flipped = (-high, -low)
    if q.either_sign:
        return [(low, high), flipped]
    if q.value <= 0:
        return [(low, high)]
    if _DOWN.search(context) and not _UP.search(context):
        return [flipped] if signed else [flipped, (low, high)]
    if _DOWN.search(context) or _GAP.search(context):
        return [(low, high), flipped]
    return [(low, high)]


def readings(q: Quantity, column: NumericColumn, context: str) -> Iterator[Interval]:
    """The figure as intervals in the cells' own scale."""
    signed = q.is_percent and not _DOWN.search(column.name)
    for low, high in intervals(q, context, signed=signed):
        if q.is_percent:
            if column.percent or not column.whole:
                yield low, high
            if not column.whole:
                yield low / 100, high / 100
            continue
        scale = column.scale
        plain = q.scale == 1 and q.unit_class != "currency"
        if scale == 1 or plain:
            yield low, high
        if scale != 1:
            yield low / scale, high / scale
        if column.percent and not q.unit and abs(q.value) <= 1 and q.step < 1:
            yield low * 100, high * 100


def find_cell(
    q: Quantity, columns: Sequence[NumericColumn], rows: Sequence[int] | None, context: str
) -> tuple[int, NumericColumn] | None:
    """The first matching cell as (row, column), looked for in `rows` or in all."""
    for column in columns:
        for low, high in readings(q, column, context):
            place = column.within(low, high, rows)
            if place is not None:
                return place, column
    return None


def says(q: Quantity, value: Decimal, context: str = "", *, signed: bool = False) -> bool:
    """Whether the figure is `value` (percents: in points) rounded as shown."""
    return any(low <= value <= high for low, high in intervals(q, context, signed=signed))


def same_in_passage(q: Quantity, other: Quantity, passage: str) -> bool:
    """Whether a passage's figure proves this one: same value, and units that do not clash."""
    mine, theirs = q.unit_class, other.unit_class
    if q.is_percent != other.is_percent:
        return False
    if mine and theirs and mine != theirs and not {mine, theirs} <= {"percent", "tenth"}:
        return False
    low, high = q.stated_interval()
    values = [other.value] + ([-other.value] if q.either_sign or other.either_sign else [])
    if any(low <= v <= high for v in values):
        return True
    # A table that is headed "thousands of yen" shows its figures without the scale.
    headed = q.scale > 1 and other.scale == 1 and not theirs and q.scale in _scales(passage)
    return headed and any(low / q.scale <= v <= high / q.scale for v in values)


_HEADS = (
    (re.compile(r"千円|千元|thousands?"), Decimal(1000)),
    (re.compile(r"万円|万元"), Decimal(10_000)),
    (re.compile(r"百万円|百万元|millions?"), Decimal(10) ** 6),
    (re.compile(r"億円|亿元"), Decimal(10) ** 8),
)


def _scales(passage: str) -> set[Decimal]:
    return {scale for pattern, scale in _HEADS if pattern.search(passage)}
