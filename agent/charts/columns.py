"""What the columns of a result are for a picture: when, what is compared, and how much."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import combinations

from agent.charts.periods import Period, find_period
from agent.errors import NoChart
from tools.evidence import Column, Value

Rows = Sequence[Sequence[Value]]

_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT",
          "UINTEGER", "UBIGINT", "UHUGEINT")  # fmt: skip
_BROKEN = ("DECIMAL", "DOUBLE", "FLOAT", "REAL")
_NAMED = ("VARCHAR", "ENUM", "BOOLEAN", "UUID")
_CODE = re.compile(
    r"(?:^|[_ ])(?:id|no|code|cd|sku|jan|zip)$|(?:番号|コード|编号|代码|编码|区分)$", re.IGNORECASE
)
_RANK = re.compile(
    r"(?:^|_)(?:rank(?:ing)?|rn|row_?num(?:ber)?)$|^(?:no|#|順位|ランク|排名|名次|序号)$",
    re.IGNORECASE,
)
# What two names may differ in and still mean figures of one kind: when, planned or real.
_QUALIFIER = re.compile(
    r"\d+|(?<![a-z])(?:this|last|prev(?:ious)?|prior|current|next|now|before|after|year|month"
    r"|quarter|week|day|fy|ly|yoy|q|h|plan(?:ned)?|budget|target|actual|forecast"
    r"|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)(?![a-z])"
    r"|[今先前昨去当本上下来翌]?(?:年度?|期|月|週|周|日)|前|昨|今|第|四半|同|予算|実績|目標|预算|实际|计划|目标"
    r"|[_\s()（）-]",
    re.IGNORECASE,
)
MAX_PANELS = 4


@dataclass(frozen=True)
class Shape:
    """`categories` are the columns whose values name a row (with the period, if there is one);
    `panels` the measures, those of one kind together. All are column numbers."""

    period: Period | None
    categories: tuple[int, ...]
    panels: tuple[tuple[int, ...], ...]
    rows: Rows
    """Those that can be drawn; `undated` have no date where the others have one."""
    undated: int = 0
    measures_left_out: tuple[int, ...] = ()


def shape_of(columns: Sequence[Column], rows: Rows) -> Shape:
    """Raises NoChart, with the reason, for rows that are no trend and no comparison."""
    period = find_period(columns, rows)
    used = period.used if period is not None else ()
    names = [i for i, c in enumerate(columns) if i not in used and _is_name(c)]
    measures = [i for i, c in enumerate(columns) if i not in used and _is_measure(c)]
    measures = [i for i in measures if any(row[i] is not None for row in rows)]
    if not measures:
        raise NoChart("the result has no figures", "ask for a total or a count by month or by name")
    if period is not None and (len(period.order) < 2 or _is_attribute(period, names, rows)):
        period = None
    given = len(rows)
    if period is not None:
        rows = [row for row, label in zip(rows, period.labels, strict=True) if label is not None]
        period = replace(period, labels=tuple(x for x in period.labels if x is not None))
    categories = _categories(columns, rows, period, names)
    panels = _panels(columns, measures)
    if period is None and not categories and len(panels) == len(measures):
        message = "the result is a single figure: there is nothing to compare"
        raise NoChart(message, "ask by month, by warehouse or by product")
    left_out = tuple(i for panel in panels[MAX_PANELS:] for i in panel)
    return Shape(period, categories, panels[:MAX_PANELS], rows, given - len(rows), left_out)


def _is_name(column: Column) -> bool:
    if _RANK.search(column.name):
        return False
    return column.type.startswith(_NAMED) or (
        column.type.startswith(_WHOLE) and _CODE.search(column.name) is not None
    )


def _is_measure(column: Column) -> bool:
    if _RANK.search(column.name):
        return False
    if column.type.startswith(_BROKEN):
        return True
    return column.type in _WHOLE and _CODE.search(column.name) is None


def _is_attribute(period: Period, names: Sequence[int], rows: Rows) -> bool:
    """Whether a date only describes what a row is about, as the launch of a product does: a name
    tells the rows apart and the date does not, or comes after it."""
    own = [i for i in names if len({row[i] for row in rows}) == len(rows)]
    dates = len(period.order) == len(rows)
    return bool(own) and (not dates or min(own) < min(period.used))


def _categories(
    columns: Sequence[Column],
    rows: Rows,
    period: Period | None,
    names: Sequence[int],
) -> tuple[int, ...]:
    """The fewest columns that tell the rows apart; a name before a code, the first before a later."""
    when = period.labels if period is not None else (None,) * len(rows)
    ranked = sorted(names, key=lambda i: (_CODE.search(columns[i].name) is not None, i))
    begin = 0 if period is not None or (len(rows) == 1 and not names) else 1
    for size in range(begin, min(len(ranked), 3) + 1):
        for chosen in combinations(ranked, size):
            keys = {(when[n], *(row[i] for i in chosen)) for n, row in enumerate(rows)}
            if len(keys) == len(rows):
                return tuple(sorted(chosen))
    if not names and period is None:
        raise NoChart(
            "the result has figures without a name or a date for each row",
            "ask for them by month or by name",
        )
    raise NoChart(
        "several rows of the result have the same name and date: drawing them would add them up",
        "ask for a total by day, by month or by name",
    )


def _panels(columns: Sequence[Column], measures: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Figures share an axis only when their names say that they are of one kind."""
    panels: dict[tuple[str, bool, str], list[int]] = {}
    for i in measures:
        column = columns[i]
        stem = _QUALIFIER.sub("", column.name).casefold()
        own = "" if stem else column.name
        key = (stem, column.type.startswith(_WHOLE), own)
        panels.setdefault(key, []).append(i)
    return tuple(tuple(panel) for panel in panels.values())


def number(value: Value) -> Decimal | None:
    """The figure in a cell, exactly as it is stored; None for NULL and for a truth value."""
    if value is None or isinstance(value, bool):
        return None
    figure = Decimal(repr(value) if isinstance(value, float) else str(value))
    return figure if figure.is_finite() else None
