"""Pages without usable text are read by OCR, or named with what would read them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from ingest.documents import Document, read_document, reading_problems
from ingest.documents.ocr import NEEDS_OCR, Ocr, OcrLine, OcrPage
from ingest.documents.ocr.base import OcrFailed, Render
from ingest.documents.ocr.scripted import ScriptedOcr
from ingest.store.errors import FileRejected

Save = Callable[..., Document]
mupdf: Any = pymupdf
LINE = "The warehouse counts every item on the last day of each month"


class BrokenOcr:
    def read(self, render: Render) -> OcrPage:
        raise OcrFailed("Tesseract: killed")


@pytest.fixture
def save(tmp_path: Path) -> Save:
    def write_and_read(pdf: Any, engine: Ocr | None, name: str = "scan.pdf") -> Document:
        pdf.save(tmp_path / name)
        return read_document(tmp_path / name, ocr=lambda: engine)

    return write_and_read


def picture(width: int = 300, height: int = 400) -> Any:
    return mupdf.Pixmap(mupdf.csRGB, mupdf.IRect(0, 0, width, height))


def scan(pdf: Any) -> Any:
    page = pdf.new_page(width=300, height=400)
    page.insert_image(page.rect, pixmap=picture())
    return page


def test_a_scanned_page_has_the_text_that_ocr_reads(save: Save) -> None:
    pdf = mupdf.open()
    scan(pdf)
    engine = ScriptedOcr(["棚卸手順", "毎月末に実施する。"])
    document = save(pdf, engine)
    assert [block.text for block in document.blocks] == ["棚卸手順", "毎月末に実施する。"]
    assert document.metadata["ocr_pages"] == [1]
    assert engine.images[0].startswith(b"\x89PNG")


def test_boxes_of_ocr_are_in_points_of_the_page(save: Save) -> None:
    pdf = mupdf.open()
    scan(pdf)
    document = save(pdf, ScriptedOcr(OcrPage([OcrLine("在庫 12", (300, 600, 900, 660))])))
    assert document.blocks[0].page == 1
    assert document.blocks[0].box == pytest.approx((72, 144, 216, 158.4))  # 300 dots an inch


def test_a_page_that_ocr_turned_upright_has_its_boxes_upright(save: Save) -> None:
    pdf = mupdf.open()
    scan(pdf)
    line = OcrLine("在庫 12", (1200, 300, 1500, 360))
    box = save(pdf, ScriptedOcr(OcrPage([line], turn=90))).blocks[0].box
    assert box == pytest.approx((288, 72, 360, 86.4))  # beyond the 300 points of its first width


def test_a_scan_with_a_stamp_of_text_is_read_by_ocr(save: Save) -> None:
    pdf = mupdf.open()
    scan(pdf).insert_text((20, 20), "RECEIVED 2026-01-27", fontsize=8)
    document = save(pdf, ScriptedOcr(["APL Co. Pte Ltd."]))
    assert document.text == "APL Co. Pte Ltd."


def test_without_an_engine_the_stamp_is_kept_and_the_page_is_named(save: Save) -> None:
    pdf = mupdf.open()
    scan(pdf).insert_text((20, 20), "RECEIVED 2026-01-27", fontsize=8)
    document = save(pdf, None)
    assert document.text == "RECEIVED 2026-01-27"
    assert reading_problems(document) == (
        f"page 1 read without the image that covers most of it: {NEEDS_OCR}",
    )


def test_a_page_with_text_is_not_shown_to_the_engine(save: Save) -> None:
    pdf = mupdf.open()
    pdf.new_page().insert_text((72, 80), LINE)
    assert save(pdf, ScriptedOcr()).text == LINE


def test_a_picture_without_text_is_rejected_even_with_ocr(save: Save) -> None:
    pdf = mupdf.open()
    scan(pdf)
    with pytest.raises(FileRejected, match="no text; OCR found none either"):
        save(pdf, ScriptedOcr(OcrPage()))


def test_an_engine_that_breaks_is_named_and_the_rest_goes_on(save: Save) -> None:
    pdf = mupdf.open()
    scan(pdf)
    pdf.new_page().insert_text((72, 80), LINE)
    document = save(pdf, BrokenOcr())
    assert document.text == LINE
    assert document.metadata["skipped_pages"] == {1: "no text; OCR failed: Tesseract: killed"}


@pytest.mark.parametrize("suffix", [".png", ".jpg"])
def test_an_image_is_a_page_to_be_read_by_ocr(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"notice{suffix}"
    path.write_bytes(picture().tobytes(suffix[1:]))
    document = read_document(path, ocr=lambda: ScriptedOcr(["入荷のお知らせ"]))
    assert (document.text, document.pages) == ("入荷のお知らせ", 1)
    with pytest.raises(FileRejected) as caught:
        read_document(path, ocr=lambda: None)
    assert caught.value.hint.startswith("needs OCR: install tesseract-ocr")


def test_letters_shifted_by_a_wrong_map_are_never_indexed(save: Save) -> None:
    pdf = mupdf.open()
    page = pdf.new_page()
    for i, line in enumerate([LINE, "Accordingly the damaged pallets were sent back to suppliers"]):
        shifted = "".join(chr(ord(char) + 3) if char.isalpha() else char for char in line)
        page.insert_text((72, 80 + 14 * i), shifted)
    with pytest.raises(FileRejected, match="no usable Unicode map: letters that make no words"):
        save(pdf, None)
    assert save(pdf, ScriptedOcr([LINE])).text == LINE
