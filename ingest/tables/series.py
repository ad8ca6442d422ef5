"""Files of one shape whose names differ only in a date: which are one table, and how they join."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from datetime import date
from pathlib import PurePosixPath
from typing import NamedTuple

from ingest.store.records import PERIOD_COLUMN, SOURCE_COLUMN, ColumnRecord, TableRecord
from ingest.tables.names import clean_name
from ingest.tables.periods import PERIOD, Period, period_of

_AMOUNTS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "DECIMAL", "DOUBLE", "FLOAT")
_MOMENTS = ("DATE", "TIMESTAMP")


class SeriesKey(NamedTuple):
    """What files of one series have in common: folder, name without its period, sheet."""

    folder: str
    stem: str
    sheet: str


class SeriesRules(NamedTuple):
    """Which files are of one series: the first of `patterns` that fits a file decides, `!` before
    it keeps the file by itself; else, with `auto`, the period in its name does.

    A pattern (`store_*.csv`, `2026/*/orders.csv`) fits the end of a path, as a whole.
    """

    auto: bool = True
    patterns: tuple[str, ...] = ()

    def key(self, source: str, sheet: str | None) -> SeriesKey | None:
        """None for a file of no series."""
        pattern = self._pattern(source)
        if pattern is None:
            return series_key(source, sheet) if self.auto else None
        return None if pattern.startswith("!") else SeriesKey("", pattern, sheet or "")

    def clash(self, source: str, other: str) -> str | None:
        """Why rows of both files in one table could be counted twice; None when they could not."""
        if self._pattern(source) is not None:
            same = _without_suffix(source) == _without_suffix(other)
        else:
            one, two = period_of(source), period_of(other)
            if one is not None and two is not None and one != two:
                return _meeting(one, two, other)
            same = one == two if one or two else _period_text(source) == _period_text(other)
        return f"it names the same period as {other}" if same else None

    def name(self, source: str) -> str:
        """What the joined table is called after."""
        pattern = self._pattern(source)
        if pattern is None:
            return series_name(source)
        said = clean_name(re.sub(r"[*?]|\[.*?\]", "_", PurePosixPath(pattern).stem))
        return said or clean_name(PurePosixPath(source).parent.name) or "files"

    def source(self, source: str) -> str:
        """How the files are named together."""
        pattern = self._pattern(source)
        if pattern is None:
            return series_source(source)
        parent = PurePosixPath(source).parent
        return pattern if "/" in pattern else (parent / pattern).as_posix()

    def _pattern(self, source: str) -> str | None:
        path = PurePosixPath(_folded(source))
        fitting = (p for p in self.patterns if path.match(_folded(p.removeprefix("!"))))
        return next(fitting, None)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


def series_key(source: str, sheet: str | None) -> SeriesKey | None:
    """None for a file whose name holds no period. `売上_202601.xlsx` and `売上_202602.csv` of one
    folder have the same key; so have `2026-01 sales.csv` and `2026-02 sales.csv`."""
    path = PurePosixPath(_folded(source))
    found = PERIOD.search(path.stem)
    if found is None:
        return None
    stem = f"{path.stem[: found.start()]}_{path.stem[found.end() :]}"
    return SeriesKey(path.parent.as_posix(), clean_name(stem).casefold(), sheet or "")


def _period_text(source: str) -> str:
    found = PERIOD.search(_folded(PurePosixPath(source).stem))
    return found.group().casefold() if found else ""


def _without_suffix(source: str) -> str:
    return PurePosixPath(_folded(source)).with_suffix("").as_posix().casefold()


def _meeting(period: Period, other: Period, named: str) -> str | None:
    if not period.may_meet(other):
        return None
    if period.years == other.years:
        return f"its period overlaps that of {named}"
    return f"whether its period overlaps that of {named} cannot be told"


def last_days(sources: Iterable[str]) -> dict[str, date] | None:
    """The last day of the period that each file is named after; None where one names none, or
    none for certain: `05.06.2026` is in June where another of them is called `31.05.2026`."""
    periods = {source: period_of(source) for source in sources}
    found = {s: p for s, p in periods.items() if p is not None and p.years == "calendar"}
    orders = {p.day_first for p in found.values()}
    if len(found) < len(periods) or (False in orders and True not in orders):
        return None
    return {source: period.last for source, period in found.items()}


def is_added(column: ColumnRecord) -> bool:
    """Whether joining made the column; the files do not have it."""
    return column.name in (SOURCE_COLUMN, PERIOD_COLUMN) and not column.original


def series_name(source: str) -> str:
    """What the joined table is called after: the file's name without its period, else its folder."""
    path = PurePosixPath(_folded(source))
    stem = clean_name(PERIOD.sub("_", path.stem, count=1))
    return stem or clean_name(path.parent.name) or "files"


def series_source(source: str) -> str:
    """`sales/2026-01.csv` is one of `sales/*.csv`."""
    path = PurePosixPath(source)
    return (path.parent / f"{PERIOD.sub('*', path.stem, count=1)}{path.suffix}").as_posix()


def difference(series: TableRecord, part: TableRecord) -> str | None:
    """Why the rows of `part` cannot stand in `series`; None when they can."""
    there, here = _columns(series), _columns(part)
    lacking = [c.name for key, c in there.items() if key not in here]
    extra = [c.name for key, c in here.items() if key not in there]
    if lacking or extra:
        said = [f"it lacks {', '.join(lacking)}"] if lacking else []
        return "; ".join([*said, *([f"it also has {', '.join(extra)}"] if extra else [])])
    for key, column in there.items():
        reason = _clash(series, column, part, here[key])
        if reason:
            return f"its column {column.name} {reason}"
    return None


def _columns(table: TableRecord) -> dict[str, ColumnRecord]:
    return {c.name.casefold(): c for c in table.columns if not is_added(c)}


def _clash(
    series: TableRecord, left: ColumnRecord, part: TableRecord, right: ColumnRecord
) -> str | None:
    if _is_empty(series, left) or _is_empty(part, right):
        return None
    if left.unit != right.unit:
        return f"is in {right.unit or 'no unit'}, there in {left.unit or 'no unit'}"
    if joint_type(left.type, right.type) is None:
        return f"is {right.type}, there {left.type}"
    for table, column, other in ((series, left, right), (part, right, left)):
        failed = any(f"Column {column.name} stays text" in note for note in table.notes)
        if failed and other.type != "VARCHAR":
            return f"is {right.type}, there {left.type}"
    return None


def _is_empty(table: TableRecord, column: ColumnRecord) -> bool:
    return column.nulls >= table.rows


def joint_column(
    series: TableRecord, left: ColumnRecord, part: TableRecord, right: ColumnRecord
) -> ColumnRecord:
    """The column that holds the values of both, which do not clash."""
    if _is_empty(series, left):
        return right.model_copy(update={"name": left.name, "original": left.original})
    if _is_empty(part, right):
        return left
    return left.model_copy(update={"type": joint_type(left.type, right.type) or left.type})


def joint_type(left: str, right: str) -> str | None:
    """The type that both fit without loss: of numbers the wider, of a date and a time the time,
    text for a number or truth value beside text (numbers were written without leading zeros)."""
    kinds = {_kind(left), _kind(right)}
    if left == right:
        return left
    if kinds == {"number"}:
        return _wider(left, right)
    if kinds == {"moment"} and "WITH TIME ZONE" not in left + right:
        return "TIMESTAMP"
    return "VARCHAR" if "text" in kinds and kinds <= {"text", "number"} else None


def _kind(type_: str) -> str:
    if type_.startswith(_AMOUNTS):
        return "number"
    if type_.startswith(_MOMENTS):
        return "moment"
    return "text" if type_ == "VARCHAR" else type_


def _wider(left: str, right: str) -> str:
    if any(t.startswith(("DOUBLE", "FLOAT")) for t in (left, right)):
        return "DOUBLE"
    sizes = [_decimal(left), _decimal(right)]
    scale = max(scale for _, scale in sizes)
    if not scale and all("DECIMAL" not in t for t in (left, right)):
        return "HUGEINT" if "HUGEINT" in (left, right) else "BIGINT"
    digits = max(width - s for width, s in sizes) + scale
    return f"DECIMAL({18 if digits <= 18 else 38},{scale})"


def _decimal(type_: str) -> tuple[int, int]:
    """Width and scale. A BIGINT column was found to have at most 18 digits."""
    match = re.fullmatch(r"DECIMAL\((\d+),(\d+)\)", type_)
    return (int(match[1]), int(match[2])) if match else (38 if type_ == "HUGEINT" else 18, 0)
