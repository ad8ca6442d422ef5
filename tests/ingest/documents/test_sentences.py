from itertools import pairwise

import pytest

from ingest.documents.chunking.sentences import sentences, soft_break


def split(text: str) -> list[str]:
    return [text[start:end].strip() for start, end in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("在庫を確認する。次に発注する。", ["在庫を確認する。", "次に発注する。"]),
        ("库存不足！立即补货？是的。", ["库存不足！", "立即补货？", "是的。"]),
        ("Check the stock. Then order.", ["Check the stock.", "Then order."]),
        (
            "彼は「承認する。発注せよ。」と言った。終わり。",
            ["彼は「承認する。発注せよ。」と言った。", "終わり。"],
        ),
        ("他说：“可以。”然后走了。", ["他说：“可以。”", "然后走了。"]),
        ("Lead time is 3.5 days. See v1.2.3 now.", ["Lead time is 3.5 days.", "See v1.2.3 now."]),
        ("Use e.g. No. 5 or the U.S. size. Done.", ["Use e.g. No. 5 or the U.S. size.", "Done."]),
        ("第一行\n第二行", ["第一行", "第二行"]),
        ("返品（破損品。未開封。）は可。次。", ["返品（破損品。未開封。）は可。", "次。"]),
    ],
)
def test_text_is_split_where_a_sentence_ends(text: str, expected: list[str]) -> None:
    assert split(text) == expected


def test_sentences_tile_the_text() -> None:
    text = "一つ目。 二つ目！「三つ目。」 Four. 5.5 is five\n\nsix"
    spans = list(sentences(text))
    assert spans[0][0] == 0
    assert spans[-1][1] == len(text)
    assert all(a[1] == b[0] for a, b in pairwise(spans))


def test_a_bracket_that_is_never_closed_does_not_swallow_the_text() -> None:
    text = "見出し（未完\n" + "在庫を確認する。" * 60
    assert len(split(text)) > 50


def test_a_long_sentence_is_cut_after_a_comma() -> None:
    text = "東京倉庫、大阪倉庫、福岡倉庫、札幌倉庫"
    assert text[: soft_break(text, 0, 13)] == "東京倉庫、大阪倉庫、"


@pytest.mark.parametrize("limit", range(4, 13))
def test_a_cut_never_falls_inside_a_number(limit: int) -> None:
    text = "合計は1,234,567円"
    assert text[: soft_break(text, 0, limit)] in ("合計は", "合計は1,234,567")


def test_a_word_without_any_break_is_cut_at_the_limit() -> None:
    assert soft_break("x" * 50, 0, 20) == 20
