"""A source of rows before it is a table: where its header is, how wide it is, where it ends."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise

from ingest.tables.cells import NULL_WORDS, looks_typed

Row = Sequence[str]
Merge = tuple[tuple[int, int], tuple[int, int]]
"""A merged range, ((top, left), (bottom, right)), 0-based and inclusive."""

SAMPLE_ROWS = 500
_TAIL = 8
_TOTAL = re.compile(r"(総?合\s*計|総\s*計|合计|总计|總計|合計|grand\s+total|total)\s*[::]?", re.I)
_LABEL_NUMBER = re.compile(r"(19|20)\d\d([/-]?(0[1-9]|1[0-2]))?|\d{1,2}")


@dataclass(frozen=True)
class Grid:
    """Rows of text, blank ones included, that can be read more than once.

    `header` is given where the format itself names the columns; every row is then data. `hidden`
    are the names of the file's hidden sheets.
    """

    rows: Callable[[], Iterator[Row]]
    sheet: str | None = None
    header: tuple[str, ...] | None = None
    merges: tuple[Merge, ...] = ()
    notes: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()


@dataclass(frozen=True)
class Layout:
    """`originals` are the header cells as written ("" where blank); `first` is the 1-based
    source row of the first data row."""

    originals: tuple[str, ...]
    first: int
    notes: tuple[str, ...] = ()


@dataclass
class Body:
    """Iterates the data rows once as (source row, cells); afterwards `extras`, `notes` and
    `used` (columns that hold anything) are complete. Nothing it leaves out goes unsaid."""

    grid: Grid
    layout: Layout
    extras: list[tuple[int, int, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    used: set[int] = field(default_factory=set)
    longest: int = 0

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        tail: deque[tuple[int, Row] | None] = deque()
        numbered = enumerate(
            islice(self.grid.rows(), self.layout.first - 1, None), self.layout.first
        )
        for number, row in numbered:
            blank = not any(cell.strip() for cell in row)
            tail.append(None if blank else (number, row))
            if len(tail) > _TAIL:
                yield from self._emit(tail.popleft())
        self._cut_footer(tail)
        for entry in tail:
            yield from self._emit(entry)

    def _emit(self, entry: tuple[int, Row] | None) -> Iterator[tuple[int, list[str]]]:
        if entry is None:
            return
        number, row = entry
        width = len(self.layout.originals)
        cells = [_clean(cell) for cell in row[:width]]
        self.longest = max(self.longest, sum(len(cell) for cell in cells))
        self.used.update(index for index, cell in enumerate(cells) if cell)
        cells += [""] * (width - len(cells))
        for index, cell in enumerate(row[width:], start=width + 1):
            if cell.strip():
                self.extras.append((number, index, cell.strip()))
        yield number, cells

    def _cut_footer(self, tail: deque[tuple[int, Row] | None]) -> None:
        """Takes off, from the end: remarks set off by a blank row, then total rows."""
        if None in tail and len(self.layout.originals) >= 3:
            gap = len(tail) - 1 - list(reversed(tail)).index(None)
            below = [entry for entry in list(tail)[gap + 1 :] if entry]
            if below and all(_filled(row) == 1 for _, row in below):
                for number, row in below:
                    self.notes.append(f"Row {number} below the table was left out: {_brief(row)}")
                while len(tail) > gap:
                    tail.pop()
        while tail and (tail[-1] is None or is_total(tail[-1][1])):
            entry = tail.pop()
            if entry is not None:
                self.notes.append(f"Total row {entry[0]} was left out: {_brief(entry[1])}")


def is_total(row: Row) -> bool:
    """A row that begins with a word for a total and else holds only numbers and blanks."""
    filled = [cell.strip() for cell in row if cell.strip()]
    for place, cell in enumerate(filled[:2]):
        if _TOTAL.fullmatch(cell):
            rest = filled[:place] + filled[place + 1 :]
            return len(row) > 1 and all(looks_typed(text) or text in NULL_WORDS for text in rest)
    return False


def find_layout(grid: Grid) -> Layout:
    """Header, width and first data row, judged on the first rows of the grid."""
    sample = list(islice(grid.rows(), SAMPLE_ROWS))
    if grid.header is not None:
        return Layout(grid.header, 1)
    usual = _usual_reach(sample)
    start = next((i for i, row in enumerate(sample) if _filled(row) and not _title(row, usual)), 0)
    notes = [
        f"Row {i + 1} above the header was skipped: {_brief(row)}"
        for i, row in enumerate(sample[:start])
        if _filled(row)
    ]
    header, first = _read_header(grid, sample, start)
    body = [row for row in sample[first:] if _filled(row)]
    if _is_data(header, body):
        notes.append("No header row was found; the columns are numbered.")
        header, first = [""] * len(header), start
    width = _width(header, body)
    originals = tuple(header[:width]) + ("",) * (width - len(header))
    return Layout(originals, first + 1, tuple(notes))


def _read_header(grid: Grid, sample: list[Row], start: int) -> tuple[list[str], int]:
    """Header texts and the index of the row after them; merged headers take several rows."""
    if not sample:
        return [], 0
    bottom = start
    for (top, left), (end, right) in grid.merges:
        if top == start and end < start + 6:
            bottom = max(bottom, end + 1 if right > left else end)
    if bottom == start or bottom >= len(sample) or _has_typed(sample[bottom]):
        bottom = _last_text_row(sample, start, bottom)
    if bottom == start:
        return [_one_line(cell) for cell in sample[start]], start + 1
    levels = [list(row) for row in sample[start : bottom + 1]]
    for (top, left), (end, right) in grid.merges:
        if start <= top <= bottom and top < len(sample):
            for r in range(top, min(end, bottom) + 1):
                for c in range(left, min(right + 1, len(levels[r - start]))):
                    levels[r - start][c] = sample[top][left]
    width = max(len(level) for level in levels)
    names = []
    for c in range(width):
        parts = [_one_line(level[c]) for level in levels if c < len(level) and level[c].strip()]
        names.append("_".join(dict.fromkeys(parts)))
    return names, bottom + 1


def _last_text_row(sample: list[Row], start: int, bottom: int) -> int:
    while bottom > start and (bottom >= len(sample) or _has_typed(sample[bottom])):
        bottom -= 1
    return bottom


def _has_typed(row: Row) -> bool:
    return any(looks_typed(cell.strip()) for cell in row)


def _is_data(header: Row, body: list[Row]) -> bool:
    """True when the first row is a record: numbers or dates stand where the column has the same."""
    if not body:
        return False
    typed = [index for index, cell in enumerate(header) if looks_typed(cell.strip())]
    kinds = [_column_kind(body, index) for index in range(len(header))]
    alike = [index for index in typed if kinds[index] == looks_typed(header[index].strip())]
    named = [i for i, cell in enumerate(header) if cell.strip() and i not in typed and kinds[i]]
    if len(named) >= len(alike):
        return False
    texts = [cell for index, cell in enumerate(header) if cell.strip() and index not in typed]
    labels = [header[index].strip() for index in typed]
    return not (texts and len(labels) > 1 and _ascending_labels(labels))


def _ascending_labels(labels: list[str]) -> bool:
    """Years, months or day numbers that run over the columns are labels (2023, 2024, …)."""
    if not all(_LABEL_NUMBER.fullmatch(label) for label in labels):
        return False
    values = [int(re.sub(r"\D", "", label)) for label in labels]
    steps = {b - a for a, b in pairwise(values)}
    return (len(steps) == 1 and steps != {0}) or all(len(label) >= 6 for label in labels)


def _column_kind(body: list[Row], index: int) -> str:
    kinds = Counter(
        looks_typed(row[index].strip())
        for row in body
        if index < len(row) and row[index].strip() and row[index].strip() not in NULL_WORDS
    )
    kind, count = kinds.most_common(1)[0] if kinds else ("", 0)
    return kind if count >= 0.9 * kinds.total() else ""


def _width(header: Row, body: list[Row]) -> int:
    reach = _reach(header)
    wider = Counter(r for r in (_reach(row) for row in body) if r > reach)
    return wider.most_common(1)[0][0] if wider.total() * 2 > len(body) else reach or len(header)


def _usual_reach(sample: list[Row]) -> int:
    reaches = Counter(_reach(row) for row in sample if _filled(row))
    if not reaches:
        return 0
    most = max(reaches.values())
    return max(reach for reach, count in reaches.items() if count == most)


def _title(row: Row, usual: int) -> bool:
    filled = _filled(row)
    if filled == 1:
        return usual >= 3 or (usual == 2 and _reach(row) == 1)
    return filled == 2 and usual >= 5


def _filled(row: Row) -> int:
    return sum(1 for cell in row if cell.strip())


def _reach(row: Row) -> int:
    return max((i for i, cell in enumerate(row, 1) if cell.strip()), default=0)


def _clean(cell: str) -> str:
    text = cell.strip()
    return "" if text in NULL_WORDS else text


def _one_line(cell: str) -> str:
    return " ".join(cell.split())


def _brief(row: Row) -> str:
    text = " | ".join(_one_line(cell) for cell in row if cell.strip())
    return text if len(text) <= 120 else text[:119] + "…"
