"""Cells of an Excel workbook that hold an error (`#DIV/0!`), which calamine gives as blank."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from posixpath import join, normpath

_CELL = re.compile(
    rb'<(?:\w+:)?c\b(?=[^>]*\st="e")[^>]*\sr="([A-Z]+)(\d+)"[^>]*>.*?<(?:\w+:)?v>([^<]*)</',
    re.DOTALL,
)
_SHEET = re.compile(r"<(?:\w+:)?sheet\b[^>]*>")
_RELATION = re.compile(r"<(?:\w+:)?Relationship\b[^>]*>")

Errors = dict[tuple[int, int], str]
"""(row, column), 0-based, to the error as Excel shows it."""


def error_cells(path: Path) -> list[Errors]:
    """One for each sheet in the workbook's order; none where the file is no XLSX."""
    if not zipfile.is_zipfile(path):
        return []
    try:
        with zipfile.ZipFile(path) as archive:
            return [dict(_errors(archive.read(name))) for name in _sheets(archive)]
    except (zipfile.BadZipFile, OSError, KeyError, UnicodeDecodeError):
        return []


def _sheets(archive: zipfile.ZipFile) -> Iterator[str]:
    book = archive.read("xl/workbook.xml").decode()
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


def _errors(sheet: bytes) -> Iterator[tuple[tuple[int, int], str]]:
    if b't="e"' not in sheet:
        return
    for letters, row, text in _CELL.findall(sheet):
        column = 0
        for letter in letters:
            column = column * 26 + letter - 64
        yield (int(row) - 1, column - 1), text.decode()
