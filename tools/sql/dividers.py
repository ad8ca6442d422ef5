"""Columns that say what the amounts beside them are in: a currency, a unit, with tax or without."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from ingest.store import ColumnRecord, TableRecord
from tools.sql.multiplied import Joined

NUMBERS = ("BIGINT", "INTEGER", "SMALLINT", "HUGEINT", "DECIMAL", "DOUBLE", "FLOAT")
MONEY = re.compile(
    r"(?:^|_)(?:amounts?|amt|price|costs?|revenue|sales|sub_?total|total|fees?|freight|value|paid"
    r"|payments?|refunds?|gross|net|profits?|expenses?|turnover|spend|budget|charges?|balance)(?:$|_)"
    r"|金額|売上|単価|価格|原価|小計|合計|代金|料金|運賃|送料|残高|利益|粗利|経費|費用"
    r"|手数料|金额|单价|价格|成本|费|货款|销售额|余额|利润|毛利",
    re.IGNORECASE,
)
_SHARE = re.compile(
    r"(?:率|割合|占比)(?:_|$)|(?:^|_)(?:rate|ratio|share|pct|percent\w*)$", re.IGNORECASE
)
_COUNTED = re.compile(
    r"(?:^|_)(?:qty|quantity|pieces|units|on_hand|weight|volume)(?:$|_)|数量|個数|重量|容積|件数|点数",
    re.IGNORECASE,
)
_CONVERSION = re.compile(
    r"(?:^|_)(?:fx|forex|exchange|exch|conversion|conv)(?:$|_)|(?:^|_)(?:to|per)_[a-z]{3}$"
    r"|^rates?$|為替|汇率|匯率|換算|换算|折算|レート",
    re.IGNORECASE,
)


Amount = tuple[str, ColumnRecord]
"""A column that is an amount, and its name with its table's."""


@dataclass(frozen=True)
class Divider:
    """A column that says what the amounts of its row are in."""

    what: str
    name: re.Pattern[str]
    values: re.Pattern[str]
    measured: re.Pattern[str]


_TAX = r"(?:tax|vat)?[ _-]*(?:incl|excl)\w*[ _-]*(?:tax|vat)?|税込|税抜|税別|内税|外税|含税|不含税|未税"
DIVIDERS = (
    Divider(
        "currencies",
        re.compile(r"(?:^|_)(?:currency|ccy|curr)(?:$|_)|通貨|通货|币种|货币|幣種", re.IGNORECASE),
        re.compile(r"[A-Z]{3}|[¥$€£￥]|円|元|日本円|人民币|人民元|美元|米ドル|ユーロ|欧元"),
        MONEY,
    ),
    Divider(
        "units",
        re.compile(r"^(?:units?|uom|unit_of_measure|単位|单位|計量単位|计量单位)$", re.IGNORECASE),
        re.compile(r"[^\d]{1,12}"),
        _COUNTED,
    ),
    Divider(
        "tax treatments",
        re.compile(r"tax|vat|税", re.IGNORECASE),
        re.compile(_TAX, re.IGNORECASE),
        MONEY,
    ),
)


def dividers_of(table: TableRecord) -> Iterator[tuple[ColumnRecord, Divider]]:
    for column in table.columns:
        if column.type != "VARCHAR" or column.distinct < 2 or not column.examples:
            continue
        for divider in DIVIDERS:
            said = (divider.values.fullmatch(value.strip()) for value in column.examples)
            if divider.name.search(snake(column.name)) and all(said):
                yield column, divider


def is_conversion(name: str) -> bool:
    """Whether a column is a rate that amounts are converted by."""
    return _CONVERSION.search(snake(name)) is not None


def snake(name: str) -> str:
    """`CurrencyCode` as `Currency_Code`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)


def is_share(name: str) -> bool:
    """Whether a column is a share or a percentage, of whatever amount."""
    return _SHARE.search(name) is not None


def amount_of(node: exp.Expr, shape: Joined) -> Amount | None:
    """The plain column (also aggregated, rounded, with NULL read as 0) that a side is."""
    while isinstance(
        node,
        exp.Paren | exp.Cast | exp.Round | exp.Coalesce | exp.Sum | exp.Avg | exp.Min | exp.Max,
    ):
        node = node.this
    place = shape.place(node)
    record = shape.sources[place[0]].record if place is not None else None
    column = record.column(node.name) if record is not None else None
    return (f"{record.name}.{column.name}", column) if record and column else None
