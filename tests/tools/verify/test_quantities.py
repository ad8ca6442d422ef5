from decimal import Decimal

import pytest

from tools.verify.facts import quantities_of


@pytest.mark.parametrize(
    ("text", "value", "step", "shown"),
    [
        ("在庫は120個です", "120", "1", "120個"),
        ("在庫は１２０個です", "120", "1", "１２０個"),
        ("売上は1,234千円", "1234000", "1000", "1,234千円"),
        ("売上は12.3万円", "123000", "1000", "12.3万円"),
        ("売上は12.3万", "123000", "1000", "12.3万"),
        ("3億円の売上", "300000000", "100000000", "3億円"),
        ("3億2,000万円の売上", "320000000", "10000", "3億2,000万円"),
        ("12万3,456円", "123456", "1", "12万3,456円"),
        ("123万4567.8円", "1234567.8", "0.1", "123万4567.8円"),
        ("売上5百万円", "5000000", "1000000", "5百万円"),
        ("利益は▲12百万円", "-12000000", "1000000", "▲12百万円"),
        ("前月比▲5.2%", "-5.2", "0.1", "▲5.2%"),
        ("前月比△5.2％", "-5.2", "0.1", "△5.2％"),
        ("変化は−12個", "-12", "1", "−12個"),
        ("change: -12 units", "-12", "1", "-12 units"),
        ("売上の3割", "30", "10", "3割"),
        ("a share of 35%", "35", "1", "35%"),
        ("up 12.5 percent", "12.5", "0.1", "12.5 percent"),
        ("占百分之35", "35", "1", "百分之35"),
        ("sold 12k units", "12000", "1000", "12k units"),
        ("revenue of $1.5 million", "1500000", "100000", "$1.5 million"),
        ("revenue of 2.5M", "2500000", "100000", "2.5M"),
        ("¥1,234,567 in sales", "1234567", "1", "¥1,234,567"),
        ("库存为3.5亿元", "350000000", "10000000", "3.5亿元"),
        ("仕入先は三社です", "3", "1", "三社"),
        ("十二個の商品", "12", "1", "十二個"),
        ("We carry three products", "3", "1", "three products"),
        ("weight: 5kg", "5", "1", "5kg"),
    ],
)
def test_a_quantity_is_read_with_its_scale_and_precision(
    text: str, value: str, step: str, shown: str
) -> None:
    (found,) = quantities_of(text)
    assert (found.value, found.step, found.text) == (Decimal(value), Decimal(step), shown)
    assert text[found.start : found.end] == shown


@pytest.mark.parametrize(
    "text",
    [
        "千葉と三重の店舗", "万一に備える", "三明治很好吃", "一部の商品", "四国の倉庫", "XR-4200は人気", "SKU 00123",
        "PPR-9087を発注", "version 2.5.1 of the app", "v2.5.1", "バージョン2.5", "電話 03-1234-5678", "TEL: 0120-345-678",
        "2025年3月", "2026-01-05", "令和8年1月5日", "March 5, 2025", "last 7 days", "過去3か月", "see [1] and [2, 3]",
        "根拠は E12 です", "1. first item", "2) 二番目", "## 3. 結論", "第3倉庫", "第一四半期", "売上1位の商品", "No. 5",
        "page 12", "12:30に到着", "〒100-0001", "https://example.com/2024/12", "report-2024-11.pdf", "①在庫", "m²",
        "注文番号 2024-000123", "COVID-19", "the 3rd warehouse", "|---|---|",
    ],
)  # fmt: skip
def test_digits_that_are_no_quantity_are_left_alone(text: str) -> None:
    assert quantities_of(text) == []


def test_brackets_may_mean_a_negative() -> None:
    (found,) = quantities_of("operating result (12)")
    assert found.either_sign


@pytest.mark.parametrize(
    ("text", "bound", "low", "high"),
    [
        ("約12,000個", "about", "11500", "12500"),
        ("about 1,230 units", "about", "1225", "1235"),
        ("1,200を超える", "over", "1200", "1300"),
        ("more than 1,000 units", "over", "1000", "2000"),
        ("1,300未満", "under", "1200", "1300"),
        ("12.3万", "", "122500", "123500"),
        ("120個", "", "119.5", "120.5"),
        ("3個", "", "3", "3"),
        ("35%", "", "34.5", "35.5"),
    ],
)
def test_the_interval_is_what_would_be_written_like_this(
    text: str, bound: str, low: str, high: str
) -> None:
    (found,) = quantities_of(text)
    assert found.bound == bound
    assert found.interval() == (Decimal(low), Decimal(high))


def test_every_quantity_of_a_sentence_is_found_in_order() -> None:
    found = quantities_of("東京は100個、大阪は80個で、合計180個（全体の90%）です。")
    assert [q.text for q in found] == ["100個", "80個", "180個", "90%"]
