from typing import Any

import pytest

from agent.confidence import CAP, Doubt, confidence, is_empty, open_failures
from agent.state import Step, SubTask
from tools.evidence import Evidence
from tools.verify import Item, Verification
from tools.verify.records import ClaimCheck


def item(kind: Any) -> Item:
    return Item(text="23", kind=kind, start=0, end=2, message="not there")


def claims(*states: Any) -> tuple[ClaimCheck, ...]:
    return tuple(ClaimCheck(text="c", state=state) for state in states)


def score(verification: Verification, **given: Any) -> float:
    return confidence(verification, **{"failed": [], "empty": False, **given})[0]


def test_confidence_is_the_share_of_claims_supported() -> None:
    found = Verification(claims=claims("supported", "supported", "supported", "unsupported"))
    assert score(found) == 0.75


def test_a_claim_that_cannot_be_checked_does_not_count() -> None:
    assert score(Verification(claims=claims("supported", "unchecked"))) == 1.0
    assert score(Verification(claims=claims("unchecked"))) == 0.5
    assert score(Verification()) == 0.0


@pytest.mark.parametrize("kind", ["number", "date", "identifier"])
@pytest.mark.parametrize("where", ["unsupported", "contradicted"])
def test_an_unsupported_figure_caps_it(kind: str, where: str) -> None:
    found = Verification(claims=claims(*["supported"] * 9), **{where: (item(kind),)})
    assert score(found) == CAP == 0.4


def test_an_open_failure_and_empty_evidence_cap_it() -> None:
    good = Verification(claims=claims("supported"))
    assert score(good, failed=[Doubt("task", "sql_error")]) == 0.4
    assert score(good, empty=True) == 0.4


def test_the_cap_lifts_nothing() -> None:
    found = Verification(claims=claims("unsupported"), unsupported=(item("number"),))
    assert score(found) == 0.0


def test_every_fault_is_a_doubt_with_its_reason() -> None:
    found = Verification(claims=claims("unsupported"), unsupported=(item("number"),))
    _, doubts = confidence(found, failed=[Doubt("task", "gone")], empty=True)
    assert [(d.what, d.why) for d in doubts] == [
        ("23", "not there"),
        ("task", "gone"),
        ("evidence", "no row and no passage was found"),
    ]


def step(ok: bool, task: int = 0) -> Step:
    return Step(sub_task=task, ok=ok, summary=f"{'ok' if ok else 'bad'} {task}")


def test_a_task_given_up_and_one_whose_last_call_failed_are_open_failures() -> None:
    tasks = [SubTask(task="a", state="failed"), SubTask(task="b"), SubTask(task="c", state="done")]
    steps = [step(True, 0), step(True, 1), step(False, 1), step(False, 2)]
    assert open_failures(steps, tasks) == [Doubt("a", "ok 0"), Doubt("b", "bad 1")]


def test_a_task_that_was_never_begun_is_no_failure() -> None:
    assert open_failures([], [SubTask(task="a")]) == []
    assert open_failures([step(False), step(True)], [SubTask(task="a")]) == []


def rows(*values: Any) -> Evidence:
    return Evidence(kind="rows", tool="sql", source="t", rows=tuple((v,) for v in values))


def test_dates_nulls_and_nothing_are_empty_evidence() -> None:
    dates = Evidence(kind="date", tool="dates", source="calendar", rows=(("2026-01-01",),))
    assert (
        is_empty([]) and is_empty([dates]) and is_empty([rows(None, None)]) and is_empty([rows()])
    )


@pytest.mark.parametrize("kind", ["chunk", "calculation", "human"])
def test_a_value_a_passage_and_a_persons_word_are_evidence(kind: Any) -> None:
    assert not is_empty([rows(None, 0)])
    assert not is_empty([Evidence(kind=kind, tool="t", source="s")])
