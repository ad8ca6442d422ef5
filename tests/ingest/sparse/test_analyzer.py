import pytest

from ingest.sparse import terms
from ingest.sparse.segmenters import is_japanese


@pytest.mark.parametrize("text", ["XR-4200", "ＸＲ－４２００", "xr‐4200", "XRー4200"])
def test_an_identifier_is_one_token_and_its_parts_in_any_width(text: str) -> None:
    assert terms(text) == ["xr-4200", "xr", "4200"]


def test_leading_zeros_stay() -> None:
    assert terms("００１２３") == ["00123"]


def test_thousands_separators_do_not_split_a_number() -> None:
    assert terms("1,234,567.5 units") == ["1234567.5", "unit"]
    assert terms("3.5万")[0] == "3.5"


def test_a_list_of_numbers_is_not_one_number() -> None:
    assert terms("12,34,5") == ["12", "34", "5"]


def test_a_date_gives_itself_and_its_parts() -> None:
    assert terms("2026-11-30") == ["2026-11-30", "2026", "11", "30"]


@pytest.mark.parametrize("text", ["サーバー", "ｻｰﾊﾞｰ"])
def test_the_long_vowel_mark_does_not_split_a_word(text: str) -> None:
    found = terms(text)
    assert found[:3] == ["サー", "ーバ", "バー"]
    assert "サーバー" in found


def test_spellings_of_one_japanese_word_share_its_normalized_form() -> None:
    assert "引っ越し" in terms("引越し")
    assert "引っ越し" in terms("引っ越し")


def test_particles_are_no_words() -> None:
    assert "は" not in terms("在庫は多い")


def test_kanji_only_text_gives_bigrams() -> None:
    assert {"库存", "存周", "周转", "转率"} <= set(terms("库存周转率"))


def test_chinese_is_cut_into_words_without_particles() -> None:
    found = terms("库存周转率的计算方法")
    assert {"周转率", "计算方法"} <= set(found)
    assert "的" not in found


def test_kanji_alone_are_read_in_both_languages() -> None:
    """計算 is in both dictionaries' words; 安全在庫 is two words in Japanese, 安全 in Chinese."""
    found = terms("安全在庫")
    assert {"安全", "在庫", "全在"} <= set(found)
    assert found.count("安全") == 2  # as a bigram and as a word, once for the two languages


def test_kana_make_it_japanese_and_simplified_characters_chinese() -> None:
    assert is_japanese("在庫は多い") is True
    assert is_japanese("库存很多") is False
    assert is_japanese("返品期限") is None
    assert is_japanese("这款商品的包装上印有の字") is False  # one quoted kana


def test_a_lone_kanji_can_be_searched() -> None:
    assert "棚" in terms("棚 12")


def test_english_words_are_lower_cased_and_stemmed() -> None:
    assert terms("The Supplier's POLICIES, returns & boxes") == [
        "the",
        "supplier",
        "policy",
        "return",
        "boxe",
    ]


@pytest.mark.parametrize("text", ["", "  \n", "。、！？", "--- ... ***", "🙂"])
def test_punctuation_leaves_nothing_to_search_for(text: str) -> None:
    assert terms(text) == []


def test_a_text_longer_than_the_tokenizer_takes_is_cut() -> None:
    assert terms("在庫" * 20_000).count("在庫") >= 20_000
