from collections.abc import Callable

import pytest

from tools.evidence import Evidence
from tools.verify import cite, strike, verify

Build = Callable[..., Evidence]


def cited(text: str, evidence: list[Evidence], order: list[str] | None = None) -> str:
    return cite(text, verify(text, evidence), order or [])[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("東京倉庫は100個です。", "東京倉庫は100個[1]です。"),
        ("東京倉庫は100個、大阪倉庫は80個です。", "東京倉庫は100個、大阪倉庫は80個[1]です。"),
        ("東京倉庫は100個です。大阪倉庫は80個です。", "東京倉庫は100個[1]です。大阪倉庫は80個[1]です。"),
        ("東京倉庫は120個です。", "東京倉庫は120個です。"),
        ("- 東京倉庫: **100**\n- 大阪倉庫: 80", "- 東京倉庫: **100**[1]\n- 大阪倉庫: 80[1]"),
        ("こんにちは。", "こんにちは。"),
        ("東京倉庫は全体の50%です。", "東京倉庫は全体の50%[1]です。"),
        ("東京倉庫（100個）が最多です。", "東京倉庫（100個）[1]が最多です。"),
    ],
)  # fmt: skip
def test_a_mark_follows_the_last_proved_item_of_a_sentence(
    stock: Evidence, text: str, expected: str
) -> None:
    assert cited(text, [stock]) == expected


def test_evidence_is_numbered_in_the_order_of_use(stock: Evidence, passage: Build) -> None:
    policy = passage("E7", "返品は納品後30日以内に限る。")
    text = "返品は納品後30日以内です。東京倉庫は100個です。"
    shown, used = cite(text, verify(text, [stock, policy]), [])
    assert shown == "返品は納品後30日[1]以内です。東京倉庫は100個[2]です。"
    assert used == [(1, "E7", "passage"), (2, "E1", "row 1, quantity")]


def test_a_given_order_is_kept(stock: Evidence) -> None:
    text = "東京倉庫は100個です。"
    shown, used = cite(text, verify(text, [stock]), ["E9", "E1"])
    assert shown == "東京倉庫は100個[2]です。"
    assert used == [(2, "E1", "row 1, quantity")]


def test_a_table_is_cited_at_the_line_before_it(stock: Evidence) -> None:
    text = "在庫一覧:\n\n| 倉庫 | 在庫 |\n|---|---|\n| 東京倉庫 | 100 |\n| 大阪倉庫 | 80 |"
    assert cited(text, [stock]) == text.replace("在庫一覧:", "在庫一覧:[1]")


def test_a_table_without_a_caption_is_left_alone(stock: Evidence) -> None:
    text = "| 倉庫 | 在庫 |\n|---|---|\n| 東京倉庫 | 100 |"
    assert cited(text, [stock]) == text


def test_a_mark_never_splits_a_number(monthly: Evidence) -> None:
    text = "In November 2026 sales were 123,456.00 yen, up from 100,000.00 yen."
    shown = cited(text, [monthly])
    assert "123,456.00" in shown and "100,000.00" in shown


def test_a_passage_that_says_the_same_is_cited_before_the_full_stop(passage: Build) -> None:
    policy = passage("E2", "不良品の返品については、送料は当社が負担するものとする。")
    text = "不良品の返品送料は当社が負担します。"
    assert cited(text, [policy]) == "不良品の返品送料は当社が負担します[1]。"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("東京倉庫は100個です。大阪倉庫は99個です。", "東京倉庫は100個です。"),
        ("東京倉庫は100個です。\n- 大阪倉庫: 99\n- 福岡倉庫: 20", "東京倉庫は100個です。\n- 福岡倉庫: 20"),
        ("大阪倉庫は99個です。", "大阪倉庫は（未確認: 99個）です。"),
        ("There are 999 units.", "There are [unverified: 999 units]."),
        ("库存为999个。", "库存为[未证实: 999个]。"),
        ("東京倉庫は100個です。", "東京倉庫は100個です。"),
    ],
)  # fmt: skip
def test_what_is_not_proved_is_removed_or_marked(stock: Evidence, text: str, expected: str) -> None:
    assert strike(text, verify(text, [stock])) == expected
