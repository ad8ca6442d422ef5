"""decompose: a compound question becomes at most a few sub-tasks, each with its evidence."""

import asyncio
import re
from typing import Any, get_args

from langgraph.runtime import Runtime

from agent.deps import Deps
from agent.document_questions import document_call
from agent.metric_questions import metric_call
from agent.nodes.common import Exchange, schema, string
from agent.prompts import prompt
from agent.state import EvidenceKind, State, SubTask
from tools.dates import CalendarSettings, mentions

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
_FOLLOWS_A_RULE = re.compile(
    r"\baccording to\b|\bbased on\b|\bunder the\b|根据|按照|依照|に(?:従|基づ|よ(?:ると|れば))\w?|をもとに",
    re.IGNORECASE,
)
# Words of rules and terms, and words of figures: a question with only one sort is certain.
_RULES = re.compile(
    r"規定|規程|規則|方針|手順|契約|条件|条項|ルール|マニュアル|定義|期限|期間は|受付|保証|承認|責任者|担当者"
    r"|polic(?:y|ies)|rules?\b|procedure|agreement|contract|terms?\b|warranty|manual|guideline"
    r"|definition|allowed|approv|eligible|deadline|how do (?:we|i)\b"
    r"|规定|政策|方针|制度|流程|协议|合同|条款|手册|保修|质保|期限|审批",
    re.IGNORECASE,
)
_FIGURES = re.compile(
    r"売上|在庫数|在庫は|数量|件数|金額|合計|平均|何件|何個|いくら|個数|上位|最も|一覧|発注残|販売|返品(?:数|件)"
    r"|how many|how much|total|average|sum of|number of|top \d+|most|least|highest|lowest|sales\b"
    r"|stock\b|on hand|units?\b|revenue|list (?:all|the)"
    r"|多少|总|平均|数量|金额|销售|库存|销量|最高|最低|最多|最少|排名|列出|统计",
    re.IGNORECASE,
)
_AMOUNT = re.compile(
    r"\brates?\b|percent|rebate|\bfees?\b|reorder point|safety stock|calculat"
    r"|料率|手数料|リベート|発注点|安全在庫|計算|费率|返利|手续费|计算|再订货点|安全库存",
    re.IGNORECASE,
)
_KINDS = [k for k in get_args(EvidenceKind) if k != "any"]


async def decompose(state: State, runtime: Runtime[Deps]) -> dict[str, Any]:
    """One task by rule where the rule is certain; else the model's list, never more than five."""
    deps = runtime.context
    kind = await asyncio.to_thread(_kind, state["reading"], deps)
    whole = [SubTask(task=state["reading"], evidence_kind=kind)]
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
    tasks = _with_calculation([t for t in tasks if t.task.strip()], state["reading"])
    tasks = tasks[: limits.sub_tasks]
    return {**exchange.update(), "sub_tasks": tasks if len(tasks) > 1 else whole}


def _with_calculation(tasks: list[SubTask], question: str) -> list[SubTask]:
    """A figure, a rule and a question that applies one to the other need arithmetic, whether the model's list
    says so or not."""
    kinds = [t.evidence_kind for t in tasks]
    both = "rows" in kinds and "chunk" in kinds and "calculation" not in kinds
    if both and _AMOUNT.search(question):
        return [*tasks, SubTask(task=question, evidence_kind="calculation")]
    return tasks


def _kind(question: str, deps: Deps) -> EvidenceKind:
    """What a simple question needs, where a rule is certain.

    Where none is, a model with tools of its own chooses; for a small one it is decided by
    whether the documents have a passage that scores above the threshold.
    """
    if not deps.store.knowledge_bases():
        return "rows"
    if document_call(question, deps.store, deps.today) is not None:
        return "rows"
    if not deps.store.catalog.tables:
        return "chunk"
    metric = metric_call(question, deps.store.catalog, deps.today)
    if metric is not None and metric.dated:
        return "rows"
    rule, figure = _RULES.search(question), _FIGURES.search(question)
    if bool(rule) != bool(figure):
        return "chunk" if rule else "rows"
    if deps.models["plan"].capabilities.native_tools:
        return "any"
    return "chunk" if deps.relevance.has_passage(question) else "rows"


def _is_compound(question: str, deps: Deps) -> bool:
    """Without both tables and documents there is one kind of evidence, and one task.

    A small model gets a second task only when a rule or a calculation is asked for: it writes two
    figures of the tables with one query, and makes up what a further task could be.
    """
    if not (deps.store.catalog.tables and deps.store.knowledge_bases()):
        return False
    if not _COMPOUND.search(question):
        return False
    if deps.models["plan"].capabilities.native_tools:
        return True
    rule, figure = _RULES.search(question), _FIGURES.search(question)
    if not (rule or _AMOUNT.search(question)):
        return False
    if _FOLLOWS_A_RULE.search(question) and not _COMPOUND.search(_FOLLOWS_A_RULE.sub("", question)):
        # What a rule says is asked of the documents; applied to something, of the tables too.
        calendar = CalendarSettings.of(deps.store.catalog)
        dated = mentions(question, deps.today, calendar)
        return bool(deps.relevance.values(question) or dated)
    return bool(figure or deps.relevance.values(question))
