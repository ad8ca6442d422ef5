import pytest

from agent.language import Language, is_in_other_script, language_of


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


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("There are 0 open tickets in the team.", "zh"),
        ("The stock of XR-4200 is 19 units.", "ja"),
        ("高優先度の未対応チケットは0件です。", "en"),
    ],
)
def test_a_sentence_in_another_script_is_noticed(text: str, language: Language) -> None:
    assert is_in_other_script(text, language)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("XR-4200: 19", "ja"),
        ("有3个未完成的任务。", "zh"),
        ("東京倉庫: 20", "en"),
        ("Acme Corporation 有5个用户。", "zh"),
        ("The warehouse is 東京第一物流センター倉庫。", "en"),
        ("", "ja"),
    ],
)
def test_names_and_codes_may_be_in_any_script(text: str, language: Language) -> None:
    assert not is_in_other_script(text, language)
