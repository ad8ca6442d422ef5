"""Which type a column has, decided over all of its cells.

Plain forms (123, 1.50, 1,234, 2026-01-05) are counted by DuckDB; every other distinct value is
read once in Python (`cells`). A type is taken when the share of cells that do not fit it is
within the limit; else the column stays VARCHAR and says why.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import duckdb

from ingest.tables import cells
from ingest.tables.cells import Moment, Number
from ingest.tables.names import names_date, names_identifier
from ingest.tables.staging import STAGE

MAX_SCALE = 9
_MANY = 2_000
_DATE = r"[0-9]{4}([-/])[0-9]{1,2}[-/][0-9]{1,2}"
_CLOCK = r"[ T][0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?"
_CLASS = rf"""CASE
    WHEN regexp_full_match(v, '-?(0|[1-9][0-9]{{0,17}})') THEN 'int'
    WHEN regexp_full_match(v, '-?(0|[1-9][0-9]{{0,18}})\.[0-9]{{1,15}}') THEN 'dec'
    WHEN regexp_full_match(v, '-?[1-9][0-9]{{0,2}}(,[0-9]{{3}}){{1,5}}(\.[0-9]{{1,9}})?') THEN 'dec'
    WHEN regexp_full_match(v, '{_DATE}')
        AND try_cast(replace(v, '/', '-') AS DATE) IS NOT NULL THEN 'date'
    WHEN regexp_full_match(v, '{_DATE}{_CLOCK}')
        AND try_cast(replace(v, '/', '-') AS TIMESTAMP) IS NOT NULL THEN 'time'
    ELSE 'other' END"""
_HEADER_SCALE = re.compile(
    r"[(\[【]?\s*(?:単位\s*[::]?|单位\s*[::]?)?\s*(千|百万|十億|億|亿|万)(円|元|個|个|台|件|本|枚|箱)\s*[)\]】]?"
)
_HEADER_UNIT = re.compile(
    rf"[(\[](%|円|元|JPY|USD|EUR|GBP|CNY|RMB|¥|\$|€|£|{cells.COUNTERS})[)\]]", re.I
)
_HEADER_CURRENCY = {
    "円": "JPY", "元": "CNY", "RMB": "CNY", "¥": "¥", "$": "USD", "€": "EUR", "£": "GBP"
}  # fmt: skip


@dataclass(frozen=True)
class Typed:
    """A column's type and how its text becomes values.

    `expression` is SQL over the stage's cell `v` and the map `m` (columns `v`, `canon`);
    `mapped` holds every irregular value and its plain form (None: NULL). `nulls` are those that
    mean NULL, so that they are no misfits.
    """

    type: str
    expression: str = "v"
    mapped: dict[str, str | None] = field(default_factory=dict)
    nulls: frozenset[str] = frozenset()
    unit: str | None = None
    note: str | None = None
    noun: str = "text"


@dataclass(frozen=True)
class Header:
    """What the header cell says: the name without its scale word, 10^`scale`, and a unit."""

    text: str
    scale: int = 0
    unit: str | None = None


def read_header(original: str) -> Header:
    """`売上(千円)` is 売上, scale 3, JPY; `重量(kg)` keeps its text and has the unit kg."""
    normal = unicodedata.normalize("NFKC", original)
    match = _HEADER_SCALE.search(normal)
    if match:
        text = (normal[: match.start()] + normal[match.end() :]).strip() or normal
        return Header(text, cells.SCALES[match[1]], _HEADER_CURRENCY.get(match[2], match[2]))
    unit = _HEADER_UNIT.search(normal)
    return Header(normal, 0, _HEADER_CURRENCY.get(unit[1], unit[1]) if unit else None)


@dataclass
class _Counts:
    """Cells by form. `irregular` are the distinct other values with their counts."""

    total: int = 0
    ints: int = 0
    decs: int = 0
    dates: int = 0
    times: int = 0
    others: int = 0
    scale: int = 0
    whole: int = 0
    digits: int = 0
    compact: int = 0
    irregular: dict[str, int] = field(default_factory=dict)
    gave_up: bool = False
    leading_zero: bool = False
    numbers: dict[str, Number] = field(default_factory=dict)
    moments: dict[str, Moment] = field(default_factory=dict)
    booleans: dict[str, bool] = field(default_factory=dict)
    nulls: set[str] = field(default_factory=set)

    def cells_of(self, values: Iterable[str]) -> int:
        return sum(self.irregular[value] for value in values)


def decide_type(
    connection: duckdb.DuckDBPyConnection, index: int, name: str, header: Header, max_share: float
) -> Typed:
    """The type of column `c{index}` of the stage."""
    counts = _count(connection, index, names_date(name))
    if counts.total == 0:
        return Typed("VARCHAR")
    for value, cells_ in _irregular(connection, index) if counts.others else ():
        _read(counts, value, cells_)
        if counts.leading_zero:
            return Typed("VARCHAR")
        if len(counts.irregular) % _MANY == 0 and _is_text(counts, max_share):
            return Typed("VARCHAR")
    return _choose(counts, name, header, max_share)


def _count(connection: duckdb.DuckDBPyConnection, index: int, dated: bool) -> _Counts:
    compact = "count(*) FILTER (try_strptime(v, '%Y%m%d') IS NOT NULL AND length(v) = 8)"
    rows = connection.execute(
        f"SELECT form, count(*), max(length(split_part(v, '.', 2))), "
        f"count(*) FILTER (regexp_full_match(v, '.*\\.0')), "
        f"max(length(regexp_replace(split_part(v, '.', 1), '[-,]', '', 'g'))), "
        f"{compact if dated else '0'} "
        f"FROM (SELECT v, {_CLASS} AS form FROM (SELECT c{index} AS v FROM {STAGE}) "
        "WHERE v IS NOT NULL) GROUP BY form"
    ).fetchall()
    counts = _Counts()
    for form, number, scale, whole, digits, dates in rows:
        counts.total += number
        if form == "int":
            counts.ints, counts.compact = number, dates
        elif form == "dec":
            counts.decs, counts.scale, counts.whole = number, scale, whole
        elif form == "date":
            counts.dates = number
        elif form == "time":
            counts.times = number
        else:
            counts.others = number
        if form in ("int", "dec"):
            counts.digits = max(counts.digits, digits)
    return counts


def _irregular(connection: duckdb.DuckDBPyConnection, index: int) -> Iterator[tuple[str, int]]:
    result = connection.execute(
        f"SELECT v, count(*) FROM (SELECT c{index} AS v FROM {STAGE}) "
        f"WHERE v IS NOT NULL AND {_CLASS} = 'other' GROUP BY v"
    )
    while batch := result.fetchmany(_MANY):
        yield from batch


def _read(counts: _Counts, value: str, number: int) -> None:
    counts.irregular[value] = number
    if len(value) > 60:
        return
    if value in cells.TYPED_NULL_WORDS:
        counts.nulls.add(value)
    elif (reading := cells.read_number(value)) is not None:
        counts.numbers[value] = reading
    elif (moment := cells.read_moment(value)) is not None:
        counts.moments[value] = moment
    elif (truth := cells.read_boolean(value)) is not None:
        counts.booleans[value] = truth
    elif cells.is_leading_zero(value):
        counts.leading_zero = True


def _is_text(counts: _Counts, max_share: float) -> bool:
    """Whether reading on is pointless: no type can fit, and most cells fit none."""
    read = len(counts.numbers) + len(counts.moments) + len(counts.booleans)
    unread = len(counts.irregular) - read - len(counts.nulls)
    return unread > max_share * counts.total and counts.total - counts.others + read <= unread


def _choose(counts: _Counts, name: str, header: Header, max_share: float) -> Typed:
    total = counts.total - counts.cells_of(counts.nulls)
    if total <= 0:
        return Typed("VARCHAR")
    if counts.compact and counts.compact >= (1 - max_share) * total:
        return _compact_dates(counts)
    options = [_as_number(counts, name, header), _as_moment(counts), _as_boolean(counts)]
    fit, typed = max(options, key=lambda option: option[0])
    if typed.type == "VARCHAR":
        return typed
    misfits = total - fit
    if misfits <= max_share * total:
        return replace(typed, mapped={**dict.fromkeys(counts.irregular), **typed.mapped})
    note = None
    if fit >= misfits:
        odd = next(
            (v for v in counts.irregular if v not in typed.mapped and v not in typed.nulls), ""
        )
        example = f", such as {odd[:40]!r}" if odd else ""
        note = f"stays text: {misfits} of {total} cells are not a {typed.noun}{example}."
    return Typed("VARCHAR", note=note)


def _compact_dates(counts: _Counts) -> Typed:
    mapped: dict[str, str | None] = {
        v: m.text[:10] for v, m in counts.moments.items() if not m.order
    }
    plain = "coalesce(CAST(try_strptime(v, '%Y%m%d') AS DATE)::VARCHAR, replace(v, '/', '-'))"
    expression = f"coalesce(m.canon, CASE WHEN NOT m.found IS TRUE THEN {plain} END)"
    every = {**dict.fromkeys(counts.irregular), **mapped}
    return Typed("DATE", expression, every, frozenset(counts.nulls), noun="date")


def _as_number(counts: _Counts, name: str, header: Header) -> tuple[int, Typed]:
    plain = counts.ints + counts.decs
    unit, fitting = _common_unit(counts, plain)
    fit = plain + counts.cells_of(fitting)
    if not fit:
        return 0, Typed("BIGINT")
    if unit == "%" and plain:
        fit = max(plain, counts.cells_of(fitting))
    long = any(
        abs(n.value) >= 10**18 and n.unit is None and not n.exponent for n in fitting.values()
    )
    if names_identifier(name) or (long and not counts.decs):
        return fit, Typed("VARCHAR")
    type_ = _number_type(counts, fitting, header.scale)
    mapped: dict[str, str | None] = {
        v: format(n.value, "E" if n.exponent else "f") for v, n in fitting.items()
    }
    value = "coalesce(m.canon, CASE WHEN NOT m.found IS TRUE THEN replace(v, ',', '') END)"
    if unit == "%":
        value = "m.canon"
    if header.scale:
        wide = "DOUBLE" if type_ == "DOUBLE" else f"DECIMAL(38,{_scale(counts, fitting)})"
        value = f"try_cast({value} AS {wide}) * {10**header.scale}"
    return fit, Typed(
        type_, value, mapped, frozenset(counts.nulls), unit or header.unit, noun="number"
    )


def _common_unit(counts: _Counts, plain: int) -> tuple[str | None, dict[str, Number]]:
    """The unit most cells carry, and the irregular values that agree with it.

    Percent is read only where every cell carries the sign: 12 beside 12% could be either.
    """
    by_unit: Counter[str] = Counter()
    for value, number in counts.numbers.items():
        if number.unit:
            by_unit[number.unit] += counts.irregular[value]
    unit = by_unit.most_common(1)[0][0] if by_unit else None
    if unit == "%" and plain >= by_unit["%"]:
        unit = None
    allowed = {unit} if unit == "%" else {unit, None}
    return unit, {v: n for v, n in counts.numbers.items() if n.unit in allowed}


def _scale(counts: _Counts, fitting: dict[str, Number]) -> int:
    """Digits after the point; a column of whole numbers written with a single .0 has none."""
    irregular = [max(0, -int(n.value.as_tuple().exponent)) for n in fitting.values()]
    plain = 0 if counts.scale == 1 and counts.whole == counts.decs else counts.scale
    return max([plain, *irregular])


def _number_type(counts: _Counts, fitting: dict[str, Number], shift: int) -> str:
    scale = _scale(counts, fitting)
    if scale > MAX_SCALE or any(n.exponent for n in fitting.values()):
        return "DOUBLE"
    digits = max([counts.digits, *(len(str(int(abs(n.value)))) for n in fitting.values())]) + shift
    if scale == 0 and digits <= 18:
        return "BIGINT"
    return f"DECIMAL({18 if digits + scale <= 18 else 38},{scale})"


def _as_moment(counts: _Counts) -> tuple[int, Typed]:
    moments = counts.moments
    orders = {m.order for m in moments.values()} - {None}
    note = None
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
        "coalesce(m.canon, CASE WHEN NOT m.found IS TRUE THEN replace(v, '/', '-') END)",
        mapped,
        frozenset(counts.nulls),
        note=f"holds local times at UTC offset {offset}." if offset else None,
        noun="date",
    )


def _as_boolean(counts: _Counts) -> tuple[int, Typed]:
    mapped: dict[str, str | None] = {v: str(b).lower() for v, b in counts.booleans.items()}
    typed = Typed("BOOLEAN", "m.canon", mapped, frozenset(counts.nulls), noun="truth value")
    return counts.cells_of(mapped), typed
