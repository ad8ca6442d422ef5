"""What calamine does not tell of an Excel sheet: cells with an error (`#DIV/0!`), formulas whose
value is not stored, number formats, hidden rows and columns."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from posixpath import join, normpath

from ingest.tables.number_formats import BUILTIN, Shown, shown_by

_P = r"(?:\w+:)?"
_CELL = re.compile(rf"<{_P}c\b([^>]*?)(?:/>|>(.*?)</{_P}c>)".encode(), re.DOTALL)
_PLACE = re.compile(rb'\br="([A-Z]+)(\d+)"')
_STYLE = re.compile(rb'\ss="(\d+)"')
_FORMULA = re.compile(rf"<{_P}f\b[^>]*?(?:/>|>([^<]*)<)".encode())
_VALUE = re.compile(rf"<{_P}v\b[^>]*>([^<]*)<".encode())
_HIDDEN_ROW = re.compile(rf'<{_P}row\b[^>]*\shidden="(?:1|true)"(?:[^>]*[^/>])?>'.encode())
_HIDDEN_COLUMNS = re.compile(rf'<{_P}col\b[^>]*\shidden="(?:1|true)"[^>]*>'.encode())
_SHEET = re.compile(rf"<{_P}sheet\b[^>]*>")
_RELATION = re.compile(rf"<{_P}Relationship\b[^>]*>")
_FORMAT = re.compile(rf"<{_P}numFmt\b[^>]*>")
_XFS = re.compile(rf"<{_P}cellXfs\b.*?</{_P}cellXfs>", re.DOTALL)
_XF = re.compile(rf"<{_P}xf\b[^>]*>")
_NEVER = re.compile(r'\sfullCalcOnLoad="(?:1|true)"')

Place = tuple[int, int]
"""(row, column), 0-based in the sheet."""


@dataclass
class Marks:
    """Of one sheet. `unread`: the cells without a usable value, with what stands there and why.
    `columns` are the hidden ones, 0-based."""

    unread: dict[Place, tuple[str, str]] = field(default_factory=dict)
    shown: dict[Place, Shown] = field(default_factory=dict)
    rows: int = 0
    columns: tuple[int, ...] = ()


def sheet_marks(path: Path) -> list[Marks]:
    """One for each sheet in the workbook's order; none where the file is no XLSX."""
    if not zipfile.is_zipfile(path):
        return []
    try:
        with zipfile.ZipFile(path) as archive:
            book = archive.read("xl/workbook.xml").decode()
            styles = _styles(archive)
            # A program that wrote it without calculating: each formula's value is a 0 till then.
            never = bool(_NEVER.search(book))
            return [_marks(archive.read(name), styles, never) for name in _sheets(archive, book)]
    except (zipfile.BadZipFile, OSError, KeyError, UnicodeDecodeError):
        return []


def _sheets(archive: zipfile.ZipFile, book: str) -> Iterator[str]:
    relations = archive.read("xl/_rels/workbook.xml.rels").decode()
    targets = {
        _attribute(tag, "Id"): _attribute(tag, "Target") for tag in _RELATION.findall(relations)
    }
    for tag in _SHEET.findall(book):
        target = targets[_attribute(tag, r"\w+:id")]
        yield target.lstrip("/") if target.startswith("/") else normpath(join("xl", target))


def _attribute(tag: str, name: str) -> str:
    found = re.search(rf'\s{name}="([^"]*)"', tag)
    return found[1] if found else ""


def _styles(archive: zipfile.ZipFile) -> dict[bytes, Shown]:
    """By the number of the cell's style, those whose number format is followed."""
    if "xl/styles.xml" not in archive.namelist():
        return {}
    text = archive.read("xl/styles.xml").decode()
    codes = {str(number): code for number, code in BUILTIN.items()}
    codes |= {
        _attribute(tag, "numFmtId"): unescape(_attribute(tag, "formatCode"))
        for tag in _FORMAT.findall(text)
    }
    cells = _XFS.search(text)
    found = {}
    for place, tag in enumerate(_XF.findall(cells[0]) if cells else ()):
        shown = shown_by(codes.get(_attribute(tag, "numFmtId"), ""))
        if shown is not None:
            found[str(place).encode()] = shown
    return found


def _marks(sheet: bytes, styles: dict[bytes, Shown], never: bool) -> Marks:
    columns = [
        at
        for tag in _HIDDEN_COLUMNS.findall(sheet)
        for at in range(
            int(_attribute(tag.decode(), "min") or 1) - 1,
            int(_attribute(tag.decode(), "max") or 0),
        )
    ]
    marks = Marks(rows=len(_HIDDEN_ROW.findall(sheet)), columns=tuple(columns))
    used = {style: shown for style, shown in styles.items() if b' s="%b"' % style in sheet}
    if used or b't="e"' in sheet or _FORMULA.search(sheet):
        for match in _CELL.finditer(sheet):
            _mark(marks, match[1], match[2] or b"", used, never)
    return marks


def _mark(
    marks: Marks, attributes: bytes, content: bytes, styles: dict[bytes, Shown], never: bool
) -> None:
    style = _STYLE.search(attributes)
    shown = styles.get(style[1]) if style else None
    error = b't="e"' in attributes
    formula = _FORMULA.search(content) if not error else None
    if not (shown or error or formula):
        return
    place = _place(attributes)
    if place is None:
        return
    value = _VALUE.search(content)
    text = value[1].decode() if value else ""
    if error:
        marks.unread[place] = (text, "an error of the workbook")
    elif formula and b't="s' not in attributes and (not text or (never and text == "0")):
        said = f"={unescape((formula[1] or b'').decode())}"
        marks.unread[place] = (said, "a formula whose value is not stored in the file")
    elif shown:
        marks.shown[place] = shown


def _place(attributes: bytes) -> Place | None:
    found = _PLACE.search(attributes)
    if found is None:
        return None
    column = 0
    for letter in found[1]:
        column = column * 26 + letter - 64
    return int(found[2]) - 1, column - 1
