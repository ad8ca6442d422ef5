import pytest

from ingest.documents.language import detect_language, passage_language


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("在庫を確認してください", "ja"),
        ("データ", "ja"),
        ("请检查库存", "zh"),
        ("The reorder point is 30.", "en"),
        ("SKU XR-4200の在庫数はいくつですか", "ja"),
        ("The supplier 株式会社 delivers every Monday to our warehouse.", "en"),
        ("这款产品的包装上写着「の」字，其余说明都是中文，请放心使用", "zh"),
        ("12,345 | 67%", "unknown"),
        ("재고를 확인하십시오", "unknown"),
    ],
)
def test_scripts_tell_the_language(text: str, expected: str) -> None:
    assert detect_language(text) == expected


def test_a_passage_of_figures_has_the_language_of_its_document() -> None:
    assert passage_language("| 1 | 2 |", "zh") == "zh"


def test_a_passage_of_kanji_in_a_japanese_document_is_japanese() -> None:
    assert passage_language("東京倉庫在庫一覧", "ja") == "ja"
    assert passage_language("東京倉庫在庫一覧", "en") == "zh"
