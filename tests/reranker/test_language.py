import pytest

from reranker.language import Kanji, language_of


@pytest.mark.parametrize(
    "text",
    [
        "返品の期限は？",
        "ｶﾀｶﾅ",
        "XR-4200の数",
        "在庫回転率",
        "東京支店",
        "棚卸資産",
        "何件",
        "前年同月比年度計売上高推移表の件",
    ],
)
@pytest.mark.parametrize("kanji", ["ja", "zh"])
def test_japanese_is_known_by_kana_and_by_its_own_characters_and_words(
    text: str, kanji: Kanji
) -> None:
    assert language_of(text, kanji=kanji) == "ja"


@pytest.mark.parametrize(
    "text",
    [
        "库存周转率是多少？",
        "庫存數量",
        "這個月",
        "上周",
        "第三季度",
        "列出所有客户公司",
        "《となり》是一九八八年由宫崎骏导演的日本动画电影，深受各国各年龄层观众喜爱，评价极高",
    ],
)
@pytest.mark.parametrize("kanji", ["ja", "zh"])
def test_chinese_is_known_by_its_own_characters_and_words(text: str, kanji: Kanji) -> None:
    assert language_of(text, kanji=kanji) == "zh"


@pytest.mark.parametrize("text", ["大阪", "数量", "令和7年", "昭和60年度", "2025年3月", "去年"])
@pytest.mark.parametrize("kanji", ["ja", "zh"])
def test_kanji_that_could_be_either_are_what_the_caller_wants(text: str, kanji: Kanji) -> None:
    assert language_of(text, kanji=kanji) == kanji


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2025-03-01",
        "combien d'unités",
        "How many units of the category 電動工具 were sold in October 2026?",
    ],
)
def test_english_is_what_has_hardly_any_kana_or_han(text: str) -> None:
    assert language_of(text, kanji="ja") == "en"
