"""Where a model cannot say what a passage says, the passage is quoted."""

from datetime import date

import pytest

from agent.quote import quoted_answer
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
