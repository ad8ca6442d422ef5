import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import docx
import pytest
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml

from ingest.documents import Document, read_document
from ingest.store.errors import FileRejected

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
Save = Callable[..., Document]


@pytest.fixture
def save(tmp_path: Path) -> Save:
    def write_and_read(document: "docx.document.Document") -> Document:
        path = tmp_path / "policy.docx"
        document.save(str(path))
        return read_document(path)

    return write_and_read


def blocks(document: Document) -> list[tuple[str, int, str]]:
    return [(b.kind, b.level, b.text) for b in document.blocks]


def test_paragraphs_tables_and_lists_come_in_document_order(save: Save) -> None:
    word = docx.Document()
    word.add_heading("供給契約", 1)
    word.add_paragraph("納期は14日です。")
    table = word.add_table(rows=2, cols=2)
    for cell, text in zip(table._cells, ["SKU", "MOQ", "XR-4200", "50"], strict=True):
        cell.text = text
    word.add_paragraph("one", style="List Bullet")
    word.add_paragraph("two", style="List Bullet")
    word.add_paragraph("End.")
    assert blocks(save(word)) == [
        ("heading", 1, "供給契約"),
        ("paragraph", 0, "納期は14日です。"),
        ("table", 0, "| SKU | MOQ |\n| --- | --- |\n| XR-4200 | 50 |"),
        ("list", 0, "- one\n- two"),
        ("paragraph", 0, "End."),
    ]


def test_a_cell_merged_downwards_is_repeated_in_each_row(save: Save) -> None:
    word = docx.Document()
    table = word.add_table(rows=3, cols=2)
    for cell, text in zip(table._cells, ["Region", "Qty", "East", "1", "", "2"], strict=True):
        cell.text = text
    table.cell(1, 0).merge(table.cell(2, 0))
    rows = save(word).text.splitlines()
    assert rows[2:] == ["| East | 1 |", "| East | 2 |"]


def test_insertions_count_and_deletions_do_not(save: Save) -> None:
    word = docx.Document()
    paragraph = word.add_paragraph("The limit is ")
    for tag, inner in (("del", "<w:delText>30</w:delText>"), ("ins", "<w:t>45</w:t>")):
        xml = f'<w:{tag} {W} w:id="1" w:author="a"><w:r>{inner}</w:r></w:{tag}>'
        paragraph._p.append(parse_xml(xml))
    paragraph.add_run(" days.")
    assert save(word).text == "The limit is 45 days."


def test_furigana_do_not_double_the_word(save: Save) -> None:
    word = docx.Document()
    ruby = (
        f"<w:r {W}><w:ruby><w:rt><w:r><w:t>ざいこ</w:t></w:r></w:rt>"
        "<w:rubyBase><w:r><w:t>在庫</w:t></w:r></w:rubyBase></w:ruby></w:r>"
    )
    word.add_paragraph()._p.append(parse_xml(ruby))
    assert save(word).text == "在庫"


def test_content_controls_are_read(save: Save) -> None:
    word = docx.Document()
    word.add_paragraph("Before.")
    control = (
        f"<w:sdt {W}><w:sdtContent><w:p><w:r><w:t>Inside.</w:t></w:r></w:p></w:sdtContent></w:sdt>"
    )
    word.element.body.insert(1, parse_xml(control))
    assert save(word).text == "Before.\n\nInside."


def test_a_file_that_was_cut_off_is_rejected(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    docx.Document().save(buffer)
    path = tmp_path / "cut.docx"
    path.write_bytes(buffer.getvalue()[:-500])
    with pytest.raises(FileRejected, match="cut off or damaged"):
        read_document(path)


def test_an_encrypted_file_is_rejected_with_the_way_out(tmp_path: Path) -> None:
    path = tmp_path / "secret.docx"
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600)
    with pytest.raises(FileRejected, match="encrypted") as caught:
        read_document(path)
    assert "without a password" in caught.value.hint


def test_a_zip_that_is_no_document_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "other.docx"
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("readme.txt", "hello")
    with pytest.raises(FileRejected, match="not an Office file"):
        read_document(path)


def add_footnote(word: Any, paragraph: Any) -> None:
    xml = (
        f'<w:footnotes {W}><w:footnote w:type="separator" w:id="0"><w:p/></w:footnote>'
        '<w:footnote w:id="2"><w:p><w:r><w:t>Not on holidays.</w:t></w:r></w:p></w:footnote>'
        "</w:footnotes>"
    )
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"
    part = Part(PackURI("/word/footnotes.xml"), kind, xml.encode(), word.part.package)
    word.part.relate_to(part, RELATIONSHIP_TYPE.FOOTNOTES)
    reference = f'<w:r {W}><w:footnoteReference w:id="2"/></w:r>'
    paragraph._p.append(parse_xml(reference))


@pytest.mark.parametrize("style", ["Normal", "List Bullet"])
def test_a_footnote_follows_what_refers_to_it(style: str, save: Save) -> None:
    word = docx.Document()
    add_footnote(word, word.add_paragraph("Delivery is daily.", style=style))
    word.add_paragraph("Returns are weekly.")
    texts = [text.removeprefix("- ") for _, _, text in blocks(save(word))]
    assert texts == ["Delivery is daily.", "Not on holidays.", "Returns are weekly."]


def test_a_footnote_in_a_table_follows_the_table(save: Save) -> None:
    word = docx.Document()
    table = word.add_table(rows=1, cols=1)
    add_footnote(word, table.cell(0, 0).paragraphs[0])
    table.cell(0, 0).paragraphs[0].add_run("Daily")
    assert blocks(save(word))[-1] == ("paragraph", 0, "Not on holidays.")


def test_headers_and_footers_stand_once_and_page_numbers_do_not(save: Save) -> None:
    word = docx.Document()
    word.add_paragraph("Body.")
    for section in (word.sections[0], word.add_section()):
        section.header.is_linked_to_previous = False
        section.header.paragraphs[0].text = "INV-P-2026-01 Rev. 3"
        section.footer.is_linked_to_previous = False
        section.footer.paragraphs[0].text = "Page 1 of 2"
        section.footer.add_paragraph("For internal use")
    assert save(word).text == "INV-P-2026-01 Rev. 3\n\nBody.\n\nFor internal use"
