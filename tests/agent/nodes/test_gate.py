"""gate: retrieve or not, and what the question means on its own."""

import pytest

from agent.errors import ModelReplyError
from agent.models.base import Reply, Usage
from agent.models.scripted import text
from tests.support.desk import SIMPLE, Desk, gated, said, sql

MUGS = "SELECT quantity FROM stock WHERE sku = 'Z-9'"
CUT = Reply(
    message=text('{"ret'), finish_reason="length", usage=Usage(llm_calls=1), model="s", ms=0.0
)


@pytest.mark.parametrize("hello", ["hi", "Hello!", "こんにちは", "ありがとうございます。", "你好"])
def test_a_greeting_calls_no_tool_and_asks_no_gate(desk: Desk, hello: str) -> None:
    answer = desk.ask(hello, said("…", claims=[]))
    assert desk.nodes(answer) == ["gate", "answer", "verify", "deliver"]


def test_a_greeting_with_a_question_retrieves(desk: Desk) -> None:
    answer = desk.ask(f"Hello, {SIMPLE}", sql(), said("There are 19 units.", "E1"))
    assert "decompose" in desk.nodes(answer)


def test_a_first_question_costs_no_gate_call(desk: Desk) -> None:
    answer = desk.ask(SIMPLE, sql(), said("There are 19 units.", "E1"))
    assert answer.usage.llm_calls == 2
    assert answer.audit.reading == SIMPLE


@pytest.mark.parametrize(
    "unread", [[CUT, CUT], [ModelReplyError("not JSON"), ModelReplyError("not JSON")]]
)
def test_a_decision_that_cannot_be_read_or_was_cut_retrieves(
    desk: Desk, unread: list[Reply | Exception], request: pytest.FixtureRequest
) -> None:
    thread = request.node.name
    desk.ask(SIMPLE, sql(), said("There are 19 units.", "E1"), thread=thread)
    rest = (sql(MUGS), said("There are 40.", "E2"))
    answer = desk.ask("And those mugs, Z-9?", *unread, *rest, thread=thread)
    assert "act" in desk.nodes(answer)
    assert answer.audit.reading == "And those mugs, Z-9?"


def test_a_follow_up_that_names_another_code_is_read_by_rule(desk: Desk) -> None:
    desk.ask(SIMPLE, sql(), said("There are 19 units.", "E1"), thread="by-rule")
    answer = desk.ask("And Z-9?", sql(MUGS), said("There are 40.", "E2"), thread="by-rule")
    assert answer.audit.reading == SIMPLE.replace("XR-4200", "Z-9")
    assert answer.usage.llm_calls == 2


def test_a_cut_decision_is_asked_for_once_more(desk: Desk) -> None:
    desk.ask(SIMPLE, sql(), said("There are 19 units.", "E1"), thread="cut-once")
    rest = (gated("Units of Z-9?"), sql(MUGS), said("There are 40.", "E2"))
    answer = desk.ask("And those mugs, Z-9?", CUT, *rest, thread="cut-once")
    assert answer.audit.reading == "Units of Z-9?"


def test_a_question_about_the_answer_rests_on_the_thread(desk: Desk) -> None:
    desk.ask(SIMPLE, sql(), said("There are 19 units.", "E1"), thread="about")
    about = (gated("Say it in Japanese", retrieve=False), said("19個あります。", "E1"))
    answer = desk.ask("Say that again in other words", *about, thread="about")
    assert "act" not in desk.nodes(answer)
    assert answer.status == "answered"
    assert [c.evidence_id for c in answer.citations] == ["E1"]


def test_without_retrieval_a_figure_still_needs_proof(desk: Desk) -> None:
    desk.ask(SIMPLE, sql(), said("There are 19 units.", "E1"), thread="invented")
    wrong = said("There are 77 units.", "E1")
    about = (gated("Say it again", retrieve=False), wrong, wrong)
    assert desk.ask("Again?", *about, thread="invented").status == "handed_off"


def test_only_the_last_twelve_turns_are_shown(desk: Desk) -> None:
    for n in range(14):
        asked = () if n == 0 else (gated(f"question {n} on XR-4200"),)
        desk.ask(
            f"question {n} of 14 on XR-4200", *asked, sql(), said("19 units.", "E1"), thread="long"
        )
    desk.ask("last XR-4200", gated("last XR-4200"), sql(), said("19 units.", "E1"), thread="long")
    shown = desk.model.history[0][-1].content
    assert "question 1 on" not in shown and "question 2 on" in shown and "question 13 on" in shown


def test_stored_values_that_a_question_names_stand_beside_it(desk: Desk) -> None:
    desk.ask(
        "How many units of desk lamp XR-4200 are on hand?", sql(), said("There are 19 units.", "E1")
    )
    head = next(m for m in desk.model.history[0] if m.role == "user")
    assert "products.name = 'Desk lamp'" in head.content


def test_dates_of_a_question_are_resolved_beside_it(desk: Desk) -> None:
    answer = desk.ask("先月のXR-4200の在庫数量は?", sql(), said("19です。", "E1"))
    head = next(m for m in desk.model.history[0] if m.role == "user")
    assert "先月 = 2026-10-01..2026-10-31" in head.content
    assert "対象期間: 先月 = 2026-10-01..2026-10-31" in answer.text
    assert answer.audit.reading.endswith("(先月 = 2026-10-01..2026-10-31)")


def test_a_small_model_does_not_take_a_short_question_for_one_about_the_wording(
    desk: Desk,
) -> None:
    desk.ask("大阪のXR-4200は？", sql(), said("19個です。", "E1"), thread="short")
    model = desk.play(gated("XR-4200の在庫数量", retrieve=False), sql(), said("19個です。", "E1"))
    model.capabilities = model.capabilities.model_copy(update={"native_tools": False})
    assert desk.agent.ask("東京は？", thread_id="short").sub_tasks
    desk.model = desk.play(gated("XR-4200の在庫数量", retrieve=False), said("19個です。", "E1"))
    desk.model.capabilities = model.capabilities
    assert not desk.agent.ask("もっと短く", thread_id="short").sub_tasks
