"""decompose: one task by rule, or the model's list within its limits."""

from agent.errors import ModelReplyError
from tests.support.desk import COMPOUND, SIMPLE, Desk, calculate, looked, said, search, split, sql

DONE = said("There are 19 units.", "E1")


def counting(n: int) -> str:
    return f"SELECT {n} AS n, sum(quantity) AS units FROM stock WHERE sku = 'XR-4200'"


def test_a_simple_question_stays_one_task_without_a_model_call(desk: Desk) -> None:
    answer = desk.ask(SIMPLE, sql(), DONE)
    assert [(t.task, t.state) for t in answer.sub_tasks] == [(SIMPLE, "done")]


def test_a_question_has_at_most_five_sub_tasks(desk: Desk) -> None:
    seven = split(*((f"task {n}", "rows") for n in range(7)))
    answer = desk.ask(COMPOUND, seven, *(sql(counting(n)) for n in range(5)), DONE)
    assert [t.task for t in answer.sub_tasks] == [f"task {n}" for n in range(5)]
    assert all(t.state == "done" for t in answer.sub_tasks)


def test_each_sub_task_keeps_its_own_evidence(desk: Desk) -> None:
    two = split(("a", "rows"), ("b", "rows"))
    answer = desk.ask(COMPOUND, two, sql(counting(1)), sql(counting(2)), DONE)
    assert [t.evidence_ids for t in answer.sub_tasks] == [("E1",), ("E2",)]


def test_a_list_of_one_is_the_whole_question(desk: Desk) -> None:
    answer = desk.ask(COMPOUND, split(("only this", "rows")), sql(), DONE)
    assert [t.task for t in answer.sub_tasks] == [COMPOUND]


def test_a_list_that_cannot_be_read_is_the_whole_question(desk: Desk) -> None:
    unread = ModelReplyError("no JSON")
    answer = desk.ask(COMPOUND, unread, unread, sql(), DONE)
    assert [t.task for t in answer.sub_tasks] == [COMPOUND]


def test_blank_sub_tasks_are_left_out(desk: Desk) -> None:
    tasks = split(("a", "rows"), ("  ", "rows"), ("b", "rows"))
    answer = desk.ask(COMPOUND, tasks, sql(counting(1)), sql(counting(2)), DONE)
    assert [t.task for t in answer.sub_tasks] == ["a", "b"]


def test_a_failed_sub_task_does_not_stop_the_next(desk: Desk) -> None:
    broken = [sql(f"SELECT no_{n} FROM stock") for n in range(4)]
    steps = [*broken[:2], looked(True), *broken[2:]]
    answer = desk.ask(COMPOUND, split(("a", "rows"), ("b", "rows")), *steps, sql(), DONE)
    assert [t.state for t in answer.sub_tasks] == ["failed", "done"]
    assert answer.status == "handed_off"
    assert "Not settled: a" in answer.draft


def test_a_rate_applied_to_a_figure_gets_a_calculation(desk: Desk) -> None:
    question = "How many units of XR-4200 are on hand, and what fee is that at the policy's rate?"
    text = "There are 19 units. The fee is 38."
    answer = desk.ask(
        question,
        split(("Units of XR-4200", "rows"), ("Fee rate", "chunk")),
        sql(),
        search(),
        calculate("value('E1') * 2"),
        said(text, "E1", "E3"),
    )
    assert [t.evidence_kind for t in answer.sub_tasks] == ["rows", "chunk", "calculation"]
    assert answer.sub_tasks[2].task == question


def test_two_figures_of_the_tables_are_one_query_for_a_small_model(desk: Desk) -> None:
    asked = "Which warehouse has the most XR-4200, and how many units is it?"
    model = desk.play(sql(), DONE)
    model.capabilities = model.capabilities.model_copy(update={"native_tools": False})
    answer = desk.agent.ask(asked)
    assert [t.task for t in answer.sub_tasks] == [asked]
