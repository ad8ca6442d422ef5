"""Names come out alike in Latin letters, however they are written."""

import pytest

from ingest.sparse.latin import fold_latin, latin_forms


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Toukyou", "tokyo"),
        ("Tōkyō", "tokyo"),
        ("オオサカ", "osaka"),
        ("サッポロ".replace("ッ", ""), "sapporo"),
        ("シンバシ", "shimbashi"),
        ("チョコ", "choko"),
        ("シュウ", "shu"),
        ("ジュンコ", "junko"),
        ("キョウト", "kyoto"),
        ("São Paulo", "sao paulo"),
    ],
)
def test_ways_of_romanising_are_one(one: str, other: str) -> None:
    assert fold_latin(one) == fold_latin(other)


@pytest.mark.parametrize(("one", "other"), [("kobe", "kyoto"), ("シガ", "サガ"), ("ran", "run")])
def test_different_names_stay_different(one: str, other: str) -> None:
    assert fold_latin(one) != fold_latin(other)


def test_kanji_alone_have_a_japanese_and_a_chinese_reading() -> None:
    assert latin_forms("東京倉庫") == [("tokyo", "warehouse"), ("dongjing", "warehouse")]


def test_characters_of_one_language_have_its_reading_only() -> None:
    assert latin_forms("上海仓库") == [("shanghai", "warehouse")]
    assert latin_forms("とうきょう倉庫") == [("tokyo", "warehouse")]


def test_a_text_without_words_has_no_form() -> None:
    assert latin_forms("!? ・") == []
