"""Scores an answer against the gold rows of its question. Pure functions, no files, no model."""

import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from tests.bench.in_text import stands_in

Row = Sequence[object]
DELIVERED = frozenset({"answered", "partial"})
FEW_VALUES = 5
RELATIVE = Decimal("1e-4")
FOURTH_DECIMAL = Decimal("0.5e-4")

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_DATE = re.compile(r"(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(:\d{2})?(\.\d+)?(Z|[+-]00:?00)?")


@dataclass(frozen=True)
class Score:
    rows_ok: bool
    stands_in_text: bool
    correct: bool


def score(status: str, text: str, cited: Sequence[Sequence[Row]], gold: Sequence[Row]) -> Score:
    """`cited`: the rows of each cited evidence; `gold`: the gold rows.

    Correct: delivered, the rows of one evidence equal the gold rows, and each gold value stands
    in the text where there are at most five.
    """
    rows_ok = any(rows_equal(rows, gold) for rows in cited)
    values = [value for row in gold for value in row]
    in_text = len(values) > FEW_VALUES or all(stands_in(text, cell(v)) for v in values)
    return Score(rows_ok, in_text, status in DELIVERED and rows_ok and in_text)


def rows_equal(found: Sequence[Row], gold: Sequence[Row]) -> bool:
    """As many rows, and all columns of the narrower side are among those of the wider one.

    One assignment of columns must hold for all rows; the order of rows does not matter.
    """
    if len(found) != len(gold):
        return False
    if not gold:
        return True
    narrow, wide = sorted((_cells(found), _cells(gold)), key=lambda rows: len(rows[0]))
    columns = range(len(narrow[0]))
    candidates = {
        c: [w for w in range(len(wide[0])) if _pairs(narrow, wide, {c: w})] for c in columns
    }
    order = sorted(columns, key=lambda c: len(candidates[c]))
    return any(True for _ in _assignments(narrow, wide, order, candidates, {}))


def cell(value: object) -> object:
    """None, a Decimal for what reads as a number, else trimmed text; midnight is its date."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    text = unicodedata.normalize("NFC", str(value)).strip()
    if text.lower() in ("true", "false"):
        return text.lower()
    if _NUMBER.fullmatch(text):
        return Decimal(text)
    stamp = _DATE.fullmatch(text)
    return _stamp(stamp) if stamp else text


def same(left: object, right: object) -> bool:
    """Equality of two cells: whole numbers exactly, other numbers to 1e-4 or four decimals; a
    day is also the number 20160214, as sources write it."""
    if isinstance(left, str) and isinstance(right, Decimal):
        return bool(_DAY.fullmatch(left)) and Decimal(left.replace("-", "")) == right
    if isinstance(left, Decimal) and isinstance(right, str):
        return same(right, left)
    if not (isinstance(left, Decimal) and isinstance(right, Decimal)):
        return left == right
    if left == left.to_integral_value() and right == right.to_integral_value():
        return left == right
    return abs(left - right) <= max(RELATIVE * max(abs(left), abs(right)), FOURTH_DECIMAL)


def _stamp(found: re.Match[str]) -> str:
    date, minutes, seconds, fraction, _ = found.groups()
    time = minutes + (seconds or ":00")
    digits = (fraction or "").rstrip("0.")
    return date if time == "00:00:00" and not digits else f"{date} {time}{digits}"


def _cells(rows: Sequence[Row]) -> list[list[object]]:
    return [[cell(value) for value in row] for row in rows]


def _assignments(
    narrow: list[list[object]],
    wide: list[list[object]],
    order: Sequence[int],
    candidates: dict[int, list[int]],
    chosen: dict[int, int],
) -> Iterator[dict[int, int]]:
    """Every assignment of the columns left in `order` under which the rows pair up."""
    if not order:
        yield chosen
        return
    for column in candidates[order[0]]:
        wider = {**chosen, order[0]: column}
        if column not in chosen.values() and _pairs(narrow, wide, wider):
            yield from _assignments(narrow, wide, order[1:], candidates, wider)


def _pairs(narrow: list[list[object]], wide: list[list[object]], columns: dict[int, int]) -> bool:
    """Whether each narrow row can have a wide row of its own (bipartite matching, Kuhn 1955)."""
    fits = [
        [at for at, w in enumerate(wide) if all(same(n[c], w[d]) for c, d in columns.items())]
        for n in narrow
    ]
    owner: dict[int, int] = {}

    def place(row: int, tried: set[int]) -> bool:
        for at in fits[row]:
            if at not in tried:
                tried.add(at)
                if at not in owner or place(owner[at], tried):
                    owner[at] = row
                    return True
        return False

    return all(place(row, set()) for row in range(len(narrow)))
