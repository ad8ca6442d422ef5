"""The sub-tasks of a question that asks what to order."""

from datetime import date

from agent.deps import Deps
from agent.language import language_of
from agent.reorder.calls import comparison, queries
from agent.reorder.question import Asked, Stored, Values, read_comparison, read_reorder
from agent.reorder.restrict import Condition, conditions_of
from agent.state import SubTask
from ingest.store import Catalog
from ingest.store.errors import StoreError
from tools.dates import CalendarSettings

NEEDED = ("on_hand", "demand", "terms")
ALIKE = 0.95
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
    values = Values(lambda text: deps.relevance.values(text, None), lambda t: _like(t, deps))
    asked = read_reorder(question, values)
    if asked is None:
        return None
    other = _other(asked, values, deps) if asked.rest else None
    # What the other clause is restricted to, the proposal is too: it says so.
    named = dict.fromkeys((*asked.values, *(other[1] if other else ())))
    conditions = conditions_of(list(named), catalog)
    if conditions is None:
        return None
    tasks = [_reorder(question if other is None else "", asked, conditions, deps)]
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
        text = _POLICY[language_of(question)]
        tasks.append(
            SubTask(task=text, evidence_kind="chunk", rule="policy", prepared={"policy": text})
        )
    return tasks


def _reorder(
    question: str, asked: Asked, conditions: list[Condition], deps: Deps
) -> SubTask:
    sources = deps.store.catalog.replenishment
    missing = [name for name in NEEDED if sources.sources()[name] is None]
    task = SubTask(
        task=question or "reorder proposal",
        evidence_kind="calculation",
        rule="reorder",
        limited_to=tuple(c.said for c in conditions),
        whole_list=any(c.names_sku for c in conditions),
    )
    if missing:
        return task.model_copy(update={"state": "failed", "missing": tuple(missing)})
    return task.model_copy(
        update={"prepared": queries(deps.store.catalog, deps.today, conditions)}
    )


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
    return [(m.table, m.column, m.value) for m in found] if len({m.value for m in found}) == 1 else []


__all__ = ["Catalog", "rule_tasks"]
