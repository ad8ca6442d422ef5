"""Units and scale words as they are written after a number, in three languages."""

import re
from decimal import Decimal

SCALES = {
    "十": Decimal(10), "百": Decimal(100), "千": Decimal(1000),
    "万": Decimal(10_000), "萬": Decimal(10_000),
    "億": Decimal(10) ** 8, "亿": Decimal(10) ** 8, "兆": Decimal(10) ** 12,
    "k": Decimal(1000), "thousand": Decimal(1000), "m": Decimal(10) ** 6, "mn": Decimal(10) ** 6,
    "million": Decimal(10) ** 6, "b": Decimal(10) ** 9, "bn": Decimal(10) ** 9,
    "billion": Decimal(10) ** 9, "trillion": Decimal(10) ** 12,
}  # fmt: skip

CLASSES: dict[str, str] = {
    "percent": "% パーセント percent per\u00a0cent pct ポイント percentage\u00a0points "
    "percentage\u00a0point pts pt 个百分点 個百分點 ％ポイント %ポイント",
    "tenth": "割",
    "times": "倍 times x",
    "currency": "円 元 圆 ドル 美元 日元 人民币 yen dollar dollars USD JPY CNY RMB EUR ユーロ",
    "hour": "時間 小时 小時 hour hours hrs h",
    "minute": "分間 分钟 分鐘 minute minutes min",
    "day": "日間 日 天 営業日 工作日 個工作日 个工作日 day days business\u00a0day business\u00a0days",
    "week": "週間 週 周 个星期 week weeks",
    "month": "か月間 か月 个月 個月 month months",
    "year": "年間 年 year years",
    "weight": "kg g mg t トン 公斤 吨 キロ",
    "length": "cm mm km m",
    "data": "GB MB KB TB",
    "volume": "L l ml リットル",
    "area": "㎡ m2 平方メートル",
    "count": "個 件 本 台 枚 点 箱 つ セット 袋 着 冊 足 缶 社 人 名 店 店舗 種類 か所 行 回 品目 商品 倉庫 "
    "笔 单 个 款 种 家 次 条 行 套 只 unit units pc pcs piece pieces item items product products row "
    "rows record records order orders customer customers store stores warehouse warehouses SKU SKUs "
    "ケース 套件 位客户",
}
UNIT_CLASS = {
    word.replace("\u00a0", " ").lower(): name
    for name, words in CLASSES.items()
    for word in words.split(" ")
    if word
}
_LATIN = [w for w in UNIT_CLASS if w.isascii() and w != "%"]
_OTHER = [w for w in UNIT_CLASS if not (w.isascii() and w != "%")]


def _alternatives(words: list[str]) -> str:
    ordered = sorted(words, key=len, reverse=True)
    return "|".join(re.escape(w).replace(r"\ ", r"[\s-]+") for w in ordered)


UNIT = rf"(?:{_alternatives(_OTHER)}|(?:{_alternatives(_LATIN)})(?![A-Za-z0-9]))"

_COLUMN_SCALES: tuple[tuple[re.Pattern[str], Decimal], ...] = (
    (re.compile(r"百万(?:円|元|個|个)|million|[_( ]mn?\)?$|百萬", re.IGNORECASE), Decimal(10) ** 6),
    (re.compile(r"億円|億元|亿元|billion|[_( ]bn?\)?$", re.IGNORECASE), Decimal(10) ** 8),
    (re.compile(r"千(?:円|元|個|个)|thousand|[_( ]k\)?$", re.IGNORECASE), Decimal(1000)),
    (re.compile(r"万(?:円|元|個|个)"), Decimal(10_000)),
)
_BILLION = re.compile(r"billion|[_( ]bn?\)?$", re.IGNORECASE)
_PERCENT_COLUMN = re.compile(
    r"%|率|割合|構成比|比率|占比|シェア|比$|rate|ratio|percent|pct|share|margin|growth|yoy|mom",
    re.IGNORECASE,
)


def column_scale(name: str) -> Decimal:
    """The scale word that a column's name states: 金額(千円) is 1000; 1 when it states none."""
    for pattern, scale in _COLUMN_SCALES:
        if pattern.search(name):
            return Decimal(10) ** 9 if _BILLION.search(name) else scale
    return Decimal(1)


def is_percent_column(name: str) -> bool:
    return bool(_PERCENT_COLUMN.search(name))


def unit_class(unit: str) -> str:
    """ "" for no unit or one that is not in the table."""
    return UNIT_CLASS.get(" ".join(unit.replace("-", " ").split()).lower(), "")
