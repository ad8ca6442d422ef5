"""What the steps of a turn make of their sub-task: done, failed, or still open."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from typing import Literal

from agent.absence import proved_absence
from agent.deps import Deps
from agent.nodes.common import failures_in_a_row
from agent.settings import GraphSettings
from agent.state import State, Step, SubTask
from tools.evidence import Evidence

Known = Mapping[str, Evidence]
"""The thread's evidence by id."""

# Questions about the data themselves: which tables, columns and documents there are.
_ABOUT_DATA = re.compile(
    r"\b(?:what|which|how many|any|list|show|name)\b(?:\W+\w+){0,3}?\W+"
    r"(?:tables?|data ?sets?|data|columns?|fields?|documents?|files?|knowledge bases?)\b"
    r"(?=\W*$|\s*[.?,;]|\s+(?:are|is|do|does|can|have|has|there|in|of|on|about|exist|available)\b)"
    r"|\b(?:is|are) there (?:an? |any )?(?:tables?|data|documents?|files?)\b"
    r"|\bdo (?:you|we) have (?:an? |any )?(?:\w+ ){0,2}?(?:tables?|data|documents?|files?)\b"
    r"|(?:テーブル|データ|表|列|カラム|文書|資料|ドキュメント|ファイル|ナレッジベース)(?:の?(?:一覧|種類|項目))?"
    r"(?:は|が|には|を)?(?:どの|どんな|何が|何件|いくつ|全部で)*(?:ある|あり|登録|入って|持って|含ま|教えて|見せて|$)"
    r"|(?:有|存在|包含|列出|多少|几)(?:哪些|什么|所有|全部|几|多少|[个张份]|可用的?|的)*"
    r"(?:数据表|数据|表|字段|列|文档|文件|资料|知识库)(?=[？?。，,、]|$|可|吗|有)"
    r"|(?:数据表|数据|表|字段|文档|文件|资料|知识库)(?:里|中)?都?有(?:哪些|什么|多少|几)",
    re.IGNORECASE,
)


async def settled_by_absence(
    state: State, number: int, steps: list[Step], known: Known, deps: Deps
) -> list[Step]:
    """The second call that finds nothing completes its task when what is asked is proved absent;
    after the first the model sees the stored values that are like it, and may mend the name."""
    before = [s for s in state.get("steps", []) if s.sub_task == number and s.ok]
    if not before or any(step.completes for step in steps):
        return steps
    evidence = [known[i] for step in steps for i in step.evidence_ids if i in known]
    question, knows = state["reading"], deps.relevance.knows
    if await asyncio.to_thread(proved_absence, question, evidence, knows) is None:
        return steps
    return [step.model_copy(update={"completes": step.ok}) for step in steps]


def advance(
    state: State, number: int, steps: Sequence[Step], known: Known, limits: GraphSettings
) -> list[SubTask]:
    """Closes the current sub-task when its evidence is there, or when it failed too often."""
    tasks = list(state["sub_tasks"])
    if number >= len(tasks):
        return tasks
    task = tasks[number]
    own = [s for s in [*state.get("steps", []), *steps] if s.sub_task == number]
    ids = (*task.evidence_ids, *(e for s in steps for e in s.evidence_ids))
    if task.rule:
        task = task.model_copy(update={"state": _by_rule(task, own, steps, known)})
    elif any(satisfies(task, s, known) for s in steps):
        task = task.model_copy(update={"state": "done"})
    elif (
        failures_in_a_row(own) > limits.repairs
        or _is_stuck(own)
        or len(own) >= limits.steps_per_task
    ):
        task = task.model_copy(update={"state": "failed"})
    tasks[number] = task.model_copy(update={"evidence_ids": tuple(dict.fromkeys(ids))})
    return tasks


def _by_rule(
    task: SubTask, own: Sequence[Step], steps: Sequence[Step], known: Known
) -> Literal["open", "done", "failed"]:
    """A rule has no second try; a look for a policy is done whatever it finds."""
    if task.rule == "policy" or any(satisfies(task, s, known) for s in steps):
        return "done"
    is_over = task.rule == "compare_stock" or len(own) > len(task.prepared)
    return "failed" if is_over or any(not s.ok for s in steps) else "open"


def satisfies(task: SubTask, step: Step, known: Known) -> bool:
    """Whether a step brought what its sub-task needs.

    A look into the catalog comes before a query as often as it is the answer: it is one only
    where the data themselves are asked about. Dates alone never answer a task of any kind.
    """
    if not (step.ok and step.completes):
        return False
    if step.tool == "catalog":
        return task.evidence_kind in ("any", "rows") and is_about_data(task.task)
    if task.evidence_kind == "any":
        return step.tool != "dates"
    return any(known[e].kind == task.evidence_kind for e in step.evidence_ids if e in known)


def is_about_data(text: str) -> bool:
    """Whether it asks which tables, columns or documents there are."""
    return bool(_ABOUT_DATA.search(text))


def _is_stuck(own: Sequence[Step]) -> bool:
    """The same failed call three times in a row: the model will not mend it."""
    last = own[-3:]
    return len(last) == 3 and all(
        not s.ok and (s.tool, s.arguments) == (last[0].tool, last[0].arguments) for s in last
    )
