"""Whether rows that are not the gold rows hold what was asked all the same."""

import re
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal

from tests.bench.conditions import Pair
from tests.bench.scoring import Row, cell, rows_equal
from tests.bench.shapes import Shape

FACTORS = tuple(Decimal(10) ** power for power in (-6, -4, -3, -2, 2, 3, 4, 6))
_IDENTIFIES = re.compile(
    r"(^|_)(id|cd|code|key|no|number|name|title)s?$|[名称]$|番号$|コード$|编号$"
)
MAX_ROWS = 300
"""More rows than these are not compared: pairing them takes the square of their number."""

Query = Callable[[str], Sequence[Row] | None]


def other_reading(
    rows: Sequence[Row], gold: Sequence[Row], shape: Shape, gold_shape: Shape, query: Query
) -> str | None:
    """What the answer's rows are beside the gold's; None when they hold something else."""
    if not rows or not gold or max(len(rows), len(gold)) > MAX_ROWS:
        return None
    once = _once(gold)
    if len(once) < len(gold) and len(_once(rows)) == len(rows) and rows_equal(rows, once):
        return "each row once, which the gold repeats"
    if len(rows) != len(gold):
        return None
    return (
        _scaled(rows, gold) or _rounded(rows, gold) or _named(rows, gold, shape, gold_shape, query)
    )


def repeats(rows: Sequence[Row], gold: Sequence[Row]) -> bool:
    """Whether only repeated rows are too many."""
    once = _once(rows)
    return len(once) < len(rows) <= MAX_ROWS and rows_equal(once, gold)


def _once(rows: Sequence[Row]) -> list[Row]:
    return list({tuple(cell(value) for value in row): row for row in rows}.values())


def _scaled(rows: Sequence[Row], gold: Sequence[Row]) -> str | None:
    for at in range(len(rows[0])):
        values = [cell(row[at]) for row in rows]
        numbers = [value for value in values if isinstance(value, Decimal)]
        if not any(numbers) or any(isinstance(value, str) for value in values):
            continue
        for factor in FACTORS:
            changed = [_with(row, at, factor) for row in rows]
            if rows_equal(changed, gold):
                return f"a column times {1 / factor:f}"
    return None


def _with(row: Row, at: int, factor: Decimal) -> list[object]:
    values = list(row)
    value = cell(row[at])
    if isinstance(value, Decimal):
        values[at] = value * factor
    return values


def _rounded(rows: Sequence[Row], gold: Sequence[Row]) -> str | None:
    """The gold's numbers rounded as the answer's longest one is."""
    places = max((_places(value) for row in rows for value in row), default=0)
    if not 1 <= places <= 3:
        return None
    shorter = [[_round(value, places) for value in row] for row in gold]
    kept = [[_round(value, places) for value in row] for row in rows]
    return f"rounded to {places} decimals" if rows_equal(kept, shorter) else None


def _places(value: object) -> int:
    number = cell(value)
    if not isinstance(number, Decimal):
        return 0
    exponent = number.normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _round(value: object, places: int) -> object:
    number = cell(value)
    return round(number, places) if isinstance(number, Decimal) else value


def _named(
    rows: Sequence[Row], gold: Sequence[Row], shape: Shape, gold_shape: Shape, query: Query
) -> str | None:
    """Whether the rows are the gold's under another column of the same entity: a stored table in
    which one value of what is shown has one value of what the gold shows."""
    if len(shape.selected) != len(rows[0]):
        return None
    pairs = shape.pairs | gold_shape.pairs
    asked = [column for column in gold_shape.selected if column not in shape.selected]
    for table in sorted(shape.tables | gold_shape.tables):
        shown = _inside(table, enumerate(shape.selected), pairs)
        wanted = _inside(table, enumerate(asked), pairs)
        if not shown or not wanted:
            continue
        known = _known(table, list(shown.values()), list(wanted.values()), query)
        wider = [[*row, *known.get(_key(row[at] for at in shown), ())] for row in rows]
        if all(len(row) == len(wider[0]) > len(rows[0]) for row in wider) and rows_equal(
            wider, gold
        ):
            names = (
                ", ".join(c[len(table) + 1 :] for c in part.values()) for part in (shown, wanted)
            )
            return " instead of ".join(names) + f" of {table}"
    return None


def _inside(
    table: str, columns: Iterable[tuple[int, str]], pairs: Iterable[Pair]
) -> dict[int, str]:
    """The columns that name an entity of this table, or are joined to one that does, by place."""
    found = {}
    for at, column in columns:
        equal = {column}.union(*(pair for pair in pairs if column in pair))
        own = sorted(name for name in equal if _identifies(name, table))
        if own:
            found[at] = own[0]
    return found


def _identifies(column: str, table: str) -> bool:
    of, _, name = column.rpartition(".")
    return of == table and (
        name in (table, table.removesuffix("s")) or bool(_IDENTIFIES.search(name))
    )


def _known(
    table: str, shown: list[str], wanted: list[str], query: Query
) -> dict[tuple[object, ...], Row]:
    """The wanted values by the shown ones; {} when one shown value has several."""
    names = ", ".join(f'"{c[len(table) + 1 :]}"' for c in (*shown, *wanted))
    found: dict[tuple[object, ...], Row] = {}
    for row in query(f'SELECT DISTINCT {names} FROM "{table}"') or ():
        if found.setdefault(_key(row[: len(shown)]), row[len(shown) :]) != row[len(shown) :]:
            return {}
    return found


def _key(values: Iterable[object]) -> tuple[object, ...]:
    return tuple(cell(value) for value in values)
