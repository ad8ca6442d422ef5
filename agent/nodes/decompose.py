"""decompose: a compound question becomes at most a few sub-tasks, each with its evidence."""

import re
from typing import Any, get_args

from langgraph.runtime import Runtime

from agent.deps import Deps
from agent.nodes.common import Exchange, schema, string
from agent.prompts import prompt
from agent.state import EvidenceKind, State, SubTask

# Words that join two requests, or ask for a figure and a rule at once.
_COMPOUND = re.compile(
    r"\band (?:what|how|which|who|when|is|does|propose|compare|the (?:policy|rule))\b|\bthen\b"
    r"|\bas well as\b|\baccording to\b|\bbased on\b|\bat the\b.*\brate of\b|;"
    r"|[。？?！!].*\S|、(?:その|それ|また|さらに|そして)|と、|および.*(?:規定|方針|契約)"
    r"|(?:規定|方針|契約|基準).*(?:計算|従|基づ)|(?:したがって|に基づ|をもとに|を踏まえ)"
    r"|，(?:并|以及|然后|同时)|根据.*(?:计算|政策|规定|协议)|按照"
    r"|ですか.*ですか|発注点|安全在庫|reorder point|safety stock|再订货点|安全库存",
    re.IGNORECASE,
)
_KINDS = [k for k in get_args(EvidenceKind) if k != "any"]


async def decompose(state: State, runtime: Runtime[Deps]) -> dict[str, Any]:
    """One task by rule where the rule is certain; else the model's list, never more than five."""
    deps = runtime.context
    whole = [SubTask(task=state["reading"])]
    if not _is_compound(state["reading"], deps):
        return {"sub_tasks": whole}
    deps.on_event("decompose", "splitting the question")
    exchange = Exchange(state, deps)
    limits = deps.settings.graph
    item = {
        "type": "object",
        "properties": {
            "task": string(200),
            "evidence_kind": {"type": "string", "enum": _KINDS},
        },
        "required": ["task", "evidence_kind"],
        "additionalProperties": False,
    }
    output = schema(
        "sub_tasks",
        sub_tasks={"type": "array", "items": item, "minItems": 1, "maxItems": limits.sub_tasks},
    )
    value = await exchange.ask_json("plan", prompt("decompose", limits=limits), output)
    tasks = [SubTask.model_validate(t) for t in (value or {}).get("sub_tasks", [])]
    tasks = [t for t in tasks if t.task.strip()][: limits.sub_tasks]
    return {**exchange.update(), "sub_tasks": tasks if len(tasks) > 1 else whole}


def _is_compound(question: str, deps: Deps) -> bool:
    """Without both tables and documents there is one kind of evidence, and one task."""
    return bool(deps.store.catalog.tables and deps.store.knowledge_bases()) and bool(
        _COMPOUND.search(question)
    )
