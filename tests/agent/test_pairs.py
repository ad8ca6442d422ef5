"""Confirmed questions through the whole graph: kept, shown beside like questions, repeated."""

from collections.abc import Callable

import pytest

from agent.errors import PairError
from agent.models.base import Message
from agent.pairs import PAIRS_FILE
from tests.support.desk import SIMPLE, TODAY, UNITS, Desk, said, sql

pytestmark = pytest.mark.slow

Open = Callable[..., Desk]
RIGHT = said("There are 19 units.", "E1")
WRONG = said("There are 23 units.", "E1")
LAMPS = "How many desk lamps are on hand?"
Z9 = sql("SELECT sum(quantity) AS units FROM stock WHERE sku = 'Z-9'")


def question_of(desk: Desk) -> Message:
    """The message of the last run that holds the question."""
    messages = desk.model.requests[0].messages
    return next(m for m in messages if m.content.startswith("Question:"))


def test_the_sql_of_a_resolution_answers_the_same_question_from_then_on(opened: Open) -> None:
    desk = opened()
    asked = desk.ask(SIMPLE, sql(), WRONG, WRONG)
    given = {"text": "It is 19.", "sql": UNITS, "by": "Mori", "at": "2026-11-30T09:00:00+00:00"}
    desk.agent.resume(asked.thread_id, given)
    (pair,) = desk.agent.pairs.list()
    assert (pair.origin, pair.confirmed_by, pair.confirmed_at) == ("handoff", "Mori", given["at"])
    answer = desk.ask(SIMPLE.replace("?", " ?"), RIGHT)
    assert (answer.status, answer.evidence[0].rows) == ("answered", (("19",),))
    assert answer.steps[0].reason == f"a person confirmed it for this question ({pair.id})"
    assert answer.audit.pairs == (pair.id,)
    assert answer.to_json()["audit"]["pairs"] == [pair.id]


def test_a_resolution_by_nobody_or_without_sql_is_no_pair(opened: Open) -> None:
    desk = opened()
    for given in ({"text": "19", "sql": UNITS}, {"text": "19", "by": "Mori"}):
        asked = desk.ask(SIMPLE, sql(), WRONG, WRONG)
        desk.agent.resume(asked.thread_id, given)
    assert desk.agent.pairs.list() == []
    assert not (desk.agent.data_dir / PAIRS_FILE).exists()


def test_a_like_question_sees_it_until_it_is_removed(opened: Open) -> None:
    desk = opened()
    other = "How many units of Z-9 are on hand?"
    plain = desk.ask(other, Z9, said("There are 40 units.", "E1"))
    system = desk.model.requests[0].messages[0]
    pair = desk.agent.pairs.add(SIMPLE, UNITS, by="Mori", asked_on=TODAY)
    shown = desk.ask(other, Z9, said("There are 40 units.", "E1"))
    assert f"Q: {SIMPLE}\n{pair.sql}" in question_of(desk).content
    assert desk.model.requests[0].messages[0] == system
    assert (plain.audit.pairs, shown.audit.pairs) == ((), (pair.id,))
    desk.agent.pairs.remove(pair.id)
    after = desk.ask(other, Z9, said("There are 40 units.", "E1"))
    assert all("confirmed" not in m.content for r in desk.model.requests for m in r.messages)
    assert after.audit.pairs == ()


def test_an_unlike_question_sees_nothing_of_it(opened: Open) -> None:
    desk = opened()
    desk.agent.pairs.add(SIMPLE, UNITS, by="Mori", asked_on=TODAY)
    price = sql("SELECT price FROM products WHERE name = 'Mug'")
    answer = desk.ask("What does the Mug cost?", price, said("It costs 450.25.", "E1"))
    assert answer.audit.pairs == ()
    assert "confirmed" not in question_of(desk).content


def test_confirmed_sql_runs_as_it_is(opened: Open) -> None:
    """A code that the question does not name is taken out of a model's query; here a person put
    it in."""
    desk = opened()
    desk.agent.pairs.add(LAMPS, UNITS, by="Mori", asked_on=TODAY)
    answer = desk.ask(LAMPS, said("There are 19 desk lamps.", "E1"))
    assert (answer.status, answer.evidence[0].rows) == ("answered", (("19",),))


def test_a_model_may_take_a_condition_from_the_example(opened: Open) -> None:
    desk = opened()
    desk.agent.pairs.add(LAMPS, UNITS, by="Mori", asked_on=TODAY)
    answer = desk.ask("How many desk lamps are on hand now?", sql(), said("19 desk lamps.", "E1"))
    assert "Q: How many desk lamps" in question_of(desk).content
    assert answer.evidence[0].rows == (("19",),)


def test_an_answer_that_a_person_calls_right_is_kept(opened: Open) -> None:
    desk = opened()
    desk.ask(SIMPLE, sql(), RIGHT, thread="right")
    pair = desk.agent.confirm("right", by="Aya")
    assert (pair.question, pair.origin, pair.confirmed_by) == (SIMPLE, "model", "Aya")
    assert desk.ask(SIMPLE, RIGHT).audit.pairs == (pair.id,)


def test_an_answer_that_was_not_given_cannot_be_confirmed(opened: Open) -> None:
    desk = opened()
    desk.ask(SIMPLE, sql(), WRONG, WRONG, thread="wrong")
    with pytest.raises(PairError, match="no answer to confirm"):
        desk.agent.confirm("wrong", by="Aya")
    with pytest.raises(PairError, match="no answer in thread"):
        desk.agent.confirm("never", by="Aya")


def test_a_damaged_store_of_pairs_ends_no_question(opened: Open) -> None:
    desk = opened()
    (desk.agent.data_dir / PAIRS_FILE).write_bytes(b"no database" * 100)
    assert desk.ask(SIMPLE, sql(), RIGHT).status == "answered"
