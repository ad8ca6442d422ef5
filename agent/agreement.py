"""Whether two results say the same, though their columns and rows stand in another order."""

from collections import Counter
from collections.abc import Callable
from decimal import Decimal, InvalidOperation

from tools.evidence import Evidence, Value

Column = list[object]
DIGITS = 6
"""Figures that are equal in so many leading digits are equal: averages are rounded differently."""


def same_figures(first: Evidence, second: Evidence) -> bool:
    """As many rows, and each column of figures of the narrower result among those of the other,
    beside the same names where both have a column of these.

    Columns shown for a reader, as the names behind ids, differ between two good queries; figures
    do not. Results without figures are compared by their texts.
    """
    if first.row_count != second.row_count:
        return False
    texts = [_columns(e, _text) for e in (first, second)]
    figures = [_columns(e, _figure) for e in (first, second)]
    if any(figures) != all(figures) and _has_empty_column(second if figures[0] else first):
        return False  # one has a figure where the other has NULL
    if not all(figures):
        return _contained(*([Counter(column) for column in columns] for columns in texts))
    named = [(a, b) for a in texts[0] for b in texts[1] if Counter(a) == Counter(b)]
    nameless: Column = [None] * len(first.rows)
    keys = named[0] if named else (nameless, nameless)
    one, other = (
        [Counter[object](zip(key, column, strict=True)) for column in columns]
        for key, columns in zip(keys, figures, strict=True)
    )
    return _contained(one, other)


def _contained(one: list[Counter[object]], other: list[Counter[object]]) -> bool:
    """Whether each column of the shorter list is among those of the longer one."""
    narrow, wide = sorted((one, other), key=len)
    left = list(wide)
    for column in narrow:
        if column not in left:
            return False
        left.remove(column)
    return bool(narrow)


def _columns(evidence: Evidence, read: Callable[[Value], object]) -> list[Column]:
    """The columns in which something can be read so, row by row."""
    columns = [
        [read(row[index]) for row in evidence.rows] for index in range(len(evidence.columns))
    ]
    return [column for column in columns if any(value is not None for value in column)]


def _has_empty_column(evidence: Evidence) -> bool:
    columns = range(len(evidence.columns))
    return any(all(row[i] is None for row in evidence.rows) for i in columns)


def _text(value: Value) -> str | None:
    return None if value is None or _figure(value) is not None else str(value).casefold()


def _figure(value: Value) -> Decimal | None:
    if value is None or isinstance(value, bool):
        return None
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return None
    return None if number.is_nan() else Decimal(f"{number:.{DIGITS - 1}e}")
