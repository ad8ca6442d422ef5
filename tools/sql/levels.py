"""The day, month or year that a row of a stock table is of: a date, a text or number such as
`2026-10`, `202610` and `2026年10月`, or a year and a month in two columns."""

import re
from collections.abc import Sequence
from datetime import date

from sqlglot import exp

from ingest.store import TableRecord
from tools.sql.doubts import column_of

_DATES = ("DATE", "TIMESTAMP")
_MONTH = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])")
_LONG = (r"^(\d{4})[-/.年]?(\d{2})月?[末度]?$", r"\1-\2")
_SHORT = (r"^(\d{4})[-/.年](\d)月?[末度]?$", r"\1-0\2")
_QUARTERS = ("quarter", "四半期", "季度")
_OPENING = ("opening", "beginning", "期首", "月初", "期初")


def dates_of(table: TableRecord) -> tuple[str, ...]:
    """The columns that say of when a row is; () where none does."""
    return table.period or ((table.date_column,) if table.date_column else ())


def is_by_day(table: TableRecord) -> bool:
    names = dates_of(table)
    column = table.column(names[0]) if len(names) == 1 else None
    return column is not None and column.type.startswith(_DATES)


def moment(table: TableRecord, alias: str, names: Sequence[str] = ()) -> exp.Expr:
    """When a row is of, as one value that sorts by time: a DATE, or a text such as `2026-10`.
    `names`: what a step between calls the table's columns."""
    columns = [column_of(name, alias) for name in names or dates_of(table)]
    if is_by_day(table):
        return columns[0]
    texts: list[exp.Expr] = [exp.cast(column, "VARCHAR") for column in columns]
    if len(texts) == 1:
        return _replaced(_replaced(texts[0], *_LONG), *_SHORT)
    year, part = _replaced(texts[0], "年度?$", ""), _replaced(texts[1], "^[Qq]|月$", "")
    is_quarter = any(word in dates_of(table)[1].lower() for word in _QUARTERS)
    if not is_quarter:
        padding = (exp.Literal.number(2), exp.Literal.string("0"))
        part = exp.Anonymous(this="lpad", expressions=[part, *padding])
    between = exp.Literal.string("-Q" if is_quarter else "-")
    return exp.paren(exp.DPipe(this=exp.DPipe(this=year, expression=between), expression=part))


def _replaced(text: exp.Expr, pattern: str, by: str) -> exp.Expr:
    literals = (exp.Literal.string(pattern), exp.Literal.string(by))
    return exp.Anonymous(this="regexp_replace", expressions=[text, *literals])


def when(table: TableRecord, value: object) -> str | None:
    """A value of `moment` as a note says it; None for none."""
    text = str(value or "").strip()
    if not is_by_day(table):
        return text or None
    try:
        return date.fromisoformat(text[:10]).isoformat()
    except ValueError:
        return None


def is_month_end(said: str, table: TableRecord, columns: Sequence[str]) -> bool:
    """Whether a month names the end of it: not where the columns read are of its beginning."""
    opening = any(word in name.lower() for name in columns for word in _OPENING)
    return _MONTH.fullmatch(said) is not None and not is_by_day(table) and not opening


def one_period(table: TableRecord, dates: Sequence[str], alias: str) -> str:
    """How to read one day or month only, and how to keep them apart."""
    names = [f'{alias}."{name}"'.lstrip(".") for name in dates]
    by = ", ".join(names)
    own = dates_of(table)
    if len(names) == 1:
        last = f'(SELECT max("{own[0]}") FROM {table.name})'
        only = f"{names[0]} = {last}" if _sorts(table) else f"one value of {names[0]}"
    else:
        year = f'(SELECT max("{own[0]}") FROM {table.name})'
        part = f'(SELECT max("{own[1]}") FROM {table.name} WHERE "{own[0]}" = {year})'
        only = f"{names[0]} = {year} AND {names[1]} = {part}"
    kind = "day" if is_by_day(table) else "period"
    averaged = "daily sums" if is_by_day(table) else "sums by period"
    return f"filter one {kind}: {only}, or GROUP BY {by}, or take AVG of the {averaged}"


def _sorts(table: TableRecord) -> bool:
    """Whether the greatest value is the latest: `2026年9月` is greater than `2026年10月`."""
    column = table.column(dates_of(table)[0])
    if column is None or column.type != "VARCHAR":
        return True
    return all(
        re.fullmatch(r"\d{4}(?:\D?\d{2}|\D+\d)?\D*", e) for e in column.examples
    ) and not any(re.fullmatch(r"\d{4}[-/.年]\d\D*", e) for e in column.examples)
