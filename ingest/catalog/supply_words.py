"""What the columns of terms and orders are called, and the states that end a product or an order."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping

from ingest.catalog.measures import is_numeric, word_set
from ingest.store.records import ColumnRecord, TableRecord
from ingest.tables.names import words

TERMS = ("lead_time_days", "minimum_quantity", "pack_size", "safety_days")

ENDED = (
    *(
        "discontinued",
        "inactive",
        "obsolete",
        "ended",
        "end of life",
        "eol",
        "retired",
        "phased out",
    ),
    *("廃番", "廃止", "生産終了", "販売終了", "取扱終了", "製造中止", "終売", "終了"),
    *("停产", "停售", "下架", "已停产", "已停售", "已下架", "淘汰"),
)
CANCELLED = (
    *("cancelled", "canceled", "void", "voided", "rejected", "closed", "completed", "received"),
    *("キャンセル", "取消", "取消済", "却下", "完了", "終了", "入荷済", "納品済"),
    *("已取消", "已关闭", "已完成", "已拒绝", "已入库", "已收货", "作废"),
)
_STATUS_WORDS = word_set("status state")
_STATUS_PARTS = ("状態", "ステータス", "状态", "取扱区分")
_PURCHASE_WORDS = word_set("purchase purchases po procurement supply replenishment")
_PURCHASE_PARTS = ("発注", "仕入", "購買", "采购", "进货", "订货")
_OTHER_UNITS = word_set("weeks week months month hours hour")
_ON_ORDER_PARTS = ("発注残", "発注済", "入荷予定", "在途", "未到货")
MAX_STATES = 20


def is_purchase(table: TableRecord) -> bool:
    return bool(_PURCHASE_WORDS & set(words(table.name))) or any(
        part in table.name for part in _PURCHASE_PARTS
    )


def is_on_order(name: str) -> bool:
    return words(name)[-2:] == ["on", "order"] or any(part in name for part in _ON_ORDER_PARTS)


def is_status(column: ColumnRecord) -> bool:
    """A text column of few values that says in which state a row is."""
    named = _STATUS_WORDS & set(words(column.name)) or any(
        part in column.name for part in _STATUS_PARTS
    )
    return bool(named) and column.type == "VARCHAR" and 0 < column.distinct <= MAX_STATES


def is_ended_flag(column: ColumnRecord) -> bool:
    """A column of yes and no that says of an item that it is no longer bought."""
    named = words(column.name) in (["discontinued"], ["is", "discontinued"]) or column.name in (
        "廃番フラグ", "廃番", "停产",
    )  # fmt: skip
    flags = ("BOOLEAN", "BIGINT", "INTEGER", "TINYINT", "SMALLINT")
    return named and column.type in flags and column.distinct <= 2


def means(column: ColumnRecord, role: str) -> bool:
    """Whether a numeric column is this term of an order, by its name and unit."""
    if not is_numeric(column):
        return False
    return _ROLES[role](set(words(column.name)), unicodedata.normalize("NFKC", column.name))


def _lead_time(parts: set[str], name: str) -> bool:
    if parts & _OTHER_UNITS or any(
        unit in name for unit in ("週", "周", "か月", "ヶ月", "个月", "時間")
    ):
        return False
    named = {"lead", "time"} <= parts or {"lead", "days"} <= parts or "leadtime" in parts
    said = ("リードタイム", "調達日数", "納期日数", "提前期", "交货天数", "交期天数", "采购周期")
    return (named and not parts & {"sd", "std", "deviation", "min", "max"}) or any(
        part in name for part in said
    )


def _minimum(parts: set[str], name: str) -> bool:
    least = parts & {"minimum", "min"} and parts & {"order", "purchase"}
    said = (
        "最小発注",
        "最低発注",
        "最小注文",
        "最低注文",
        "最小订货",
        "最小订购",
        "最小起订",
        "起订量",
    )
    return bool(least) or "moq" in parts or any(part in name for part in said)


def _pack(parts: set[str], name: str) -> bool:
    sized = parts & {"pack", "case", "lot", "carton"} and parts & {"size", "quantity", "qty"}
    said = ("入数", "入り数", "発注単位", "ロットサイズ", "装箱数", "包装数量", "箱规")
    return bool(sized) or any(part in name for part in said)


def _safety(parts: set[str], name: str) -> bool:
    named = "safety" in parts and "days" in parts
    return named or any(part in name for part in ("安全在庫日数", "安全库存天数"))


_ROLES: Mapping[str, Callable[[set[str], str], bool]] = {
    "lead_time_days": _lead_time,
    "minimum_quantity": _minimum,
    "pack_size": _pack,
    "safety_days": _safety,
}
