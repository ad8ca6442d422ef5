from collections.abc import Callable
from pathlib import Path

import pytest

from ingest.documents import Document
from ingest.documents.encoding import decode
from ingest.store.errors import FileRejected

JAPANESE = (
    "返品規程\n\n返品は受領後30日以内に、未開封の商品に限り受け付けます。送料は当社が負担します。"
)
CHINESE = "补货政策\n\n当库存低于安全库存时，采购部门应在三个工作日内下单，并通知仓库管理员。"
ENGLISH = "Return policy\n\nGoods may be returned within 30 days."


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp932", "euc_jp"]
)
def test_japanese_text_is_decoded(encoding: str, tmp_path: Path) -> None:
    assert decode(JAPANESE.encode(encoding), tmp_path / "a.txt") == JAPANESE


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "gb18030", "gb2312"]
)
def test_chinese_text_is_decoded(encoding: str, tmp_path: Path) -> None:
    assert decode(CHINESE.encode(encoding), tmp_path / "a.txt") == CHINESE


def test_a_byte_order_mark_of_gb18030_is_obeyed(read: Callable[..., Document]) -> None:
    assert read(("\ufeff" + CHINESE).encode("gb18030"), "a.txt").text == CHINESE


@pytest.mark.parametrize("encoding", ["ascii", "utf-16", "utf-16-be"])
def test_english_text_is_decoded(encoding: str, tmp_path: Path) -> None:
    assert decode(ENGLISH.encode(encoding), tmp_path / "a.txt") == ENGLISH


def test_bytes_that_are_no_text_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(FileRejected, match="not a text file") as caught:
        decode(bytes(range(256)) * 20, tmp_path / "a.txt")
    assert "UTF-8" in caught.value.hint


def test_a_broken_byte_is_rejected_with_its_line(tmp_path: Path) -> None:
    data = "一行目\n二行目\n".encode() + b"\xff\xfe\xfd broken"
    with pytest.raises(FileRejected, match="line 3 is not UTF-8"):
        decode(data, tmp_path / "a.txt")


def test_a_wrong_byte_order_mark_is_rejected_with_the_place(tmp_path: Path) -> None:
    with pytest.raises(FileRejected, match=r"a\.txt: marked as utf-8-sig"):
        decode(b"\xef\xbb\xbfok \xff", tmp_path / "a.txt")


def test_paragraphs_are_parted_by_blank_lines(read: Callable[..., Document]) -> None:
    document = read("one\nstill one\n\n  \ntwo\n", "a.txt")
    assert [block.text for block in document.blocks] == ["one\nstill one", "two"]
    assert document.title == "a"


@pytest.mark.parametrize("encoding", ["iso2022_jp", "iso2022_jp_1", "iso2022_jp_3"])
def test_the_seven_bit_encoding_of_japanese_mail_is_decoded(encoding: str, tmp_path: Path) -> None:
    assert decode(JAPANESE.encode(encoding), tmp_path / "a.txt") == JAPANESE


@pytest.mark.parametrize(
    "text",
    [
        "It’s the supplier’s own.",
        "“Hello,” she said – and left…",
        "Größe und Gewicht prüfen, eine Rückgabe ist möglich.",
        "L’été dernier, la société a livré 45 palettes à Genève.",
    ],
)
def test_western_text_is_decoded(text: str, tmp_path: Path) -> None:
    assert decode(text.encode("cp1252"), tmp_path / "a.txt") == text


@pytest.mark.parametrize("encoding", ["cp932", "euc_jp"])
@pytest.mark.parametrize("word", ["テスト", "倉庫", "ア", "在庫管理"])
def test_a_japanese_word_in_an_english_text_is_decoded(
    word: str, encoding: str, tmp_path: Path
) -> None:
    text = f"The list says {word} for it, and the rest of this text is English."
    assert decode(text.encode(encoding), tmp_path / "a.txt") == text


@pytest.mark.parametrize("letters", [41, 42])
def test_english_with_broken_bytes_is_not_taken_for_another_script(
    letters: int, tmp_path: Path
) -> None:
    data = b"English words and \xff\xfe\xfd broken bytes, " + b"x" * letters
    with pytest.raises(FileRejected, match="line 1 is not UTF-8"):
        decode(data, tmp_path / "a.txt")


@pytest.mark.parametrize("separator", ["\f", "\v", "\u2028", "\u2029", "\x85"])
def test_words_around_a_page_or_line_separator_stay_apart(
    separator: str, read: Callable[..., Document]
) -> None:
    assert read(f"last{separator}first", "a.txt").text == "last first"
