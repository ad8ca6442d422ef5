"""What a numeric column is a measure of: how it adds up, in which currency, with or without tax.

Read off names, units and the table around them; what they do not tell stays None, because a
guard refuses by these.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

from ingest.store.records import ColumnRecord, Measure, TableRecord, Tax
from ingest.tables.describe import is_stock_name
from ingest.tables.names import names_key, words


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


NUMERIC = ("BIGINT", "INTEGER", "SMALLINT", "HUGEINT", "DECIMAL", "DOUBLE", "FLOAT")
CURRENCIES = word_set("JPY CNY USD EUR GBP KRW TWD HKD SGD AUD CAD CHF INR THB VND IDR MYR PHP")
_CURRENCY_WORDS = {
    "yen": "JPY", "rmb": "CNY", "yuan": "CNY", "usd": "USD", "dollar": "USD", "dollars": "USD",
    "euro": "EUR", "euros": "EUR",
}  # fmt: skip
_CURRENCY_PARTS = {
    "人民币": "CNY", "人民元": "CNY", "美元": "USD", "米ドル": "USD", "日元": "JPY", "日本円": "JPY",
    "ユーロ": "EUR", "欧元": "EUR", "港币": "HKD", "ポンド": "GBP",
}  # fmt: skip
CURRENCY_COLUMNS = ("currency", "currency_code", "通貨", "通貨コード", "币种", "货币")

_EXCLUDED = re.compile(
    r"税抜|税別|税引前|不含税|未税|去税|\b(?:ex|excl|excluding|exclusive|without|before|net of)"
    r"[ ._-]*(?:of )?(?:the )?(?:sales |consumption )?(?:tax|vat|gst)\b|\b(?:tax|vat) excluded\b",
    re.IGNORECASE,
)
_INCLUDED = re.compile(
    r"税込|内税|含税|价税合计|\b(?:inc|incl|including|inclusive|with|after)"
    r"[ ._-]*(?:of )?(?:the )?(?:sales |consumption )?(?:tax|vat|gst)\b|\b(?:tax|vat) included\b",
    re.IGNORECASE,
)

_MONEY_WORDS = word_set(
    "amount amt price cost revenue sales subtotal fee fees freight refund payment paid gross net "
    "turnover spend budget charge value profit profits expense expenses"
)
_MONEY_PARTS = (
    *(
        "金額",
        "売上",
        "単価",
        "価格",
        "定価",
        "売価",
        "原価",
        "小計",
        "代金",
        "料金",
        "運賃",
        "送料",
        "返金",
        "粗利",
        "利益",
        "費用",
        "経費",
        "手数料",
    ),
    *("金额", "单价", "价格", "成本", "费用", "运费", "货款", "销售额", "营收", "退款"),
    *("毛利", "利润"),
)
_SHARE_ENDS = ("率", "割合", "占比")
_QUALIFIER = re.compile(
    r"(?:[_ (（]+(?:税込み?|税抜き?|税別|内税|外税|含税|不含税|未税|[千万百]*[円元]|[%％])[)）]?)+$"
)
_RATE_WORDS = word_set(
    "rate ratio percent percentage pct average avg mean median score rating "
    "latitude longitude temperature"
)
_RATE_ENDS = ("率", "単価", "单价", "割合", "比率", "平均", "定価", "売価", "掛率", "占比", "均价")
_UNIT_OF = word_set("unit list standard retail wholesale average base")
_PRICES = word_set("price cost")
_PRICE_ENDS = ("価格", "价格", "原価")
_LIMITS = word_set(
    "min max minimum maximum safety reorder level target limit threshold capacity pack lot per "
    "lead credit quota"
)
_LIMIT_PARTS = (
    *(
        "最低",
        "最小",
        "最大",
        "安全",
        "発注点",
        "目標",
        "上限",
        "下限",
        "限度",
        "基準",
        "入数",
        "与信",
    ),
    *("目标", "阈值", "额度", "订货点"),
)
_FLOW_WORDS = word_set("sales sold revenue turnover shipped delivered received returned profit")
_FLOW_PARTS = (
    *(
        "売上",
        "販売数",
        "販売額",
        "出荷数",
        "入荷数",
        "受注数",
        "受注額",
        "発注数",
        "仕入額",
        "返品数",
        "粗利",
        "総利益",
        "営業利益",
        "経常利益",
        "純利益",
    ),
    *("毛利", "营业利润", "净利润"),
    *("销售额", "销售量", "销量", "营收", "出库数", "入库数", "退货数"),
)
_MOVED_PARTS = ("入庫", "出庫", "入荷", "出荷", "仕入数", "入库", "出库", "発注数", "入金", "出金")
_STOCK_AT_END = re.compile(
    r"(?:在庫|库存|残|残高|余额|结存|棚卸)(?:数|数量|量|高|額|金額|金额)?$"
    r"|(?:stock|inventory|balance|on_?hand)$",
    re.IGNORECASE,
)
_CHANGED_WORDS = word_set(
    "adjustment adjustments movement movements transfer transfers change changes delta diff "
    "difference loss losses"
)
_CHANGED_PARTS = ("移動", "調整", "増減", "差異", "受払", "入出庫", "调整", "调拨", "增减", "差异")
_EVENT_WORDS = word_set("quantity qty amount amt total subtotal freight refund units expense")
_EVENT_PARTS = (
    "数量",
    "個数",
    "点数",
    "金額",
    "合計",
    "小計",
    "运费",
    "金额",
    "件数",
    "合计",
    "小计",
    "費用",
    "経費",
    "费用",
)


def is_numeric(column: ColumnRecord) -> bool:
    return column.type.startswith(NUMERIC)


def is_money(column: ColumnRecord) -> bool:
    """An amount or a price, by its unit or its name."""
    if not is_numeric(column) or names_key(column.name):
        return False
    if column.unit in CURRENCIES:
        return True
    if column.unit is not None or _core(column.name).endswith(_SHARE_ENDS):
        return False
    parts = set(words(column.name))
    counted = parts & {"qty", "quantity", "count", "units", "number", "rate", "pct", "percent"}
    return not counted and (
        bool(parts & _MONEY_WORDS) or any(part in column.name for part in _MONEY_PARTS)
    )


def _core(name: str) -> str:
    """A name without what it says of tax and currency: `単価_税込` as `単価`."""
    return _QUALIFIER.sub("", name)


def measure_of(table: TableRecord, column: ColumnRecord, events: Collection[str]) -> Measure | None:
    """How the figures of a column add up; None where its name does not tell.

    `events` are the tables whose rows are things that happened on a day (see `event_tables`).
    """
    if not is_numeric(column) or names_key(column.name) or column.name in table.primary_key:
        return None
    parts, name = words(column.name), column.name
    if _is_rate(table, column, parts):
        return "rate"
    if _LIMITS & set(parts) or any(part in name for part in _LIMIT_PARTS):
        return None
    moved = is_changed_name(name)
    if (is_stock_name(name) and not moved) or parts[-2:] == ["on", "order"]:
        return "stock"
    if (table.snapshot or table.period) and (moved or is_flow_name(name)):
        return "flow"
    named = bool(_EVENT_WORDS & set(parts)) or any(part in name for part in _EVENT_PARTS)
    if table.snapshot:
        return "stock" if named or is_money(column) else None
    if _FLOW_WORDS & set(parts) or any(part in name for part in _FLOW_PARTS):
        return "flow"
    return "flow" if named and table.name in events else None


def is_flow_name(name: str) -> bool:
    """Whether a figure is said to be of what happened: sold, shipped, 入庫数."""
    if _STOCK_AT_END.search(name):
        return False
    parts = (*_FLOW_PARTS, *_MOVED_PARTS)
    return bool(_FLOW_WORDS & set(words(name))) or any(part in name for part in parts)


def is_amount_name(name: str) -> bool:
    """Whether a figure is plainly called an amount or a quantity, and not one that is there."""
    if is_stock_name(name):
        return False
    named = _EVENT_WORDS & set(words(name)) or any(part in name for part in _EVENT_PARTS)
    return bool(named) or is_flow_name(name)


def is_changed_name(name: str) -> bool:
    """Whether a figure is said to be a change of stock: 在庫調整数, `stock_adjustment`."""
    if _STOCK_AT_END.search(name):
        return False
    return bool(_CHANGED_WORDS & set(words(name))) or any(p in name for p in _CHANGED_PARTS)


def is_rate_name(column: ColumnRecord) -> bool:
    """A rate by its name or unit alone; prices, which need the table around them, left out."""
    said = bool(_RATE_WORDS & set(words(column.name))) or _core(column.name).endswith(_RATE_ENDS)
    return column.unit == "%" or said


def _is_rate(table: TableRecord, column: ColumnRecord, parts: list[str]) -> bool:
    """A price is one where it stands in for one piece: said so, or beside a quantity, or in a
    table of things. Alone in a table of events it may be the price of the whole line."""
    name = _core(column.name)
    if is_rate_name(column):
        return True
    priced = parts[-1:] and parts[-1] in _PRICES
    if not priced and not name.endswith(_PRICE_ENDS):
        return False
    counted = any(
        {"qty", "quantity"} & set(words(c.name)) or "数量" in c.name for c in table.columns
    )
    return bool(_UNIT_OF & set(parts)) or counted or (len(parts) == 1 and not table.date_column)


def currency_of(table: TableRecord, column: ColumnRecord) -> str | None:
    """The ISO 4217 code of an amount's currency: its unit, its name, or the one value of the
    table's currency column. None also where the table mixes them."""
    if column.unit in CURRENCIES:
        return column.unit
    if not is_money(column):
        return None
    header = unicodedata.normalize("NFKC", f"{column.name} {column.original}")
    for word in words(header):
        if word.upper() in CURRENCIES:
            return word.upper()
        if word in _CURRENCY_WORDS:
            return _CURRENCY_WORDS[word]
    said = next((code for part, code in _CURRENCY_PARTS.items() if part in header), None)
    beside = (c for c in table.columns if c.name.lower() in CURRENCY_COLUMNS)
    return said or next((_only_currency(c) for c in beside), None)


def _only_currency(column: ColumnRecord) -> str | None:
    if column.distinct != 1 or column.nulls or not column.examples:
        return None
    code = column.examples[0].strip().upper()
    return code if code in CURRENCIES else None


def tax_of(table: TableRecord, column: ColumnRecord) -> Tax | None:
    """Whether an amount has its tax in it: said in the header, else in the table's name, else
    above its header."""
    if not is_money(column):
        return None
    own = _said_tax(f"{column.original} {column.name}")
    above = " ".join(note for note in table.notes if " above the header was skipped: " in note)
    named = _said_tax(f"{table.original} {table.sheet or ''} {table.name}")
    return own or named or _said_tax(above)


def _said_tax(text: str) -> Tax | None:
    plain = unicodedata.normalize("NFKC", text).replace("_", " ")
    if _EXCLUDED.search(plain):
        return None if "税込" in plain and "税抜" in plain else "excluded"
    return "included" if _INCLUDED.search(plain) else None
