"""Names of tables and columns, and what a column's name says about its values."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable

_LIMIT = 200
_IDENTIFIER_WORDS = frozenset(
    [
        "code",
        "cd",
        "sku",
        "ean",
        "upc",
        "gtin",
        "isbn",
        "asin",
        "barcode",
        "zip",
        "zipcode",
        "postcode",
        "postal",
        "phone",
        "telephone",
        "tel",
        "fax",
        "plu",
        "hs",
    ]
)
_IDENTIFIER_ENDS = (
    *("コード", "番号", "電話", "品番", "型番", "品号", "注番", "郵便", "バーコード"),
    *(
        "编码",
        "编号",
        "代码",
        "邮编",
        "电话",
        "手机",
        "手机号",
        "条码",
        "货号",
        "单号",
        "料号",
        "账号",
        "卡号",
    ),
)
_KEY_ENDS = ("号", "ＩＤ", "キー")
_NUMBERED = re.compile(r"[^\x00-\x7f]_?(no|nr)_?$", re.I)
"""`社員NO`, `管理No.`, `伝票№`: numbers of things, as 番号 is."""
_DATE_WORDS = frozenset(["date", "day", "dt", "ymd", "yyyymmdd", "datetime", "birthday"])
_DATE_ENDS = ("日", "日付", "年月日", "期日", "日期", "期限", "納期", "日時", "日期时间")
_FILLER = frozenset(["no", "num", "number", "nbr", "id"])


def clean_name(text: str) -> str:
    """NFKC, whitespace and punctuation as single underscores, at most 200 characters."""
    normal = unicodedata.normalize("NFKC", text)
    kept = "".join(char if _in_word(char) else "_" for char in normal)
    return re.sub("_+", "_", kept).strip("_")[:_LIMIT].strip("_")


def _in_word(char: str) -> bool:
    return char.isalnum() or unicodedata.category(char).startswith("M")


def column_names(originals: Iterable[str]) -> tuple[str, ...]:
    """Stable and unique without regard to case: blanks are `column_3`, repeats get `_2`."""
    cleaned = [clean_name(text) or f"column_{i}" for i, text in enumerate(originals, 1)]
    reserved = {name.casefold() for name in cleaned}
    seen: set[str] = set()
    names = []
    for name in cleaned:
        names.append(name if name.casefold() not in seen else _numbered(name, reserved))
        seen.add(names[-1].casefold())
        reserved.add(names[-1].casefold())
    return tuple(names)


def table_name(stem: str, sheet: str | None, taken: Collection[str]) -> str:
    """`<stem>` or `<stem>_<sheet>`; never starts with a digit; a clash gets `_2`."""
    name = clean_name(f"{stem}_{sheet}" if sheet else stem) or "table_1"
    if name[0].isdigit():
        name = f"t_{name}"
    reserved = {other.casefold() for other in taken}
    return name if name.casefold() not in reserved else _numbered(name, reserved)


def _numbered(name: str, reserved: Collection[str]) -> str:
    number = 2
    while f"{name}_{number}".casefold() in reserved:
        number += 1
    return f"{name}_{number}"


def words(name: str) -> list[str]:
    """Lower-case words of a name: `OrderID`, `order_id` and `order id` are ["order", "id"]."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    spaced = re.sub(r"(?<=[A-Z])(?=[A-Z][a-z])", "_", spaced)
    return [word for word in re.split(r"[\W_]+", spaced.lower()) if word]


def names_identifier(name: str) -> bool:
    """A code, phone or postal number: text even where the values look like integers."""
    if name.endswith(_IDENTIFIER_ENDS):
        return not name.endswith("レコード")
    if _NUMBERED.search(unicodedata.normalize("NFKC", name).rstrip(". ")):
        return True
    parts = words(name)
    while len(parts) > 1 and (parts[-1] in _FILLER or parts[-1].isdigit()):
        parts.pop()
    return bool(parts) and parts[-1] in _IDENTIFIER_WORDS


def names_barcode_or_month(name: str) -> bool:
    """`JAN` is a product's barcode or January; only the length of its values tells."""
    return words(name) == ["jan"]


def names_date(name: str) -> bool:
    return name.endswith(_DATE_ENDS) or bool(_DATE_WORDS & set(words(name)))


def names_key(name: str) -> bool:
    """`id`, `customer_id`, `顧客ID`, `員工号`, `no` or a code: the name of a key."""
    if name.endswith(_KEY_ENDS):
        return True
    parts = words(name)
    return names_identifier(name) or (
        bool(parts)
        and (
            parts[-1] in ("id", "no", "number", "uuid", "key")
            or (parts[-1].endswith("id") and not parts[-1].isascii())
        )
    )
