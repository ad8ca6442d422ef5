import pytest

from reranker.text import language, units


def test_a_code_is_one_identifier_in_any_spelling() -> None:
    assert units("ＸＲ－４２００").identifiers == {"xr4200"}
    assert units("XR4200 を発注").identifiers == units("XR-4200").identifiers


def test_leading_zeros_make_an_identifier() -> None:
    found = units("SKU 00123")
    assert found.identifiers == {"00123"}
    assert not found.numbers


@pytest.mark.parametrize("text", ["2026-03-05", "2026年3月5日", "2026/03/05"])
def test_a_date_is_the_same_numbers_in_every_notation(text: str) -> None:
    assert units(text).numbers == {"2026", "3", "5"}


def test_thousands_separators_are_dropped() -> None:
    assert units("１，２３４，５６７円").numbers == {"1234567"}


def test_function_words_are_not_compared() -> None:
    assert units("What is the return policy?").words == {"return", "policy"}
    assert units("返品ですか").words == {"返品", "品で"}


def test_phrases_are_word_pairs_and_runs_of_four_characters() -> None:
    assert units("lead times 在庫回転率").phrases == {"lead times", "在庫回転", "庫回転率"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [("返品の期限は？", "ja"), ("return policy", "en"), ("数量", "zh"), ("12,345", "other")],
)
def test_what_has_no_letter_is_in_no_language(text: str, expected: str) -> None:
    assert language(text, kanji="zh") == expected
