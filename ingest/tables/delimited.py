"""CSV and TSV: decoded here, delimiter found by how evenly it divides the first records."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from ingest.store.errors import FileRejected
from ingest.tables.encoding import Encoding, detect_encoding, nul_notes, open_text
from ingest.tables.grid import Grid, Plain, Row

_LABELS = {
    ",": "comma", "\t": "tab", ";": "semicolon", "|": "bar", "^": "caret", "~": "tilde",
    "\x01": "control character 1", "\x1f": "unit separator", ":": "colon", " ": "blank",
}  # fmt: skip
_ALSO_IN_CELLS = (":", " ")
"""They separate cells only where nothing else does and they divide every record alike."""
_FEWEST_CELLS, _FEWEST_RECORDS = 3, 3
_END = "\x00end-of-file\x00"
_MAX_CELL = 16 * 1024 * 1024


def read_delimited(path: Path) -> list[Grid]:
    """The file as one grid. Raises `FileRejected` for an encoding that cannot be told."""
    encoding = detect_encoding(path)
    delimiter = _sniff(path, encoding)
    notes = [*nul_notes(path, encoding)]
    if encoding.codec != "utf-8":
        notes.append(f"Read as {encoding.codec}.")
    if delimiter != ",":
        notes.append(f"Cells are separated by {_LABELS[delimiter]}.")
    plain = Plain(path, encoding.codec, delimiter)
    return [Grid(rows=lambda: _rows(path, encoding, delimiter), plain=plain, notes=tuple(notes))]


def _rows(path: Path, encoding: Encoding, delimiter: str) -> Iterator[Row]:
    """Every record, blank ones as []; a quote that never closes is an error, not a huge cell."""
    previous = csv.field_size_limit(_MAX_CELL)
    number = 0
    try:
        for row in csv.reader(_closed(open_text(path, encoding)), delimiter=delimiter):
            number += 1
            if row and _END in row[-1]:
                if row != [_END]:
                    raise FileRejected(
                        f"{path.name}: a quote that opens in record {number} is never closed.",
                        "Close the quote, or double it if it belongs to the text.",
                    )
                return
            yield row
    except csv.Error as error:
        raise FileRejected(
            f"{path.name}: record {number + 1} cannot be read ({error}).",
            "Check the quotes around that record.",
        ) from error
    finally:
        csv.field_size_limit(previous)


def _closed(lines: Iterator[str]) -> Iterator[str]:
    """The lines, each ended, and a mark of our own after the last."""
    for line in lines:
        yield line if line.endswith(("\n", "\r")) else f"{line}\n"
    yield _END


def _sniff(path: Path, encoding: Encoding) -> str:
    lines = list(islice(open_text(path, encoding), 200))
    best, best_score = ",", 0.0
    for delimiter in _LABELS:
        if delimiter in _ALSO_IN_CELLS:
            continue
        score = _evenness(lines, delimiter, path.suffix.lower() == ".tsv")
        if score > best_score:
            best, best_score = delimiter, score
    if best_score:
        return best
    return next((d for d in _ALSO_IN_CELLS if _divides_all(lines, d)), best)


def _divides_all(lines: list[str], delimiter: str) -> bool:
    """Every record has as many cells as the first, three or more, none of them blank there."""
    try:
        records = [row for row in csv.reader(lines, delimiter=delimiter) if row]
    except csv.Error:
        return False
    if len(records) < _FEWEST_RECORDS or len(records[0]) < _FEWEST_CELLS or not all(records[0]):
        return False
    return len({len(row) for row in records}) == 1


def _evenness(lines: list[str], delimiter: str, tabs_expected: bool) -> float:
    """Share of records that have the usual number of cells; 0 when that number is one."""
    widths: Counter[int] = Counter()
    try:
        for row in csv.reader(lines, delimiter=delimiter):
            if any(cell.strip() for cell in row):
                widths[len(row)] += 1
    except csv.Error:
        return 0.0
    if not widths:
        return 0.0
    usual, count = max(widths.items(), key=lambda item: (item[1], item[0]))
    if usual < 2:
        return 0.0
    bonus = 1.0 if tabs_expected and delimiter == "\t" else 0.0
    return count / widths.total() + min(usual, 50) / 1000 + bonus
