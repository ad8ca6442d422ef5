"""Grids of cells as Markdown tables; cells that wrap over lines."""

import re
from collections.abc import Sequence
from itertools import pairwise

Row = Sequence[str | None]
"""None: the cell belongs to the merged cell at its left (or, in a header, above it)."""

_MAX_HEADER_ROWS = 3
_NUMBER = re.compile(r"[-+−△▲¥￥$€£(（]*\d{1,3}(?:,\d{3})*(?:\.\d+)?[)）%％]?$")
_PLAIN = re.compile(r"[-+−△▲¥￥$€£(（]*\d+\.\d+[)）%％]?$")
_WIDE = re.compile("[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef]")
_FIGURE = re.compile(r"\d")
_PERIOD = re.compile(
    r"(?:FY|CY)?\s*(?:19|20)\d\d(?:\s*(?:年度?|年?\s*[./年-]\s*\d{1,2}月?|Q[1-4]|期))?|(?:FY|')\s*\d\d"
    r"|(?:令和|平成|昭和)\s*(?:元|\d{1,2})\s*年度?|\d{1,2}\s*月期?|Q[1-4]|[1-4]Q|第?\s*[1-4]\s*(?:四半期|季度)",
    re.IGNORECASE,
)
"""`2024`, `FY2024`, `2024年度`, `4月`, `Q1`: names of columns, though they hold figures."""


def join_lines(lines: Sequence[str], *, full_width: bool = False) -> str:
    """Lines of one cell or paragraph as one line.

    `full_width`: the lines fill their cell, so a figure may have been wrapped; the pieces
    are then joined when they make one number with its separators in the right places.
    Chinese and Japanese lines join without a blank, others with one.
    """
    lines = [stripped for line in lines if (stripped := line.strip())]
    if len(lines) > 1 and full_width and is_wrapped_number(lines):
        return "".join(lines)
    joined = ""
    for line in lines:
        joined = _glue(joined, line) if joined else line
    return joined


def is_wrapped_number(lines: Sequence[str]) -> bool:
    """Do the lines together spell one number, its separators in the right places?"""
    joined = "".join(lines)
    if _PLAIN.match(joined):
        return True
    return ("," in joined or "." in joined) and bool(_NUMBER.match(joined))


def is_wide(char: str) -> bool:
    """Chinese, Japanese or Korean: written without blanks at the ends of lines."""
    return bool(_WIDE.match(char))


def _glue(left: str, right: str) -> str:
    if is_wide(left[-1]) and is_wide(right[0]):
        return left + right
    if left[-1] == "-" and left[-2:-1].islower() and right[0].islower():
        return left[:-1] + right
    return f"{left} {right}"


def to_markdown(rows: Sequence[Row], header_rows: int = 1) -> str:
    """A pipe table; the first `header_rows` rows become one header, stacked with ` / `.

    A merged cell (None after it) is repeated in the header, so that each column is named, and
    stands once in the body. Rows of unequal length are padded; empty rows and columns are
    dropped; "" for an empty grid.
    """
    width = max((len(row) for row in rows), default=0)
    rows = [row for row in rows if any(row)]
    filled = [_row(row, width, repeat=index < header_rows) for index, row in enumerate(rows)]
    keep = [i for i in range(width) if any(row[i] for row in filled)]
    head = [[row[i] for i in keep] for row in filled[:header_rows]]
    body = [[row[i] for i in keep] for row in filled[header_rows:]]
    if not keep:
        return ""
    header = [_stack([row[i] for row in head]) for i in range(len(keep))]
    return "\n".join([_line(header), _line(["---"] * len(keep)), *map(_line, body)])


def _row(row: Row, width: int, *, repeat: bool) -> list[str]:
    cells: list[str] = []
    repeat = repeat and any(cell is not None for cell in row[1:])  # not a title over all columns
    for text in [*row, *[""] * (width - len(row))]:
        merged = cells[-1] if repeat and cells else ""
        cells.append(merged if text is None else _cell(text))
    return cells


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("\\|", "|").replace("|", "\\|")


def _stack(cells: Sequence[str]) -> str:
    return " / ".join(dict.fromkeys(cell for cell in cells if cell))


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def has_figure(text: str) -> bool:
    return bool(_FIGURE.search(text))


def header_depth(rows: Sequence[Row]) -> int:
    """How many leading rows are header: one, and one more while the row below divides a
    merged cell of it and holds no figure but years, quarters and months."""
    depth = 1
    for row, below in pairwise(rows):
        divided = any(a is None and b is not None for a, b in zip(row, below, strict=False))
        if not divided or depth >= _MAX_HEADER_ROWS or depth + 1 >= len(rows):
            break
        if any(text and has_figure(text) and not _PERIOD.fullmatch(text.strip()) for text in below):
            break
        depth += 1
    return depth
