from pathlib import Path

import pptx
from pptx.util import Inches

from ingest.documents import Document, read_document


def deck(path: Path) -> Document:
    made = pptx.Presentation()
    slide = made.slides.add_slide(made.slide_layouts[5])
    slide.shapes.title.text = "在庫方針"
    lower = slide.shapes.add_textbox(Inches(1), Inches(5), Inches(3), Inches(1))
    lower.text_frame.text = "Below."
    upper = slide.shapes.add_textbox(Inches(1), Inches(2), Inches(3), Inches(1))
    upper.text_frame.text = "Above."
    table = slide.shapes.add_table(2, 2, Inches(1), Inches(3), Inches(4), Inches(1)).table
    for index, text in enumerate(["SKU", "Qty", "XR-4200", "7"]):
        table.cell(index // 2, index % 2).text = text
    second = made.slides.add_slide(made.slide_layouts[5])
    second.shapes.title.text = "Next"
    second.notes_slide.notes_text_frame.text = "Say this."
    made.save(str(path))
    return read_document(path)


def test_slides_are_read_from_top_to_bottom_with_their_tables(tmp_path: Path) -> None:
    document = deck(tmp_path / "deck.pptx")
    assert [(b.kind, b.page, b.text) for b in document.blocks] == [
        ("heading", 1, "在庫方針"),
        ("paragraph", 1, "Above."),
        ("table", 1, "| SKU | Qty |\n| --- | --- |\n| XR-4200 | 7 |"),
        ("paragraph", 1, "Below."),
        ("heading", 2, "Next"),
        ("paragraph", 2, "Say this."),
    ]
    assert document.pages == 2


def test_a_shape_has_its_place_in_points(tmp_path: Path) -> None:
    block = deck(tmp_path / "deck.pptx").blocks[1]
    assert block.box == (72.0, 144.0, 288.0, 216.0)


def test_a_line_break_in_a_paragraph_parts_its_words(tmp_path: Path) -> None:
    made = pptx.Presentation()
    slide = made.slides.add_slide(made.slide_layouts[5])
    slide.shapes.title.text = "Safety"
    box = slide.shapes.add_textbox(Inches(1), Inches(2), Inches(3), Inches(1))
    box.text_frame.text = "Wear gloves"
    box.text_frame.paragraphs[0].add_line_break()
    box.text_frame.paragraphs[0].add_run().text = "and boots."
    made.save(str(tmp_path / "deck.pptx"))
    document = read_document(tmp_path / "deck.pptx")
    assert [b.text for b in document.blocks] == ["Safety", "Wear gloves\nand boots."]
