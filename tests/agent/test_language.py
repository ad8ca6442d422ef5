import pytest

from agent.language import language_of


@pytest.mark.parametrize(
    "text",
    [
        "在庫はいくつ",
        "売上合計",
        "在庫数量一覧",
        "棚卸資産回転率",
        "東京支店売上",
        "発注残一覧",
        "ｶﾀｶﾅ",
        "XR-4200の数",
    ],
)
def test_japanese_is_known_by_kana_and_by_its_own_characters(text: str) -> None:
    assert language_of(text) == "ja"


@pytest.mark.parametrize(
    "text",
    ["库存数量", "上个月的销售额", "大阪仓库有多少", "退货政策是什么", "产品清单", "北京分店"],
)
def test_chinese_is_known_by_its_own_characters(text: str) -> None:
    assert language_of(text) == "zh"


@pytest.mark.parametrize("text", ["How many?", "", "XR-4200", "12 × 3", "combien d'unités"])
def test_what_has_neither_is_english(text: str) -> None:
    assert language_of(text) == "en"
