"""The command line of Tesseract, spoken to a small program that answers in its formats."""

import shutil
import stat
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from ingest.documents.ocr.base import OcrFailed, Render
from ingest.documents.ocr.tesseract import Tesseract

HEAD = (
    "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext"
)


def word(text: str, confidence: float, line: int = 1, left: int = 10, paragraph: int = 1) -> str:
    return f"5\t1\t1\t{paragraph}\t{line}\t1\t{left}\t{20 * line}\t30\t12\t{confidence}\t{text}"


def program(path: Path, *, orientation: str = "", **words: list[str]) -> str:
    """Prints `orientation` for `--psm 0`, else the words of the language that is asked for."""
    cases = "".join(
        f"{language.replace('_eng', '+eng')}) cat <<'END'\n"
        + "\n".join([HEAD, *rows])
        + "\nEND\n;;\n"
        for language, rows in words.items()
    )
    zero = f"printf '{orientation}'" if orientation else "echo 'Too few characters' >&2; exit 1"
    body = f'#!/bin/sh\ncat > /dev/null\nif [ "$4" = 0 ]; then {zero}; exit; fi\ncase "$4" in\n{cases}esac\n'
    path.write_text(body, encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def noting(turns: list[int]) -> Render:
    """Shows an empty image and writes down how it was to be turned."""

    def render(turn: int) -> bytes:
        turns.append(turn)
        return b""

    return render


def test_words_become_lines_with_boxes_and_paragraphs(tmp_path: Path) -> None:
    rows = [word("Stock", 95), word("count", 96, left=50), word("monthly", 91, line=2, paragraph=2)]
    engine = Tesseract(program(tmp_path / "t", eng=rows), ["eng"])
    lines = engine.read(lambda turn: b"image").lines
    assert [(line.text, line.paragraph) for line in lines] == [("Stock count", 0), ("monthly", 1)]
    assert lines[0].box == (10, 20, 80, 32)


def test_japanese_words_join_without_blanks(tmp_path: Path) -> None:
    rows = [word("在庫", 92), word("数量", 93, left=50), word("12", 90, left=90)]
    engine = Tesseract(program(tmp_path / "t", jpn=rows), ["jpn"])
    assert engine.read(lambda turn: b"").lines[0].text == "在庫数量 12"


def test_the_language_that_reads_best_is_taken(tmp_path: Path) -> None:
    binary = program(tmp_path / "t", eng=[word("#EJR@", 31)], jpn_eng=[word("在庫数量", 88)])
    engine = Tesseract(binary, ["eng", "jpn"])
    assert [line.text for line in engine.read(lambda turn: b"").lines] == ["在庫数量"]


def test_what_is_hardly_legible_is_left_out(tmp_path: Path) -> None:
    rows = [word("legible", 90), word("n5ns", 20, line=2), word("|||", 95, line=3)]
    engine = Tesseract(program(tmp_path / "t", eng=rows), ["eng"])
    assert [line.text for line in engine.read(lambda turn: b"").lines] == ["legible"]


def test_a_picture_has_no_lines(tmp_path: Path) -> None:
    rows = [word("MUNN", 46), word("wy", 47, line=2)]
    engine = Tesseract(program(tmp_path / "t", eng=rows), ["eng"])
    assert engine.read(lambda turn: b"").lines == []


def test_the_image_is_turned_upright_before_it_is_read(tmp_path: Path) -> None:
    said = r"Orientation in degrees: 270\nRotate: 90\nOrientation confidence: 7.1\nScript: Latin\n"
    engine = Tesseract(program(tmp_path / "t", orientation=said, eng=[word("up", 90)]), ["eng"])
    turns: list[int] = []
    page = engine.read(noting(turns))
    assert (page.turn, turns) == (90, [0, 90])


def test_with_too_few_letters_every_turn_is_tried_until_one_reads_well(tmp_path: Path) -> None:
    engine = Tesseract(program(tmp_path / "t", eng=[word("ab", 60)]), ["eng"])
    turns: list[int] = []
    page = engine.read(noting(turns))
    assert (page.turn, sorted(turns)) == (0, [0, 90, 180, 270])


def test_an_engine_that_fails_says_so(tmp_path: Path) -> None:
    path = tmp_path / "t"
    path.write_text("#!/bin/sh\necho 'Error opening data file' >&2\nexit 1\n", encoding="utf-8")
    path.chmod(0o755)
    with pytest.raises(OcrFailed, match="Error opening data file"):
        Tesseract(str(path), ["eng"]).read(lambda turn: b"")


def test_an_image_on_which_nothing_is_seen_is_read_once(tmp_path: Path) -> None:
    turns: list[int] = []
    engine = Tesseract(program(tmp_path / "t", eng=[], jpn_eng=[]), ["eng", "jpn"])
    assert engine.read(noting(turns)).lines == []
    assert turns == [0]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("tesseract") is None, reason="needs the program tesseract")
def test_the_real_program_reads_a_page_that_lies_on_its_side() -> None:
    mupdf: Any = pymupdf
    page = mupdf.open().new_page(width=400, height=200)
    for i, line in enumerate(["Goods may be returned", "within thirty days of", "their delivery"]):
        page.insert_text((30, 40 + 30 * i), line, fontsize=16)

    def render(turn: int) -> bytes:
        page.set_rotation((90 + turn) % 360)
        image: bytes = page.get_pixmap(dpi=200).tobytes("png")
        return image

    engine = Tesseract.installed()
    assert engine is not None
    found = engine.read(render)
    assert found.turn == 270
    assert " ".join(line.text for line in found.lines).startswith("Goods may be returned within")
