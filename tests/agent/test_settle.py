from typing import Any

import pytest

from agent.settle import cheapest_question
from agent.state import State, SubTask


def state(question: str = "How many?", **changes: Any) -> State:
    base: State = {
        "question": question, "reading": "How many lamps?", "thread_id": "t", "trace_id": "",
        "started": 0.0,
    }  # fmt: skip
    return {**base, **changes}  # type: ignore[typeddict-item]


FAULT = {"unsupported": [{"text": "23 units"}], "contradicted": [{"text": "40 units"}]}


def test_a_contradicted_figure_is_asked_about_first() -> None:
    asked = cheapest_question(state(verification=FAULT), [])
    assert asked == "Is “40 units” right, and where is the right value recorded?"


def test_then_where_the_thing_is_recorded_that_a_task_did_not_find() -> None:
    tasks = [SubTask(task="a", state="done"), SubTask(task="the lead time", state="failed")]
    asked = cheapest_question(state(sub_tasks=tasks), [])
    assert asked == "Which table or document records “the lead time”?"


def test_then_whether_the_reading_is_right() -> None:
    assert cheapest_question(state(), []) == (
        "Is this the right reading of the question: “How many lamps?”?"
    )


@pytest.mark.parametrize(
    ("question", "asked"),
    [("在庫は?", "「40 units」は正しいですか"), ("库存多少", "“40 units”是否正确")],
)
def test_it_is_asked_in_the_language_of_the_question(question: str, asked: str) -> None:
    assert cheapest_question(state(question, verification=FAULT), []).startswith(asked)
