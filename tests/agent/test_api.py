"""`Agent`: ways of asking, several at once, traces, tokens and the JSON of an answer."""

import asyncio
import json
import re
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from agent.answer import Answer
from agent.errors import ModelBusy, UsageError
from agent.models.scripted import Request, Turn
from agent.telemetry import SpanRecord, load_trace
from agent.usage_log import read_usage
from ingest.store.errors import StoreMissing, UnknownKnowledgeBase
from tests.support.desk import (
    COMPOUND,
    SIMPLE,
    Desk,
    gated,
    open_desk,
    said,
    search,
    split,
    sql,
    together,
)

DONE = (sql(), said("There are 19 units.", "E1"))
UNITS_OF = {"XR-4200": 19, "Z-9": 40, "0012": 0}


def by_question(request: Request) -> Turn:
    """Plays the right step for whichever SKU the question is about."""
    asked = next(m.content for m in request.messages if m.content.startswith("Question:"))
    sku = next(s for s in UNITS_OF if f"of {s} " in asked)
    if request.output is None:
        return sql(f"SELECT sum(quantity) AS units FROM stock WHERE sku = '{sku}'")
    return said(f"There are {UNITS_OF[sku]} units of {sku}.", "E1")


def question(sku: str) -> str:
    return f"How many units of {sku} are on hand?"


def spans(desk: Desk, answer: Answer) -> list[SpanRecord]:
    return list(load_trace(desk.agent.data_dir, answer.trace_id).spans)


# ── ways of asking ─────────────────────────────────────────────────────────────────────────


def test_a_question_can_be_awaited_from_another_event_loop(desk: Desk) -> None:
    desk.play(*DONE)
    answer = asyncio.run(desk.agent.aask(SIMPLE))
    assert (answer.status, answer.question) == ("answered", SIMPLE)


async def test_a_stream_tells_every_node_and_then_the_answer(desk: Desk) -> None:
    desk.play(*DONE)
    events = [event async for event in desk.agent.stream(SIMPLE)]
    assert isinstance(events[-1], Answer) and events[-1].status == "answered"
    told = [event for event in events[:-1] if isinstance(event, tuple)]
    assert [node for node, _ in told] == ["plan", "act", "answer", "verify"]
    assert told[1][1].startswith("sql: SELECT sum(quantity)")


async def test_a_stream_that_fails_raises_at_its_end(desk: Desk) -> None:
    desk.play(ModelBusy("away"))
    heard: list[Any] = []
    with pytest.raises(ModelBusy):
        async for event in desk.agent.stream(SIMPLE):
            heard.append(event)
    assert [node for node, _ in heard] == ["plan"]


def test_several_questions_are_answered_in_their_order(desk: Desk) -> None:
    desk.play(*[by_question] * 6)
    asked = [question(sku) for sku in UNITS_OF]
    answers = list(desk.agent.batch(asked, concurrency=3))
    assert [a.question for a in answers] == asked
    assert ["19" in answers[0].text, "40" in answers[1].text] == [True, True]


async def test_questions_at_once_do_not_mix_evidence_or_traces(desk: Desk) -> None:
    desk.play(*[by_question] * 24)
    asked = [question(sku) for sku in UNITS_OF] * 4
    answers = await asyncio.gather(*(desk.agent.aask(q) for q in asked))
    assert len({a.trace_id for a in answers}) == 12
    for answer in answers:
        sku = next(s for s in UNITS_OF if f"of {s} " in answer.question)
        assert [e.id for e in answer.evidence] == ["E1"]
        assert answer.evidence[0].rows == ((str(UNITS_OF[sku]),),)
        chats = [s for s in spans(desk, answer) if s.name == "chat scripted"]
        assert len(chats) == answer.usage.llm_calls == 2


def test_two_agents_at_once_keep_their_own_traces(desk: Desk, opened: Callable[..., Desk]) -> None:
    other = opened()
    desk.play(*DONE)
    other.play(*DONE)

    async def both() -> list[Answer]:
        return list(await asyncio.gather(desk.agent.aask(SIMPLE), other.agent.aask(SIMPLE)))

    mine, its = asyncio.run(both())
    assert len(spans(desk, mine)) == len(spans(other, its)) > 10
    with pytest.raises(UsageError, match="no trace"):
        load_trace(other.agent.data_dir, mine.trace_id)


def test_two_turns_of_a_thread_at_once_never_share_an_id(desk: Desk) -> None:
    def play(request: Request) -> Turn:
        if request.output is None or request.output.name != "gate":
            return by_question(request)
        asked = re.search("New question: (.*)", request.messages[-1].content)
        assert asked is not None
        return gated(asked[1])

    desk.play(*[play] * 12)

    async def both() -> list[Answer]:
        asked = (desk.agent.aask(question(sku), thread_id="at-once") for sku in ("XR-4200", "Z-9"))
        return list(await asyncio.gather(*asked))

    first, second = asyncio.run(both())
    assert {e.id for a in (first, second) for e in a.evidence} == {"E1", "E2"}
    assert first.thread_id == second.thread_id


def test_two_agents_over_one_data_directory_share_a_thread(opened: Callable[..., Desk]) -> None:
    def play(request: Request) -> Turn:
        gating = request.output is not None and request.output.name == "gate"
        return gated(SIMPLE) if gating else by_question(request)

    desks = [opened(), opened()]
    for one in desks:
        one.play(*[play] * 12)

    async def ask(one: Desk, sku: str) -> Answer:
        return await one.agent.aask(question(sku), thread_id="shared")

    async def both() -> list[Answer]:
        asked = [ask(one, sku) for one, sku in zip(desks, ("XR-4200", "Z-9"), strict=True)]
        return list(await asyncio.gather(*asked))

    answers = asyncio.run(both())
    assert sorted(e.id for a in answers for e in a.evidence) == ["E1", "E2"]
    assert desks[0].agent._memory.last_turn("shared") == 2


def test_an_agent_can_be_closed_twice(opened: Callable[..., Desk]) -> None:
    agent = opened().agent
    agent.close()
    agent.close()


# ── bad input ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("empty", ["", "  \n", "\0"])
def test_an_empty_question_is_refused(desk: Desk, empty: str) -> None:
    with pytest.raises(UsageError, match="the question is empty"):
        desk.agent.ask(empty)


def test_a_question_that_is_too_long_is_refused_before_anything_is_stored(desk: Desk) -> None:
    with pytest.raises(UsageError, match="50,000 characters; at most 4,000") as error:
        desk.agent.ask("x" * 50_000, thread_id="too-long")
    assert "ingest the long text" in error.value.hint
    assert desk.agent._memory.last_turn("too-long") is None


def test_a_missing_data_directory_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(StoreMissing):
        open_desk(tmp_path / "none")
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_knowledge_base_is_refused_at_once(opened: Callable[..., Desk]) -> None:
    with pytest.raises(UnknownKnowledgeBase, match="'nowhere'"):
        opened(kbs=["nowhere"])


def test_a_model_that_is_away_is_said_and_the_thread_goes_on(desk: Desk) -> None:
    with pytest.raises(ModelBusy):
        desk.ask(SIMPLE, ModelBusy("away"), thread="away")
    assert desk.ask(SIMPLE, *DONE, thread="away").status == "answered"


# ── telemetry ──────────────────────────────────────────────────────────────────────────────


def traced(desk: Desk) -> tuple[Answer, list[SpanRecord]]:
    tasks = split(("units", "rows"), ("policy", "chunk"))
    text = "There are 19 units. Customers may return goods within 30 days of delivery."
    turn = together(sql(), sql("SELECT count(*) AS n FROM products"))
    answer = desk.ask(COMPOUND, tasks, turn, search(), said(text, "E1", "E3"))
    return answer, spans(desk, answer)


def test_a_question_is_one_trace_with_one_root(desk: Desk) -> None:
    answer, found = traced(desk)
    (root,) = [s for s in found if s.parent_id is None]
    assert root.name == "invoke_agent zaiko"
    assert root.attributes["gen_ai.conversation.id"] == answer.thread_id
    assert root.attributes["zaiko.status"] == "answered"
    assert {s.trace_id for s in found} == {answer.trace_id}


def test_there_is_a_span_for_every_node_call_tool_and_retrieval(desk: Desk) -> None:
    answer, found = traced(desk)
    names = [s.name for s in found]
    nodes = ["gate", "decompose", "plan zaiko", "act", "plan zaiko", "act", "answer", "verify"]
    assert desk.nodes(answer) == [n.split()[0] for n in nodes] + ["deliver"]
    assert names.count("chat scripted") == answer.usage.llm_calls == 4
    assert names.count("execute_tool sql") == 2
    assert names.count("execute_tool knowledge_search") == 1
    assert names.count("retrieval default") == 1


def test_every_span_has_the_right_parent(desk: Desk) -> None:
    _, found = traced(desk)
    names = {s.span_id: s.name for s in found}
    parents = {(s.name, names.get(s.parent_id or "", "")) for s in found}
    assert parents == {
        ("invoke_agent zaiko", ""),
        *((n, "invoke_agent zaiko") for n in ("gate", "decompose", "plan zaiko", "act")),
        *((n, "invoke_agent zaiko") for n in ("answer", "verify", "deliver")),
        *(("chat scripted", n) for n in ("decompose", "plan zaiko", "answer")),
        ("execute_tool sql", "act"),
        ("execute_tool knowledge_search", "act"),
        ("retrieval default", "execute_tool knowledge_search"),
    }


def test_act_says_which_evidence_it_brought(desk: Desk) -> None:
    _, found = traced(desk)
    ids = [s.attributes.get("zaiko.evidence_ids") for s in found if s.name == "act"]
    assert ids[0] == ["E1", "E2"]
    assert isinstance(ids[1], list) and ids[1][0] == "E3"


def test_a_failed_call_marks_its_span_and_no_other(desk: Desk) -> None:
    answer = desk.ask(SIMPLE, sql("SELECT nope FROM stock"), *DONE)
    failed = [(s.name, s.error) for s in spans(desk, answer) if s.error]
    assert failed == [("execute_tool sql", "unknown_column")]


def test_waiting_for_a_person_is_no_error_and_the_answer_has_its_own_trace(desk: Desk) -> None:
    wrong = said("There are 23 units.", "E1")
    asked = desk.ask(SIMPLE, sql(), wrong, wrong)
    assert [s.name for s in spans(desk, asked) if s.error] == []
    desk.agent.resume(asked.thread_id, "It is 19.")
    traces = list((desk.agent.data_dir / "traces").glob("*.jsonl"))
    newest = max(traces, key=lambda p: p.stat().st_mtime_ns)
    found = load_trace(desk.agent.data_dir, newest.stem)
    assert [s.name for s in found.spans] == ["invoke_agent zaiko", "await_person", "resolve"]


def test_the_usage_log_has_a_line_for_every_call_of_the_answer(desk: Desk) -> None:
    answer, _ = traced(desk)
    lines = [u for u in read_usage(desk.agent.data_dir) if u["trace_id"] == answer.trace_id]
    assert [u["role"] for u in lines] == ["plan", "plan", "plan", "answer"]
    assert len(lines) == answer.usage.llm_calls
    for name in ("input_tokens", "cached_input_tokens", "output_tokens"):
        assert sum(u[name] for u in lines) == getattr(answer.usage, name)
    assert {u["thread_id"] for u in lines} == {answer.thread_id}


# ── the JSON of an answer ──────────────────────────────────────────────────────────────────

FIELDS = {
    "": "question status text draft confidence citations evidence verification sub_tasks steps "
    "reflections usage timing audit handoff_id thread_id trace_id",
    "citations": "n evidence_id source locator link",
    "evidence": "id kind origin tool source locator query columns rows row_count hash text score "
    "reason status_note excluded_cells",
    "columns": "name type",
    "verification": "supported unsupported contradicted",
    "sub_tasks": "task evidence_kind state evidence_ids",
    "steps": "goal plan reason tool arguments ok ms summary",
    "usage": "llm_calls input_tokens cached_input_tokens output_tokens cost",
    "timing": "total_ms llm_ms tools_ms",
    "audit": "data_revision today model prompt_hash version reading",
}
"""The design's fields, in its order."""


def test_the_json_has_exactly_the_fields_of_the_design(desk: Desk) -> None:
    found = desk.ask(SIMPLE, *DONE).to_json()
    assert list(found) == FIELDS[""].split()
    for part in ("citations", "evidence", "sub_tasks", "steps"):
        assert [list(one) for one in found[part]] == [FIELDS[part].split()]
    for part in ("verification", "usage", "timing", "audit"):
        assert list(found[part]) == FIELDS[part].split()
    assert list(found["evidence"][0]["columns"][0]) == FIELDS["columns"].split()


def test_the_json_is_json_and_reads_back_as_the_same_answer(desk: Desk) -> None:
    answer = desk.ask(COMPOUND, split(("a", "rows"), ("b", "chunk")), sql(), search(),
                      said("There are 19 units.", "E1"))  # fmt: skip
    assert Answer.model_validate(json.loads(json.dumps(answer.to_json()))) == answer


def test_decimals_are_strings_and_dates_iso(desk: Desk) -> None:
    query = "SELECT p.price, s.as_of, s.quantity FROM products p JOIN stock s USING (sku)" \
        " WHERE p.sku = 'Z-9'"  # fmt: skip
    answer = desk.ask("What is the total of Z-9?", sql(query), said("450.25 and 40 units.", "E1"))
    found = answer.to_json()["evidence"][0]
    assert found["rows"] == [["450.25", "2026-11-30", 40]]
    assert [c["type"].split("(")[0] for c in found["columns"]] == ["DECIMAL", "DATE", "BIGINT"]


def test_a_hundred_rows_are_given_while_the_count_is_true(desk: Desk) -> None:
    rows = sql("SELECT sale_id FROM sales ORDER BY sale_id")
    answer = desk.ask("List the total sales", rows, said("Below.", "E1"))
    (evidence,) = answer.evidence
    assert (len(evidence.rows), evidence.row_count) == (100, 150)
    assert evidence.rows[99] == (100,)


def test_the_audit_says_from_what_the_answer_was_made(desk: Desk) -> None:
    audit = desk.ask(SIMPLE, *DONE).audit
    assert (audit.data_revision, audit.today, audit.model) == (1, "2026-11-30", "scripted")
    assert len(audit.prompt_hash) == 12 and audit.version


def test_today_can_be_fixed(opened: Callable[..., Desk]) -> None:
    desk = opened(today=date(2025, 2, 28))
    answer = desk.ask("今月のXR-4200の在庫数量は?", sql(), said("19です。", "E1"))
    assert answer.audit.reading.endswith("(今月 = 2025-02-01..2025-02-28)")


@pytest.mark.parametrize("asked", ["🎉🎉🔥", "?!", "。。。"])
def test_a_question_without_words_is_refused(desk: Desk, asked: str) -> None:
    with pytest.raises(UsageError, match="no words"):
        desk.agent.ask(asked)
