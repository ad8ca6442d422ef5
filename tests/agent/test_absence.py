from typing import Any

import pytest

from agent.absence import Absent, proved_absence
from tools.evidence import Evidence

QUESTION = "How many units of QQ-77 are in Osaka?"


def ran(query: str, *rows: tuple[Any, ...], **changes: Any) -> Evidence:
    fields = {"id": "E1", "kind": "rows", "tool": "sql", "source": "stock", "query": query}
    return Evidence(**(fields | {"rows": rows} | changes))


def absent(*evidence: Evidence, known: tuple[str, ...] = ("Osaka",)) -> Absent | None:
    return proved_absence(QUESTION, evidence, lambda value: value in known)


@pytest.mark.parametrize("rows", [(), ((None,),), ((0,),), (("0", None),)])
def test_a_value_of_the_question_that_no_column_holds_is_absent(rows: Any) -> None:
    query = "SELECT sum(q) FROM stock WHERE city = 'Osaka' AND sku = 'QQ-77'"
    assert absent(ran(query, *rows)) == Absent("QQ-77", "stock", "E1")


def test_letters_and_wildcards_make_no_difference() -> None:
    assert absent(ran("SELECT q FROM stock WHERE sku LIKE '%qq-77%'")) == Absent(
        "qq-77", "stock", "E1"
    )


def test_a_value_that_is_stored_is_not_absent() -> None:
    assert absent(ran("SELECT q FROM stock WHERE city = 'Osaka'")) is None


def test_a_value_that_the_question_does_not_name_proves_nothing() -> None:
    assert absent(ran("SELECT q FROM stock WHERE sku = 'ZZ-1'")) is None


def test_rows_that_were_found_are_no_absence() -> None:
    assert absent(ran("SELECT q FROM stock WHERE sku = 'QQ-77'", (3,))) is None
    assert absent(ran("SELECT q FROM stock WHERE sku = 'QQ-77'", (0,), (0,))) is None


def test_a_query_that_found_something_outweighs_one_that_did_not() -> None:
    nothing = ran("SELECT q FROM stock WHERE sku = 'QQ-77'")
    assert absent(nothing, ran("SELECT 12", (12,), id="E2")) is None


def test_an_empty_search_is_no_proof() -> None:
    passage = ran("QQ-77", kind="chunk", tool="knowledge_search")
    assert absent() is None
    assert absent(passage) is None
