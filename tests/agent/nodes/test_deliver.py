"""Handing over to a person, and going on with what the person says."""

from collections.abc import Callable
from typing import Any

import pytest

from agent.answer import Answer
from agent.errors import HandoffError, UsageError
from agent.handoff import Handoff, HandoffStore, open_handoffs
from agent.models.scripted import Request
from tests.support.desk import SIMPLE, Desk, gated, said, search, sql
from tools.errors import ToolError

WRONG = said("There are 23 units.", "E1")
UNPROVED = (sql(), WRONG, WRONG)
Open = Callable[..., Desk]


def handoffs(desk: Desk) -> HandoffStore:
    return open_handoffs(desk.agent.data_dir)


def packet_of(desk: Desk, answer: Answer) -> Handoff:
    return handoffs(desk).get(str(answer.handoff_id))


def test_the_packet_holds_all_that_was_found(desk: Desk) -> None:
    answer = desk.ask(SIMPLE, *UNPROVED)
    packet = packet_of(desk, answer).packet
    assert (packet.question, packet.language, packet.turn) == (SIMPLE, "en", 1)
    assert (packet.thread_id, packet.trace_id) == (answer.thread_id, answer.trace_id)
    assert [e["id"] for e in packet.evidence] == ["E1"]
    assert packet.steps[0]["reason"] == "rows"
    assert packet.draft == answer.draft and "23" in packet.draft
    assert packet.unsure[0].what == "23 units"
    assert packet.settle == "Is “23 units” right, and where is the right value recorded?"


def test_the_packet_is_stored_before_the_run_stops(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise HandoffError("the disk is full")

    monkeypatch.setattr(desk.agent._handoffs, "add", fail)
    with pytest.raises(HandoffError, match="the disk is full"):
        desk.ask(SIMPLE, *UNPROVED, thread="no-packet")
    with pytest.raises(HandoffError, match="There is no handoff"):
        desk.agent.resume("no-packet", "19")


def test_a_person_settles_it_after_a_restart(opened: Open) -> None:
    first = opened()
    asked = first.ask(SIMPLE, *UNPROVED)
    first.agent.close()
    second = opened()
    answer = second.agent.resume(asked.thread_id, {"text": "It is 19.", "by": "Mori"})
    assert (answer.status, answer.handoff_id) == ("answered", asked.handoff_id)
    assert answer.text == "A person's answer: It is 19. [1]"
    (citation,) = answer.citations
    evidence = answer.evidence[-1]
    assert (citation.evidence_id, citation.source) == (evidence.id, "Mori")
    assert (evidence.kind, evidence.origin, evidence.text) == ("human", "person", "It is 19.")
    assert second.model.requests == []


def test_what_a_person_settled_is_closed_and_delivered(opened: Open) -> None:
    desk = opened()
    asked = desk.ask(SIMPLE, *UNPROVED)
    desk.agent.resume(asked.thread_id, {"text": "It is 19.", "by": "Mori"})
    found = packet_of(desk, asked)
    assert (found.state, found.closed_by, found.delivered) == ("resolved", "Mori", True)


def test_the_rows_that_prove_a_persons_answer_are_cited_too(desk: Desk) -> None:
    asked = desk.ask(SIMPLE, *UNPROVED)
    proof = "SELECT warehouse, quantity FROM stock WHERE sku = 'XR-4200'"
    answer = desk.agent.resume(asked.thread_id, {"text": "It is 19.", "sql": proof})
    assert [e.kind for e in answer.evidence] == ["rows", "human", "rows"]
    assert [c.evidence_id for c in answer.citations] == ["E2", "E3"]
    assert answer.evidence[2].origin == "person"
    assert "| Osaka | 12 |" in answer.text


def test_sql_of_a_person_that_does_not_run_changes_nothing(desk: Desk) -> None:
    asked = desk.ask(SIMPLE, *UNPROVED)
    with pytest.raises(ToolError, match="no column"):
        desk.agent.resume(asked.thread_id, {"text": "19", "sql": "SELECT nope FROM stock"})
    assert packet_of(desk, asked).state == "open"
    assert desk.agent.resume(asked.thread_id, "It is 19.").status == "answered"


def test_the_persons_answer_replaces_the_faults_of_the_draft(desk: Desk) -> None:
    asked = desk.ask(SIMPLE, *UNPROVED)
    answer = desk.agent.resume(asked.thread_id, "It is 19.")
    assert asked.verification.unsupported or asked.verification.contradicted
    assert not (answer.verification.unsupported or answer.verification.contradicted)


def test_how_long_a_person_took_is_no_part_of_the_time(desk: Desk) -> None:
    asked = desk.ask(SIMPLE, desk.clock.then(2, sql()), WRONG, WRONG)
    desk.clock.seconds += 86_400
    assert desk.agent.resume(asked.thread_id, "It is 19.").timing == asked.timing
    assert asked.timing.total_ms == 2000


def test_a_rejection_is_delivered_with_its_reason(desk: Desk) -> None:
    asked = desk.ask(SIMPLE, *UNPROVED)
    given = {"rejected": True, "text": "not our product", "by": "Mori"}
    answer = desk.agent.resume(asked.thread_id, given)
    assert answer.status == "handed_off"
    assert answer.text == "A person decided that this cannot be answered: not our product"
    found = packet_of(desk, asked)
    assert (found.state, found.reason, found.delivered) == ("rejected", "not our product", True)


def test_the_same_resolution_again_gives_the_same_answer(desk: Desk) -> None:
    asked = desk.ask(SIMPLE, *UNPROVED)
    first = desk.agent.resume(asked.thread_id, "It is 19.")
    assert desk.agent.resume(asked.thread_id, "It is 19.") == first


def test_another_resolution_afterwards_is_an_error(desk: Desk) -> None:
    asked = desk.ask(SIMPLE, *UNPROVED)
    desk.agent.resume(asked.thread_id, "It is 19.")
    with pytest.raises(HandoffError, match="it was resolved by person"):
        desk.agent.resume(asked.thread_id, "It is 20.")


def test_an_empty_resolution_is_refused(desk: Desk) -> None:
    asked = desk.ask(SIMPLE, *UNPROVED)
    with pytest.raises(UsageError, match="no text"):
        desk.agent.resume(asked.thread_id, "  ")
    assert packet_of(desk, asked).state == "open"


def test_nothing_to_resume_is_said(desk: Desk) -> None:
    answered = desk.ask(SIMPLE, sql(), said("There are 19 units.", "E1"))
    with pytest.raises(HandoffError, match="waits for nobody"):
        desk.agent.resume(answered.thread_id, "19")
    with pytest.raises(HandoffError, match="no thread 'nowhere'"):
        desk.agent.resume("nowhere", "19")


def test_a_run_killed_between_the_resolution_and_its_answer_goes_on(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = opened()
    asked = desk.ask(SIMPLE, *UNPROVED)

    async def die(*_: Any) -> None:
        raise KeyError("killed")

    with monkeypatch.context() as patch:
        patch.setattr(desk.agent._memory, "add_evidence", die)
        with pytest.raises(KeyError):
            desk.agent.resume(asked.thread_id, "It is 19.")
    desk.agent.close()
    answer = opened().agent.resume(asked.thread_id, "It is 19.")
    assert answer.text == "A person's answer: It is 19. [1]"


def test_a_later_question_does_not_end_the_wait_of_an_earlier_one(desk: Desk) -> None:
    asked = desk.ask(SIMPLE, *UNPROVED, thread="waiting")
    mugs = sql("SELECT quantity FROM stock WHERE sku = 'Z-9'")
    later = desk.ask(
        "And of the mugs, Z-9?", gated("Z-9?"), mugs, said("40 mugs.", "E2"), thread="waiting"
    )
    assert later.status == "answered"
    answer = desk.agent.resume("waiting", "It is 19.", turn=1)
    assert (answer.question, answer.handoff_id) == (SIMPLE, asked.handoff_id)
    assert answer.status == "answered"


def test_two_handoffs_of_one_thread_are_settled_one_by_one(desk: Desk) -> None:
    first = desk.ask(SIMPLE, *UNPROVED, thread="two")
    second = desk.ask("And?", gated("Stock of XR-4200?"), *UNPROVED, thread="two")
    assert first.handoff_id != second.handoff_id
    assert desk.agent.resume("two", "second").question == "And?"
    assert desk.agent.resume("two", "first", turn=1).question == SIMPLE


def test_evidence_is_never_renumbered_across_turns(desk: Desk) -> None:
    desk.ask(SIMPLE, *UNPROVED, thread="ids")
    mugs = sql("SELECT quantity FROM stock WHERE sku = 'Z-9'")
    rest = (gated("Both?"), mugs, said("40 mugs.", "E2"))
    second = desk.ask("And of the mugs, Z-9?", *rest, thread="ids")
    settled = desk.agent.resume("ids", "It is 19.", turn=1)
    third = desk.ask("Policy?", gated("return policy?"), search("return"),
                     said("Customers may return goods.", "E4"), thread="ids")  # fmt: skip
    assert [e.id for e in second.evidence] == ["E2"]
    assert [e.id for e in settled.evidence] == ["E1", "E3"]
    assert third.evidence[0].id == "E4"


def test_a_repeated_call_of_a_later_turn_is_the_same_evidence(desk: Desk) -> None:
    desk.ask(SIMPLE, sql(), said("There are 19 units.", "E1"), thread="same-id")
    rest = (gated(SIMPLE), sql(), said("There are 19 units.", "E1"))
    answer = desk.ask("Again?", *rest, thread="same-id")
    assert [e.id for e in answer.evidence] == ["E1"]
    assert answer.steps[0].summary == "already run: E1"


def test_the_conversation_goes_on_with_what_the_person_said(desk: Desk) -> None:
    asked = desk.ask(SIMPLE, *UNPROVED)
    desk.agent.resume(asked.thread_id, "It is 19.")
    seen: list[str] = []

    def look(request: Request) -> Any:
        seen.append(request.messages[-1].content)
        return gated("Is that all?", retrieve=False)

    desk.ask("Is that all?", look, said("Yes.", claims=[]), thread=asked.thread_id)
    assert "It is 19." in seen[0]
