"""Levels by period: how much was there at the end of each month, told from what happened in it.

A name proposes (在庫数, balance, headcount), the grain proves: the same things stand there again in
the next period, once in each. What is not proved stays as it is, because a guard refuses by it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

import duckdb

from ingest.catalog.measures import (
    is_amount_name,
    is_changed_name,
    is_flow_name,
    is_numeric,
    is_rate_name,
    word_set,
)
from ingest.store.quoting import quoted
from ingest.store.records import ColumnRecord, Measure, TableRecord
from ingest.tables.describe import is_stock_name
from ingest.tables.names import names_key, words

Period = tuple[str, ...]

_MONTH = r"(?:19|20)\d{2}(?:[-/.]?(?:0[1-9]|1[0-2])|[-/.年](?:[1-9]|1[0-2])|年0[1-9])月?(?:末|度)?"
_QUARTER = r"(?:19|20)\d{2}[-/年]?\s*(?:[Qq第][1-4](?:四半期|季度)?|年第[1-4](?:四半期|季度))"
_DIGITS = re.compile(r"(?:19|20)\d{2}(?:0[1-9]|1[0-2])")
_YEAR = re.compile(r"(?:19|20)\d{2}")
_TEXT = re.compile(rf"{_MONTH}|{_QUARTER}")
_PERIOD_WORDS = word_set("month months period yearmonth ym yyyymm")
_PERIOD_PARTS = ("年月", "月", "期")
_YEAR_NAMES = ("year", "fiscal_year", "fy", "yyyy", "年", "年度", "年份", "会計年度", "会计年度")
_MONTH_NAMES = ("month", "month_no", "mm", "月", "月份", "会計月", "quarter", "四半期", "季度")
_PART = re.compile(r"(?:0?[1-9]|1[0-2])月?|[Qq][1-4]")
_TYPES = ("VARCHAR", "BIGINT", "INTEGER")
_PERIODS_READ = 5000

_LEVEL_WORDS = word_set(
    "headcount backlog outstanding employees subscribers receivables payables fte"
)
_LEVEL_PAIRS = (
    *(("open", "orders"), ("on", "order"), ("storage", "capacity"), ("warehouse", "capacity")),
    *(("floor", "space"), ("head", "count"), ("open", "positions")),
)
_LEVEL_PARTS = (
    *(
        "残高",
        "受注残",
        "発注残",
        "注残",
        "売掛残",
        "買掛残",
        "未収残",
        "期末残",
        "月末残",
        "従業員数",
    ),
    *("社員数", "在籍", "会員数", "店舗数", "倉庫容量", "保管能力", "収容能力"),
    *("余额", "结余", "结存", "期末数", "库容", "员工数", "员工人数", "在职", "会员数", "门店数"),
    *("未交订单", "未交货", "欠交"),
)
_HEADS = frozenset(["人数", "人員", "人员", "员工"])
_STAFF_WORDS = word_set("department dept division headcount staff employees personnel workforce")
_STAFF_PARTS = (
    "部署",
    "部門",
    "部课",
    "部门",
    "課",
    "人員",
    "従業員",
    "社員",
    "員工",
    "员工",
    "在籍",
    "在职",
)
_TURNOVER_WORDS = word_set(
    "new hired hires joined left leavers lost gained opened closed change changes delta diff "
    "difference adjustment adjustments movement movements moves turnover training visits survey "
    "attendance transaction transactions"
)
_TURNOVER_PARTS = (
    *(
        "新規",
        "入会",
        "退会",
        "採用",
        "入社",
        "退職",
        "退社",
        "離職",
        "来店",
        "来客",
        "来場",
        "参加",
    ),
    *(
        "利用",
        "応募",
        "訪問",
        "受講",
        "研修",
        "増減",
        "変動",
        "差異",
        "差額",
        "移動",
        "調整",
        "振替",
        "残業",
    ),
    *(
        "新增",
        "入职",
        "离职",
        "招聘",
        "参加",
        "来店",
        "培训",
        "变动",
        "增减",
        "差异",
        "调整",
        "调拨",
    ),
)
_REMARKS = word_set("note notes remark remarks comment comments memo description")
_REMARK_PARTS = ("備考", "摘要", "メモ", "备注", "说明", "コメント")
_RECORD_DATES = word_set("created updated modified registered deleted loaded imported")
_SHARE_SEEN_AGAIN = 0.5


def with_levels(connection: duckdb.DuckDBPyConnection, table: TableRecord) -> TableRecord:
    """The table with the `period` of its levels, () where the rows prove none; where all its
    figures are levels it is a stock table (`snapshot`)."""
    figures = [c for c in table.columns if is_numeric(c) and not names_key(c.name)]
    levels = [c.name for c in figures if is_level_name(table, c)]
    period: Period = ()
    if levels and table.rows > 1 and not _is_turnover(table.name):
        period = next((p for p in _periods(table) if _repeats(connection, table, p)), ())
    when = {*period, *(c.name for c in figures if _is_part_of_date(c.name))}
    only = all(c.name in (*levels, *when) or is_rate_name(c) for c in figures)
    snapshot = (bool(period) and only) or (table.snapshot and not _is_ledger(table, period))
    return table.model_copy(update={"period": period, "snapshot": snapshot})


def _is_ledger(table: TableRecord, period: Period) -> bool:
    """A bank statement: each row an amount, and the balance after it."""
    moved = any(is_numeric(c) and is_amount_name(c.name) for c in table.columns)
    return not period and moved and not is_stock_name(table.name)


def level_of(table: TableRecord, column: ColumnRecord) -> Measure | None:
    """ "stock" for a figure that is a level of its row's period."""
    figure = bool(table.period) and is_numeric(column) and not names_key(column.name)
    return "stock" if figure and is_level_name(table, column) else None


def is_level_name(table: TableRecord, column: ColumnRecord) -> bool:
    """Whether a figure is said to be one of a moment: on hand, a balance, open orders, heads."""
    name, parts = column.name, words(column.name)
    if column.name in table.primary_key[:1] and len(table.primary_key) == 1:
        return False
    if is_flow_name(name) or is_changed_name(name) or _is_turnover(name) or is_rate_name(column):
        return False
    if is_stock_name(name) or _LEVEL_WORDS & set(parts):
        return True
    if any(part in name for part in _LEVEL_PARTS):
        return True
    if any(pair in _LEVEL_PAIRS for pair in pairwise(parts)):
        return True
    return name in _HEADS and _is_of_staff(table)


def _is_of_staff(table: TableRecord) -> bool:
    """人数 is of a company's own people where a department stands beside it, or the name says so."""
    names = [table.name, *(c.name for c in table.columns if c.name not in _HEADS)]
    said = (_STAFF_WORDS & set(words(n)) or any(p in n for p in _STAFF_PARTS) for n in names)
    return any(said)


def _is_turnover(name: str) -> bool:
    return bool(_TURNOVER_WORDS & set(words(name))) or any(p in name for p in _TURNOVER_PARTS)


def _periods(table: TableRecord) -> Iterator[Period]:
    """The columns that may say of which period a row is: dates, year-months, year and month."""
    full = [c for c in table.columns if not c.nulls and c.distinct > 1]
    dates = [c for c in full if c.type.startswith(("DATE", "TIMESTAMP"))]
    yield from ((c.name,) for c in dates if not _RECORD_DATES & set(words(c.name)))
    yield from ((c.name,) for c in full if c.type in _TYPES)
    named = {c.name.lower(): c.name for c in table.columns if not c.nulls}
    years = [named[n] for n in _YEAR_NAMES if n in named]
    months = [named[n] for n in _MONTH_NAMES if n in named]
    yield from ((year, month) for year in years for month in months)


def _repeats(connection: duckdb.DuckDBPyConnection, table: TableRecord, period: Period) -> bool:
    """Each thing stands there at most once in a period, and half of them in more than one."""
    if not _says_period(connection, table, period):
        return False
    others = [c for c in table.columns if c.name not in period and _tells_apart(c, table)]
    things = [quoted(c.name) for c in others if not _says_period(connection, table, (c.name,))]
    by = f"GROUP BY {', '.join(things)}" if things else ""
    row = connection.execute(
        "SELECT count(*), count(*) FILTER (WHERE periods > 1), max(most) FROM ("
        "SELECT count(*) AS periods, max(n) AS most FROM ("
        f"SELECT {', '.join([*things, 'count(*) AS n'])} FROM {quoted(table.name)} "
        f"GROUP BY {', '.join([*map(quoted, period), *things])}) AS a {by}) AS b"
    ).fetchone()
    return row is not None and row[2] == 1 and row[1] >= row[0] * _SHARE_SEEN_AGAIN


def _tells_apart(column: ColumnRecord, table: TableRecord) -> bool:
    """Whether a column may name the thing that a row is of. A number of the row itself (`id`,
    `no`) and a remark name none."""
    parts, name = words(column.name), column.name
    if column.type.startswith(("DATE", "TIMESTAMP")):
        return not _RECORD_DATES & set(parts)
    if _is_part_of_date(name):
        return False
    if is_numeric(column):
        counts = column.distinct >= table.rows and parts in (["id"], ["no"], ["row"], ["seq"])
        return names_key(name) and not counts
    return not (_REMARKS & set(parts) or any(p in name for p in _REMARK_PARTS))


def _is_part_of_date(name: str) -> bool:
    return name.lower() in (*_YEAR_NAMES, *_MONTH_NAMES)


def _says_period(connection: duckdb.DuckDBPyConnection, table: TableRecord, period: Period) -> bool:
    columns = [c for c in table.columns if c.name in period]
    if columns[0].type.startswith(("DATE", "TIMESTAMP")):
        return len(period) == 1 and columns[0].distinct > 1
    if any(c.type not in _TYPES for c in columns):
        return False
    values = [_values(connection, table, name) for name in period]
    if len(period) == 2:
        years = {year.removesuffix("度").removesuffix("年") for year in values[0]}
        return all(map(_YEAR.fullmatch, years)) and all(map(_PART.fullmatch, values[1]))
    name = period[0]
    if all(map(_YEAR.fullmatch, values[0])):
        parted = any(c.name.lower() in _MONTH_NAMES for c in table.columns)
        return name.lower() in _YEAR_NAMES and not parted
    if all(map(_DIGITS.fullmatch, values[0])):
        named = _PERIOD_WORDS & set(words(name)) or any(part in name for part in _PERIOD_PARTS)
        return bool(named)
    return all(_TEXT.fullmatch(v) and not v.isdigit() for v in values[0])


def _values(connection: duckdb.DuckDBPyConnection, table: TableRecord, column: str) -> list[str]:
    """Its values as text; of a period there are few."""
    rows = connection.execute(
        f"SELECT DISTINCT trim({quoted(column)}::VARCHAR) FROM {quoted(table.name)} "
        f"WHERE {quoted(column)} IS NOT NULL LIMIT {_PERIODS_READ}"
    ).fetchall()
    return [value for (value,) in rows]
