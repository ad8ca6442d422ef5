"""A year that the question names against a column that only says the year (`register_year`,
`年度`), which no day can be compared with."""

import re
from collections.abc import Iterator
from datetime import date

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

YearColumn = tuple[TableRecord, ColumnRecord]


def year_doubts(tree: exp.Expr, question: str, today: date, catalog: Catalog) -> Iterator[Doubt]:
    """Years of the question that no condition and no group of the query tells apart, though a
    table that it reads has rows of them in a column of years."""
    tables = used_tables(tree, catalog)
    columns = [(t, c) for t in tables for c in t.columns if is_year(c)]
    if not columns:
        return
    names = {c.name.lower() for _, c in columns}
    compared = [p for p in tree.find_all(exp.Predicate) if _reads(p, names) and _decides(p)]
    if _is_shown(tree, names) or any(_is_open(p) for p in compared):
        return
    asked = {
        int(year)
        for p in compared
        for v in p.find_all(exp.Literal)
        for year in _YEAR.findall(v.name)
    }
    # January 2026 is of the year 2025 or of 2026 where years begin in April.
    spread = any(_FISCAL.search(name) for name in names)
    for mention in mentions(question, today, CalendarSettings.of(catalog)):
        if mention.range is None or _has_days(mention.range, tables):
            continue
        first, last = mention.range.start.year - spread, mention.range.end.year + spread
        if not asked & set(range(first, last + 1)):
            yield from _doubt(mention.range.start.year, columns)


def is_year(column: ColumnRecord) -> bool:
    """Whether a column is called as columns of years are, and may hold them."""
    return column.type in _TYPES and is_year_name(column.name)


def is_year_name(name: str) -> bool:
    words = words_of(name)
    return bool(words) and (words[-1] in _YEAR_WORDS or words[-1].endswith(_YEAR_ENDS))


def _doubt(year: int, columns: list[YearColumn]) -> Iterator[Doubt]:
    """One for the first column that has rows of the year: a `Doubt` must meet all its probes."""
    fix = " or ".join(f"{t.name}.{c.name} = {_written(year, c)}" for t, c in columns)
    message = f"the question asks for {year}, the query for all years"
    for table, column in columns:
        text = f"CAST({quoted(column.name)} AS VARCHAR)"
        has = f"SELECT 1 FROM {quoted(table.name)} WHERE regexp_extract({text}, '[0-9]{{4}}') = '{year}'"
        yield Doubt("other_period", message, f"filter the year: {fix}", (f"{has} LIMIT 1",))


def _written(year: int, column: ColumnRecord) -> str:
    like = next((e for e in column.examples if _YEAR.search(e)), str(year))
    value = _YEAR.sub(str(year), like, count=1)
    return f"'{value}'" if column.type == "VARCHAR" else str(year)


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


def _has_days(period: DateRange, tables: list[TableRecord]) -> bool:
    """Whether dates can tell the period, which `tools.sql.period` then compares."""
    return any(
        t.data_from <= period.end and period.start <= t.data_to
        for t in tables
        if t.data_from is not None and t.data_to is not None
    )
