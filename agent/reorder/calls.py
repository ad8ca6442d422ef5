"""The calls of a sub-task that is planned by rule: the queries, then what is made of them."""

import json
from collections.abc import Sequence
from datetime import date, timedelta

from agent.models.base import ToolCall
from agent.reorder.restrict import Condition, where
from agent.state import Step, SubTask
from ingest.store import Catalog
from ingest.store.metrics import fill_period
from ingest.store.quoting import quoted
from ingest.store.records import ReplenishmentRecord, SourceRecord

_TERMS = ("lead_time_days", "lead_time_sd", "minimum_quantity", "pack_size", "safety_days")
_REASON = "the catalog has the sources of a reorder proposal"
NOTHING = "nothing to order"
"""What the calculation says where the table would be empty."""


def queries(catalog: Catalog, today: date, conditions: Sequence[Condition]) -> dict[str, str]:
    """SQL by source, one row a SKU; `demand` with the squares of its days' quantities, from which
    the calculation has their variation without a row a day."""
    sources = catalog.replenishment
    found: dict[str, str] = {}
    by = sources.by
    if sources.on_hand is not None:
        found["on_hand"] = _stock(sources.on_hand, today, conditions, by)
    if sources.demand is not None:
        start, end = demand_period(catalog, today)
        inner = _read(sources.demand, conditions, start, end)
        found["demand"] = (
            f"SELECT {_keys('d', by)}, SUM(d.quantity) AS quantity,"
            f" SUM(d.quantity * d.quantity) AS squares FROM (SELECT {_keys('q', by)},"
            f" q.day AS day, SUM(q.quantity) AS quantity FROM {inner}"
            f" GROUP BY {_grouped('q', by)}, q.day) AS d"
            f" GROUP BY {_grouped('d', by)} ORDER BY {_grouped('d', by)}"
        )
    if sources.terms is not None:
        inner = _read(sources.terms, conditions, today, today)
        shown = "".join(f", q.{c} AS {c}" for c in _TERMS if c in sources.terms.columns)
        found["terms"] = f"SELECT q.sku AS sku{shown} FROM {inner} ORDER BY q.sku"
    if sources.on_order is not None:
        inner = _read(sources.on_order, conditions, today, today)
        found["on_order"] = (
            f"SELECT {_keys('q', by)}, SUM(q.on_order) AS on_order FROM {inner}"
            f" GROUP BY {_grouped('q', by)} ORDER BY {_grouped('q', by)}"
        )
    return found


def comparison(
    catalog: Catalog, days: tuple[date, date], conditions: Sequence[Condition]
) -> str | None:
    """One row a SKU: its stock on each day, by the last count on or before it; None where the
    stock has no days."""
    source = catalog.replenishment.on_hand
    if source is None or "as_of" not in source.columns:
        return None
    before, after = (_stock(source, day, conditions, ordered=False) for day in days)
    return (
        "SELECT COALESCE(a.sku, b.sku) AS sku, a.on_hand AS on_hand_before,"
        " a.as_of AS as_of_before, b.on_hand AS on_hand_after, b.as_of AS as_of_after,"
        " COALESCE(b.on_hand, 0) - COALESCE(a.on_hand, 0) AS difference"
        f" FROM ({before}) AS a FULL JOIN ({after}) AS b ON a.sku = b.sku ORDER BY 1"
    )


def demand_period(catalog: Catalog, today: date) -> tuple[date, date]:
    """The last days that the demand has data for, today included."""
    sources = catalog.replenishment
    end = today
    tables = [catalog.table(name) for name in (sources.demand.tables if sources.demand else ())]
    last = [t.data_to for t in tables if t and t.data_to and (t.date_column or "") in _sql(sources)]
    if last:
        end = min(today, max(last))
    return end - timedelta(days=sources.demand_days - 1), end


def _sql(sources: ReplenishmentRecord) -> str:
    return sources.demand.sql if sources.demand else ""


def _stock(
    source: SourceRecord,
    day: date,
    conditions: Sequence[Condition],
    by: Sequence[str] = (),
    *,
    ordered: bool = True,
) -> str:
    as_of = ", MAX(q.as_of) AS as_of" if "as_of" in source.columns else ""
    inner = _read(source, conditions, day, day)
    order = f" ORDER BY {_grouped('q', by)}" if ordered else ""
    return (
        f"SELECT {_keys('q', by)}, SUM(q.on_hand) AS on_hand{as_of} FROM {inner}"
        f" GROUP BY {_grouped('q', by)}{order}"
    )


def _keys(alias: str, by: Sequence[str]) -> str:
    own = [f"{alias}.{quoted(column)} AS {quoted(column)}" for column in by]
    return ", ".join([f"{alias}.sku AS sku", *own])


def _grouped(alias: str, by: Sequence[str]) -> str:
    return ", ".join([f"{alias}.sku", *(f"{alias}.{quoted(column)}" for column in by)])


def _read(source: SourceRecord, conditions: Sequence[Condition], start: date, end: date) -> str:
    sql = fill_period(source.sql.strip().rstrip(";"), start, end)
    return f"({sql}) AS q{where(conditions, source.columns)}"


def code(sources: ReplenishmentRecord, ids: dict[str, str], *, whole_list: bool) -> str:
    """The call of `reorder_proposal` over the evidence of the queries."""
    parts = [f"'{ids['on_hand']}'", f"'{ids['demand']}'", f"'{ids['terms']}'"]
    if "on_order" in ids:
        parts.append(f"on_order='{ids['on_order']}'")
    parts.append(f"days={sources.demand_days}")
    parts.append(f"service_level={sources.service_level}")
    parts.append(f"cover_days={sources.cover_days}")
    if sources.safety_days is not None:
        parts.append(f"safety_days={sources.safety_days}")
    if sources.by:
        parts.append(f"by={list(sources.by)!r}")
    if whole_list:
        parts.append("whole_list=True")
    return f"reorder_proposal({', '.join(parts)}) or '{NOTHING}'"


def calls_by_rule(
    task: SubTask, number: int, steps: Sequence[Step], sources: ReplenishmentRecord
) -> list[ToolCall]:
    """What to call next for a sub-task that is planned by rule; [] when nothing is left."""
    if not steps:
        return [_call(number, name, *_made(name, sql)) for name, sql in task.prepared.items()]
    if task.rule != "reorder" or any(not s.ok for s in steps) or len(steps) > len(task.prepared):
        return []
    ids = {
        name: step.evidence_ids[0]
        for name, step in zip(task.prepared, steps, strict=False)
        if step.evidence_ids
    }
    text = code(sources, ids, whole_list=task.whole_list)
    return [_call(number, "proposal", "calculate", {"code": text})]


def _made(name: str, text: str) -> tuple[str, dict[str, str]]:
    if name == "policy":
        return "knowledge_search", {"query_text": text}
    return "sql", {"query": text}


def _call(number: int, name: str, tool: str, arguments: dict[str, str]) -> ToolCall:
    said = {"goal": name.replace("_", " "), "next_step": f"call {tool}", "reason": _REASON}
    full = {**said, **arguments}
    raw = json.dumps(full, ensure_ascii=False)
    return ToolCall(id=f"rule_{number}_{name}", name=tool, arguments=full, raw=raw)
