from pathlib import Path

import pytest

from ingest.store.errors import FileRejected
from ingest.tables.encoding import detect_encoding, open_text

JAPANESE = "商品コード,商品名,単価\n0012,ボールペン 黒,120\n0013,㈱髙島 ①号ノート,300\n"
CHINESE = "产品编号,产品名称,数量,单价\n1001,办公用纸,20,35\n1002,黑色中性笔,100,2\n"


def decoded(path: Path, data: bytes) -> tuple[str, str]:
    path.write_bytes(data)
    encoding = detect_encoding(path)
    return encoding.codec, "".join(open_text(path, encoding))


@pytest.mark.parametrize("codec", ["utf-8", "cp932", "utf-16"])
def test_japanese_with_vendor_characters_comes_back_unchanged(tmp_path: Path, codec: str) -> None:
    assert decoded(tmp_path / "a.csv", JAPANESE.encode(codec)) == (codec, JAPANESE)


def test_euc_jp_is_not_taken_for_chinese(tmp_path: Path) -> None:
    text = "商品名,売上高,前年比\n洗濯洗剤,1200,98\n台所用品,800,102\n"
    assert decoded(tmp_path / "a.csv", text.encode("euc_jp")) == ("euc_jp", text)


def test_gb18030_is_not_taken_for_japanese(tmp_path: Path) -> None:
    assert decoded(tmp_path / "a.csv", CHINESE.encode("gb18030")) == ("gb18030", CHINESE)


def test_accents_of_western_europe_are_read_as_cp1252(tmp_path: Path) -> None:
    text = "name;ville\nJosé Muñoz;Orléans\nFrançois;Besançon\n"
    assert decoded(tmp_path / "a.csv", text.encode("cp1252")) == ("cp1252", text)


def test_half_width_katakana_of_old_systems_is_cp932(tmp_path: Path) -> None:
    text = "ｺｰﾄﾞ,ﾋﾝﾒｲ\n001,ﾎﾞｰﾙﾍﾟﾝ\n002,ｹｼｺﾞﾑ\n"
    assert decoded(tmp_path / "a.csv", text.encode("cp932")) == ("cp932", text)


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark_is_recognised_by_its_zero_bytes(tmp_path: Path, codec: str) -> None:
    text = "sku,qty\nXR-4200,5\n"
    assert decoded(tmp_path / "a.csv", text.encode(codec)) == (codec, text)


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", [JAPANESE, CHINESE, "商品名,数量\nりんご,3\nみかん,4\n"])
def test_utf16_without_a_mark_and_with_few_zero_bytes_is_recognised(
    tmp_path: Path, codec: str, text: str
) -> None:
    assert decoded(tmp_path / "a.csv", text.encode(codec)) == (codec, text)


def test_a_stray_zero_byte_does_not_make_cp932_utf16(tmp_path: Path) -> None:
    data = JAPANESE.encode("cp932") + b"0014,\0,1\n"
    assert decoded(tmp_path / "a.csv", data)[0] == "cp932"


def test_every_leading_mark_is_dropped(tmp_path: Path) -> None:
    data = b"\xef\xbb\xbf\xef\xbb\xbfsku,qty\n"
    assert decoded(tmp_path / "a.csv", data)[1] == "sku,qty\n"


def test_a_character_split_between_two_blocks_is_read(tmp_path: Path) -> None:
    text = "x" * (2**20 - 1) + "在庫\n"
    assert decoded(tmp_path / "a.csv", text.encode())[1] == text


def test_text_that_is_plausible_in_no_encoding_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "greek.csv"
    path.write_bytes("id,όνομα\n1,Μιχάλης\n2,Ελευθερία\n".encode("iso8859-7"))
    with pytest.raises(FileRejected, match="encoding") as refused:
        detect_encoding(path)
    assert "UTF-8" in refused.value.hint


@pytest.mark.parametrize("bad", [b"\xff", b"\xe5\xba"])
def test_a_broken_byte_in_utf8_is_named_with_its_line(tmp_path: Path, bad: bytes) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("品番,数量\n".encode() + b"a,1\nb," + bad)
    with pytest.raises(FileRejected, match=r"line 3 .*byte 3 of the line"):
        detect_encoding(path)
