"""How well the name of a column points at another table's key; 0 is not at all."""

from __future__ import annotations

from ingest.store.records import ColumnRecord, TableRecord
from ingest.tables.describe import singular
from ingest.tables.names import names_key, words

_BARE_KEYS = frozenset(["id", "code", "cd", "no", "key", "uuid", "コード", "番号", "编号", "编码"])
_UPWARD = frozenset(
    ["parent", "manager", "supervisor", "boss", "reports", "reportsto", "上司", "親", "上级"]
)


def join_score(table: TableRecord, column: ColumnRecord, other: TableRecord, target: str) -> float:
    """4: `x_id` → x.id; 3: the same key name; 2: the key name after a role (`billing_x_id`),
    or the end of the other table's name (`stage_id` → pipeline_stages.id); 1.5: upward in the
    same table (`parent_id`, `reports_to`). Half a point more where the names of the tables
    agree as well."""
    left, right = words(column.name), words(target)
    if not _is_key_of(other, target):
        return 0.0
    if table.name == other.name:
        return _self_score(left, right)
    if _is_own_key(table, column.name):
        return 0.0
    if "".join(right) in _BARE_KEYS:
        return _bare_score(table, left, other, right)
    own = 0.5 if singular(other.name) in "".join(right) else 0.0
    if left == right and (names_key(target) or column.type == "VARCHAR"):
        return 3.0 + own
    longer = len(left) > len(right) > 1 and left[-len(right) :] == right
    return 2.0 + own if longer else 0.0


def _is_own_key(table: TableRecord, column: str) -> bool:
    """The column that numbers the table's own rows."""
    if table.primary_key != (column,):
        return False
    name = words(column)
    return "".join(name) in _BARE_KEYS or "".join(name[:-1]) in (
        singular(table.name),
        table.name.lower(),
    )


def _is_key_of(table: TableRecord, column: str) -> bool:
    """A column that others may refer to: the primary key, or a key that is named after the table."""
    if table.primary_key == (column,):
        return True
    return names_key(column) and singular(table.name) in "".join(words(column))


def _bare_score(table: TableRecord, left: list[str], other: TableRecord, right: list[str]) -> float:
    """`left` against `other.id`, `other.code`, …: what stands before the key word is a table."""
    if len(left) < 2 or left[-1] != right[-1]:
        return 0.0
    stem, full = left[:-1], [*words(other.name)[:-1], singular(words(other.name)[-1])]
    if "".join(stem) == "".join(full):
        return 4.0
    if len(stem) > len(full) and stem[-len(full) :] == full:
        return 2.5
    if len(full) > len(stem) and full[-len(stem) :] == stem:
        owner = "".join(full[: -len(stem)])
        return 2.5 if owner in (singular(table.name), *words(table.name)) else 2.0
    return 0.0


def _self_score(left: list[str], right: list[str]) -> float:
    if left == right:
        return 0.0
    if _UPWARD & set(left):
        return 1.5
    tail = left[1:]
    return 1.5 if len(tail) > 1 and right[-len(tail) :] == tail else 0.0
