"""How often each form of a value stands in a column: plain ones counted by DuckDB, others read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import duckdb

from ingest.tables import cells
from ingest.tables.cells import Moment, Number
from ingest.tables.staging import STAGE

MANY = 2_000
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


@dataclass
class Counts:
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


def count_forms(connection: duckdb.DuckDBPyConnection, index: int, dated: bool) -> Counts:
    compact = "count(*) FILTER (try_strptime(v, '%Y%m%d') IS NOT NULL AND length(v) = 8)"
    rows = connection.execute(
        f"SELECT form, count(*), max(length(split_part(v, '.', 2))), "
        f"count(*) FILTER (regexp_full_match(v, '.*\\.0')), "
        f"max(length(regexp_replace(split_part(v, '.', 1), '[-,]', '', 'g'))), "
        f"{compact if dated else '0'} "
        f"FROM (SELECT v, {_CLASS} AS form FROM (SELECT c{index} AS v FROM {STAGE}) "
        "WHERE v IS NOT NULL) GROUP BY form"
    ).fetchall()
    counts = Counts()
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


def irregular_values(
    connection: duckdb.DuckDBPyConnection, index: int
) -> Iterator[tuple[str, int]]:
    result = connection.execute(
        f"SELECT v, count(*) FROM (SELECT c{index} AS v FROM {STAGE}) "
        f"WHERE v IS NOT NULL AND {_CLASS} = 'other' GROUP BY v"
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
    elif (truth := cells.read_boolean(value)) is not None:
        counts.booleans[value] = truth
    elif cells.is_leading_zero(value):
        counts.leading_zero = True


def is_text(counts: Counts, max_share: float) -> bool:
    """Whether reading on is pointless: no type can fit, and most cells fit none."""
    read = len(counts.numbers) + len(counts.moments) + len(counts.booleans)
    unread = len(counts.irregular) - read - len(counts.nulls)
    return unread > max_share * counts.total and counts.total - counts.others + read <= unread
