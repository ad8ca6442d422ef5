"""What stands above a table's header: captions, and the unit that they state for its figures."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ingest.tables import cells
from ingest.tables.headers import POWERS, Header, currency_name, read_header
from ingest.tables.names import names_date, names_identifier, names_key, words

_SCALES = "百万|千万|十億|百億|千億|百|千|万|億|亿"
_MONEY = "円|元|JPY|USD|EUR|GBP|CNY|RMB|yen|yuan|dollars?|euros?|pounds?|¥|\\$|€|£"
_UNIT = re.compile(
    rf"(?:単位|单位|單位)\s*[:は]?\s*({_SCALES})?\s*({_MONEY}|{cells.COUNTERS})(?![^\W\d_])"
    rf"|()[(\[]({_MONEY})[)\]]|({_SCALES})(円|元)(?:単位|[)\]])",
    re.I,
)
_ENGLISH_SCALE = re.compile(r"\b(thousand|million|billion)s?\b", re.I)
_ENGLISH_UNIT = re.compile(rf"(?<![^\W\d_])({_MONEY})(?![^\W\d_])", re.I)
_IN = re.compile(r"\b(?:in|unit:?)\s", re.I)
_TAX = re.compile(r"[(\[]?(?:税抜|税込|税別|不含税|含税)[^,]{0,4}[)\]]?")
_LABEL = re.compile(
    r"(?:作成|出力|発行|印刷|更新|制表|打印|导出)(?:日時?|者|人|日期)?|対象期間|期間|担当者|日付"
    r"|(?:printed|created|prepared|exported)(?: (?:on|by|at))?|period",
    re.I,
)
_MONEY_NAME = re.compile(
    r"売上|売価|金額|[価額]|費|利益|損益|原価|仕入|残高|収入|収益|支出|支払|代金|料金|给|税"
    r"|额|价|成本|收入|利润|费"
)
_MONEY_WORDS = frozenset(
    [
        *("amount", "amt", "price", "cost", "costs", "revenue", "sales", "profit", "income"),
        *("expense", "expenses", "fee", "fees", "margin", "gross", "net", "budget", "balance"),
        "payment",
    ]
)
_OTHER_NAME = re.compile(r"数|率|比|割合|構成|点|人|年齢|歳|重量|時間|%|量|年$|月$|[Nn][Oo]\.?$")
_RATES = frozenset(["rate", "ratio", "share", "pct", "percent"])
_QUANTITIES = frozenset(["qty", "quantity", "quantities", "units", "pieces"])
_OTHER_WORDS = frozenset(
    ["count", "year", "month", "day", "week", "age", "weight", "number", "hours"]
)
_PERIOD = re.compile(
    r"(?:(?:19|20)\d\d年?度?)?\s*(?:\d{1,2}月|[1-4]Q|Q[1-4]|[上下]半?期|第[1-4一二三四]四半期)"
    r"|(?:FY)?(?:19|20)\d\d(?:年度?|[-/.]\d{1,2}|\d\d)?|合計|計|累計|合计|total"
    r"|(?:当|前|今|来|前年|昨年)(?:期|月|年|年度)|実績|予算|計画|予測",
    re.I,
)


class Stated(NamedTuple):
    """10^`scale` and the unit that row `row` (1-based) above the table states."""

    row: int
    scale: int
    unit: str | None


def read_unit(text: str) -> Header | None:
    """`（単位：千円）` is scale 3, JPY; `USD in millions` is scale 6, USD; None where no unit is."""
    normal = unicodedata.normalize("NFKC", text)
    match = _UNIT.search(normal)
    if match:
        scale, unit = match[1] or match[5], match[2] or match[4] or match[6]
        return Header(normal, cells.SCALES[scale] if scale else 0, currency_name(unit))
    scale_word = _ENGLISH_SCALE.search(normal)
    if scale_word and _IN.search(normal):
        named = _ENGLISH_UNIT.search(normal)
        power = POWERS[scale_word[1].lower()]
        return Header(normal, power, currency_name(named[1]) if named else None)
    return None


def stated_units(
    above: Sequence[Sequence[str]], originals: Sequence[str], numeric: Mapping[int, bool]
) -> tuple[dict[int, Stated], str | None]:
    """By column, the unit stated above; and the warning where it is not clear which columns the
    scale is for. `numeric` are the places of the columns of figures; True: they are percentages."""
    found = [
        (number, cell, unit)
        for number, row in enumerate(above, 1)
        for cell in row
        if (unit := read_unit(cell)) is not None
    ]
    if not found:
        return {}, None
    number, cell, unit = next((one for one in found if one[2].scale), found[0])
    money = unit.unit is None or unit.unit not in cells.COUNTERS.split("|")
    kinds = {at: _kind(originals[at], percent) for at, percent in numeric.items()}
    if not money:
        taken = [at for at, kind in kinds.items() if kind == "quantity"]
    else:
        taken = [at for at, kind in kinds.items() if kind in ("money", "period")]
    clear = taken and (not unit.scale or "" not in kinds.values())
    if "quantity" in kinds.values() and "period" in kinds.values():
        clear = False
    if not clear:
        text = " ".join(cell.split())
        says = f"row {number} above the table says {text}; its figures are as written"
        return {}, says if unit.scale else None
    return {at: Stated(number, unit.scale, unit.unit) for at in taken}, None


def _kind(original: str, percent: bool) -> str:
    """ "money", "quantity", "period", "other", or "" for a column whose name leaves it open."""
    name, header = unicodedata.normalize("NFKC", original).strip(), read_header(original)
    parts = set(words(name))
    if percent or header.unit or header.scale:
        return "other"
    if _PERIOD.fullmatch(name):
        return "period"
    if re.search(r"率|比|割合|構成|%", name) or parts & {
        "rate",
        "ratio",
        "share",
        "pct",
        "percent",
    }:
        return "other"
    if "数量" in name or name.endswith("数") or parts & _QUANTITIES:
        return "quantity"
    if _MONEY_NAME.search(name) or parts & _MONEY_WORDS:
        return "money"
    keyed = names_identifier(name) or names_key(name) or names_date(name)
    return "other" if keyed or _OTHER_NAME.search(name) or parts & _OTHER_WORDS else ""


def is_caption(row: Sequence[str], below: Sequence[str]) -> bool:
    """`部署：営業部 | 単位：千円` above the row `below`: two or more cells that say something of
    the table. The first may be a title where the row has fewer cells than the one below."""
    filled = [unicodedata.normalize("NFKC", cell).strip() for cell in row if cell.strip()]
    names = sum(1 for cell in below if cell.strip())
    if not 2 <= len(filled) <= names:
        return False
    said = [bool(_says(cell)) for cell in filled]
    dated = [cells.looks_typed(cell) == "date" for cell in filled[1:]]
    rest = all(say or date for say, date in zip(said[1:], dated, strict=True))
    return any(said) and rest and (said[0] or len(filled) < names or any(dated))


def _says(cell: str) -> bool:
    pair = re.fullmatch(r"[^:]{1,20}:\s*\S.*", cell)
    return bool(pair or _LABEL.fullmatch(cell) or _TAX.fullmatch(cell) or read_unit(cell))


def is_unit_row(row: Sequence[str]) -> bool:
    """`(kg) | (千円)`: the units of the columns, each in brackets or a word for a unit."""
    filled = [unicodedata.normalize("NFKC", cell).strip() for cell in row if cell.strip()]
    read = [read_header(cell if cell[0] in "([【" else f"({cell})") for cell in filled]
    return bool(filled) and all(header.unit or header.scale for header in read)


def in_other_script(one: Sequence[str], other: Sequence[str]) -> bool:
    """Names in Latin letters beside names in others."""
    latin = ["".join(row).isascii() for row in (one, other)]
    return latin[0] != latin[1]
