"""A query that joins or aggregates may be written twice; figures that differ are not delivered."""

import pytest

from agent.models.scripted import text
from tests.support.desk import SIMPLE, Desk, said, sql

DONE = said("There are 19 units.", "E1")
OTHER = sql("SELECT sum(quantity) AS n FROM stock WHERE sku LIKE 'XR-%'")
WRONG = sql("SELECT max(quantity) AS n FROM stock WHERE sku = 'XR-4200'")
PLAIN = sql("SELECT quantity FROM stock WHERE sku = 'Z-9'")


@pytest.fixture
def twice(desk: Desk) -> Desk:
    desk.limit(second_query=True)
    return desk


def test_without_the_setting_one_query_is_written(desk: Desk) -> None:
    answer = desk.ask(SIMPLE, sql(), DONE)
    assert (answer.usage.llm_calls, len(answer.steps)) == (2, 1)


def test_a_second_query_with_the_same_figures_leaves_the_answer_as_it_is(twice: Desk) -> None:
    answer = twice.ask(SIMPLE, sql(), OTHER, DONE)
    assert (answer.status, answer.confidence) == ("answered", 1.0)
    assert [s.summary for s in answer.steps][1:] == ["agrees with E1"]
    assert answer.usage.llm_calls == 3
    assert [e.id for e in answer.evidence] == ["E1"]


def test_other_figures_are_a_doubt_and_go_to_a_person(twice: Desk) -> None:
    answer = twice.ask(SIMPLE, sql(), WRONG, DONE)
    assert (answer.status, answer.confidence) == ("handed_off", 0.4)
    assert answer.steps[1].summary == "differs from E1"


def test_the_second_query_is_written_without_sight_of_the_first(twice: Desk) -> None:
    twice.ask(SIMPLE, sql(), OTHER, DONE)
    second = twice.model.history[1]
    assert [m.role for m in second] == ["system", "user", "user"]
    assert not any("sum(quantity)" in m.content for m in second)
    last = twice.model.history[2]
    assert not any("LIKE 'XR-%'" in m.content for m in last)


@pytest.mark.parametrize("failed", [sql("SELECT n FROM nowhere"), text("I cannot.")])
def test_a_second_query_that_does_not_run_says_nothing(twice: Desk, failed: object) -> None:
    answer = twice.ask(SIMPLE, sql(), failed, DONE)  # type: ignore[arg-type]
    assert (answer.status, answer.confidence) == ("answered", 1.0)


def test_a_row_that_is_looked_up_is_asked_for_once(twice: Desk) -> None:
    answer = twice.ask("How many units of Z-9 are there?", PLAIN, said("There are 40.", "E1"))
    assert answer.usage.llm_calls == 2
