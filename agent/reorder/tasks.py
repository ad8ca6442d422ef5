"""The sub-tasks of a question that asks what to order."""

import re
from datetime import date

from agent.deps import Deps
from agent.language import language_of
from agent.reorder.calls import comparison, queries
from agent.reorder.question import Asked, Stored, Values, read_comparison, read_reorder
from agent.reorder.restrict import Condition, conditions_of
from agent.state import SubTask
from ingest.store.errors import StoreError
from tools.dates import CalendarSettings

NEEDED = ("on_hand", "demand", "terms")
ALIKE = 0.95
_WAREHOUSE = re.compile(r"warehouse|location|depot|site|\bwh|倉庫|拠点|仓库", re.IGNORECASE)
_NAMES = {
    "ja": ("発注提案", "発注についての文書"),
    "en": ("reorder proposal", "documents on ordering"),
    "zh": ("补货建议", "关于订货的文档"),
}
_POLICY = {
    "ja": "発注方針 安全在庫 発注点 リードタイム",
    "en": "replenishment policy safety stock reorder point lead time",
    "zh": "补货政策 安全库存 再订货点 提前期",
}


def rule_tasks(question: str, deps: Deps) -> list[SubTask] | None:
    """The sub-tasks, the one for the rest of the question left to the model; None where the
    question asks something else, or what it names cannot be applied."""
    catalog = deps.store.catalog
    if not catalog.tables or not {"sql", "calculate"} <= set(deps.tools):
        return None
    values = Values(
        lambda text: deps.relevance.values(text, None),
        lambda words: _like(words, deps),
        any(_WAREHOUSE.search(column) for column in catalog.replenishment.by),
    )
    asked = read_reorder(question, values)
    if asked is None:
        return None
    other = _other(asked, values, deps) if asked.rest else None
    # What the other clause is restricted to, the proposal is too: it says so.
    named = dict.fromkeys((*asked.values, *(other[1] if other else ())))
    conditions = conditions_of(list(named), catalog)
    if conditions is None:
        return None
    language = language_of(question)
    name, documents = _NAMES[language]
    tasks = [_reorder(name if asked.rest else question, conditions, deps)]
    if other is not None:
        compared = comparison(catalog, other[0], conditions)
        if compared is None:
            return None
        prepared = {"comparison": compared}
        first = SubTask(
            task=asked.rest, evidence_kind="rows", rule="compare_stock", prepared=prepared
        )
        tasks.insert(0, first)
    elif asked.rest:
        tasks.append(SubTask(task=asked.rest, evidence_kind="any"))
    if deps.store.knowledge_bases() and "knowledge_search" in deps.tools:
        looked = {"policy": _POLICY[language]}
        tasks.append(SubTask(task=documents, evidence_kind="chunk", rule="policy", prepared=looked))
    return tasks


def _reorder(text: str, conditions: list[Condition], deps: Deps) -> SubTask:
    sources = deps.store.catalog.replenishment
    missing = [name for name in NEEDED if sources.sources()[name] is None]
    task = SubTask(
        task=text,
        evidence_kind="calculation",
        rule="reorder",
        limited_to=tuple(c.said for c in conditions),
        whole_list=any(c.names_sku for c in conditions),
    )
    if missing:
        return task.model_copy(update={"state": "failed", "missing": tuple(missing)})
    return task.model_copy(update={"prepared": queries(deps.store.catalog, deps.today, conditions)})


def _other(
    asked: Asked, values: Values, deps: Deps
) -> tuple[tuple[date, date], tuple[tuple[Stored, ...], ...]] | None:
    calendar = CalendarSettings.of(deps.store.catalog)
    found = read_comparison(asked.rest, deps.today, calendar, values)
    return (found.days, found.values) if found is not None else None


def _like(words: str, deps: Deps) -> list[Stored]:
    """The one stored value that is meant, wherever it stands."""
    try:
        found = [m for m in deps.store.find_values(words, limit=3) if m.score >= ALIKE]
    except StoreError:
        return []
    return (
        [(m.table, m.column, m.value) for m in found] if len({m.value for m in found}) == 1 else []
    )
