"""Which type a column has, decided over all of its cells.

Plain forms (123, 1.50, 1,234, 2026-01-05) are counted by DuckDB; every other distinct value is
read once in Python (`cells`). A type is taken when the share of cells that do not fit it is
within the limit; else the column stays VARCHAR and says why.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace

import duckdb

from ingest.tables.cells import ERROR_WORDS, SPOKEN_NULL_WORDS, Number
from ingest.tables.forms import (
    MANY,
    Counts,
    count_forms,
    irregular_values,
    is_text,
    plain_counts,
    read_value,
)
from ingest.tables.headers import Header
from ingest.tables.names import names_barcode_or_month, names_date, names_identifier

MAX_SCALE, MAX_DIGITS = 18, 38
"""Of an exact number: digits after the point, and in all (DuckDB's DECIMAL). Beyond, it is floating."""
_DECIMAL_COMMA = re.compile(r"[-+]?(?:\d{1,3}(?:\.\d{3})+|\d+),\d+")


@dataclass(frozen=True)
class Typed:
    """A column's type and how its text becomes values.

    `expression` is SQL over the stage's cell `v` and the map `m` (columns `v`, `canon`);
    `mapped` holds every irregular value and its plain form (None: NULL). `nulls` are those that
    mean NULL, so that they are no misfits. `staged`: every cell stands in the stage as a value of
    this type. `distinct`: how many values it has, where that was counted on the way.
    """

    type: str
    expression: str = "v"
    mapped: dict[str, str | None] = field(default_factory=dict)
    nulls: frozenset[str] = frozenset()
    unit: str | None = None
    note: str | None = None
    noun: str = "text"
    staged: bool = False
    distinct: int | None = None


def decide_type(
    connection: duckdb.DuckDBPyConnection,
    index: int,
    name: str,
    header: Header,
    max_share: float,
    kind: str | None = None,
) -> Typed:
    """The type of column `c{index}` of the stage, which holds its cells as `kind` if given."""
    dated = names_date(name) and kind not in ("DATE", "TIMESTAMP")
    plain = plain_counts(connection, index, kind) if kind and not dated else None
    if plain is not None:
        typed = _choose(plain, name, header, max_share)
        return replace(typed, staged=typed.type == kind and not header.scale)
    counts = count_forms(connection, index, names_date(name))
    typed = _read(connection, index, counts, name, header, max_share)
    return replace(typed, distinct=counts.distinct) if typed.type == "VARCHAR" else typed


def _read(
    connection: duckdb.DuckDBPyConnection,
    index: int,
    counts: Counts,
    name: str,
    header: Header,
    max_share: float,
) -> Typed:
    if counts.total == 0:
        return Typed("VARCHAR")
    for value, cells_ in irregular_values(connection, index) if counts.others else ():
        read_value(counts, value, cells_)
        if counts.leading_zero:
            return Typed("VARCHAR")
        if len(counts.irregular) % MANY == 0 and is_text(counts, max_share):
            return Typed("VARCHAR", note=_comma_note(counts))
    return _choose(counts, name, header, max_share)


def _choose(counts: Counts, name: str, header: Header, max_share: float) -> Typed:
    total = counts.total - counts.cells_of(counts.nulls)
    if total <= 0:
        return Typed("VARCHAR")
    if counts.compact and counts.compact >= (1 - max_share) * total:
        return _compact_dates(counts)
    if counts.serials and counts.serials == counts.ints + counts.decs:
        serial = _serial_dates(counts, total, max_share)
        if serial is not None:
            return serial
    options = [_as_number(counts, name, header), _as_moment(counts, name), _as_boolean(counts)]
    fit, typed = max(options, key=lambda option: option[0])
    if typed.type == "VARCHAR":
        return typed
    # A failed formula says nothing about what the others are; it is a misfit in any case.
    total -= sum(n for value, n in counts.irregular.items() if value in ERROR_WORDS)
    misfits = total - fit
    if fit and misfits <= max_share * total:
        said = "; ".join(filter(None, (typed.note, _blanks(counts))))
        mapped = {**dict.fromkeys(counts.irregular), **typed.mapped}
        return replace(typed, mapped=mapped, note=said or None)
    note = None
    if fit >= misfits:
        known = typed.mapped.keys() | typed.nulls
        odd = min((v for v in counts.irregular if v not in known), default=counts.word)
        example = f", such as {odd[:40]!r}" if odd else ""
        note = f"stays text: no {typed.noun} in {misfits} of {total} cells{example}."
    return Typed("VARCHAR", note=note or _comma_note(counts))


def _comma_note(counts: Counts) -> str | None:
    """Of a column in which most cells may have a decimal comma."""
    found = [value for value in counts.irregular if _DECIMAL_COMMA.fullmatch(value)]
    if counts.cells_of(found) * 2 <= counts.total:
        return None
    return f"stays text: its commas may be decimal points, such as in {min(found)[:40]!r}."


def _blanks(counts: Counts) -> str:
    """Says which cells count as blank though something stands there; what a person wrote there
    is listed in quarantine instead."""
    words = counts.nulls - SPOKEN_NULL_WORDS
    number = counts.cells_of(words)
    return f"is blank in {number} cells that say {', '.join(sorted(words))}." if number else ""


def _compact_dates(counts: Counts) -> Typed:
    mapped: dict[str, str | None] = {
        v: m.text[:10] for v, m in counts.moments.items() if not m.order
    }
    plain = "coalesce(CAST(try_strptime(v, '%Y%m%d') AS DATE)::VARCHAR, replace(v, '/', '-'))"
    expression = f"coalesce(m.canon, CASE WHEN NOT m.found IS TRUE THEN {plain} END)"
    every = {**dict.fromkeys(counts.irregular), **mapped}
    return Typed("DATE", expression, every, frozenset(counts.nulls), noun="date")


def _serial_dates(counts: Counts, total: int, max_share: float) -> Typed | None:
    """A column named after a date, in days since 1899-12-30, as Excel keeps dates (ECMA-376
    part 1, 18.17.4.1); beside written dates, too."""
    mapped: dict[str, str | None] = {
        v: m.text for v, m in counts.moments.items() if not m.order and not m.offset
    }
    fit = counts.serials + counts.dates + counts.times + counts.cells_of(mapped)
    if total - fit > max_share * total:
        return None
    timed = (
        counts.decs > counts.whole
        or counts.times
        or any(counts.moments[v].has_time for v in mapped)
    )
    day = "(TIMESTAMP '1899-12-30' + to_seconds(round(try_cast(v AS DOUBLE) * 86400)))::VARCHAR"
    plain = f"CASE WHEN try_cast(v AS DOUBLE) IS NOT NULL THEN {day} ELSE replace(v, '/', '-') END"
    every = {**dict.fromkeys(counts.irregular), **mapped}
    note = f"was read as Excel's day numbers in {counts.serials} of {total} cells."
    type_ = "TIMESTAMP" if timed else "DATE"
    nulls = frozenset(counts.nulls)
    return Typed(type_, _mapped_or(plain, counts), every, nulls, note=note, noun="date")


def _as_number(counts: Counts, name: str, header: Header) -> tuple[int, Typed]:
    plain = counts.ints + counts.decs
    unit, fitting = _common_unit(counts, plain, header)
    fit = plain + counts.cells_of(fitting)
    if not fit:
        return 0, Typed("BIGINT")
    if unit == "%" and plain:
        fit = max(plain, counts.cells_of(fitting))
    long = any(
        abs(n.value) >= 10**18 and n.unit is None and not n.exponent for n in fitting.values()
    )
    barcode = names_barcode_or_month(name) and counts.digits in (8, 13)
    if names_identifier(name) or barcode:
        return fit, Typed("VARCHAR")
    if long and not counts.decs:
        return fit, Typed("VARCHAR", note="stays text: whole numbers of over 18 digits are codes.")
    type_ = _number_type(counts, fitting, header.scale)
    mapped: dict[str, str | None] = {
        v: format(n.value, "E" if n.exponent else "f") for v, n in fitting.items()
    }
    plain_value = "replace(v, ',', '')" if counts.grouped else "v"
    value = _mapped_or(plain_value, counts)
    if unit == "%":
        value = "m.canon"
    if header.scale:
        wide = "DOUBLE" if type_ == "DOUBLE" else f"DECIMAL(38,{_scale(counts, fitting)})"
        value = f"try_cast({value} AS {wide}) * {10**header.scale}"
    note = "is floating point, for some of its figures have " if type_ == "DOUBLE" else None
    if note:
        exponent = any(n.exponent for n in fitting.values())
        note += "an exponent." if exponent else f"more than {MAX_SCALE} digits after the point."
    nulls = frozenset(counts.nulls)
    return fit, Typed(type_, value, mapped, nulls, unit or header.unit, note, noun="number")


def _mapped_or(plain: str, counts: Counts) -> str:
    """Irregular values by the map, all others by this SQL over `v`."""
    if not counts.irregular:
        return plain
    return f"coalesce(m.canon, CASE WHEN NOT m.found IS TRUE THEN {plain} END)"


def _common_unit(
    counts: Counts, plain: int, header: Header
) -> tuple[str | None, dict[str, Number]]:
    """The unit most cells carry, and the irregular values that agree with it.

    Percent is read only where every cell carries the sign: 12 beside 12% could be either. So
    could 5千円 under a header that says 千円.
    """
    numbers = {v: n for v, n in counts.numbers.items() if not (header.scale and n.scaled)}
    if "l" in {n.unit for n in numbers.values()}:
        numbers |= counts.litres
    if "JPY" in {n.unit for n in numbers.values()}:
        numbers = {v: n._replace(unit="JPY") if n.unit == "¥" else n for v, n in numbers.items()}
    by_unit: Counter[str] = Counter()
    for value, number in numbers.items():
        if number.unit:
            by_unit[number.unit] += counts.irregular[value]
    unit = by_unit.most_common(1)[0][0] if by_unit else None
    if unit == "%" and plain >= by_unit["%"]:
        unit = None
    allowed = {unit} if unit == "%" else {unit, None}
    return unit, {v: n for v, n in numbers.items() if n.unit in allowed}


def _scale(counts: Counts, fitting: dict[str, Number]) -> int:
    """Digits after the point; a column of whole numbers written with a single .0 has none."""
    irregular = [max(0, -int(n.value.as_tuple().exponent)) for n in fitting.values()]
    plain = 0 if counts.scale == 1 and counts.whole == counts.decs else counts.scale
    return max([plain, *irregular])


def _number_type(counts: Counts, fitting: dict[str, Number], shift: int) -> str:
    scale = _scale(counts, fitting)
    digits = max([counts.digits, *(len(str(int(abs(n.value)))) for n in fitting.values())]) + shift
    exact = scale <= MAX_SCALE and digits + scale <= MAX_DIGITS
    if not exact or any(n.exponent for n in fitting.values()):
        return "DOUBLE"
    if scale == 0 and digits <= 18:
        return "BIGINT"
    return f"DECIMAL({18 if digits + scale <= 18 else 38},{scale})"


def _as_moment(counts: Counts, name: str) -> tuple[int, Typed]:
    moments = counts.moments
    orders = {m.order for m in moments.values()} - {None}
    note = None if names_date(name) else _maybe_codes(counts)
    if orders == {"both"}:
        moments = {v: m for v, m in moments.items() if m.order is None}
        note = "stays text: day and month cannot be told apart in any of its dates."
    elif {"dmy", "mdy"} <= orders:
        moments = {v: m for v, m in moments.items() if m.order is None}
        note = "stays text: some of its dates put the day first and some the month."
    offsets = {m.offset for m in moments.values() if m.has_time}
    if len(offsets) > 1 or (counts.times and offsets - {None}):
        moments = {v: m for v, m in moments.items() if not m.offset}
        note = "stays text: its times have different offsets from UTC."
        offsets = {None}
    fit = counts.dates + counts.times + counts.cells_of(moments)
    if note:
        return counts.dates + counts.times + counts.cells_of(counts.moments), Typed(
            "VARCHAR", note=note
        )
    timed = counts.times > 0 or any(m.has_time for m in moments.values())
    month_first = "mdy" in orders
    mapped: dict[str, str | None] = {
        v: m.other if m.order == "both" and month_first else m.text for v, m in moments.items()
    }
    offset = next(iter(offsets), None)
    return fit, Typed(
        "TIMESTAMP" if timed else "DATE",
        _mapped_or("replace(v, '/', '-')" if timed else "v", counts),
        mapped,
        frozenset(counts.nulls),
        note=f"holds local times at UTC offset {offset}." if offset else None,
        noun="date",
    )


def _maybe_codes(counts: Counts) -> str | None:
    """Why dates under a name that says nothing of dates may be codes: R1.2.3, 1001-02-03."""
    written = counts.dates + counts.times
    if counts.moments and not written and all(m.weak for m in counts.moments.values()):
        return f"stays text: such as {min(counts.moments)}, it may be a code as well as a date."
    if counts.far * 2 > written + counts.cells_of(counts.moments):
        return "stays text: most of its years lie outside of 1800 to 2200, as in a code."
    return None


def _as_boolean(counts: Counts) -> tuple[int, Typed]:
    mapped: dict[str, str | None] = {v: str(b).lower() for v, b in counts.booleans.items()}
    typed = Typed("BOOLEAN", "m.canon", mapped, frozenset(counts.nulls), noun="truth value")
    return counts.cells_of(mapped), typed
