"""A question for a figure is open while the draft states none."""

from datetime import date

import pytest

from agent.asked import (
    gives_up,
    names_no_figure,
    rests_on_no_document,
    with_open_question,
)
from tools.evidence import Evidence
from tools.verify import Claim, verify

TODAY = date(2026, 11, 30)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("返品の取扱手数料は何%ですか？", "返品規定（2026年版） › 1. 返品を受け付ける期間"),
        ("返品の取扱手数料は何%ですか？", "販売単価に数量を掛けた額から差し引きます。"),
        ("What is the rate of the rebate? In what percentage?", "A rebate of 300 yen is granted."),
        ("How many days do we have to return XR-4200?", "XR-4200 can be returned."),
        ("在庫はいくつですか？", "東京倉庫に在庫があります。"),
        ("太阳能灯的保修期是多长？", "太阳能灯按照保修条款保修。"),
    ],
)
def test_a_text_without_the_figure_leaves_the_question_open(question: str, text: str) -> None:
    assert names_no_figure(question, text, TODAY)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("返品の取扱手数料は何%ですか？", "15%を差し引きます。"),
        ("割引は何割ですか？", "2割です。"),
        ("How many days?", "Within ten days of delivery."),
        ("太阳能灯的保修期是多长？", "保修期为18个月。"),
        ("受注の締切時刻は何時ですか？", "締切時刻は13:30です。"),
        ("いつ、何日に棚卸をしますか？", "2026年12月31日に行います。"),
        ("在庫はいくつですか？", "在庫はありません。"),
        ("How many units are on hand?", "There are no units on hand."),
        ("Which supplier is late?", "Meihui Lighting."),
        ("誰の承認が必要ですか？", "商品本部長の承認が必要です。"),
        ("何か問題はありますか？", "納期の遅れがあります。"),
    ],
)
def test_a_figure_a_denial_and_another_question_are_left_alone(question: str, text: str) -> None:
    assert names_no_figure(question, text, TODAY) == ""


def test_such_a_draft_counts_as_unsupported_though_its_words_are_proved() -> None:
    text = "返品規定 › 2. 取扱手数料と返送料"
    passage = Evidence(
        id="E1", kind="chunk", tool="k", source="r.md", text=f"{text} 額の15%とする。"
    )
    found = verify(text, [passage], claims=[Claim(text=text)])
    opened = with_open_question(found, "取扱手数料は何%ですか？", text, [passage], TODAY)
    assert [i.message for i in opened.unsupported][-1].startswith("the question asks for a percent")
    assert opened.support_share() == 0.0
    assert with_open_question(found, "取扱手数料とは？", text, [passage], TODAY) == found


@pytest.mark.parametrize(
    "text",
    [
        "Its price at the largest discount is not specified in the available information.",
        "The lead time cannot be determined.",
        "手数料率は不明です。",
        "取扱手数料については記載されていません。",
        "文档中没有说明保修期。",
    ],
)
def test_a_text_that_says_the_answer_is_not_there_is_no_answer(text: str) -> None:
    assert gives_up(text)


@pytest.mark.parametrize(
    "text",
    [
        "Returns are not accepted after 14 days.",
        "There are no units on hand.",
        "在庫はありません。",
        "受付番号のない返品は受け取りません。",
        "没有库存。",
        "不明瞭な表示は訂正します。",
    ],
)
def test_a_denial_of_a_fact_is_an_answer(text: str) -> None:
    assert gives_up(text) == ""


@pytest.mark.parametrize(
    ("question", "is_open"),
    [
        ("現行の発注方針に従うと、XR-4200の発注点は何個ですか？", True),
        ("Under the current replenishment policy, how many units does LT-3005 need?", True),
        ("按协议应付的违约金是多少日元？", True),
        ("XR-4200の在庫は何個ですか？", False),
        ("How many units of XR-4200 were sold in October?", False),
    ],
)
def test_what_goes_by_a_document_is_open_until_a_passage_is_read(
    question: str, is_open: bool
) -> None:
    rows = Evidence(id="E1", kind="rows", tool="sql", source="sales", rows=((70,),))
    passage = Evidence(id="E2", kind="chunk", tool="k", source="r.md", text="70")
    assert bool(rests_on_no_document(question, [rows])) == is_open
    assert rests_on_no_document(question, [rows, passage]) == ""
