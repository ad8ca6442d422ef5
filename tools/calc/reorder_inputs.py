"""The evidence of a reorder proposal: which column is what, one figure a SKU, demand a period."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from math import sqrt

from tools.calc.deadline import in_time
from tools.calc.numbers import BadInput, number, shown
from tools.calc.periods import LONGEST_HISTORY, periods

NAMES: Mapping[str, tuple[str, ...]] = {
    "sku": ("sku", "sku_code", "item", "item_code", "product_code", "product_id", "商品コード",
            "品番", "商品番号", "商品编码", "货号", "物料编码"),
    "on_hand": ("on_hand", "on_hand_quantity", "stock", "stock_quantity", "在庫数", "在庫数量",
                "現在庫", "手持在庫", "库存", "库存数量", "现有库存"),
    "on_order": ("on_order", "open_quantity", "ordered", "発注残", "発注残数", "入荷予定",
                 "在途", "在途数量", "未交数量"),
    "period": ("period", "date", "day", "week", "month", "sale_date", "日付", "月", "年月",
               "売上日", "日期", "月份"),
    "quantity": ("quantity", "qty", "demand", "sold", "units", "sales_quantity", "数量",
                 "販売数量", "出荷数量", "销量", "销售数量"),
    "squares": ("squares",),
    "lead_time_days": ("lead_time_days", "lead_time", "リードタイム", "納期日数", "交货期", "提前期"),
    "lead_time_sd": ("lead_time_sd",),
    "minimum_quantity": ("minimum_quantity", "minimum_order_quantity", "moq", "最小発注数量",
                         "最低発注数量", "最小订货量", "起订量"),
    "pack_size": ("pack_size", "pack", "lot_size", "入数", "包装数量", "装箱数"),
    "safety_days": ("safety_days", "safety_stock_days", "安全在庫日数", "安全库存天数"),
}  # fmt: skip

NONE = Fraction(0)
LONGEST = LONGEST_HISTORY
MOST_ROWS = 100_000

Row = Mapping[str, object]
Key = tuple[str, ...]
"""A SKU, and the places that the proposal is made by."""


@dataclass(frozen=True)
class Demand:
    """Units of one SKU: a day on average, and the standard deviation of a day (None: not known)."""

    a_day: Fraction
    sd_a_day: float | None


@dataclass(frozen=True)
class History:
    """`days` long; `note` says from when to when, in periods of what."""

    demand: Mapping[Key, Demand]
    days: int
    note: str


def column_of(rows: Sequence[Row], role: str, where: str, *, needed: bool = True) -> str | None:
    """The name of the column that holds `role`; None where there is none and none is needed."""
    if not rows:
        return None
    names = dict.fromkeys(str(name) for row in in_time(rows) for name in row)
    known = {name.casefold(): name for name in reversed(names)}
    found = next((known[n] for n in NAMES[role] if n in known), None)
    if found is None and needed:
        message = f"{where} has the columns {', '.join(names)} and no {role}"
        raise BadInput("missing_column", message, f"name it in the SQL: … AS {role}")
    return found


def skus(rows: Sequence[Row], where: str) -> set[str]:
    key = str(column_of(rows, "sku", where))
    return {str(row.get(key)) for row in in_time(rows)}


def named(key: Key) -> str:
    return " / ".join(key)


def _keys(rows: Sequence[Row], where: str, by: Sequence[str]) -> list[Key]:
    """The key of each row."""
    sku = column_of(rows, "sku", where)
    for column in by:
        if rows and not any(column in row for row in rows):
            message = f"{where} has the columns {', '.join(map(str, rows[0]))} and no {column}"
            raise BadInput("missing_column", message, f"add {column} to the SQL, or leave by out")
    return [tuple(str(row.get(c)) for c in (str(sku), *by)) for row in rows]


def a_sku(
    rows: Sequence[Row],
    role: str,
    where: str,
    *,
    add: bool = False,
    needed: bool = True,
    by: Sequence[str] = (),
) -> dict[Key, Fraction | None]:
    """The figure of each SKU (and place). More than one row of one is added up with `add`, else
    refused."""
    name = column_of(rows, role, where, needed=needed)
    found: dict[Key, Fraction | None] = {}
    for key, row in zip(_keys(rows, where, by), in_time(rows), strict=True) if name else ():
        value = _fraction(row.get(str(name)), f"{role} of {named(key)}")
        if key in found and not add:
            message = f"{where} has more than one row of {shown(named(key))}"
            hint = (
                "one row a SKU: sum or choose one date in the SQL, or name the place: by='column'"
            )
            raise BadInput("repeated_sku", message, hint)
        found[key] = value if found.get(key) is None else (found[key] or NONE) + (value or NONE)
    return found


def history(rows: Sequence[Row], days: int | None, by: Sequence[str] = ()) -> History:
    """Demand a day from rows of SKU, period and quantity, or of SKU and quantity over `days`; with
    `squares`, the sum of the squared quantities of its days, the variation of a day is known too.

    Periods without a row count as 0 from the first to the last of the whole history.
    """
    quantity = str(column_of(rows, "quantity", "demand"))
    period = column_of(rows, "period", "demand", needed=False)
    if not rows:
        raise BadInput("no_rows", "the demand history has no row", "ask for a longer period")
    if period is None:
        return _totals(rows, days, by)
    sums: dict[Key, dict[date, Fraction]] = {}
    for key, row in zip(_keys(rows, "demand", by), in_time(rows), strict=True):
        own = sums.setdefault(key, {})
        day = _day(row.get(period))
        own[day] = own.get(day, NONE) + (_fraction(row.get(quantity), "quantity") or 0)
    return _by_period(sums, days)


def _totals(rows: Sequence[Row], days: int | None, by: Sequence[str]) -> History:
    if days is None:
        hint = "add a date column to the demand, or say how many days it covers: days=90"
        raise BadInput("no_period", "the demand has no date column", hint)
    totals = a_sku(rows, "quantity", "demand", add=True, by=by)
    squares = a_sku(rows, "squares", "demand", needed=False, by=by)
    demand = {
        key: Demand((total or NONE) / days, _sd_of_days(total or NONE, squares.get(key), days))
        for key, total in totals.items()
    }
    return History(demand, days, f"{days} days")


def _sd_of_days(total: Fraction, squares: Fraction | None, days: int) -> float | None:
    """The sample standard deviation over all days, those without a row counting as 0:
    √((Σq² - (Σq)²/n) / (n - 1))."""
    if squares is None or days < 2:
        return None
    variance = (squares - total * total / days) / (days - 1)
    if variance < 0:
        hint = "squares is the sum of the squared quantities of single days"
        raise BadInput("bad_value", f"squares {squares} is too small for {total}", hint)
    return sqrt(variance)


def _by_period(sums: Mapping[Key, Mapping[date, Fraction]], given: int | None) -> History:
    labels = sorted({day for own in sums.values() for day in own})
    past = periods(labels, given)
    length = Fraction(past.days, past.count)
    count = past.count if given is None else max(past.count, round(given / length))
    covered = past.days if given is None else given
    demand = {key: _demand(list(own.values()), count, length, covered) for key, own in sums.items()}
    note = f"{past.first} to {past.last}, by {past.kind}"
    return History(demand, covered, note if given is None else f"{covered} days, {note}")


def _demand(values: list[Fraction], count: int, length: Fraction, days: int) -> Demand:
    """Days that are independent of each other: the variance of a period is theirs added up."""
    total, squares = sum(values, NONE), sum((v * v for v in values), NONE)
    # Periods without a row add nothing to either sum.
    variance = (squares - total * total / count) / (count - 1) if count > 1 else None
    return Demand(total / days, None if variance is None else sqrt(variance / length))


def _day(value: object) -> date:
    text = str(value)[:10]
    try:
        return date.fromisoformat(text if len(text) > 7 else f"{text}-01")
    except ValueError:
        hint = "take a DATE column, date_trunc('month', …) or a text like 2026-10"
        raise BadInput("bad_value", f"{shown(value)} is no date", hint) from None


def _fraction(value: object, what: str) -> Fraction | None:
    return None if value is None else Fraction(number(value, what))
