import random

import pytest

from ingest.documents.gibberish import gibberish

ENGLISH = (
    "Accordingly a part of the day was spent in cutting cane and building bunks with it on the "
    "side of the hill, and every pallet that had come in was counted before the evening."
)
JAPANESE = (
    "棚卸は毎月末日に実施し、担当者が数量を確認して差異を報告する。鯖・鰯・鮪は冷凍庫で保管する。"
)
CHINESE = "仓库应在每月最后一个工作日进行盘点，实际数量与账面数量不符时须立即报告主管。"


@pytest.mark.parametrize(
    "text",
    [
        ENGLISH,
        JAPANESE * 3,
        CHINESE * 3,
        "繁體中文的庫存盤點應於每月最後一個工作日進行，倉庫管理員須確認實際數量。" * 2,
        "Le procès-verbal de la séance est adopté à l'unanimité par les conseillers municipaux.",
        "Die Prüfung der Lagerbestände erfolgt am letzten Arbeitstag und wird schriftlich belegt.",
        "Kacza Warszawa Książę zapłaty przelew brutto należności wystawienia płatności sprzedaży",
        "XR-4200 PPR-9087 HDMI LCD TFT-1200 SSD-512 DRAM 00123 QFN-48 TSSOP-20 " * 10,
        "12.50 1,234 ▲300 (45) 99% " * 20,
        "",
    ],
)
def test_what_people_write_is_no_gibberish(text: str) -> None:
    assert gibberish(text) == ""


@pytest.mark.parametrize("shift", [-29, -3, 1, 3])
def test_shifted_letters_make_no_words(shift: int) -> None:
    shifted = "".join(chr(ord(char) + shift) if char.isalpha() else char for char in ENGLISH)
    letters = "".join(char if char.isalpha() else " " for char in shifted)
    if sum(len(word) >= 4 for word in letters.split()) > 8:
        assert gibberish(letters) == "letters that make no words"


@pytest.mark.parametrize(("text", "encoding"), [(JAPANESE, "cp932"), (CHINESE, "gb18030")])
def test_bytes_of_east_asian_text_read_as_latin_are_gibberish(text: str, encoding: str) -> None:
    assert gibberish(text.encode(encoding).decode("latin-1"))


def test_glyph_numbers_read_as_characters_are_gibberish() -> None:
    chance = random.Random(4)
    text = "".join(chr(chance.randrange(0x4E00, 0x9FA0)) for _ in range(80))
    assert gibberish(text) == "characters that no language uses together"
