"""Which questions ask what to order: each word must be understood, else it is left to the model."""

from datetime import date

import pytest

from agent.reorder.question import Stored, Values, read_comparison, read_reorder
from tools.dates import CalendarSettings
from tools.text import casefolded

TODAY = date(2026, 11, 30)
STORED: tuple[Stored, ...] = (
    ("warehouses", "warehouse_code", "W01"),
    ("warehouses", "warehouse_name", "東京倉庫"),
    ("suppliers", "supplier_code", "S03"),
    ("categories", "category", "照明"),
    ("categories", "category_en", "Lighting"),
    ("products", "sku", "XR-4200"),
    ("products", "status", "discontinued"),
    ("purchase_orders", "status", "open"),
)
OTHERWISE = {"tokyo": STORED[1], "tokyo warehouse": STORED[1]}


def like(words: str) -> list[Stored]:
    exact = [s for s in STORED if casefolded(s[2]) == words]
    return exact or [s for name, s in OTHERWISE.items() if name == words]


VALUES = Values(lambda t: [s for s in STORED if casefolded(s[2]) in casefolded(t)], like)


@pytest.mark.parametrize(
    "question",
    [
        "What should we reorder?",
        "What should we reorder now?",
        "What should we order this month?",
        "Which products should we reorder?",
        "Which items need to be reordered?",
        "Which SKUs need replenishment?",
        "Which of our products need reordering?",
        "What do we need to order?",
        "What needs to be restocked?",
        "Please propose what to reorder.",
        "Can you tell me what we should reorder?",
        "Make a reorder proposal.",
        "Give me a replenishment plan",
        "Reorder proposal please",
        "何を発注すべきですか？",
        "何をどれだけ発注すべきですか",
        "何を発注したらよいですか？",
        "何を発注すればいいですか",
        "今月は何を発注すべき？",
        "どの商品を発注すべきですか？",
        "どの商品の発注が必要ですか？",
        "発注が必要な商品は？",
        "発注が必要な商品はどれですか？",
        "発注すべき商品を教えてください",
        "補充が必要な商品の一覧を出してください",
        "発注提案を作ってください",
        "発注案を作成して",
        "補充計画を立ててください",
        "哪些商品需要补货？",
        "我们应该补什么货？",
        "应该订购什么？",
        "需要补货的商品有哪些？",
        "请给出补货建议",
        "请生成采购建议",
        "现在需要补货哪些商品",
    ],
)
def test_it_asks_what_to_order(question: str) -> None:
    asked = read_reorder(question, VALUES)
    assert asked is not None
    assert (asked.values, asked.rest) == ((), "")


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("What should we reorder for warehouse W01?", ["W01"]),
        ("What should we reorder from supplier S03 for category 照明?", ["S03", "照明"]),
        ("What should we reorder for W01 and S03?", ["W01", "S03"]),
        ("What should we order for the Tokyo warehouse?", ["東京倉庫"]),
        ("How many units of XR-4200 should we order?", ["XR-4200"]),
        ("Should we reorder XR-4200?", ["XR-4200"]),
        ("List the reorder suggestions for Lighting", ["Lighting"]),
        ("Create a purchase order proposal for supplier S03", ["S03"]),
        ("W01の発注提案を作ってください", ["W01"]),
        ("東京倉庫で何を発注すべきですか", ["東京倉庫"]),
        ("仕入先S03に何を発注すべきですか？", ["S03"]),
        ("カテゴリ「照明」の発注提案をお願いします", ["照明"]),
        ("XR-4200は発注すべきですか？", ["XR-4200"]),
        ("XR-4200をいくつ発注すべきですか？", ["XR-4200"]),
        ("仓库W01哪些商品需要补货？", ["W01"]),
        ("照明类商品哪些需要补货？", ["照明"]),
        ("供应商S03的补货建议", ["S03"]),
        ("XR-4200需要补货吗？", ["XR-4200"]),
    ],
)
def test_what_it_is_limited_to_is_read(question: str, values: list[str]) -> None:
    asked = read_reorder(question, VALUES)
    assert asked is not None
    assert sorted(places[0][2] for places in asked.values) == sorted(values)


@pytest.mark.parametrize(
    "question",
    [
        "How many purchase orders are late?",
        "What did we order last month?",
        "What is on order?",
        "Which orders are open?",
        "Show the purchase orders of S03",
        "Show the purchase order list",
        "What is the reorder point of XR-4200?",
        "What is our reorder policy?",
        "When should we reorder XR-4200?",
        "Why should we reorder XR-4200?",
        "Which supplier should we order from?",
        "Which products should customers order online?",
        "What do we order from S03?",
        "Who approves a reorder proposal?",
        "Was the reorder proposal approved?",
        "How many SKUs are below the reorder point?",
        "How many units did we reorder?",
        "In what order should we pick?",
        "What should we do about late orders?",
        "XR-4200の発注点は何個ですか？",
        "発注残は？",
        "発注方針は何ですか",
        "何を発注しましたか？",
        "先月は何を発注しましたか",
        "何を発注する予定ですか？",
        "発注書の作り方を教えてください",
        "発注提案は承認されましたか",
        "発注提案の承認者は誰ですか",
        "発注が必要な商品は何点ありますか",
        "納期遅れの発注は何件？",
        "発注リストを見せて",
        "補充の手順を教えてください",
        "いつ発注すべきですか",
        "采购订单有多少逾期？",
        "XR-4200的再订货点是多少？",
        "补货政策是什么？",
        "补货周期是多少天？",
        "上个月我们采购了什么？",
        "哪些采购订单还没到货？",
        "哪些商品需要补货标签？",
        "谁批准补货建议？",
    ],
)
def test_a_question_that_only_mentions_orders_is_none(question: str) -> None:
    assert read_reorder(question, VALUES) is None


@pytest.mark.parametrize(
    "question",
    [
        "What should we reorder for warehouse W99?",
        "What should we reorder except from S03?",
        "What should we reorder, excluding discontinued products?",
        "What should we reorder if sales double?",
        "If demand doubles, what should we reorder?",
        "What should we reorder, assuming sales double?",
        "What should we reorder according to the policy?",
        "What should we reorder based on the last 60 days?",
        "What should we reorder next month?",
        "What should we reorder for each customer?",
        "W99の発注提案を作ってください",
        "S03以外で何を発注すべきですか",
        "S03を除いて何を発注すべきですか",
        "需要が2倍になったら何を発注すべきですか",
        "発注方針に従って何を発注すべきですか",
        "来月は何を発注すべきですか",
        "W99需要补货吗？",
        "除了S03，哪些商品需要补货？",
        "如果销量翻倍，哪些商品需要补货？",
        "根据补货政策，哪些商品需要补货？",
        "下个月哪些商品需要补货？",
    ],
)
def test_what_a_rule_cannot_apply_is_not_dropped(question: str) -> None:
    assert read_reorder(question, VALUES) is None


@pytest.mark.parametrize(
    "question",
    [
        "Compare stock at the end of last quarter with this month and propose what to reorder.",
        "Compare stock at the end of last quarter with this month, then tell me what to reorder",
        "What should we reorder? And compare stock at the end of last quarter with this month.",
        "前四半期末の在庫と今月を比較し、何を発注すべきか提案してください",
        "前四半期末と今月末の在庫を比較して、発注提案を作ってください。",
        "比较上季度末和本月的库存，并提出补货建议",
    ],
)
def test_the_other_clause_compares_the_stock_of_two_days(question: str) -> None:
    asked = read_reorder(question, VALUES)
    assert asked is not None
    compared = read_comparison(asked.rest, TODAY, CalendarSettings(), VALUES)
    assert compared is not None
    assert compared.days == (date(2026, 9, 30), TODAY)


@pytest.mark.parametrize(
    "clause",
    [
        "compare sales of last quarter with this month",
        "compare stock at the end of last month",
        "compare stock at the end of last month with the plan of this month",
        "stock at the end of last month and this month",
        "compare stock today with today",
        "compare stock today with next month",
        "前四半期末と今月の売上を比較",
        "前四半期末と今月の倉庫別在庫を比較",
        "比较上季度末和本月的销售额",
    ],
)
def test_another_comparison_is_left_to_the_model(clause: str) -> None:
    assert read_comparison(clause, TODAY, CalendarSettings(), VALUES) is None


def test_another_clause_is_kept_for_the_model() -> None:
    asked = read_reorder("List the late orders and propose what to reorder", VALUES)
    assert asked is not None
    assert asked.rest == "List the late orders"


@pytest.mark.parametrize(
    "question",
    [
        "What should we reorder for each warehouse?",
        "倉庫ごとに何を発注すべきですか",
        "请按仓库给出补货建议",
    ],
)
def test_by_warehouse_is_understood_where_the_proposal_is(question: str) -> None:
    by_warehouse = Values(VALUES.within, VALUES.like, by_warehouse=True)
    assert read_reorder(question, VALUES) is None
    assert read_reorder(question, by_warehouse) is not None
