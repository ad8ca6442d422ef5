"""One transcript: every prompt extends the one before, and what is fixed stays fixed."""

import json
from itertools import pairwise

from agent.errors import TruncatedReply
from agent.models.base import Message, Reply, Usage
from agent.models.scripted import Request, ScriptedModel, text
from agent.models.transcript import render
from tests.support.desk import (
    COMPOUND,
    SIMPLE,
    Desk,
    calculate,
    gated,
    looked,
    said,
    search,
    split,
    sql,
)

EMPTY = "SELECT sku FROM stock WHERE quantity > 9000"
TASKS = split(("units", "rows"), ("policy", "chunk"), ("twice the units", "calculation"))


def played(desk: Desk) -> ScriptedModel:
    """A long run: three sub-tasks, a failure, a look back, a cut reply and a revision."""
    cut = Reply(
        message=text("{"), finish_reason="length", usage=Usage(llm_calls=1), model="s", ms=0.0
    )
    desk.ask(
        COMPOUND,
        cut,
        TASKS,
        sql(EMPTY),
        sql("SELECT no FROM stock"),
        looked(True),
        sql(),
        TruncatedReply("cut off"),
        search(),
        calculate("value('E2') * 2"),
        said("There are 23 units.", "E2"),
        said("There are 19 units, twice that is 38.", "E2"),
    )
    return desk.model


def body(request: Request) -> str:
    return "".join(message.model_dump_json() for message in request.messages)


def wire(request: Request) -> str:
    """As an embedded model gets it, message by message."""
    return "".join(json.dumps(m, ensure_ascii=False) for m in render(request.messages))


def test_every_prompt_of_a_run_extends_the_one_before(desk: Desk) -> None:
    requests = played(desk).requests
    assert len(requests) == 11
    for before, after in pairwise(requests):
        assert body(after).startswith(body(before))
        assert len(after.messages) > len(before.messages)


def test_every_rendered_prompt_extends_the_one_before(desk: Desk) -> None:
    requests = played(desk).requests
    for before, after in pairwise(requests):
        assert wire(after).startswith(wire(before))


def test_a_follow_up_extends_its_gate_call_too(desk: Desk) -> None:
    desk.ask(SIMPLE, sql(), said("19 units.", "E1"), thread="transcript-1")
    mugs = sql("SELECT quantity FROM stock WHERE sku = 'Z-9'")
    rest = (gated("How many mugs Z-9?"), mugs, said("40 mugs.", "E2"))
    desk.ask("And of the mugs, Z-9?", *rest, thread="transcript-1")
    bodies = [body(request) for request in desk.model.requests]
    assert len(bodies) == 3
    assert bodies[1].startswith(bodies[0]) and bodies[2].startswith(bodies[1])


def test_tools_are_declared_in_the_same_bytes_on_every_call(desk: Desk) -> None:
    declared = {
        json.dumps([tool.model_dump() for tool in request.tools])
        for request in played(desk).requests
    }
    assert len(declared) == 1
    names = [tool["name"] for tool in json.loads(declared.pop())]
    assert names == ["sql", "knowledge_search", "calculate", "dates", "catalog", "verify"]


def test_every_tool_asks_for_goal_next_step_and_reason_first(desk: Desk) -> None:
    for tool in played(desk).requests[0].tools:
        assert list(tool.parameters["properties"])[:3] == ["goal", "next_step", "reason"]
        assert tool.parameters["required"][:3] == ["goal", "next_step", "reason"]


def test_the_system_prompt_is_the_same_for_all_questions_over_a_revision(desk: Desk) -> None:
    heads = {m.content for r in played(desk).requests for m in r.messages if m.role == "system"}
    desk.ask("What is the price of Z-9?", sql("SELECT price FROM products WHERE sku = 'Z-9'"),
             said("The price is 450.25.", "E1"))  # fmt: skip
    heads |= {m.content for r in desk.model.requests for m in r.messages if m.role == "system"}
    assert len(heads) == 1
    assert all(r.messages[0].role == "system" for r in desk.model.requests)


def test_a_result_is_written_once(desk: Desk) -> None:
    last = played(desk).history[-1]
    results = [m for m in last if m.role == "tool"]
    asked = [c.id for m in last for c in m.tool_calls]
    assert [m.tool_call_id for m in results] == asked
    assert sum("[E2]" in m.content for m in last) == 1


def test_a_cut_reply_is_not_kept_and_the_model_is_told_why(desk: Desk) -> None:
    last = played(desk).history[-1]
    told = [m.content for m in last if m.role == "user" and "could not be used" in m.content]
    assert ["cut off" in line for line in told] == [True, True]
    assert text("{") not in last


def test_the_same_questions_give_the_same_prompts(desk: Desk) -> None:
    def messages() -> list[tuple[Message, ...]]:
        return played(desk).history

    assert messages() == messages()


def test_cached_input_is_all_that_an_earlier_prompt_held(desk: Desk) -> None:
    answer = desk.ask(SIMPLE, sql(), said("There are 19 units.", "E1"))
    first = len(body(desk.model.requests[0]))
    assert answer.usage.cached_input_tokens == first
    assert answer.usage.input_tokens == first + len(body(desk.model.requests[1]))
