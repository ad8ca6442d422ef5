"""The graph: its shape, and the way that questions take through it."""

from agent.graph import build_graph
from tests.support.desk import (
    COMPOUND,
    SIMPLE,
    Desk,
    gated,
    looked,
    said,
    search,
    split,
    sql,
    together,
)

EDGES = """
__start__ > gate
act ? answer
act ? plan
act ? reflect
act ? second_query
answer > verify
await_person > resolve
decompose > plan
deliver > __end__
gate ? answer
gate ? decompose
hand_off > await_person
plan ? act
plan ? answer
reflect ? answer
reflect ? plan
resolve > __end__
second_query > answer
verify ? answer
verify ? deliver
verify ? hand_off
"""
"""`>` is always taken, `?` when a rule says so."""
TWO_TASKS = (("units of XR-4200", "rows"), ("what the return policy says", "chunk"))
LOOP = ["plan", "act"]
END = ["answer", "verify", "deliver"]


def test_the_graph_has_exactly_the_edges_of_the_design() -> None:
    drawn = build_graph().get_graph()
    edges = sorted(f"{e.source} {'?' if e.conditional else '>'} {e.target}" for e in drawn.edges)
    assert edges == EDGES.strip().splitlines()


def test_a_simple_question_takes_two_model_calls(desk: Desk) -> None:
    answer = desk.ask(SIMPLE, sql(), said("There are 19 units.", "E1"))
    assert answer.usage.llm_calls == 2
    assert desk.nodes(answer) == ["gate", "decompose", *LOOP, *END]
    assert answer.status == "answered"


def test_a_compound_question_plans_and_acts_for_each_sub_task(desk: Desk) -> None:
    text = "There are 19 units. Customers may return goods within 30 days of delivery."
    answer = desk.ask(COMPOUND, split(*TWO_TASKS), sql(), search(), said(text, "E1", "E2"))
    assert desk.nodes(answer) == ["gate", "decompose", *LOOP, *LOOP, *END]
    assert [t.state for t in answer.sub_tasks] == ["done", "done"]
    assert [t.evidence_kind for t in answer.sub_tasks] == ["rows", "chunk"]
    assert answer.usage.llm_calls == 4


def test_a_greeting_is_answered_without_tools(desk: Desk) -> None:
    answer = desk.ask("こんにちは", said("こんにちは。", claims=[]))
    assert desk.nodes(answer) == ["gate", *END]
    assert (answer.status, answer.steps, answer.evidence) == ("answered", (), ())


def test_a_failed_call_goes_back_to_plan(desk: Desk) -> None:
    answer = desk.ask(SIMPLE, sql("SELECT x FROM stock"), sql(), said("19 units.", "E1"))
    assert desk.nodes(answer) == ["gate", "decompose", *LOOP, *LOOP, *END]
    assert [s.ok for s in answer.steps] == [False, True]


def test_after_two_steps_the_plan_is_looked_at(desk: Desk) -> None:
    none = "SELECT sku FROM stock WHERE quantity > 100"
    empty = "SELECT sku FROM stock WHERE quantity > 200"
    answer = desk.ask(
        SIMPLE, sql(none), sql(empty), looked(True), sql(), said("There are 19 units.", "E1")
    )
    assert desk.nodes(answer) == [
        "gate", "decompose", *LOOP, *LOOP, "reflect", *LOOP, *END
    ]  # fmt: skip
    assert [(r.progress, r.verdict) for r in answer.reflections] == [(True, "continue")]


def test_a_turn_of_two_calls_does_not_step_over_the_look_at_the_plan(desk: Desk) -> None:
    empty = [sql(f"SELECT sku FROM stock WHERE quantity > {n}") for n in (100, 200, 300, 400)]
    answer = desk.ask(
        SIMPLE, empty[0], together(*empty[1:3]), looked(True), empty[3], sql(),
        said("There are 19 units.", "E5"),
    )  # fmt: skip
    assert desk.nodes(answer) == [
        "gate", "decompose", *LOOP, *LOOP, "reflect", *LOOP, *LOOP, *END
    ]  # fmt: skip


def test_two_failures_of_one_turn_are_looked_at_once(desk: Desk) -> None:
    desk.limit(reflect_every=50)
    wrong = together(sql("SELECT a FROM stock"), sql("SELECT b FROM stock"))
    answer = desk.ask(
        SIMPLE, sql("SELECT c FROM stock"), wrong, looked(True), sql(),
        said("There are 19 units.", "E1"),
    )  # fmt: skip
    assert [s.ok for s in answer.steps] == [False, False, False, True]
    assert desk.nodes(answer)[2:-3] == [*LOOP, *LOOP, "reflect", *LOOP]


def test_two_failures_in_a_row_are_looked_at_off_the_beat(desk: Desk) -> None:
    none = "SELECT sku FROM stock WHERE quantity > 100"
    answer = desk.ask(
        SIMPLE,
        sql(none),
        sql("SELECT a FROM stock"),
        looked(True),
        sql("SELECT b FROM stock"),
        looked(True),
        sql(),
        said("There are 19 units.", "E2"),
    )
    reflected = ["reflect", *LOOP, "reflect", *LOOP]
    assert desk.nodes(answer) == ["gate", "decompose", *LOOP, *LOOP, *reflected, *END]


def test_a_doubtful_answer_ends_with_a_person(desk: Desk) -> None:
    wrong = said("There are 23 units.", "E1")
    answer = desk.ask(SIMPLE, sql(), wrong, wrong)
    assert desk.nodes(answer)[-4:] == ["answer", "verify", "hand_off", "await_person"]
    assert answer.status == "handed_off"


def test_a_revision_goes_round_once(desk: Desk) -> None:
    answer = desk.ask(SIMPLE, sql(), said("23 units.", "E1"), said("19 units.", "E1"))
    assert desk.nodes(answer)[-5:] == ["answer", "verify", "answer", "verify", "deliver"]


def test_a_follow_up_goes_through_the_gate_with_the_history(desk: Desk) -> None:
    desk.ask(SIMPLE, sql(), said("There are 19 units.", "E1"), thread="follow-up")
    rest = (sql("SELECT quantity FROM stock WHERE sku = 'Z-9'"), said("There are 40 units.", "E2"))
    answer = desk.ask(
        "And those mugs, Z-9?", gated("How many units of Z-9 are there?"), *rest, thread="follow-up"
    )
    asked = desk.model.history[0][-1].content
    assert SIMPLE in asked and "There are 19 units" in asked and "And those mugs, Z-9?" in asked
    assert answer.audit.reading == "How many units of Z-9 are there?"
    assert answer.sub_tasks[0].task == "How many units of Z-9 are there?"
