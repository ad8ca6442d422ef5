"""The limits of a question: enforced in code, and said in the answer."""

import asyncio
import time
from collections.abc import Sequence
from typing import Any, cast

import pytest

from agent.graph import build_graph
from agent.models.base import ChatModel, Message, Reply
from agent.models.scripted import ScriptedModel
from agent.settings import GraphSettings
from tests.support.desk import (
    COMPOUND,
    ROLES,
    SIMPLE,
    Desk,
    looked,
    said,
    split,
    sql,
    together,
)

pytestmark = pytest.mark.slow


def empty(n: int) -> str:
    """A query of its own that finds nothing."""
    return f"SELECT sku FROM stock WHERE quantity > {1000 + n}"


def broken(n: int) -> str:
    return f"SELECT missing_{n} FROM stock"


def test_a_sub_task_gets_five_steps(desk: Desk) -> None:
    steps = [sql(empty(1)), sql(empty(2)), looked(True), sql(empty(3)), sql(empty(4))]
    answer = desk.ask(SIMPLE, *steps, looked(True), sql(empty(5)), said("Nothing was found.", "E1"))
    assert len(answer.steps) == 5
    assert [t.state for t in answer.sub_tasks] == ["failed"]
    assert answer.status == "handed_off"


def test_a_sub_task_is_given_up_after_three_repairs(desk: Desk) -> None:
    steps = [sql(broken(1)), sql(broken(2)), looked(True), sql(broken(3)), sql(broken(4))]
    answer = desk.ask(SIMPLE, *steps)
    assert [s.ok for s in answer.steps] == [False] * 4
    assert [t.state for t in answer.sub_tasks] == ["failed"]
    assert answer.status == "handed_off"


def test_a_success_between_them_starts_the_repairs_anew(desk: Desk) -> None:
    steps = [sql(broken(1)), sql(broken(2)), looked(True), sql(empty(1)), sql(broken(3))]
    answer = desk.ask(SIMPLE, *steps, looked(True), sql(), said("There are 19 units.", "E2"))
    assert [s.ok for s in answer.steps] == [False, False, True, False, True]
    assert answer.status == "answered"


def test_a_question_gets_twelve_steps(desk: Desk) -> None:
    desk.limit(steps_per_task=6, reflect_every=50)
    three = split(("a", "rows"), ("b", "rows"), ("c", "rows"))
    calls = [sql(empty(n)) for n in range(12)]
    answer = desk.ask(COMPOUND, three, *calls, said("Nothing was found."))
    assert len(answer.steps) == 12
    assert [t.state for t in answer.sub_tasks] == ["failed", "failed", "open"]


def test_a_question_out_of_steps_is_told_to_answer_now(desk: Desk) -> None:
    desk.limit(steps=1)
    tasks = split(("units", "rows"), ("what else", "rows"))
    answer = desk.ask(COMPOUND, tasks, sql(), said("There are 19 units.", "E1"))
    assert answer.status == "partial"
    assert "No more calls: steps" in desk.model.history[-1][-1].content
    assert "Not settled: what else" in answer.text
    assert "Stopped here: the limit of steps was reached." in answer.text


def test_a_question_out_of_time_is_told_to_answer_now(desk: Desk) -> None:
    desk.limit(seconds=120.0)
    tasks = split(("units", "rows"), ("what else", "rows"))
    slow = desk.clock.then(121, sql())
    answer = desk.ask(COMPOUND, tasks, slow, said("There are 19 units.", "E1"))
    assert (answer.status, len(answer.steps)) == ("partial", 1)
    assert "Stopped here: the time limit was reached." in answer.text
    assert answer.timing.total_ms == 121_000


def test_a_question_just_within_its_time_goes_on(desk: Desk) -> None:
    desk.limit(seconds=120.0)
    tasks = split(("units", "rows"), ("mugs", "rows"))
    mugs = sql("SELECT quantity FROM stock WHERE sku = 'Z-9'")
    slow = desk.clock.then(119, sql())
    answer = desk.ask(COMPOUND, tasks, slow, mugs, said("19 units and 40 mugs.", "E1", "E2"))
    assert answer.status == "answered"


def test_out_of_time_no_wrong_draft_is_sent_back(desk: Desk) -> None:
    desk.limit(seconds=120.0)
    tasks = split(("units", "rows"), ("what else", "rows"))
    answer = desk.ask(COMPOUND, tasks, desk.clock.then(121, sql()), said("23 units.", "E1"))
    assert answer.status == "handed_off"
    packet = desk.agent._handoffs.get(str(answer.handoff_id)).packet
    assert {"what": "what else", "why": "time"} in [u.model_dump() for u in packet.unsure]


def test_two_looks_without_progress_end_the_loop(desk: Desk) -> None:
    steps = [sql(empty(1)), sql(empty(2)), looked(False), sql(empty(3)), sql(empty(4))]
    answer = desk.ask(SIMPLE, *steps, looked(False), said("Nothing was found.", "E1"))
    assert [r.progress for r in answer.reflections] == [False, False]
    assert "No more calls: no progress" in desk.model.history[-1][-1].content
    assert answer.status == "handed_off"


def test_progress_in_between_keeps_the_loop_going(desk: Desk) -> None:
    steps = [sql(empty(1)), sql(empty(2)), looked(False), sql(empty(3)), sql(empty(4))]
    answer = desk.ask(SIMPLE, *steps, looked(True), sql(), said("There are 19 units.", "E5"))
    assert answer.status == "answered"


def test_the_verdict_stop_ends_the_loop_at_once(desk: Desk) -> None:
    steps = [sql(empty(1)), sql(empty(2)), looked(True, "stop")]
    answer = desk.ask(SIMPLE, *steps, said("Nothing was found.", "E1"))
    assert [r.verdict for r in answer.reflections] == ["stop"]


def test_what_was_found_before_the_loop_ended_is_partial(desk: Desk) -> None:
    tasks = split(("units", "rows"), ("what else", "rows"))
    rest = [sql(empty(1)), sql(empty(2)), looked(False, "stop")]
    answer = desk.ask(COMPOUND, tasks, sql(), *rest, said("There are 19 units.", "E1"))
    assert answer.status == "partial"
    assert "Stopped here: there was no more progress." in answer.text


def test_calls_of_one_turn_beyond_the_limit_are_answered_but_not_run(desk: Desk) -> None:
    desk.limit(steps=2)
    turn = together(sql(empty(1)), sql(empty(2)), sql(empty(3)))
    answer = desk.ask(SIMPLE, turn, said("Nothing was found.", "E1"))
    assert len(answer.steps) == 2
    results = {m.tool_call_id: m.content for m in desk.model.history[-1] if m.role == "tool"}
    assert list(results) == ["call_1", "call_2", "call_3"]
    assert results["call_3"] == "Not run: the limit of calls is reached."


def test_the_longest_question_stays_within_the_recursion_limit(desk: Desk) -> None:
    desk.limit(reflect_every=1, steps_per_task=12)
    steps = [step for n in range(12) for step in (sql(empty(n)), looked(n % 2 == 0))]
    wrong = said("There are 23 units.", "E1")
    answer = desk.ask(SIMPLE, *steps[:-1], wrong, wrong)
    assert len(answer.steps) == 12
    assert answer.status == "handed_off"
    resumed = desk.agent.resume(answer.thread_id, "It is 19.")
    assert resumed.status == "answered"


def test_the_recursion_limit_grows_with_the_steps() -> None:
    longest = len(build_graph().get_graph().nodes)
    for steps in (1, 12, 200):
        limit = GraphSettings(steps=steps).recursion_limit
        assert 3 * steps < limit <= 3 * steps + 2 * longest


def test_a_model_that_thinks_beyond_the_limit_is_interrupted(desk: Desk) -> None:
    class Slow(ScriptedModel):
        async def complete(self, messages: Sequence[Message], **more: Any) -> Reply:
            if not more.get("output"):
                await asyncio.sleep(30)
            return await super().complete(messages, **more)

    desk.limit(seconds=0.2)
    model = Slow([])
    desk.roles.update(dict.fromkeys(ROLES, cast(ChatModel, model)))
    started = time.monotonic()
    answer = desk.agent.ask(SIMPLE)
    assert time.monotonic() - started < 10
    assert answer.status == "handed_off"
    assert not answer.steps
