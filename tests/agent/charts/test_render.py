import struct
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from agent.answer import Answer
from agent.charts import chart, letters_note, render
from agent.charts.font import FAMILY, cjk_font
from agent.errors import ChartFailed
from tools.evidence import Evidence

Spec = dict[str, Any]


@pytest.fixture
def spec(evidence: Callable[..., Evidence], answer: Callable[..., Answer]) -> Spec:
    columns = (("月", "VARCHAR"), ("倉庫", "VARCHAR"), ("売上", "DECIMAL(18,2)"))
    rows = [(f"2026-0{m}", w, f"{m}00.50") for m in (1, 2, 3) for w in ("東京", "大阪")]
    return chart(answer(evidence(columns, rows), question="月別の売上の推移は？"))


def ink(png: bytes) -> bytes:
    """The pixels, filtered as they are stored: enough to tell two pictures apart."""
    at, data = 8, b""
    while at < len(png):
        size, kind = struct.unpack_from(">I4s", png, at)
        data += png[at + 8 : at + 8 + size] if kind == b"IDAT" else b""
        at += 12 + size
    return zlib.decompress(data)


@pytest.mark.slow
def test_japanese_letters_are_drawn_and_not_the_same_empty_box(spec: Spec) -> None:
    drawn = ink(render(spec, "png"))
    other = {**spec, "title": {**spec["title"], "text": ["日別の在庫の構成は？"]}}
    unknown = {**spec, "title": {**spec["title"], "text": ["\U00020bb7" * 10]}}
    unknown_too = {**spec, "title": {**spec["title"], "text": ["\U00020bb8" * 10]}}
    assert drawn != ink(render(other, "png"))
    assert ink(render(unknown, "png")) == ink(render(unknown_too, "png"))


@pytest.mark.slow
def test_an_svg_holds_the_texts(spec: Spec) -> None:
    svg = render(spec, "svg").decode("utf-8")
    texts = "".join(ElementTree.fromstring(svg).itertext())
    assert all(word in texts for word in ("月別の売上の推移は？", "根拠 E1", "東京", "売上"))


@pytest.mark.slow
def test_no_data_are_fetched(spec: Spec) -> None:
    with pytest.raises(ChartFailed, match="External data url not allowed"):
        render({**spec, "data": {"url": "http://127.0.0.1:9/x.csv"}}, "svg")


@pytest.mark.slow
def test_no_file_is_read(spec: Spec, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("at,series,value\n2026-01-01,s3cr3t,5\n", encoding="utf-8")
    data = {"url": (tmp_path / "x.csv").as_uri(), "format": {"type": "csv"}}
    colour = {**spec["encoding"]["color"], "scale": {}}
    read = {**spec, "data": data, "encoding": {**spec["encoding"], "color": colour}}
    try:
        svg = render(read, "svg")
    except ChartFailed:
        return
    assert b"s3cr3t" not in svg


@pytest.mark.slow
def test_a_specification_that_cannot_be_drawn_is_an_error_with_a_next_step(spec: Spec) -> None:
    with pytest.raises(ChartFailed, match="could not be drawn") as error:
        render({**spec, "mark": "nonsense"}, "png")
    assert ".vl.json" in error.value.hint


def test_the_font_has_a_name_by_which_it_is_found() -> None:
    font = cjk_font()
    assert font is not None
    tables = {}
    for n in range(struct.unpack_from(">H", font, 4)[0]):
        tag, _, offset, length = struct.unpack_from(">4s3I", font, 12 + 16 * n)
        assert offset + length <= len(font)
        tables[tag] = font[offset : offset + length]
    names = tables[b"name"]
    _, count, storage = struct.unpack_from(">3H", names)
    found = {}
    for n in range(count):
        *_, identifier, length, offset = struct.unpack_from(">6H", names, 6 + 12 * n)
        found[identifier] = names[storage + offset : storage + offset + length].decode("utf-16-be")
    assert (found[1], found[6]) == (FAMILY, "DroidSansFallback")


def test_characters_that_no_font_has_are_named(spec: Spec) -> None:
    assert letters_note(spec) == ""
    title = {"text": ["𠮷野家 ｶﾅ ㈱①髙﨑 ▲△ 销售额 門店"], "subtitle": ["𠮷"]}
    assert letters_note({**spec, "title": title}) == "the picture's font has no 𠮷"


def test_without_pymupdf_the_letters_are_left_to_the_machine_and_that_is_said(
    spec: Spec, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pymupdf", None)
    assert cjk_font() is None
    assert "may be empty boxes" in letters_note(spec)
    assert letters_note({"title": "Sales by month"}) == ""


@pytest.mark.slow
def test_without_pymupdf_a_picture_is_still_drawn(
    spec: Spec, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pymupdf", None)
    assert render(spec, "png").startswith(b"\x89PNG")
