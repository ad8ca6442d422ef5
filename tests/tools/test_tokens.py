import pytest

from tools.tokens import estimate_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("abcd", 1),
        ("abcde", 2),
        ("2026", 4),
        ("在庫", 2),
        ("２０２６", 4),
        ("sku | 12", 4),
        ("在庫 12 units", 6),
    ],
)
def test_a_digit_and_a_cjk_character_are_one_token_and_four_other_characters_too(
    text: str, tokens: int
) -> None:
    assert estimate_tokens(text) == tokens
