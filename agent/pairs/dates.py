"""Confirmed SQL, asked again on another day: its dates are moved, or the doubt is said.

`先月の売上は？` was confirmed in October with the days of September in its SQL. In November it is
the same question and another query. The days of the SQL may be moved only where every one of them
is an edge of a period that the question names, and nothing else in the SQL depends on the day.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from sqlglot import exp

from agent.pairs.base import DatedWords
from agent.pairs.masking import normalised
from agent.sql_text import parsed

_DAY = timedelta(days=1)
_ISO = re.compile(r"(\d{4}-\d{2}-\d{2})(?=$|[T ])(.*)", re.DOTALL)
_PERIOD = re.compile(r"(?:19|20)\d{2}(?:[-/.]?(?:0[1-9]|1[0-2])(?:[-/.]?\d{2})?)?\D*")
"""2026, 202610, 2026-10, 2026/10/01: a period as a number or a text."""
_WORKED_OUT = (
    exp.Interval, exp.Extract, exp.TimeToStr, exp.StrToTime, exp.StrToDate, exp.DateAdd,
    exp.DateSub, exp.DateDiff, exp.TimestampAdd, exp.TimestampSub, exp.LastDay, exp.Year,
    exp.Month, exp.Quarter, exp.Week, exp.Day, exp.DayOfMonth, exp.DayOfWeek, exp.DayOfYear,
    exp.CurrentDate, exp.CurrentTimestamp, exp.CurrentTime, exp.Localtimestamp,
)  # fmt: skip
_CLOCK = re.compile(r"today|now|date|month|year|quarter|week|day|age|epoch|strf|strp|current")


@dataclass(frozen=True)
class Moved:
    """`sql` with the days of today; `is_sure` is False where that cannot be shown to be right,
    and then `sql` is as it was."""

    sql: str
    is_sure: bool


def moved(
    sql: str,
    then: Sequence[DatedWords],
    now: Sequence[DatedWords],
    question: str,
    date_columns: Iterable[str],
) -> Moved:
    """`then` and `now` are the dates of `question` on the two days; `date_columns` the names of
    the columns that periods are filtered by."""
    unsure = Moved(sql, False)
    tree = parsed(sql)
    if tree is None:
        return unsure
    if [d.text for d in then] != [d.text for d in now] or any(
        d.start is None or d.end is None for d in (*then, *now)
    ):
        return unsure
    has_moved = list(then) != list(now)
    if _has_loose_period(tree, "" if has_moved else question):
        return unsure
    if has_moved and _works_out(tree):
        return unsure
    columns = {name.lower() for name in date_columns}
    used: set[int] = set()
    for literal, day, rest in list(_days(tree)):
        places = list(_edges(day, then, now))
        if len({new for _, new in places}) != 1:
            return unsure
        if has_moved and not _filters(literal, columns):
            return unsure
        used.update(number for number, _ in places)
        literal.replace(exp.Literal.string(places[0][1].isoformat() + rest))
    if any(a != b and n not in used for n, (a, b) in enumerate(zip(then, now, strict=True))):
        return unsure
    return Moved(tree.sql(dialect="duckdb") if has_moved else sql, True)


def _days(tree: exp.Expr) -> Iterator[tuple[exp.Literal, date, str]]:
    for literal in tree.find_all(exp.Literal):
        found = _ISO.fullmatch(literal.name) if literal.is_string else None
        day = _day(found[1]) if found else None
        if found and day is not None:
            yield literal, day, found[2]


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _edges(
    day: date, then: Sequence[DatedWords], now: Sequence[DatedWords]
) -> Iterator[tuple[int, date]]:
    """Which period the day is the first or last of, or lies beside, and where that is now."""
    for number, (old, new) in enumerate(zip(then, now, strict=True)):
        if old.start is None or old.end is None or new.start is None or new.end is None:
            continue
        edges = (
            (old.start, new.start),
            (old.start - _DAY, new.start - _DAY),
            (old.end, new.end),
            (old.end + _DAY, new.end + _DAY),
        )
        yield from ((number, after) for before, after in edges if before == day)


def _filters(literal: exp.Literal, columns: set[str]) -> bool:
    """Whether the literal is compared with columns that periods are filtered by, alone."""
    comparison = literal.find_ancestor(exp.Predicate)
    named = [c.name.lower() for c in comparison.find_all(exp.Column)] if comparison else []
    return bool(named) and all(name in columns for name in named)


def _has_loose_period(tree: exp.Expr, question: str) -> bool:
    """A year or month as a number or a text, that the question does not name itself."""
    said = normalised(question)
    return any(
        _PERIOD.fullmatch(literal.name)
        and not (literal.is_string and _ISO.fullmatch(literal.name))
        and literal.name.casefold() not in said
        for literal in tree.find_all(exp.Literal)
    )


def _works_out(tree: exp.Expr) -> bool:
    """Whether the SQL counts days, takes dates apart or reads the clock."""
    if any(tree.find(kind) is not None for kind in _WORKED_OUT):
        return True
    return any(_CLOCK.search(f.name.lower()) for f in tree.find_all(exp.Anonymous))
