"""What to order, answered without a model: the figures were worked out by hand.

LT-1 in W1: demand 1 a day without variation, so no safety stock; reorder point 10, stock 5 and 3
on order are 8: up to 10 + 30 are 32, in packs of 10 are 40. In W2 there are 90. LT-2 sells nothing.
TB-1: 9 in 90 days are 0.1 a day; Σq² is 9, so the variance is (9 - 81 / 90) / 89 = 0.0910 and a day's
deviation 0.3017; z(95%) · 0.3017 · √20 = 2.22; reorder point 2 + 2.22, rounded up 5, below the 7.
"""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from agent.answer import Answer
from agent.models.scripted import call
from tests.support.desk import SAID, Desk, said

pytestmark = pytest.mark.slow

ASKED = {
    "en": "What should we reorder?",
    "ja": "何を発注すべきですか？",
    "zh": "哪些商品需要补货？",
}
COMPARED = "Compare stock at the end of last quarter with this month and propose what to reorder."


def proposal(answer: Answer) -> list[Mapping[str, Any]]:
    """The rows of the calculation."""
    (made,) = [e for e in answer.evidence if e.kind == "calculation"]
    names = [c.name for c in made.columns]
    return [dict(zip(names, row, strict=True)) for row in made.rows]


@pytest.mark.parametrize("language", ["en", "ja", "zh"])
def test_the_proposal_is_made_without_a_model(language: str, trade: Desk) -> None:
    answer = trade.ask(ASKED[language])
    assert (answer.status, answer.confidence, answer.usage.llm_calls) == ("answered", 1.0, 0)
    (row,) = proposal(answer)
    assert (row["sku"], row["warehouse_code"], row["proposed_quantity"]) == ("LT-1", "W1", 40)
    assert (row["on_hand"], row["on_order"], row["lead_time_days"]) == (5, 3, 10)
    assert [s.tool for s in answer.steps] == ["sql"] * 4 + ["calculate", "knowledge_search"]
    assert (answer.verification.unsupported, answer.verification.contradicted) == ((), ())


def test_its_words_are_in_the_questions_language_and_say_what_was_assumed(trade: Desk) -> None:
    english, japanese, chinese = (trade.ask(ASKED[name]).text for name in ("en", "ja", "zh"))
    assert "1 order[1] is proposed" in english
    assert "assumed: safety stock for a service level of 95%" in english
    assert "stock as of 2026-11-30 (stock_snapshots)" in english
    assert "2026-09-02..2026-11-30" in english
    assert "発注を提案するのは1件" in japanese
    assert "前提: 安全在庫はサービス率95%" in japanese
    assert "建议订货1" in chinese
    assert "| LT-1 | W1 | 5 | 3 | 10 | 20 | 10 | 40 |" in chinese


def test_it_cites_the_calculation_and_the_document_that_may_say_otherwise(trade: Desk) -> None:
    answer = trade.ask(ASKED["en"])
    kinds = {e.id: e.kind for e in answer.evidence}
    assert [kinds[c.evidence_id] for c in answer.citations] == ["calculation", "chunk"]
    assert "no policy was read from a document" in answer.text
    assert "rules.md” may say otherwise" in answer.text


@pytest.mark.parametrize(
    ("question", "condition"),
    [
        ("What should we reorder for warehouse W2?", "warehouse_code = W2"),
        ("What should we reorder from supplier S2?", "supplier_code = S2"),
        ("大阪倉庫では何を発注すべきですか？", "warehouses.warehouse_name = 大阪倉庫"),
        ("家具类商品哪些需要补货？", "products.category = 家具"),
    ],
)
def test_a_restriction_is_applied_and_said(question: str, condition: str, trade: Desk) -> None:
    answer = trade.ask(question)
    assert answer.status == "answered"
    assert next(e for e in answer.evidence if e.kind == "calculation").rows == (
        ("nothing to order",),
    )
    assert condition in answer.text


def test_a_named_sku_is_shown_also_where_it_needs_nothing(trade: Desk) -> None:
    rows = proposal(trade.ask("Should we reorder TB-1?"))
    assert [(r["sku"], r["proposed_quantity"]) for r in rows] == [("TB-1", 0)]
    assert "7 > reorder point 5" in rows[0]["reason"]


def test_stock_of_two_days_is_compared_first(trade: Desk) -> None:
    answer = trade.ask(COMPARED)
    assert (answer.status, answer.usage.llm_calls) == ("answered", 0)
    first = answer.evidence[0]
    assert [c.name for c in first.columns] == [
        "sku", "on_hand_before", "as_of_before", "on_hand_after", "as_of_after", "difference"
    ]  # fmt: skip
    assert first.rows[0] == ("LT-1", "38", "2026-09-30", "95", "2026-11-30", "57")
    assert "Stock is compared as of 2026-09-30 and 2026-11-30" in answer.text
    assert proposal(answer)[0]["proposed_quantity"] == 40
    assert [t.state for t in answer.sub_tasks] == ["done", "done", "done"]


def test_what_a_rule_does_not_know_of_the_other_clause_the_model_plans(trade: Desk) -> None:
    query = "SELECT COUNT(*) AS orders FROM purchase_orders"
    answer = trade.ask(
        "How many purchase orders are there? And propose what to reorder.",
        call("sql", **SAID, query=query),
        said("There are 2 purchase orders.", "E6"),
    )
    assert answer.status == "answered"
    assert "There are 2" in answer.text
    assert "1 order" in answer.text


def test_a_missing_source_is_named_with_where_to_add_it(edited: Callable[[str], Desk]) -> None:
    answer = edited("replenishment: {terms: null}\n").ask(ASKED["en"])
    assert (answer.status, answer.usage.llm_calls) == ("handed_off", 0)
    assert "needs terms (sku, lead_time_days)" in answer.draft
    assert "replenishment: {terms: SELECT sku, lead_time_days FROM …}" in answer.draft


def test_what_could_be_answered_is_delivered_beside_what_is_missing(
    edited: Callable[[str], Desk],
) -> None:
    answer = edited("replenishment: {terms: null}\n").ask(COMPARED)
    assert answer.status == "partial"
    assert "Stock is compared" in answer.text
    assert "needs terms (sku, lead_time_days)" in answer.text


def test_the_companys_own_policy_is_used(edited: Callable[[str], Desk]) -> None:
    """Reorder point 10 + 15 = 25; up to 25 + 7 from 8 are 24, in packs of 10 are 30. Of TB-1
    2 + 1.5, rounded up 4, below the 7."""
    answer = edited("replenishment: {safety_days: 15, cover_days: 7}\n").ask(ASKED["en"])
    (row,) = proposal(answer)
    assert (row["sku"], row["proposed_quantity"]) == ("LT-1", 30)
    assert (
        "assumed: safety stock of 15 days; ordered up to the reorder point and 7 days"
        in answer.text
    )


def test_together_the_stock_of_all_warehouses_is_said_to_be_counted(
    edited: Callable[[str], Desk],
) -> None:
    answer = edited("replenishment: {by: []}\n").ask(ASKED["en"])
    assert "Nothing has to be ordered now, by SKU" in answer.text
    assert "The stock of every warehouse_code is counted together." in answer.text


def test_a_query_that_fails_ends_in_a_handoff_that_says_why(edited: Callable[[str], Desk]) -> None:
    text = "replenishment:\n  terms: SELECT sku, -1 AS lead_time_days FROM products\n"
    answer = edited(text).ask(ASKED["en"])
    assert answer.status == "handed_off"
    assert "could not be worked out; the failed step says why" in answer.draft
    assert [s.tool for s in answer.steps if not s.ok] == ["calculate"]
