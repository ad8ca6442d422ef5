"""A year that the question names against a column that only says the year (`register_year`,
`年度`), which no day can be compared with."""

import re
from collections.abc import Iterator
from datetime import date, timedelta

from sqlglot import exp

from ingest.store import Catalog, ColumnRecord, TableRecord
from ingest.store.quoting import quoted
from tools.dates import CalendarSettings, DateRange, mentions
from tools.sql.doubts import Doubt
from tools.sql.references import used_tables
from tools.sql.renames import words_of
from tools.sql.sources import group_keys

_TYPES = ("VARCHAR", "BIGINT", "INTEGER", "SMALLINT")
_YEAR_WORDS = ("year", "yr", "fy", "yyyy")
_YEAR_ENDS = ("年", "年度", "年份")
_YEAR = re.compile(r"(?<!\d)(?:1[89]|20|21)\d\d(?!\d)")
_FISCAL = re.compile(r"fiscal|^fy|年度|会計|财", re.IGNORECASE)
_ORDERED = (exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between)
_WORKED_OUT = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod)
_FEWEST_DAYS = 28
"""No column of years is asked for a day or a week, not by "today" either."""
_YEAR_LONG = timedelta(days=364)
_SAME_HEAD = 4
"""Letters that two forms of a word share: open, opened."""

YearColumn = tuple[TableRecord, ColumnRecord]


def year_doubts(tree: exp.Expr, question: str, today: date, catalog: Catalog) -> Iterator[Doubt]:
    """Years of the question that no condition and no group of the query tells apart, though a
    table that it reads has rows of them in a column of years."""
    tables = used_tables(tree, catalog)
    columns = [(t, c) for t in tables for c in t.columns if is_year(c)]
    if not columns:
        return
    names = {c.name.lower() for _, c in columns}
    compared = _compared(tree, names)
    worked_out = any(_reads(node, names) for node in tree.find_all(*_WORKED_OUT))
    if worked_out or _is_shown(tree, names) or any(_is_open(p) for p in compared):
        return
    asked = _years_of(compared)
    # January 2026 is of the year 2025 or of 2026 where years begin in April.
    spread = any(_FISCAL.search(name) for name in names)
    for mention in mentions(question, today, CalendarSettings.of(catalog)):
        period = mention.range
        if period is None or _is_short(period) or has_days(period, tables):
            continue
        if not asked & _years_meant(period, spread):
            meant = [(t, c) for t, c in columns if _may_mean(t, c, period, question, today)]
            yield from _doubt(period, meant, bool(asked))


def says_years_of(tree: exp.Expr, period: DateRange, catalog: Catalog) -> bool:
    """Whether a condition on a column of years asks for years of the period: 発売年 = 2025."""
    names = {c.name.lower() for t in used_tables(tree, catalog) for c in t.columns if is_year(c)}
    years = _years_meant(period, spread=False) if names else set()
    return not _is_short(period) and bool(years & _years_of(_compared(tree, names)))


def _compared(tree: exp.Expr, names: set[str]) -> list[exp.Expr]:
    return [p for p in tree.find_all(exp.Predicate) if _reads(p, names) and _decides(p)]


def _years_of(compared: list[exp.Expr]) -> set[int]:
    literals = (v for p in compared for v in p.find_all(exp.Literal))
    return {int(year) for v in literals for year in _YEAR.findall(v.name)}


def _years_meant(period: DateRange, spread: bool) -> set[int]:
    """The years that may be written for a period. 2026年度 is no other, though it ends in 2027."""
    after = period.end + timedelta(days=1)
    if (period.start.month, period.start.day) == (after.month, after.day):
        return set(range(period.start.year, after.year))
    return set(range(period.start.year - spread, period.end.year + spread + 1))


def _is_short(period: DateRange) -> bool:
    return (period.end - period.start).days + 1 < _FEWEST_DAYS


def _may_mean(
    table: TableRecord, column: ColumnRecord, period: DateRange, question: str, today: date
) -> bool:
    """ "Which products do we offer this year?" asks for no model year. Of things that are there
    one by one, the year that still lasts is asked for where the question says of what: opened."""
    lasts = period.start <= today <= period.end
    return not lasts or len(table.primary_key) != 1 or _is_said(column, question)


def _is_said(column: ColumnRecord, question: str) -> bool:
    """Whether the question has a word that the column's name says beside "year"; so it has where
    there is none."""
    words = [word for word in words_of(column.name) if word not in _YEAR_WORDS]
    heads = [
        (head[:_SAME_HEAD] if head.isascii() else head[:2])
        for head in (re.sub("(?:年度|年份|年)$", "", word) for word in words)
        if head
    ]
    return not heads or any(head in question.lower() for head in heads)


def is_year(column: ColumnRecord) -> bool:
    """Whether a column is called as columns of years are, and may hold them."""
    return column.type in _TYPES and is_year_name(column.name)


def is_year_name(name: str) -> bool:
    words = words_of(name)
    return bool(words) and (words[-1] in _YEAR_WORDS or words[-1].endswith(_YEAR_ENDS))


def _doubt(period: DateRange, columns: list[YearColumn], other_asked: bool) -> Iterator[Doubt]:
    """One for the first column that has rows of the years, and of others where the query asks for
    none: a `Doubt` must meet all its probes. What holds more than years is a figure (`last_year`)."""
    first = period.start.year
    last = max(first, (period.end - _YEAR_LONG).year)
    said = f"{first}" if first == last else f"{first} to {last}"
    fix = " or ".join(f"{t.name}.{c.name} {_written(first, last, c)}" for t, c in columns)
    message = (
        f"the question asks for {said}, the query for {'other' if other_asked else 'all'} years"
    )
    for table, column in columns:
        year = year_of(column)
        tests = [f"COUNT(*) FILTER (WHERE {year} BETWEEN {first} AND {last}) > 0"]
        if not other_asked:
            tests.append(f"COUNT(*) FILTER (WHERE {year} NOT BETWEEN {first} AND {last}) > 0")
        probe = f"SELECT 1 FROM {quoted(table.name)} HAVING {' AND '.join(tests)}"
        probes = (probe, holds_years(table, column))
        yield Doubt("other_period", message, f"filter the year: {fix}", probes)


def year_of(column: ColumnRecord) -> str:
    """The year that a cell of the column says, in SQL."""
    name = quoted(column.name)
    if column.type != "VARCHAR":
        return name
    return f"TRY_CAST(regexp_extract({name}, '(?:^|[^0-9])([0-9]{{4}})(?:[^0-9]|$)', 1) AS INTEGER)"


def holds_years(table: TableRecord, column: ColumnRecord) -> str:
    """A query that finds a row where the column's values are years and nothing else: `last_year`
    may hold amounts of last year."""
    year = year_of(column)
    return f"SELECT 1 FROM {quoted(table.name)} HAVING MIN({year}) >= 1500 AND MAX({year}) < 2200"


def _written(first: int, last: int, column: ColumnRecord) -> str:
    like = next((e for e in column.examples if _YEAR.search(e)), str(first))
    ends = [_YEAR.sub(str(year), like, count=1) for year in (first, last)]
    low, high = (f"'{end}'" for end in ends) if column.type == "VARCHAR" else (first, last)
    return f"= {low}" if first == last else f"BETWEEN {low} AND {high}"


def _reads(node: exp.Expr, names: set[str]) -> bool:
    return any(column.name.lower() in names for column in node.find_all(exp.Column))


def _decides(predicate: exp.Expr) -> bool:
    """Whether it stands where rows are chosen or counted, not around a subquery that does."""
    return (
        predicate.find_ancestor(exp.Where, exp.Having, exp.Join, exp.Case, exp.Filter) is not None
    )


def _is_open(predicate: exp.Expr) -> bool:
    """A comparison that holds for several years, or with what is worked out."""
    return isinstance(predicate, _ORDERED) or predicate.find(exp.Literal) is None


def _is_shown(tree: exp.Expr, names: set[str]) -> bool:
    """Whether the rows say of which year they are."""
    return any(
        isinstance(told, exp.Star) or _reads(told, names)
        for select in tree.find_all(exp.Select)
        for told in _told(select)
    )


def _told(select: exp.Select) -> list[exp.Expr]:
    outputs = [e.unalias() for e in select.expressions]
    stars = [c.this for c in outputs if isinstance(c, exp.Column) and isinstance(c.this, exp.Star)]
    plain = [e for e in outputs if isinstance(e, exp.Column | exp.Star)]
    return [*(group_keys(select) or ()), *plain, *stars]


def has_days(period: DateRange, tables: list[TableRecord]) -> bool:
    """Whether a table has dates in the period, so that `tools.sql.period` compares it."""
    return any(
        t.data_from <= period.end and period.start <= t.data_to
        for t in tables
        if t.data_from is not None and t.data_to is not None
    )
