"""Where a model cannot say what a passage says, the passage is quoted."""

from datetime import date

import pytest

from agent.quote import named_row, other_than_named_row, quoted_answer
from tools.evidence import Evidence

TODAY = date(2026, 11, 30)
QUESTION = "お客様のご都合による返品の取扱手数料は何%ですか？"
RULE = "お客様のご都合による返品では、販売単価に数量を掛けた額の15%を取扱手数料として差し引く。"
OLD = "お客様のご都合による返品では、10%を取扱手数料として差し引く。"


def passage(identifier: str, text: str, note: str | None = None) -> Evidence:
    return Evidence(
        id=identifier, kind="chunk", tool="k", source="r.md", text=text, status_note=note
    )


def test_the_sentence_in_force_that_has_the_figure_is_quoted() -> None:
    old = passage("E1", OLD, "⚠️置き換え済み → 新")
    new = passage("E2", f"2. 取扱手数料\n\n起算日は納品日とする。{RULE}返金は8営業日以内とする。")
    draft = quoted_answer(QUESTION, [old, new], TODAY)
    assert draft is not None
    assert (draft.text, draft.claims[0].evidence_ids) == (RULE, ("E2",))


@pytest.mark.parametrize(
    "text",
    [
        "2. 取扱手数料と返送料",
        "お客様のご都合による返品の取扱手数料は別に定める。",
        "誤出荷の返品では15%を差し引く。",
    ],
)
def test_nothing_is_quoted_that_lacks_the_figure_or_the_words(text: str) -> None:
    assert quoted_answer(QUESTION, [passage("E1", text)], TODAY) is None


def test_rows_and_calculations_are_not_quoted() -> None:
    rows = Evidence(id="E1", kind="rows", tool="sql", source="fees", text=RULE)
    assert quoted_answer(QUESTION, [rows], TODAY) is None


TABLE = "| 商品分類 | 受付期間 | 条件 |\n|---|---|---|\n| 照明 | 14日 | |\n| 文具 | 21日 | 箱単位 |"


def test_the_row_that_the_question_names_is_quoted_with_its_headers() -> None:
    item = passage("E1", TABLE).model_copy(update={"locator": "返品規定 › 1. 返品の受付期間"})
    draft = quoted_answer("文具の返品の受付期間は何日ですか？", [item], TODAY)
    assert draft is not None and draft.text == "商品分類: 文具 / 受付期間: 21日 / 条件: 箱単位"
    assert quoted_answer("衣料の返品の受付期間は何日ですか？", [item], TODAY) is None


ROW_QUESTION = "照明の返品の受付期間は何日ですか？"
REFUND = "照明の返品の返金は、検品が終わった日から8営業日以内に行う。"


@pytest.fixture
def table() -> Evidence:
    return passage("E1", TABLE).model_copy(update={"locator": "返品規定 › 1. 返品の受付期間"})


def test_an_answer_without_the_figure_of_the_row_that_is_asked_for_is_told(table: Evidence) -> None:
    known = [table, passage("E2", REFUND)]
    why = other_than_named_row(ROW_QUESTION, REFUND, known, TODAY)
    assert why == "the document says: 商品分類: 照明 / 受付期間: 14日"
    assert other_than_named_row(ROW_QUESTION, "受付期間は14日です。", known, TODAY) == ""


def test_nothing_is_told_of_another_question_or_of_figures_from_elsewhere(table: Evidence) -> None:
    rows = Evidence(id="E3", kind="rows", tool="sql", source="returns", rows=((3,),))
    assert other_than_named_row(ROW_QUESTION, "3件です。", [table, rows], TODAY) == ""
    assert other_than_named_row("衣料の返品の受付期間は何日ですか？", "8日", [table], TODAY) == ""


def test_no_row_in_force_is_held_against_an_answer_about_the_old_edition(table: Evidence) -> None:
    old = passage("E2", TABLE.replace("14日", "30日"), "⚠️置き換え済み → 新").model_copy(
        update={"source": "返品規定_2024.md"}
    )
    asked = "2024年版の返品規定では、照明の返品の受付期間は何日でしたか？"
    assert other_than_named_row(asked, "30日です。", [table, old], TODAY) == ""
    assert quoted_answer(asked, [table, old], TODAY) is None


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("Bランクの安全在庫日数は何日ですか？", "ランク: B / 安全在庫日数: 8日"),
        ("B社の安全在庫日数は何日ですか？", None),
    ],
)
def test_a_label_of_one_letter_is_named_with_its_header_only(
    question: str, row: str | None
) -> None:
    text = "| ランク | 安全在庫日数 |\n|---|---|\n| A | 12日 |\n| B | 8日 |"
    found = named_row(question, [passage("E1", text)], TODAY)
    assert (found.text if found else None) == row
