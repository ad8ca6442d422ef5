from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from ingest.documents import Document, read_document, reading_problems
from ingest.documents.ocr import NEEDS_OCR
from ingest.store.errors import FileRejected

Save = Callable[..., Document]
mupdf: Any = pymupdf  # its own annotations are partial
NO_PAGES = b"""%PDF-1.4
1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj
2 0 obj <</Type /Pages /Kids [] /Count 0>> endobj
trailer <</Root 1 0 R>>
%%EOF
"""
LINE = "The warehouse counts every item on the last day of each month"


@pytest.fixture
def save(tmp_path: Path) -> Save:
    def write_and_read(pdf: Any, **options: object) -> Document:
        path = tmp_path / "made.pdf"
        pdf.save(path, **options)
        return read_document(path, ocr=lambda: None)

    return write_and_read


def blocks(document: Document, kind: str) -> list[str]:
    return [b.text for b in document.blocks if b.kind == kind]


def draw_table(page: Any, rows: list[list[str]], x: float, y: float, w: float) -> None:
    """A ruled table with rows 30 points high."""
    right, bottom = x + w * len(rows[0]), y + 30 * len(rows)
    for i in range(len(rows) + 1):
        page.draw_line((x, y + 30 * i), (right, y + 30 * i))
    for j in range(len(rows[0]) + 1):
        page.draw_line((x + w * j, y), (x + w * j, bottom))
    for i, row in enumerate(rows):
        for j, text in enumerate(row):
            for k, line in enumerate(text.split("\n")):
                page.insert_text((x + w * j + 2, y + 30 * i + 12 + 12 * k), line, fontsize=9)


def body(page: Any, top: float = 200, lines: int = 8) -> None:
    for i in range(lines):
        page.insert_text((72, top + 14 * i), f"{LINE} {i}", fontsize=10)


def test_larger_text_is_a_heading_with_its_level(save: Save) -> None:
    pdf = mupdf.open()
    page = pdf.new_page()
    page.insert_text((72, 80), "Stock policy", fontsize=24)
    page.insert_text((72, 150), "Counting", fontsize=15)
    body(page)
    document = save(pdf)
    levels = [(b.text, b.level, b.page) for b in document.blocks if b.kind == "heading"]
    assert levels == [("Stock policy", 1, 1), ("Counting", 2, 1)]
    assert document.title == "Stock policy"


def test_japanese_and_chinese_lines_join_without_blanks(save: Save) -> None:
    pdf = mupdf.open()
    page = pdf.new_page()
    page.insert_text(
        (72, 100),
        ["在庫は毎月末日に全倉庫の担当者が数え、", "差異があれば翌営業日までに報告する。"],
        fontname="japan",
    )
    document = save(pdf)
    assert (
        document.text
        == "在庫は毎月末日に全倉庫の担当者が数え、差異があれば翌営業日までに報告する。"
    )
    assert document.language == "ja"


def test_two_columns_are_read_one_after_the_other(save: Save) -> None:
    pdf = mupdf.open()
    page = pdf.new_page()
    page.insert_text(
        (72, 60),
        "A line over both columns that is as wide as the whole page is, nearly",
        fontsize=12,
    )
    for i in range(3):
        for x, name in ((72, "left"), (320, "right")):
            page.insert_textbox(
                (x, 100 + 90 * i, x + 200, 160 + 90 * i), f"{name} {i} " + "words " * 20, fontsize=9
            )
    text = save(pdf).text
    places = [text.index(f"{name} {i}") for name in ("left", "right") for i in range(3)]
    assert places == sorted(places)
    assert text.startswith("A line over both")


def test_a_ruled_table_is_markdown_and_not_repeated_as_text(save: Save) -> None:
    pdf = mupdf.open()
    page = pdf.new_page()
    body(page, lines=2)
    draw_table(page, [["SKU", "Qty"], ["XR-4200", "1,234.50"], ["007", "12"]], 72, 300, 100)
    document = save(pdf)
    assert blocks(document, "table") == [
        "| SKU | Qty |\n| --- | --- |\n| XR-4200 | 1,234.50 |\n| 007 | 12 |"
    ]
    assert document.text.count("1,234.50") == 1
    table = next(b for b in document.blocks if b.kind == "table")
    assert table.box == pytest.approx((72, 300, 272, 390), abs=2)


def test_a_figure_wrapped_in_a_narrow_cell_is_one_number(save: Save) -> None:
    pdf = mupdf.open()
    page = pdf.new_page()
    rows = [["Company", "Assets"], ["Hisoar", "1,905,943,80\n5.66"], ["Ganxiang", "5,444,685.96"]]
    draw_table(page, rows, 72, 100, 64)
    assert "| Hisoar | 1,905,943,805.66 |" in save(pdf).text


def test_a_table_that_goes_on_has_its_header_on_each_page(save: Save) -> None:
    pdf = mupdf.open()
    draw_table(pdf.new_page(), [["SKU", "Qty"], ["A-1", "1"]], 72, 700, 100)
    draw_table(pdf.new_page(), [["A-2", "2"], ["A-3", "3"]], 72, 72, 100)
    tables = blocks(save(pdf), "table")
    assert tables[1] == "| SKU | Qty |\n| --- | --- |\n| A-2 | 2 |\n| A-3 | 3 |"


def test_rows_without_rules_between_them_are_told_apart(save: Save) -> None:
    pdf = mupdf.open()
    page = pdf.new_page()
    for x in (72, 172, 272):
        page.draw_line((x, 100), (x, 190))
    for y in (100, 130, 190):
        page.draw_line((72, y), (272, y))
    for x, texts in ((74, ["SKU", "A-1", "A-2", "A-3"]), (174, ["Qty", "10", "20", "30"])):
        for y, text in zip((118, 146, 162, 178), texts, strict=True):
            page.insert_text((x, y), text, fontsize=9)
    assert save(pdf).text.splitlines()[2:] == ["| A-1 | 10 |", "| A-2 | 20 |", "| A-3 | 30 |"]


def test_text_wrapped_in_its_cells_stays_one_row(save: Save) -> None:
    pdf = mupdf.open()
    page = pdf.new_page()
    for x in (72, 142, 212):
        page.draw_line((x, 100), (x, 190))
    for y in (100, 130, 190):
        page.draw_line((72, y), (212, y))
    columns = (
        ["Item", "A long name", "that goes on", "for lines"],
        ["Note", "also a long", "remark here", "in the cell"],
    )
    for x, texts in zip((74, 144), columns, strict=True):
        for y, text in zip((118, 146, 162, 178), texts, strict=True):
            page.insert_text((x, y), text, fontsize=10)
    assert (
        "| A long name that goes on for lines | also a long remark here in the cell |"
        in save(pdf).text
    )


def test_words_beside_a_table_are_kept(save: Save) -> None:
    pdf = mupdf.open()
    page = pdf.new_page()
    draw_table(page, [["SKU", "Qty"], ["A-1", "1"], ["A-2", "2"]], 72, 100, 100)
    page.insert_text((20, 142), "row-one", fontsize=9)
    page.insert_text((280, 142), "9,876.5 checked", fontsize=9)
    text = save(pdf).text
    assert "row-one" in text
    assert "9,876.5 checked" in text
    assert text.count("A-1") == 1


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_a_page_on_its_side_is_read_upright(turn: int, save: Save) -> None:
    pdf = mupdf.open()
    page = pdf.new_page()
    draw_table(page, [["SKU", "Qty"], ["A-1", "1"]], 72, 300, 100)
    page.set_rotation(turn)
    assert save(pdf).text == "| SKU | Qty |\n| --- | --- |\n| A-1 | 1 |"


@pytest.mark.parametrize("turn", [90, 270])
def test_a_rotated_page_is_read_as_it_is_displayed(turn: int, save: Save) -> None:
    pdf = mupdf.open()
    page = pdf.new_page()
    draw_table(page, [["SKU", "Qty"], ["A-1", "1"]], 72, 300, 100)
    page.set_rotation(360 - turn)
    page.remove_rotation()
    page.set_rotation(turn)
    document = save(pdf)
    assert "| A-1 | 1 |" in document.text
    assert document.blocks[0].box == pytest.approx((72, 300, 272, 360), abs=2)


def test_running_headers_are_kept_once_and_page_numbers_left_out(save: Save) -> None:
    pdf = mupdf.open()
    for number in range(1, 6):
        page = pdf.new_page()
        page.insert_text((72, 40), "Annual report 2026", fontsize=9)
        page.insert_text((300, 810), f"Page {number} of 5", fontsize=9)
        body(page, lines=3 + number)
    text = save(pdf).text
    assert text.count("Annual report 2026") == 1
    assert "Page" not in text
    assert text.count(f"{LINE} 0") == 5


def test_the_outline_says_what_is_a_heading(save: Save) -> None:
    pdf = mupdf.open()
    page = pdf.new_page()
    for i, text in enumerate(["Scope", "Terms", "Returns"]):
        page.insert_text((72, 80 + 120 * i), text, fontsize=10)
        body(page, top=100 + 120 * i, lines=3)
    pdf.set_toc([[1, "Scope", 1], [2, "Terms", 1], [1, "Returns", 1]])
    headings = [(b.text, b.level) for b in save(pdf).blocks if b.kind == "heading"]
    assert headings == [("Scope", 1), ("Terms", 2), ("Returns", 1)]


def test_a_scan_is_rejected_with_the_way_to_read_it(save: Save) -> None:
    pdf = mupdf.open()
    page = pdf.new_page()
    page.draw_rect((72, 72, 200, 200), fill=(0, 0, 0))
    with pytest.raises(FileRejected, match="no readable text") as caught:
        save(pdf)
    assert "tesseract-ocr" in caught.value.hint


def test_pages_without_text_are_named_in_the_metadata(save: Save) -> None:
    pdf = mupdf.open()
    body(pdf.new_page())
    pdf.new_page().draw_rect((72, 72, 200, 200), fill=(0, 0, 0))
    document = save(pdf)
    assert document.metadata["skipped_pages"] == {2: f"no text; {NEEDS_OCR}"}
    assert reading_problems(document) == (
        f"page 2 left out, the rest was taken in: no text; {NEEDS_OCR}",
    )
    assert document.pages == 2


def test_a_page_on_which_nothing_is_drawn_is_no_problem(save: Save) -> None:
    pdf = mupdf.open()
    body(pdf.new_page())
    pdf.new_page()
    assert reading_problems(save(pdf)) == ()


def test_a_file_of_blank_pages_is_rejected(save: Save) -> None:
    pdf = mupdf.open()
    pdf.new_page()
    with pytest.raises(FileRejected, match="all its pages are blank"):
        save(pdf)


def test_a_file_without_pages_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "none.pdf"
    path.write_bytes(NO_PAGES)
    with pytest.raises(FileRejected, match="has no pages"):
        read_document(path)


def test_text_without_unicode_values_is_never_indexed(save: Save) -> None:
    pdf = mupdf.open()
    page = pdf.new_page()
    page.insert_font(fontname="F0", fontbuffer=mupdf.Font("cjk").buffer)
    page.insert_text((72, 100), "在庫方針を確認する", fontname="F0")
    for xref in range(1, pdf.xref_length()):
        if pdf.xref_get_key(xref, "ToUnicode")[0] != "null":
            pdf.xref_set_key(xref, "ToUnicode", "null")
    with pytest.raises(FileRejected, match="no Unicode value"):
        save(pdf)


def test_a_line_without_unicode_values_is_left_out_and_counted(save: Save) -> None:
    pdf = mupdf.open()
    page = pdf.new_page()
    page.insert_font(fontname="F0", fontbuffer=mupdf.Font("cjk").buffer)
    page.insert_text((72, 100), "在庫方針", fontname="F0")
    for xref in range(1, pdf.xref_length()):
        if pdf.xref_get_key(xref, "ToUnicode")[0] != "null":
            pdf.xref_set_key(xref, "ToUnicode", "null")
    body(page)
    document = save(pdf)
    assert "\ufffd" not in document.text
    assert document.metadata["unreadable_lines"] == {1: 1}
    assert reading_problems(document) == (
        "page 1 read without lines whose text has no usable characters (1)",
    )


def test_a_row_of_figures_in_larger_type_is_no_heading(save: Save) -> None:
    pdf = mupdf.open()
    page = pdf.new_page()
    body(page)
    for x, text in ((72, "Net profit"), (250, "233,512"), (400, "201,683")):
        page.insert_text((x, 500), text, fontsize=13)
    document = save(pdf)
    assert [b.kind for b in document.blocks if "233,512" in b.text] == ["paragraph"]
    assert "Net profit 233,512 201,683" in document.text


def test_an_encrypted_file_is_rejected(save: Save) -> None:
    pdf = mupdf.open()
    body(pdf.new_page())
    with pytest.raises(FileRejected, match="encrypted") as caught:
        save(pdf, encryption=mupdf.PDF_ENCRYPT_AES_256, user_pw="secret", owner_pw="o")
    assert "without a password" in caught.value.hint


def test_a_file_that_needs_no_password_to_read_is_read(save: Save) -> None:
    pdf = mupdf.open()
    body(pdf.new_page())
    document = save(pdf, encryption=mupdf.PDF_ENCRYPT_AES_256, owner_pw="o")
    assert LINE in document.text


def test_a_file_that_was_cut_off_is_rejected(tmp_path: Path) -> None:
    pdf = mupdf.open()
    for _ in range(5):
        body(pdf.new_page())
    whole = pdf.tobytes()
    path = tmp_path / "cut.pdf"
    path.write_bytes(whole[: len(whole) * 2 // 3])
    with pytest.raises(FileRejected, match=r"cut off|damaged|no pages"):
        read_document(path)


def test_nothing_is_printed_while_a_broken_file_is_read(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "broken.pdf"
    path.write_bytes(b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n%%EOF")
    with pytest.raises(FileRejected):
        read_document(path)
    assert capfd.readouterr() == ("", "")
