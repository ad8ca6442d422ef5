from pathlib import Path
from typing import Any

import pymupdf
import pytest

from ingest.documents import Document, read_document

MUPDF: Any = pymupdf  # its own annotations are partial

LEFT = (
    "Goods are returned to the warehouse within",
    "thirty days after their delivery, in the box in",
    "which they came. The carrier is told two days",
    "before, and he is paid by the customer himself.",
    "A return that nobody told us of is sent back.",
)
RIGHT = (
    "Lamps are guaranteed for two years, batteries",
    "for six months. The guarantee begins on the day",
    "of the delivery note. It ends early for a device",
    "that was opened by someone whom we do not know",
    "or that was run at a voltage which is too high.",
)
ITEMS = ("Kettle", "Lamp", "Drill", "Saw", "Ladder")
PRICES = ("1,200", "15", "8,400", "90", "700")


def page(path: Path, left: tuple[str, ...], right: tuple[str, ...]) -> Document:
    """Written line by line across the page, as a scanner's text layer is."""
    pdf = MUPDF.open()
    sheet = pdf.new_page()
    sheet.insert_text((72, 60), "Conditions", fontsize=20)
    for row, pair in enumerate(zip(left, right, strict=True)):
        for x, text in zip((72, 320), pair, strict=True):
            sheet.insert_text((x, 100 + 12 * row), text, fontsize=10)
    pdf.save(path)
    return read_document(path)


def test_columns_that_were_written_across_the_page_are_read_one_by_one(tmp_path: Path) -> None:
    document = page(tmp_path / "a.pdf", LEFT, RIGHT)
    words = document.text.split()
    assert words == ["Conditions", *" ".join((*LEFT, *RIGHT)).split()]


@pytest.mark.parametrize("right", [PRICES, ("yes", "no", "yes", "not yet", "no")])
def test_rows_of_short_cells_stay_rows(right: tuple[str, ...], tmp_path: Path) -> None:
    text = page(tmp_path / "a.pdf", ITEMS, right).text
    places = [text.index(cell) for pair in zip(ITEMS, right, strict=True) for cell in pair[:1]]
    assert places == sorted(places)
    assert text.index(right[0]) < text.index(ITEMS[1])
