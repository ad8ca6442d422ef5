"""Excel and OpenDocument workbooks, through calamine: each visible sheet is a grid of text."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import python_calamine as calamine

from ingest.store.errors import FileRejected
from ingest.tables.grid import Grid, Merge, Row, Unread
from ingest.tables.number_formats import Shown
from ingest.tables.workbook_marks import Marks, sheet_marks

_HEAD = 1024
_WORKBOOKS = (b"PK", b"\xd0\xcf\x11\xe0", b"\x09\x08", b"\x09\x04", b"\x09\x02", b"\x09\x00")
"""How archives, OLE files and the streams of early Excel begin."""
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


def read_workbook(path: Path, max_bytes: int) -> list[Grid]:
    """Raises `FileRejected` for encrypted, damaged and oversized files."""
    _check_kind(path)
    _check_archive(path, max_bytes)
    try:
        book = calamine.CalamineWorkbook.from_path(str(path))
        sheets = [(meta, book.get_sheet_by_name(meta.name)) for meta in _visible(book)]
    except calamine.PasswordError as error:
        raise FileRejected(
            f"{path.name} is protected by a password.", "Save it without the password."
        ) from error
    except (calamine.CalamineError, OSError, ValueError) as error:
        raise FileRejected(
            f"{path.name} cannot be read as a workbook ({error}).",
            "Open it in the program that made it and save it again.",
        ) from error
    hidden = tuple(m.name for m in book.sheets_metadata if not _is_visible(m))
    if hidden and not sheets:
        raise FileRejected(
            f"{path.name} has only hidden sheets: {', '.join(hidden)}.",
            "Unhide those that hold data and save it again.",
        )
    alone = len(sheets) == 1
    names = [meta.name for meta in book.sheets_metadata]
    marks = dict(zip(names, sheet_marks(path), strict=False))
    return [
        _grid(sheet, None if alone else meta.name, hidden, marks.get(meta.name, Marks()))
        for meta, sheet in sheets
    ]


def _is_visible(meta: Any) -> bool:
    return bool(meta.visible == calamine.SheetVisibleEnum.Visible)


def _visible(book: Any) -> list[Any]:
    work = calamine.SheetTypeEnum.WorkSheet
    return [meta for meta in book.sheets_metadata if _is_visible(meta) and meta.typ == work]


def _check_kind(path: Path) -> None:
    """Systems export web pages and delimited text under the names of workbooks."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if not head or head.startswith(_WORKBOOKS):
        return
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if text.startswith((b"<html", b"<!doctype html", b"<table", b"<meta")):
        said, hint = "a web page (HTML)", "Open it in a spreadsheet program and save it as .xlsx."
    elif text.startswith(b"<?xml") and b"urn:schemas-microsoft-com:office:spreadsheet" in text:
        said, hint = "an XML spreadsheet", "Open it in a spreadsheet program and save it as .xlsx."
    elif head.startswith(_UTF16) or (b"\0" not in head and any(m in text for m in b",\t;")):
        said, hint = "delimited text", "Call it .csv."
    else:
        return
    raise FileRejected(f"{path.name} is {said}, not a workbook.", hint)


def _check_archive(path: Path, max_bytes: int) -> None:
    if path.suffix.lower() == ".xls" or not zipfile.is_zipfile(path):
        return
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
            encrypted = any(entry.flag_bits & 1 for entry in archive.infolist())
    except (zipfile.BadZipFile, OSError) as error:
        raise FileRejected(
            f"{path.name} is a damaged archive ({error}).", "Save it again."
        ) from error
    if encrypted:
        raise FileRejected(f"{path.name} is encrypted.", "Save it without a password.")
    if size > max_bytes:
        raise FileRejected(
            f"{path.name} unpacks to {size // 2**20} MB; the limit is {max_bytes // 2**20} MB.",
            "Split the workbook or raise ingest.max_file_mb.",
        )


def _grid(sheet: Any, name: str | None, hidden: tuple[str, ...], marks: Marks) -> Grid:
    """calamine gives every row from the first of the sheet, but each from its first used column."""
    left = sheet.start[1] if sheet.start else 0
    merges: tuple[Merge, ...] = tuple(
        ((top, first - left), (bottom, last - left))
        for (top, first), (bottom, last) in sheet.merged_cell_ranges or ()
    )
    shown: dict[int, dict[int, Shown]] = {}
    for (line, at), show in marks.shown.items():
        shown.setdefault(line, {})[at - left] = show
    unread: dict[int, list[int]] = {}
    for line, at in marks.unread:
        unread.setdefault(line, []).append(at - left)

    def rows() -> Iterator[Row]:
        down = {
            (row, first): top
            for (top, first), (bottom, last) in merges
            if first == last
            for row in range(top + 1, bottom + 1)
        }
        heads: dict[tuple[int, int], str] = {}
        for number, row in enumerate(sheet.iter_rows()):
            cells = [cell_text(cell) for cell in row]
            for column, show in shown.get(number, {}).items():
                if column < len(cells) and _is_number(row[column]):
                    cells[column] = show(row[column]) or cells[column]
            for column in unread.get(number, ()):
                if column < len(cells):
                    cells[column] = ""
            for column in range(len(cells) if down else 0):
                top = down.get((number, column))
                if top is not None and not cells[column]:
                    cells[column] = heads.get((top, column), "")
                else:
                    heads[(number, column)] = cells[column]
            yield cells

    return Grid(
        rows=rows,
        sheet=name,
        merges=merges,
        notes=_notes(sheet, hidden, marks),
        hidden=hidden,
        unread=tuple(
            Unread(line + 1, at - left, *said) for (line, at), said in marks.unread.items()
        ),
    )


def _is_number(cell: Any) -> bool:
    return isinstance(cell, float | int) and not isinstance(cell, bool)


def _notes(sheet: Any, hidden: tuple[str, ...], marks: Marks) -> tuple[str, ...]:
    notes = [f"Hidden sheets were left out: {', '.join(hidden)}."] if hidden else []
    last = sheet.end[1] if sheet.end else 0
    columns = [_letters(at) for at in marks.columns if at <= last]
    if columns:
        notes.append(f"Hidden columns were read, too: {', '.join(columns)}.")
    if marks.rows:
        notes.append(f"{marks.rows} hidden rows were read, too.")
    return tuple(notes)


def _letters(column: int) -> str:
    text, rest = "", column + 1
    while rest:
        rest, letter = divmod(rest - 1, 26)
        text = chr(65 + letter) + text
    return text


def cell_text(cell: Any) -> str:
    """A cell as the text a person sees: 15 significant digits, ISO dates."""
    match cell:
        case str():
            text = cell
        case bool():
            text = "TRUE" if cell else "FALSE"
        case float():
            text = _float_text(cell)
        case datetime():
            text = cell.isoformat(sep=" ")
        case date() | time():
            text = cell.isoformat()
        case timedelta():
            text = _duration_text(cell)
        case _:
            text = str(cell)
    return text


def _float_text(cell: float) -> str:
    if cell.is_integer() and abs(cell) < 2**53:
        return str(int(cell))
    text = f"{cell:.15g}"
    if "e" in text and 1e-9 <= abs(cell) < 1e21:
        return format(Decimal(text), "f")
    return text


def _duration_text(cell: timedelta) -> str:
    seconds = round(cell.total_seconds())
    sign = "-" if seconds < 0 else ""
    minutes, second = divmod(abs(seconds), 60)
    return f"{sign}{minutes // 60}:{minutes % 60:02}:{second:02}"
