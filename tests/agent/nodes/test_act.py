"""act: calls run side by side, once, and every exception becomes a result."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from typing import Any, ClassVar

import pytest

from agent.models.base import Message, ToolCall
from agent.models.scripted import call
from tests.support.desk import SAID, SIMPLE, UNITS, Desk, looked, said, search, sql, together
from tools.base import Arguments, ToolContext
from tools.errors import ToolRefused
from tools.evidence import Evidence

DONE = said("There are 19 units.", "E1")


class Trial:
    """Stands in for the calculation tool and does what it is told."""

    name: ClassVar[str] = "calculate"
    description: ClassVar[str] = "trial"

    class Given(Arguments):
        code: str

    arguments: ClassVar[type[Arguments]] = Given

    def __init__(self, does: Callable[[str], None]) -> None:
        self.does = does
        self.asked: list[str] = []

    def run(self, arguments: Arguments, context: ToolContext) -> "Found":
        code = str(arguments.model_dump()["code"])
        self.asked.append(code)
        self.does(code)
        return Found(code)


class Found:
    def __init__(self, code: str) -> None:
        self.code = code

    def evidence(self) -> Sequence[Evidence]:
        return [Evidence(kind="calculation", tool="calculate", source="", hash=self.code, text="1")]

    def for_model(self, ids: Sequence[str]) -> str:
        return f"[{ids[0]}] {self.code}"

    def summary(self) -> str:
        return self.code

    def to_json(self) -> dict[str, object]:
        return {}


@pytest.fixture
def trial(desk: Desk) -> Iterator[Callable[[Callable[[str], None]], Trial]]:
    tools = desk.agent.workbench.tools
    kept = tools["calculate"]

    def use(does: Callable[[str], None]) -> Trial:
        tools["calculate"] = trial = Trial(does)
        return trial

    yield use
    tools["calculate"] = kept


def results(desk: Desk) -> list[str]:
    return [m.content for m in desk.model.history[-1] if m.role == "tool"]


def refuse(_: str) -> None:
    raise ToolRefused("not_allowed", "no", "never")


def test_calls_of_one_turn_run_side_by_side(desk: Desk, trial: Any) -> None:
    both = threading.Barrier(2, timeout=20)
    trial(lambda _: both.wait())
    turn = together(call("calculate", **SAID, code="a"), call("calculate", **SAID, code="b"), sql())
    answer = desk.ask(SIMPLE, turn, said("There are 19 units.", "E3"))
    assert [s.ok for s in answer.steps] == [True, True, True]


def test_evidence_is_numbered_in_call_order_when_all_are_done(desk: Desk, trial: Any) -> None:
    trial(lambda code: time.sleep(0.3 if code == "first" else 0))
    turn = together(*(call("calculate", **SAID, code=c) for c in ("first", "second")), sql())
    desk.ask(SIMPLE, turn, said("There are 19 units.", "E3"))
    assert results(desk)[:2] == ["[E1] first", "[E2] second"]
    assert results(desk)[2].startswith("[E3]")


def test_what_a_tool_loads_before_a_call_is_not_the_calls_time(desk: Desk, trial: Any) -> None:
    class Heavy(Trial):
        def prepare(self, arguments: Arguments) -> None:
            time.sleep(1.8)

    desk.agent.workbench.tools["calculate"] = Heavy(trial(lambda _: None).does)
    kept = desk.agent.settings
    desk.limit(tool_seconds=1.0)
    answer = desk.ask(SIMPLE, call("calculate", **SAID, code="a"), sql(), DONE)
    desk.agent.settings = kept
    assert [s.ok for s in answer.steps] == [True, True]
    assert results(desk)[0] == "[E1] a"


def test_the_same_call_twice_in_one_turn_runs_once(desk: Desk, trial: Any) -> None:
    tool = trial(lambda _: None)
    twice = (call("calculate", **SAID, code="same"), call("calculate", **SAID, code="same"))
    answer = desk.ask(SIMPLE, together(*twice, sql()), said("There are 19 units.", "E2"))
    assert tool.asked == ["same"]
    assert len(results(desk)) == 3
    assert [e.id for e in answer.evidence] == ["E1", "E2"]


def test_a_call_that_succeeded_is_pointed_to_and_not_run_again(desk: Desk, trial: Any) -> None:
    tool = trial(lambda _: None)
    again = call("calculate", **{**SAID, "goal": "other words"}, code="same")
    answer = desk.ask(SIMPLE, call("calculate", **SAID, code="same"), again, looked(True), sql(),
                      said("There are 19 units.", "E2"))  # fmt: skip
    assert tool.asked == ["same"]
    assert results(desk)[1] == "This call was already run; its result is E1. Go on with it."
    assert [e.id for e in answer.evidence] == ["E1", "E2"]


def test_a_call_that_was_refused_is_not_run_again(desk: Desk, trial: Any) -> None:
    tool = trial(refuse)
    same = call("calculate", **SAID, code="same")
    desk.ask(SIMPLE, same, same, looked(True), sql(), DONE)
    assert tool.asked == ["same"]
    assert results(desk)[0] == "Error (not_allowed): no\nNext: never"
    assert results(desk)[1].startswith("This call was already refused and will not be run again.")


def test_in_another_thread_the_call_is_run(desk: Desk, trial: Any) -> None:
    tool = trial(refuse)
    for _ in range(2):
        desk.ask(SIMPLE, call("calculate", **SAID, code="same"), sql(), DONE)
    assert tool.asked == ["same", "same"]


def test_on_another_day_the_call_is_run_again_in_its_thread(desk: Desk) -> None:
    asked = call("dates", **SAID, expression="先月")
    rest = (sql(), said("There are 19 units.", "E2"))
    desk.ask(SIMPLE, asked, *rest, thread="days")
    today = desk.agent._today
    desk.agent._today = date(2026, 12, 1)
    greet = said("There are 19 units.", "E2")
    gate = call("x").model_copy(
        update={"tool_calls": (), "content": '{"retrieve":true,"question":"q","reason":""}'}
    )
    desk.ask("And now?", gate, asked, sql(UNITS + " AND quantity > 0"), greet, thread="days")
    desk.agent._today = today
    assert "2026-11-01" in results(desk)[0]


def test_a_search_that_found_nothing_does_not_settle_a_task_when_repeated(desk: Desk) -> None:
    empty = sql("SELECT sku FROM stock WHERE quantity > 9000")
    answer = desk.ask(SIMPLE, empty, empty, looked(True), sql(), said("There are 19 units.", "E2"))
    assert [t.state for t in answer.sub_tasks] == ["done"]
    assert len(answer.steps) == 3


def test_a_defect_of_a_tool_becomes_a_result(desk: Desk, trial: Any) -> None:
    def break_(_: str) -> None:
        raise ZeroDivisionError("oops")

    trial(break_)
    answer = desk.ask(SIMPLE, call("calculate", **SAID, code="a"), sql(), DONE)
    assert results(desk)[0].startswith("Error (tool_defect): calculate failed: ZeroDivisionError")
    assert [s.ok for s in answer.steps] == [False, True]
    assert answer.status == "answered"


def test_a_tool_that_breaks_its_time_limit_is_left(desk: Desk, trial: Any) -> None:
    done = threading.Event()
    trial(lambda _: done.wait(20) and None)
    desk.limit(tool_seconds=0.2)
    desk.play(call("calculate", **SAID, code="a"), sql(), DONE)
    answer = desk.agent.ask(SIMPLE)
    done.set()
    assert results(desk)[0] == "Error (time_limit): no result within 0.2 s\nNext: ask for less"
    assert not answer.steps[0].ok


@pytest.mark.parametrize(
    ("wanted", "shown"),
    [
        (call("sql", **SAID, querry="SELECT 1"), "Error (bad_arguments): "),
        (call("sql", **SAID), "Error (bad_arguments): query: Field required"),
        (call("shell", command="ls"), "Error (unknown_tool): there is no tool 'shell'"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(desk: Desk, wanted: Message, shown: str) -> None:
    answer = desk.ask(SIMPLE, wanted, sql(), DONE)
    assert results(desk)[0].startswith(shown)
    assert "\nNext: " in results(desk)[0]
    assert answer.status == "answered"


def test_every_call_of_a_turn_is_answered_also_those_that_cannot_be_read(desk: Desk) -> None:
    wanted = (
        ToolCall(id="a", name="sql", error="Expecting value: line 1"),
        ToolCall(id="b", name="sql", error="cut off"),
        ToolCall(id="c", name="nothing"),
        ToolCall(id="d", name="sql", arguments={"query": UNITS}),
    )
    turn = Message(role="assistant", tool_calls=wanted)
    answer = desk.ask(SIMPLE, turn, DONE)
    last = desk.model.history[-1]
    assert [m.tool_call_id for m in last if m.role == "tool"] == ["a", "b", "c", "d"]
    assert "Expecting value" in results(desk)[0] and "cut off" in results(desk)[1]
    assert [s.ok for s in answer.steps] == [False, False, False, True]


def test_a_step_keeps_what_the_model_said_of_it(desk: Desk) -> None:
    answer = desk.ask(SIMPLE, sql(), DONE)
    step = answer.steps[0]
    assert (step.goal, step.plan, step.reason) == ("count", "query", "rows")
    assert step.arguments == {"query": UNITS}
    assert step.summary == "1 row from stock"


def test_an_error_of_sql_names_what_is_near(desk: Desk) -> None:
    desk.ask(SIMPLE, sql("SELECT quant FROM stock"), sql(), DONE)
    assert results(desk)[0].startswith("Error (unknown_column)")
    assert "quantity" in results(desk)[0]


def test_a_name_that_is_nearly_right_is_put_right_and_the_answer_says_so(desk: Desk) -> None:
    answer = desk.ask(SIMPLE, sql("SELECT SUM(quantty) FROM stock WHERE sku = 'XR-4200'"), DONE)
    assert answer.evidence[0].query == "SELECT SUM(quantity) FROM stock WHERE sku = 'XR-4200'"
    assert "the query was corrected: there is no column 'quantty' here" in answer.text


def test_a_task_is_settled_only_by_its_own_kind_of_evidence(desk: Desk) -> None:
    answer = desk.ask(SIMPLE, search(), sql(), said("There are 19 units.", "E3"))
    assert answer.sub_tasks[0].evidence_kind == "rows"
    assert [s.tool for s in answer.steps] == ["knowledge_search", "sql"]
