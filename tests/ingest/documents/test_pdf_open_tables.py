"""Tables whose rules are not all drawn, and boxes that are no tables."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from ingest.documents import Document, read_document

Read = Callable[[Any], Document]
mupdf: Any = pymupdf
CELLS = [["item", "pieces", "price"], ["tea", "120", "3.50"], ["rice", "80", "12.00"]]
ROWS = "| item | pieces | price |\n| --- | --- | --- |\n| tea | 120 | 3.50 |\n| rice | 80 | 12.00 |"
LEFT, TOP, WIDTH, HEIGHT = 72, 100, 100, 24


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def save_and_read(pdf: Any) -> Document:
        pdf.save(tmp_path / "made.pdf")
        return read_document(tmp_path / "made.pdf", ocr=lambda: None)

    return save_and_read


def write(page: Any, cells: Sequence[Sequence[str]]) -> None:
    for i, row in enumerate(cells):
        for j, text in enumerate(row):
            page.insert_text((LEFT + 4 + WIDTH * j, TOP + 16 + HEIGHT * i), text, fontsize=9)


def across(page: Any, rows: Sequence[int], columns: int = 3) -> None:
    for i in rows:
        page.draw_line((LEFT, TOP + HEIGHT * i), (LEFT + WIDTH * columns, TOP + HEIGHT * i))


def down(page: Any, columns: Sequence[int], rows: int = 3) -> None:
    for j in columns:
        page.draw_line((LEFT + WIDTH * j, TOP), (LEFT + WIDTH * j, TOP + HEIGHT * rows))


def tables(document: Document) -> list[str]:
    return [block.text for block in document.blocks if block.kind == "table"]


def test_a_table_open_at_its_sides_keeps_its_outer_columns(read: Read) -> None:
    pdf = mupdf.open()
    page = pdf.new_page()
    write(page, CELLS)
    across(page, range(4))
    down(page, [1, 2])
    assert tables(read(pdf)) == [ROWS]


def test_a_table_without_vertical_rules_is_parted_by_its_gaps(read: Read) -> None:
    pdf = mupdf.open()
    page = pdf.new_page()
    write(page, CELLS)
    across(page, range(4))
    assert tables(read(pdf)) == [ROWS]


def test_a_three_line_table_has_a_row_for_each_line_of_text(read: Read) -> None:
    pdf = mupdf.open()
    page = pdf.new_page()
    write(page, [*CELLS, ["salt", "15", "0.80"]])
    across(page, [0, 1, 4])
    assert tables(read(pdf)) == [ROWS + "\n| salt | 15 | 0.80 |"]


def test_rules_above_and_below_running_text_make_no_table(read: Read) -> None:
    pdf = mupdf.open()
    page = pdf.new_page()
    for i in range(6):
        page.insert_text(
            (LEFT, TOP + 16 + 14 * i), "Counted goods go back to their shelf.", fontsize=9
        )
        page.insert_text(
            (LEFT + 200, TOP + 16 + 14 * i), "Damaged goods are written off.", fontsize=9
        )
    across(page, [0, 1, 5], columns=4)
    assert tables(read(pdf)) == []


def test_boxes_drawn_around_words_make_no_table(read: Read) -> None:
    pdf = mupdf.open()
    page = pdf.new_page()
    line = "The agreement hereby states that both companies have the authority"
    page.insert_text((LEFT, TOP + 12), line, fontsize=11)
    page.insert_text((LEFT, TOP + 28), line, fontsize=11)
    for i in range(24):
        x = LEFT + 14 * i
        page.draw_rect((x, TOP, x + 14, TOP + 16))
        page.draw_rect((x, TOP + 16, x + 14, TOP + 32))
    document = read(pdf)
    assert tables(document) == []
    assert "".join(document.text.split()).count("herebystates") == 2


def test_two_tiers_of_vertical_text_are_read_one_below_the_other() -> None:
    from ingest.documents.readers.pdf_lines import Line, TextBlock, join_columns

    def column(text: str, x: float, y: float) -> TextBlock:
        return TextBlock((Line(text, (x, y, x + 10, y + 90), 10, False, True),))

    blocks = [
        column(t, x, y)
        for t, x, y in [
            ("下段の一", 300, 200),
            ("上段の一", 300, 50),
            ("上段の二", 285, 50),
            ("下段の二", 285, 200),
        ]
    ]
    assert [b.text for b in join_columns(blocks)] == ["上段の一上段の二", "下段の一下段の二"]
