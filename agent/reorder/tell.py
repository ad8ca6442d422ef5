"""What an answer says of the sub-tasks that were planned by rule, in three languages."""

import re
from collections.abc import Iterator, Mapping, Sequence

from agent.language import Language
from agent.reorder.calls import NOTHING
from agent.state import Claimed, Draft, SubTask
from ingest.store.records import REPLENISHMENT_COLUMNS, ReplenishmentRecord
from tools.evidence import Evidence

_TEXTS: Mapping[str, Mapping[Language, str]] = {
    "order": {
        "ja": "発注を提案するのは{count}件です（{by}ごと、{id}）。",
        "en": "{count} orders are proposed, by {by} ({id}).",
        "zh": "建议订货{count}项（按{by}，{id}）。",
    },
    "order_one": {
        "ja": "発注を提案するのは1件です（{by}ごと、{id}）。",
        "en": "1 order is proposed, by {by} ({id}).",
        "zh": "建议订货1项（按{by}，{id}）。",
    },
    "nothing": {
        "ja": "いま発注が必要なものはありません（{by}ごと、{id}）。",
        "en": "Nothing has to be ordered now, by {by} ({id}).",
        "zh": "目前没有需要订货的项（按{by}，{id}）。",
    },
    "unknown": {
        "ja": "条件が足りず計算できないものが{count}件あり、理由は表にあります。",
        "en": "{count} could not be worked out; the table says why.",
        "zh": "有{count}项无法计算，原因见表。",
    },
    "limited": {
        "ja": "対象は {places} に限っています。",
        "en": "Limited to {places}.",
        "zh": "范围限于 {places}。",
    },
    "together": {
        "ja": "在庫はすべての{places}を合わせて数えています。",
        "en": "The stock of every {places} is counted together.",
        "zh": "库存为所有{places}的合计。",
    },
    "left_out": {
        "ja": "商品マスタで {states} のSKUは除いています。",
        "en": "SKUs whose state is {states} are left out.",
        "zh": "状态为 {states} 的SKU不在其中。",
    },
    "compared": {
        "ja": "在庫の比較は{before}時点と{after}時点の記録によります（{id}）。",
        "en": "Stock is compared as of {before} and {after} ({id}).",
        "zh": "库存比较以{before}和{after}的记录为准（{id}）。",
    },
    "settings": {
        "ja": "計算の条件は catalog.yaml の replenishment の設定で、文書の方針は読み取っていません。",
        "en": "The conditions are those of replenishment in catalog.yaml; no policy was read from a document.",
        "zh": "计算条件取自 catalog.yaml 的 replenishment 设置，未读取文档中的方针。",
    },
    "policy": {
        "ja": "関連する文書に「{title}」があります（{id}）。これに合わせるには replenishment の demand_days、"
        "safety_days、cover_days、service_level を書き、SKUごとの日数は terms の列 safety_days に入れてください。",
        "en": "“{title}” may say otherwise ({id}). To follow it, set demand_days, safety_days, cover_days or"
        " service_level there; days of single SKUs go into a column safety_days of terms.",
        "zh": "相关文档有“{title}”（{id}）。要按其执行，请在 replenishment 中设置 demand_days、safety_days、"
        "cover_days 或 service_level；各SKU的天数写入 terms 的 safety_days 列。",
    },
    "missing": {
        "ja": "発注提案には {what} が必要ですが、表から確実に読み取れませんでした。"
        "catalog.yaml に書いてください: replenishment: {{{how}}}",
        "en": "A reorder proposal needs {what}, which the tables do not tell for certain."
        " Add it to catalog.yaml: replenishment: {{{how}}}",
        "zh": "订货建议需要 {what}，但无法从表中确定。请写入 catalog.yaml：replenishment: {{{how}}}",
    },
    "failed": {
        "ja": "発注提案は計算できませんでした。理由は失敗した手順にあります。",
        "en": "The reorder proposal could not be worked out; the failed step says why.",
        "zh": "无法计算订货建议，原因见失败的步骤。",
    },
}
_ABOUT_ORDERING = re.compile(
    r"発注|補充|安全在庫|補給|replenish|re-?order|safety stock|补货|订货|安全库存|采购",
    re.IGNORECASE,
)


def told(
    tasks: Sequence[SubTask],
    evidence: Mapping[str, Evidence],
    language: Language,
    sources: ReplenishmentRecord,
) -> Draft:
    """Sentences with the ids they rest on; the tables are rendered beside them."""
    said: list[Claimed] = []
    for task in tasks:
        found = [evidence[i] for i in task.evidence_ids if i in evidence]
        if task.rule == "compare_stock":
            said += _compared(found, language)
        elif task.rule == "reorder":
            said += _proposal(task, found, language, sources)
        elif task.rule == "policy" and any(
            t.rule == "reorder" and t.state == "done" for t in tasks
        ):
            said += _policy(found, language)
    parts = _joiner(language).join(c.text for c in said)
    return Draft(text=parts, claims=tuple(said))


def _joiner(language: Language) -> str:
    return " " if language == "en" else ""


def _say(name: str, language: Language, *ids: str, **values: object) -> Claimed:
    return Claimed(text=_TEXTS[name][language].format(**values), evidence_ids=ids, by_rule=True)


def _compared(found: Sequence[Evidence], language: Language) -> Iterator[Claimed]:
    for item in found:
        names = [c.name for c in item.columns]
        days = [
            max((str(r[names.index(n)]) for r in item.rows if r[names.index(n)]), default="-")
            for n in ("as_of_before", "as_of_after")
        ]
        yield _say("compared", language, item.id, before=days[0], after=days[1], id=item.id)


def _proposal(
    task: SubTask,
    found: Sequence[Evidence],
    language: Language,
    sources: ReplenishmentRecord,
) -> Iterator[Claimed]:
    if task.missing:
        what = ", ".join(
            f"{name} ({', '.join(REPLENISHMENT_COLUMNS[name])})" for name in task.missing
        )
        how = ", ".join(
            f"{n}: SELECT {', '.join(REPLENISHMENT_COLUMNS[n])} FROM …" for n in task.missing
        )
        yield _say("missing", language, what=what, how=how)
        return
    made = next((e for e in reversed(found) if e.kind == "calculation"), None)
    if made is None or task.state != "done":
        yield _say("failed", language)
        return
    yield from _counted(made, sources.by, language)
    if together := [c for c in _places(sources) if c not in sources.by]:
        yield _say("together", language, made.id, places=_listed(together, language))
    if task.limited_to:
        yield _say("limited", language, made.id, places=_listed(task.limited_to, language))
    if sources.leaves_out:
        states = _listed(sources.leaves_out, language)
        yield _say("left_out", language, made.id, states=states)
    yield _say("settings", language, made.id)


def _places(sources: ReplenishmentRecord) -> list[str]:
    known = sources.on_hand.columns if sources.on_hand else ()
    return [c for c in known if c not in ("sku", "on_hand", "as_of")]


def _counted(made: Evidence, by: Sequence[str], language: Language) -> Iterator[Claimed]:
    names = [c.name for c in made.columns]
    at = names.index("proposed_quantity") if "proposed_quantity" in names else None
    quantities = [row[at] for row in made.rows] if at is not None else []
    count = sum(q not in (None, 0, "0") for q in quantities)
    unknown = sum(q is None for q in quantities)
    name = "nothing" if not count else "order_one" if count == 1 else "order"
    grain = (" × " if language == "en" else "・").join(("SKU", *by))
    yield _say(name, language, made.id, count=count, id=made.id, by=grain)
    if unknown:
        yield _say("unknown", language, made.id, count=unknown)


def _policy(found: Sequence[Evidence], language: Language) -> Iterator[Claimed]:
    """The first passage in force that is about ordering at all."""
    for item in found:
        if (
            item.kind == "chunk"
            and not item.status_note
            and _ABOUT_ORDERING.search(item.text or "")
        ):
            yield _say("policy", language, item.id, title=item.source, id=item.id)
            return


def _listed(items: Sequence[str], language: Language) -> str:
    return (", " if language == "en" else "、").join(items)


__all__ = ["NOTHING", "told"]
