"""gate: does it need retrieval, and what does it mean on its own?"""

import asyncio
import re
from collections.abc import Sequence
from typing import Any

from langgraph.runtime import Runtime

from agent.catalog_metrics import metrics_for, named_first, render_metrics
from agent.catalog_view import render_slice
from agent.deps import Deps
from agent.errors import PairError
from agent.follow_up import stand_alone
from agent.models.base import Message
from agent.nodes.common import Exchange, schema, string, user
from agent.pairs import Found
from agent.phrases import phrases
from agent.prompts import prompt
from agent.state import Confirmed, State, Turn
from tools.dates import CalendarSettings, DateRange, Mention, mentions

_GREETING = re.compile(
    r"\s*(hi|hello|hey|thanks|thank you|good (morning|afternoon|evening)|bye"
    r"|こんにちは|こんばんは|おはよう(ございます)?|ありがとう(ございます|ございました)?|さようなら"
    r"|你好|您好|谢谢|早上好|再见)[\s!！.。?？~〜]*$",
    re.IGNORECASE,
)
# What a question about the last answer's wording says; a small model takes 「文具は？」 for one.
_WORDING = re.compile(
    r"translat|rephrase|shorter|longer|summari[sz]e|explain|what do you mean|in (?:english|japanese|chinese)"
    r"|言い換え|要約|翻訳|訳して|短く|詳しく|説明して|どういう意味|(?:英語|日本語|中国語)で"
    r"|翻译|总结|简短|换句话|解释|什么意思|用(?:英文|英语|中文|日文|日语)",
    re.IGNORECASE,
)
_OUTPUT = schema("gate", retrieve={"type": "boolean"}, question=string(400), reason=string(120))
SLICE_SHARE = 0.7


async def gate(state: State, runtime: Runtime[Deps]) -> dict[str, Any]:
    """A first question stands alone by rule, and so does a follow-up that only names another
    period, value or code; any other one with a history is rewritten by the model.

    What cannot be read, or was cut short, retrieves.
    """
    deps = runtime.context
    question = state["question"]
    transcript = [Message(role="system", content=deps.system_prompt)]
    if _GREETING.match(question):
        greeting = user(prompt("question", **_plain(question, deps)))
        said = {"reading": question, "retrieve": False, "dates": ""}
        return {**said, "transcript": [*transcript, greeting]}
    history = deps.memory.history(deps.thread_id, deps.turn, deps.settings.graph.history_turns)
    exchange = Exchange({**state, "transcript": transcript}, deps)
    reading, retrieve = question, True
    known = await asyncio.to_thread(_by_rule, question, history, deps) if history else ""
    if known:
        reading = known
    elif history:
        deps.on_event("gate", "reading the question with the conversation")
        instruction = prompt("gate", history=history, question=question, today=deps.today)
        decided = await exchange.ask_json("gate", instruction, _OUTPUT)
        if decided is not None:
            is_sure = deps.models["gate"].capabilities.native_tools or _WORDING.search(question)
            retrieve = bool(decided["retrieve"]) or not is_sure
            reading = str(decided["question"]).strip() or question
    update = exchange.update()
    found = mentions(reading, deps.today, CalendarSettings.of(deps.store.catalog))
    dates = _told(found)
    about, confirmed = await asyncio.to_thread(_about, reading, found, deps)
    update["transcript"] = [*transcript, *exchange.added, user(prompt("question", **about))]
    said = {"reading": reading, "retrieve": retrieve, "dates": dates, "pairs": _used(confirmed)}
    return {**update, **said}


def _by_rule(question: str, history: Sequence[Turn], deps: Deps) -> str:
    before = history[-1].reading or history[-1].question
    calendar = CalendarSettings.of(deps.store.catalog)
    return stand_alone(question, before, deps.today, calendar, deps.relevance.values)


def _told(found: Sequence[Mention]) -> str:
    """ "先月 = 2026-10-01..2026-10-31; …" for the date expressions of the question."""
    return "; ".join(
        f"{m.text} = {_span(m.range)}" if m.range else f"{m.text}: {m.problem}" for m in found
    )


def _span(dates: DateRange) -> str:
    return f"{dates.start}" if dates.start == dates.end else f"{dates.start}..{dates.end}"


def _about(reading: str, found: Sequence[Mention], deps: Deps) -> tuple[dict[str, object], Found]:
    """What stands beside the question, and the confirmed pairs among it."""
    ranges = [m.range for m in found if m.range is not None]
    named = deps.relevance.values(reading)
    values = "; ".join(f"{t}.{c} = '{v}'" for t, c, v in named)
    confirmed = _confirmed(reading, [v for _, _, v in named], deps)
    metrics = metrics_for(reading, deps.store.catalog)
    tables = ""
    if not deps.catalog_is_whole:
        budget = int(deps.settings.graph.catalog_tokens * SLICE_SHARE)
        order = named_first(deps.relevance.tables(reading), metrics)
        tables = render_slice(deps.store.catalog, order, budget)
    about: dict[str, object] = {
        **_plain(reading, deps),
        "dates": _told(found),
        "example": ranges[0].start if ranges else "",
        "periods": sum(r.start < r.end for r in ranges),
        "values": values,
        "tables": tables,
        "metrics": render_metrics(metrics, deps.store.catalog, next(iter(ranges), None)),
        "phrases": phrases(reading),
        "confirmed": confirmed.examples,
    }
    return about, confirmed


def _confirmed(reading: str, values: Sequence[str], deps: Deps) -> Found:
    """A store of pairs that cannot be read ends no question; it is said."""
    if deps.pairs is None:
        return Found()
    try:
        return deps.pairs.find(reading, deps.today, values, deps.store)
    except PairError as error:
        deps.on_event("gate", f"without confirmed pairs: {error.message}")
        return Found()


def _used(confirmed: Found) -> list[Confirmed]:
    repeat = confirmed.repeat
    shown = [e for e in confirmed.examples if repeat is None or e.id != repeat.id]
    used = [Confirmed(id=e.id, sql=e.sql) for e in shown]
    if repeat is not None:
        used.insert(0, Confirmed(id=repeat.id, sql=repeat.sql, repeat=True))
    return used


def _plain(question: str, deps: Deps) -> dict[str, object]:
    return {
        "question": question,
        "today": deps.today,
        "dates": "",
        "example": "",
        "periods": 0,
        "values": "",
        "tables": "",
        "metrics": "",
        "phrases": "",
        "confirmed": (),
    }
