"""How often each form of a value stands in a column: plain ones counted by DuckDB, others read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import duckdb

from ingest.tables import cells
from ingest.tables.cells import Moment, Number
from ingest.tables.staging import STAGE, TYPED

MANY = 2_000
SERIAL_FROM, SERIAL_TO = 29_221, 73_050
"""Days since 1899-12-30, as Excel counts them, that are taken for dates: 1980 to 2099."""
_DATE = r"[0-9]{4}([-/])[0-9]{1,2}[-/][0-9]{1,2}"
_CLOCK = r"[ T][0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?"
_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
# What no reading of `cells` takes. By its first character: a kana or a kanji that begins no era
# and is no 円; else by letters at its start. No cheaper form is missed: what is left over is read in Python.
# A counted `{0,40}` in place of the `*` makes a pattern whose compilation takes 26 ms a column.
_WORD = r"^([A-Za-z]{2,}-[A-Za-z0-9]|[^0-9\pN(（]*[A-Za-z]{4}|[A-Za-z]{2,3}[0-9])"
_MAY_READ = rf"(?i)^({_MONTHS}|true|false|none|inf|nan|epoch|jpy|usd|eur|gbp|cny|rmb)"
_NULLS = ", ".join(f"'{word}'" for word in sorted(cells.TYPED_NULL_WORDS))
_READ = ", ".join(str(ord(char)) for char in "令平昭大円")
_PLAIN_YEAR = re.compile(r"\d{4}-")
INT, DEC, THOUSANDS, DATE, TIME, WORD, OTHER = range(1, 8)
_LETTERS = rf"""CASE
    WHEN (ascii(v) BETWEEN 19968 AND 40959 AND ascii(v) NOT IN ({_READ}))
        OR ascii(v) BETWEEN 12353 AND 12538
        THEN CASE WHEN strlen(v) <= 6 AND v IN ({_NULLS}) THEN {OTHER} ELSE {WORD} END
    WHEN regexp_matches(v, '{_WORD}') AND NOT regexp_matches(v, '{_MAY_READ}') THEN {WORD}
    ELSE {OTHER} END"""
_CLASS = rf"""CASE
    WHEN ascii(v) NOT BETWEEN 45 AND 57 THEN {_LETTERS}
    WHEN strpos(v, '-') = 5 AND strlen(v) = 10 AND try_cast(v AS DATE) IS NOT NULL THEN {DATE}
    WHEN strpos(v, '-') = 5 AND strlen(v) = 19 AND regexp_matches(v, '^.{{16}}:[0-9]{{2}}$')
        AND try_cast(v AS TIMESTAMP) IS NOT NULL THEN {TIME}
    WHEN contains(v, '.') AND regexp_full_match(v, '-?(0|[1-9][0-9]{{0,18}})\.[0-9]{{1,15}}')
        THEN {DEC}
    WHEN regexp_full_match(v, '-?(0|[1-9][0-9]{{0,17}})') THEN {INT}
    WHEN contains(v, ',')
        AND regexp_full_match(v, '-?[1-9][0-9]{{0,2}}(,[0-9]{{3}}){{1,5}}(\.[0-9]{{1,9}})?')
        THEN {THOUSANDS}
    WHEN strlen(v) <= 10 AND regexp_full_match(v, '{_DATE}') AND try_cast(v AS DATE) IS NOT NULL
        THEN {DATE}
    WHEN strlen(v) > 10 AND regexp_full_match(v, '{_DATE}{_CLOCK}')
        AND try_cast(replace(v, '/', '-') AS TIMESTAMP) IS NOT NULL THEN {TIME}
    ELSE {OTHER} END"""
_POINT = "strpos(v, '.')"
_DIGITS = f"""CASE WHEN form = {INT} THEN strlen(v) - starts_with(v, '-')::INT
    WHEN form IN ({DEC}, {THOUSANDS}) THEN coalesce(nullif({_POINT}, 0) - 1, strlen(v)) END"""
_SCALE = (
    f"CASE WHEN form IN ({DEC}, {THOUSANDS}) AND {_POINT} > 0 THEN strlen(v) - {_POINT} ELSE 0 END"
)
_COMPACT = (
    f"CASE WHEN form = {INT} AND strlen(v) = 8 AND try_strptime(v, '%Y%m%d') IS NOT NULL "
    "THEN cells ELSE 0 END"
)
_FAR = (
    f"CASE WHEN form IN ({DATE}, {TIME}) AND left(v, 4) NOT BETWEEN '1800' AND '2200' "
    "AND left(v, 4) NOT IN ('0001', '9999') THEN cells ELSE 0 END"
)
_SERIAL = (
    f"CASE WHEN form IN ({INT}, {DEC}) AND try_cast(v AS DOUBLE) "
    f"BETWEEN {SERIAL_FROM} AND {SERIAL_TO} THEN cells ELSE 0 END"
)


@dataclass
class Counts:
    """Cells by form. `words` can be no number, date or truth value, such as `word`; `irregular`
    are the distinct other values with their counts. `grouped`: some have thousands separators.
    `far`: written as a date, of a year that hardly any table speaks of.
    `litres` are numbers only beside plain volumes: 5L is also a size."""

    total: int = 0
    distinct: int = 0
    ints: int = 0
    decs: int = 0
    dates: int = 0
    times: int = 0
    words: int = 0
    word: str = ""
    others: int = 0
    grouped: bool = False
    scale: int = 0
    whole: int = 0
    digits: int = 0
    compact: int = 0
    far: int = 0
    serials: int = 0
    irregular: dict[str, int] = field(default_factory=dict)
    gave_up: bool = False
    leading_zero: bool = False
    numbers: dict[str, Number] = field(default_factory=dict)
    litres: dict[str, Number] = field(default_factory=dict)
    moments: dict[str, Moment] = field(default_factory=dict)
    booleans: dict[str, bool] = field(default_factory=dict)
    nulls: set[str] = field(default_factory=set)

    def cells_of(self, values: Iterable[str]) -> int:
        return sum(self.irregular[value] for value in values)


def count_forms(connection: duckdb.DuckDBPyConnection, index: int, dated: bool) -> Counts:
    """`dated`: the column is named after a date, so that 20260105 and 46027 may be one."""
    rows = connection.execute(
        f"SELECT form, sum(cells), count(*), max({_SCALE}), "
        f"sum(CASE WHEN form = {DEC} AND ends_with(v, '.0') THEN cells ELSE 0 END), max({_DIGITS}), "
        f"{f'sum({_COMPACT}), sum({_SERIAL})' if dated else '0, 0'}, "
        f"min(CASE WHEN form = {WORD} THEN v END), sum({_FAR}) "
        f"FROM (SELECT v, cells, {_CLASS} AS form FROM (SELECT c{index} AS v, count(*) AS cells "
        f"FROM {STAGE} WHERE v IS NOT NULL GROUP BY v)) GROUP BY form"
    ).fetchall()
    counts = Counts()
    for form, number, distinct, scale, whole, digits, compact, serials, word, far in rows:
        counts.total += number
        counts.distinct += distinct
        counts.digits = max(counts.digits, digits or 0)
        counts.compact += compact
        counts.serials += serials
        counts.far += far
        if form == INT:
            counts.ints = number
        elif form in (DEC, THOUSANDS):
            counts.decs, counts.whole = counts.decs + number, counts.whole + whole
            counts.scale = max(counts.scale, scale)
            counts.grouped = counts.grouped or form == THOUSANDS
        elif form == DATE:
            counts.dates = number
        elif form == TIME:
            counts.times = number
        elif form == WORD:
            counts.words, counts.word = number, word
        else:
            counts.others = number
    return counts


def plain_counts(connection: duckdb.DuckDBPyConnection, index: int, kind: str) -> Counts | None:
    """The same counts for a column whose cells are all kept as values of `kind`; None where some
    are not, or are of a length or year that is no plain form."""
    k = f"k{index}"
    whole = f"count(CASE WHEN ends_with({k}::VARCHAR, '.0') THEN 1 END)" if ",1)" in kind else "0"
    row = connection.execute(
        f"SELECT count(x{index}), count({k}), {whole}, min({k})::VARCHAR, max({k})::VARCHAR "
        f"FROM {TYPED}"
    ).fetchone()
    if row is None or row[0] or not row[1]:
        return None
    _, total, whole_ones, *ends = row
    counts = Counts(total=total)
    if kind == "BIGINT":
        counts.ints, counts.digits = total, max(len(end.lstrip("-")) for end in ends)
        return counts if counts.digits <= 18 else None
    if kind.startswith("DECIMAL"):
        counts.decs, counts.whole = total, whole_ones
        counts.scale = len(ends[0].partition(".")[2])
        counts.digits = max(end.index(".") for end in ends)
        return counts
    if not all(_PLAIN_YEAR.match(end) for end in ends) or ends[0][-1] == ")":
        return None
    if not (ends[0] >= "1800" or ends[0][:4] == "0001") or "2201" <= ends[1] < "9999":
        return None
    if kind == "DATE":
        counts.dates = total
    else:
        counts.times = total
    return counts


def irregular_values(
    connection: duckdb.DuckDBPyConnection, index: int
) -> Iterator[tuple[str, int]]:
    result = connection.execute(
        f"SELECT v, count(*) FROM (SELECT c{index} AS v FROM {STAGE}) "
        f"WHERE v IS NOT NULL AND {_CLASS} = {OTHER} GROUP BY v"
    )
    while batch := result.fetchmany(MANY):
        yield from batch


def read_value(counts: Counts, value: str, number: int) -> None:
    counts.irregular[value] = number
    if len(value) > 60:
        return
    if value in cells.TYPED_NULL_WORDS:
        counts.nulls.add(value)
    elif (reading := cells.read_number(value)) is not None:
        counts.numbers[value] = reading
    elif (moment := cells.read_moment(value)) is not None:
        counts.moments[value] = moment
    elif (volume := cells.read_number(value, litres=True)) is not None:
        counts.litres[value] = volume
    elif (truth := cells.read_boolean(value)) is not None:
        counts.booleans[value] = truth
    elif cells.is_leading_zero(value):
        counts.leading_zero = True


def is_text(counts: Counts, max_share: float) -> bool:
    """Whether reading on is pointless: no type can fit, and most cells fit none."""
    read = len(counts.numbers) + len(counts.moments) + len(counts.booleans)
    unread = len(counts.irregular) - read - len(counts.nulls)
    unread += counts.words
    plain = counts.total - counts.others - counts.words
    return unread > max_share * counts.total and plain + read <= unread
