"""answer and verify: what is proved is cited, what is not is mended, struck or handed over."""

from collections.abc import Callable

import pytest

from agent.errors import ModelReplyError
from agent.models.scripted import text
from agent.settings import Settings
from ingest.store import KnowledgeBaseSettings
from tests.support.desk import COMPOUND, SIMPLE, Desk, calculate, looked, said, search, split, sql

WRONG = said("There are 23 units.", "E1")
PRICES = "SELECT sku, price FROM products ORDER BY price DESC"
UNREADABLE = ModelReplyError("no JSON")


def test_right_numbers_are_cited_with_evidence_and_place(desk: Desk) -> None:
    answer = desk.ask(SIMPLE, sql(), said("There are 19 units.", "E1"))
    assert answer.text.startswith("There are 19 units[1].")
    (citation,) = answer.citations
    assert (citation.n, citation.evidence_id, citation.source) == (1, "E1", "stock")
    assert citation.locator == "row 1, units"
    assert answer.confidence == 1.0


def test_a_wrong_number_is_sent_back_once_and_mended(desk: Desk) -> None:
    answer = desk.ask(SIMPLE, sql(), WRONG, said("There are 19 units.", "E1"))
    told = desk.model.history[-1][-1].content
    assert "23" in told
    assert (answer.status, answer.confidence) == ("answered", 1.0)
    assert answer.text.startswith("There are 19 units[1].")


def test_a_number_that_stays_wrong_is_handed_over_with_little_confidence(desk: Desk) -> None:
    answer = desk.ask(SIMPLE, sql(), WRONG, WRONG)
    assert answer.status == "handed_off"
    assert answer.confidence <= 0.4
    assert [i["text"] for i in answer.verification.unsupported] == ["23 units"] or [
        i["text"] for i in answer.verification.contradicted
    ] == ["23 units"]


def test_the_text_of_a_handoff_is_only_the_notice(desk: Desk) -> None:
    answer = desk.ask(SIMPLE, sql(), WRONG, WRONG)
    assert answer.text == (
        f"This could not be answered with proof and was handed to a person ({answer.handoff_id})."
    )
    assert answer.citations == ()
    assert "[unverified: 23 units]" in answer.draft


def test_a_sentence_without_proof_is_struck_and_the_rest_is_cited(desk: Desk) -> None:
    desk.limit(threshold=0.3)
    claims = ("There are 19 units.", "In Kyoto there are 555 units.")
    both = said(" ".join(claims), "E1", claims=claims)
    answer = desk.ask(SIMPLE, sql(), both, both)
    assert "555" not in answer.text
    assert answer.text.startswith("There are 19 units[1].")
    assert answer.confidence == 0.4


def test_one_revision_is_all(desk: Desk) -> None:
    answer = desk.ask(SIMPLE, sql(), WRONG, said("There are 24 units.", "E1"))
    assert answer.usage.llm_calls == 3
    assert "24" in answer.draft and "23" not in answer.draft


def test_a_reply_that_is_no_json_leaves_the_rows_to_speak(desk: Desk) -> None:
    answer = desk.ask(SIMPLE, sql(), text("There are 19 units."))
    assert answer.status == "answered"
    assert answer.text.startswith("The result is below.") and "19" in answer.text


def test_a_passage_is_cited_with_its_file_and_heading(desk: Desk) -> None:
    text = "Customers may return goods within 30 days of delivery."
    answer = desk.ask("What is the return policy?", search(), said(text, "E1"))
    cited = next(c for c in answer.citations if c.source.endswith("returns.md"))
    evidence = next(e for e in answer.evidence if e.id == cited.evidence_id)
    assert evidence.locator == "Return policy"
    assert "within 30 days" in str(evidence.text)
    assert answer.status == "answered"


def test_a_long_result_is_a_table_made_by_code(desk: Desk) -> None:
    answer = desk.ask("List the price of all products", sql(PRICES),
                      said("These are the prices.", "E1"))  # fmt: skip
    assert "The rows of E1 will be shown as a table" in desk.model.history[-1][-1].content
    assert (
        "E1: 3 rows\n\n| sku | price | name |\n| --- | --- | --- |\n"
        "| XR-4200 | 1200.50 | Desk lamp |\n| Z-9 | 450.25 | Mug |\n"
        "| 0012 | 80.00 | Green tea |" in answer.text
    )


def test_a_table_shows_twenty_rows_and_says_how_many_there_are(desk: Desk) -> None:
    rows = sql("SELECT sale_id, sku FROM sales ORDER BY sale_id")
    answer = desk.ask("List the total sales", rows, said("These are the sales.", "E1"))
    lines = [line for line in answer.text.splitlines() if line.startswith("|")]
    assert len(lines) == 2 + 20
    assert "E1: 20 of 150 rows" in answer.text


def test_what_stands_in_the_text_needs_no_table(desk: Desk) -> None:
    answer = desk.ask(SIMPLE, sql(), said("There are 19 units.", "E1"))
    assert "|" not in answer.text


def test_an_answer_from_stock_says_as_of_when(desk: Desk) -> None:
    answer = desk.ask(SIMPLE, sql(), said("There are 19 units.", "E1"))
    assert "stock as of 2026-11-30 (stock)" in answer.text


def test_an_answer_says_how_many_cells_were_left_out(desk: Desk) -> None:
    # 149 readable quantities: 29 rounds of 1+2+3+4+5, then 1+2+3+4.
    total = sql("SELECT sum(quantity) AS units FROM sales")
    answer = desk.ask(
        "What is the total of sales units?", total, said("445 units were sold.", "E1")
    )
    assert answer.status == "answered"
    assert "column quantity of table sales leaves out 1 cell" in answer.text
    assert answer.evidence[0].excluded_cells == 1


def test_a_value_that_is_nowhere_is_not_found_and_the_tables_are_named(desk: Desk) -> None:
    nothing = sql("SELECT sum(quantity) FROM stock WHERE sku = 'QQ-77'")
    answer = desk.ask("How many units of QQ-77 are on hand?", nothing, nothing, said("None.", "E1"))
    assert answer.status == "not_found"
    assert answer.text.startswith("There is no “QQ-77” in the data (looked in: stock).")
    assert [c.evidence_id for c in answer.citations] == ["E1"]
    assert answer.exit_code == 4


def test_a_stored_value_of_two_letters_is_not_called_absent(desk: Desk) -> None:
    nothing = sql("SELECT sum(quantity) FROM sales WHERE note = 'EU' AND sale_id > 900")
    answer = desk.ask("How many units were sold in EU?", nothing, said("None.", "E1", claims=[]))
    assert answer.status == "handed_off"


def test_a_stored_date_is_not_called_absent(desk: Desk) -> None:
    nothing = sql("SELECT quantity FROM stock WHERE as_of = '2026-11-30' AND sku = 'none'")
    question = "How many units were on hand on 2026-11-30?"
    answer = desk.ask(question, nothing, nothing, looked(False, "stop"), said("None.", claims=[]))
    assert answer.status == "handed_off"


def test_a_name_mended_by_a_later_query_is_not_called_absent(desk: Desk) -> None:
    nothing = sql("SELECT quantity FROM stock WHERE warehouse = 'osaka warehouse'")
    found = sql("SELECT quantity FROM stock WHERE warehouse = 'Osaka' AND sku = 'XR-4200'")
    question = "How many units of XR-4200 are in the Osaka warehouse?"
    answer = desk.ask(question, nothing, found, said("There are 12 units.", "E2"))
    assert answer.status == "answered"


def test_an_empty_search_is_never_not_found(opened: Callable[..., Desk]) -> None:
    strict = Settings(kb={"default": KnowledgeBaseSettings(threshold=1.0)})
    desk = opened(settings=strict)
    answer = desk.ask(
        "What is the warranty policy?",
        search("warranty"), search("guarantee"), looked(False, "stop"),
    )  # fmt: skip
    assert answer.status == "handed_off"
    assert answer.evidence == ()


def test_an_unreadable_answer_leaves_the_rows(desk: Desk) -> None:
    answer = desk.ask("List the price of all products", sql(PRICES), UNREADABLE, UNREADABLE)
    assert answer.draft.startswith("The result is below.")
    assert "| XR-4200 | 1200.50 |" in answer.draft
    assert (answer.status, answer.confidence) == ("answered", 0.5)


def test_a_draft_that_only_says_the_question_again_leaves_the_rows(desk: Desk) -> None:
    answer = desk.ask(SIMPLE, sql(), said("how many units of xr-4200 are on hand", "E1"))
    assert answer.text.startswith("The result is below.")
    assert "| 19 |" in answer.text
    assert answer.status == "answered"


def test_evidence_that_a_claim_invents_is_left_out(desk: Desk) -> None:
    answer = desk.ask(SIMPLE, sql(), said("There are 19 units.", "E1", "E99"))
    assert [c.evidence_id for c in answer.citations] == ["E1"]
    assert answer.status == "answered"


@pytest.mark.parametrize(
    ("question", "notice"),
    [
        ("XR-4200の在庫数量はいくつですか", "確かな答えが出せなかったため"),
        ("How many units of XR-4200 are on hand?", "This could not be answered with proof"),
        ("XR-4200的库存数量是多少", "无法给出有证据的回答"),
    ],
)
def test_notices_are_in_the_language_of_the_question(
    desk: Desk, question: str, notice: str
) -> None:
    answer = desk.ask(question, sql(), WRONG, WRONG)
    assert answer.text.startswith(notice)


@pytest.mark.parametrize(
    ("question", "language"),
    [("XR-4200の在庫数量は", "Japanese"), (SIMPLE, "English"), ("XR-4200的库存数量", "Chinese")],
)
def test_the_model_is_asked_for_the_language_of_the_question(
    desk: Desk, question: str, language: str
) -> None:
    desk.ask(question, sql(), said("19", "E1"))
    assert f"answer in {language}" in desk.model.history[-1][-1].content


def test_figures_reach_a_calculation_by_evidence_id(desk: Desk) -> None:
    tasks = split(("units", "rows"), ("twice the units", "calculation"))
    text = "Twice the units is 38."
    steps = (tasks, sql(), calculate("value('E1') * 2"), said(text, "E2"))
    answer = desk.ask(COMPOUND, *steps)
    assert (answer.evidence[1].kind, answer.evidence[1].source) == ("calculation", "E1")
    assert answer.text.startswith("Twice the units is 38[1].")
    assert answer.citations[0].evidence_id == "E2"


def test_an_answer_in_another_language_is_written_again_once(desk: Desk) -> None:
    english = said("There are 19 units of it in the warehouses.", "E1")
    answer = desk.ask("XR-4200の在庫は合計何個ですか", sql(), english, said("19個です。", "E1"))
    assert desk.model.history[-1][-1].content.startswith("Write the same answer in Japanese")
    assert answer.text.startswith("19個[1]です。")
    stubborn = desk.ask("XR-4200の在庫は合計で何個ですか", sql(), english, english)
    assert stubborn.text.startswith("There are 19 units")
