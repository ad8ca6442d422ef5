"""A source of rows before it is a table: where its header is, how wide it is, where it ends."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise
from pathlib import Path
from typing import NamedTuple

from ingest.tables.captions import (
    Stated,
    in_other_script,
    is_caption,
    is_unit_row,
    stated_units,
)
from ingest.tables.cells import NULL_WORDS, looks_typed
from ingest.tables.totals import is_total

Row = Sequence[str]
Merge = tuple[tuple[int, int], tuple[int, int]]
"""A merged range, ((top, left), (bottom, right)), 0-based and inclusive."""

SAMPLE_ROWS = 500
_TAIL = 8
_SAID = 5
_GROUP, _REST = re.compile(r"[-+▲△(¥￥$]*[1-9]\d{0,2}"), re.compile(r"\d{3}(\.\d+)?[)円元]*")
_MARKED = re.compile(r"'[-+]?\d[\d,.]*")
_REMARK = re.compile(
    r"[※＊*]|[(（]?(?:注|備考|备注|出典|出所|资料来源|来源|notes?\b|source\b)"
    r"|(?:作成|出力|発行|印刷|担当|承認|制表|审核|打印|导出)\S{0,4}[:：]"
    r"|(?:prepared|created|printed|exported)\s+(?:by|on|at)\b",
    re.I,
)
_YEAR_OR_MONTH = re.compile(r"(19|20)\d\d(0[1-9]|1[0-2]|[/-](0?[1-9]|1[0-2]))?")
_LABEL_NUMBER = re.compile(r"(19|20)\d\d([/-]?(0[1-9]|1[0-2]))?|\d{1,2}")


@dataclass(frozen=True)
class Plain:
    """A delimited text file that another reader than ours may read, too."""

    path: Path
    codec: str
    delimiter: str


class Unread(NamedTuple):
    """A cell that the format itself leaves open. `row` is 1-based, the column's place 0-based."""

    row: int
    at: int
    value: str
    reason: str


@dataclass(frozen=True)
class Grid:
    """Rows of text, blank ones included, that can be read more than once.

    `header` is given where the format itself names the columns; every row is then data. `hidden`
    are the names of the file's hidden sheets. `plain` says where the same rows stand as text.
    `unread` are cells that hold no usable value: they are blank in `rows`.
    """

    rows: Callable[[], Iterator[Row]]
    plain: Plain | None = None
    sheet: str | None = None
    header: tuple[str, ...] | None = None
    merges: tuple[Merge, ...] = ()
    notes: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    unread: tuple[Unread, ...] = ()


@dataclass(frozen=True)
class Layout:
    """`originals` are the header cells as written ("" where blank); `first` is the 1-based
    source row of the first data row. `units`: by column, what stands above the table for it."""

    originals: tuple[str, ...]
    first: int
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    units: Mapping[int, Stated] = field(default_factory=dict)


@dataclass
class Body:
    """Iterates the data rows once as (source row, cells); afterwards `extras`, `notes` and
    `used` (columns that hold anything) are complete. Nothing it leaves out goes unsaid. `kinds`
    are the types of the columns that the stage holds as values, too (see `staging.TYPED`)."""

    grid: Grid
    layout: Layout
    extras: list[tuple[int, int, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    used: set[int] = field(default_factory=set)
    kinds: dict[int, str] = field(default_factory=dict)
    split: list[tuple[int, int, str]] = field(default_factory=list)
    _nuls: list[int] = field(default_factory=list)
    _marked: list[int] = field(default_factory=list)

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
        self.cut_footer(tail)
        for entry in tail:
            yield from self._emit(entry)
        for rows, said in (
            (self._nuls, "NUL characters were left out of cells"),
            (list(dict.fromkeys(self._marked)), "Apostrophes before numbers were left out"),
        ):
            if rows:
                listed = ", ".join(map(str, rows[:_SAID])) + (", …" if rows[_SAID:] else "")
                self.notes.append(f"{said} in row{'' if len(rows) == 1 else 's'} {listed}.")

    def _emit(self, entry: tuple[int, Row] | None) -> Iterator[tuple[int, list[str]]]:
        if entry is None:
            return
        number, row = entry
        if "\0" in "".join(row):
            row = [cell.replace("\0", "") for cell in row]
            self._nuls.append(number)
        if any(cell.startswith("'") for cell in row):
            row = [self._without_mark(number, cell) for cell in row]
        width = len(self.layout.originals)
        if len(row) > width and (at := _split_figure(self.grid, row, width)) is not None:
            self.split += [(number, place, cell) for place, cell in enumerate(row[at:], start=at)]
            row = row[:at]
        cells = [self.clean(cell) for cell in row[:width]]
        self.used.update(index for index, cell in enumerate(cells) if cell)
        cells += [""] * (width - len(cells))
        for index, cell in enumerate(row[width:], start=width + 1):
            if cell.strip():
                self.extras.append((number, index, cell.strip()))
        yield number, cells

    def _without_mark(self, number: int, cell: str) -> str:
        """A number without Excel's mark for text before it: '00123."""
        if not _MARKED.fullmatch(cell.strip()):
            return cell
        self._marked.append(number)
        return cell.strip()[1:]

    @staticmethod
    def clean(cell: str) -> str:
        text = cell.strip()
        return "" if text in NULL_WORDS else text

    def cut_footer(self, tail: deque[tuple[int, Row] | None]) -> None:
        """Takes off, from the end: remarks set off by a blank row or by how they begin, and words
        for a total without a figure. Totals are looked for when the stage is filled."""
        if None in tail:
            gap = len(tail) - 1 - list(reversed(tail)).index(None)
            below = [entry for entry in list(tail)[gap + 1 :] if entry]
            wide = len(self.layout.originals) >= 3
            if below and all(_is_remark(row, wide=wide) for _, row in below):
                for number, row in below:
                    self.notes.append(f"Row {number} below the table was left out: {brief(row)}")
                while len(tail) > gap:
                    tail.pop()
        while tail and (tail[-1] is None or _is_note(tail[-1][1])):
            entry = tail.pop()
            if entry is not None:
                self.notes.append(f"Row {entry[0]} below the table was left out: {brief(entry[1])}")


def _is_note(row: Row) -> bool:
    """One cell that is a remark or a signature, or a word for a total that has no figure."""
    return _filled(row) == 1 and len(row) > 1 and (_is_remark(row, wide=False) or is_total(row))


def _is_remark(row: Row, *, wide: bool) -> bool:
    """One cell; in a table of two columns it could be a row without its figure."""
    filled = [cell.strip() for cell in row if cell.strip()]
    return len(filled) == 1 and (wide or bool(_REMARK.match(filled[0])))


def find_layout(grid: Grid) -> Layout:
    """Header, width and first data row, judged on the first rows of the grid."""
    sample = list(islice(grid.rows(), SAMPLE_ROWS))
    if grid.header is not None:
        return Layout(grid.header, 1)
    usual = _usual_reach(sample)
    start = next(
        (
            i
            for i, row in enumerate(sample)
            if _filled(row)
            and not _captions(sample, i)
            and (not _title(row, usual) or _names_groups(sample, i))
        ),
        0,
    )
    notes = [
        f"Row {i + 1} above the header was skipped: {brief(row)}"
        for i, row in enumerate(sample[:start])
        if _filled(row)
    ]
    header, first = _read_header(grid, sample, start)
    body = [row for row in sample[first:] if _filled(row)]
    if _is_data(header, body):
        notes.append("No header row was found; the columns are numbered.")
        header, first = [""] * len(header), start
    elif _is_translated(sample, start):
        notes.append(
            f"Row {start + 2} repeats the header in other words: {brief(sample[start + 1])}"
        )
    reach = _reach(header)
    wide = [row for row in body if _reach(row) > reach]
    if wide and reach > 1 and all(_split_figure(grid, row, reach) is not None for row in wide):
        body = [row for row in body if _reach(row) <= reach]
    width = _width(header, body)
    originals = tuple(header[:width]) + ("",) * (width - len(header))
    numeric = {
        c: any(row[c].strip().endswith(("%", "％")) for row in body if c < len(row))
        for c in range(width)
        if _column_kind(body, c) == "number"
    }
    units, unclear = stated_units(sample[:start], originals, numeric)
    warnings = (*([unclear] if unclear else ()), *_second_tables(sample, first))
    if 0 < reach < width:
        notes.append(f"The header names {reach} columns, the rows below have {width}.")
    return Layout(originals, first + 1, tuple(notes), warnings, units)


def _captions(sample: list[Row], at: int) -> bool:
    """Two or more captions, above a row of names over figures."""
    below = next((i for i in range(at + 1, len(sample)) if _filled(sample[i])), None)
    if below is None or not is_caption(sample[at], sample[below]):
        return False
    if _captions(sample, below) or _filled(sample[below]) == 1:
        return True
    body = [row for row in sample[below + 1 :] if _filled(row)]
    named = [c for c, cell in enumerate(sample[below]) if cell.strip()]
    return not _has_typed(sample[below]) and any(_column_kind(body, c) for c in named)


def _second_tables(sample: list[Row], first: int) -> Iterator[str]:
    """Below blank rows, a row of names over rows with figures, where the rows above the blank ones
    have figures: another table on the same sheet."""
    for at in range(first + 2, len(sample) - 1):
        row = sample[at]
        titled = _filled(sample[at - 1]) == 1 and at > first + 2
        blank = sample[at - 2] if titled else sample[at - 1]
        if _filled(blank) or _filled(row) < 2 or _has_typed(row):
            continue
        above = [r for r in sample[first:at] if _filled(r)]
        figures = {c for c in range(len(row)) if row[c].strip() and _column_kind(above, c)}
        if above and figures and _filled(sample[at + 1]) >= 2:
            yield (
                f"row {at + 1} looks like the header of another table, whose rows are in this one: "
                f"{brief(row)}"
            )


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
        return _unmerged_header(sample, start)
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


def _unmerged_header(sample: list[Row], start: int) -> tuple[list[str], int]:
    """One row, or two where the second has units, the same names in another script, or the names
    below groups."""
    if _has_units(sample, start):
        return _with_units(sample[start], sample[start + 1]), start + 2
    if not _is_translated(sample, start) and _has_second_level(sample, start):
        return _two_levels(sample[start], sample[start + 1]), start + 2
    names = [_one_line(cell) for cell in sample[start]]
    return names, start + (2 if _is_translated(sample, start) else 1)


def _has_units(sample: list[Row], start: int) -> bool:
    """Below the names, the units of columns that hold figures."""
    if start + 2 >= len(sample) or not is_unit_row(sample[start + 1]):
        return False
    units = [c for c, cell in enumerate(sample[start + 1]) if cell.strip()]
    body = [row for row in sample[start + 2 :] if _filled(row)]
    named = all(c < len(sample[start]) and sample[start][c].strip() for c in units)
    return named and any(_column_kind(body, c) == "number" for c in units)


def _with_units(names: Row, units: Row) -> list[str]:
    texts = []
    for c, cell in enumerate(names):
        unit = _one_line(units[c]) if c < len(units) else ""
        bracketed = unit if not unit or unit[0] in "(（[【" else f"({unit})"
        texts.append(_one_line(cell) + bracketed)
    return texts


def _is_translated(sample: list[Row], start: int) -> bool:
    """Below the names, the same number of names in another script, over columns of which some
    hold figures or dates only."""
    if start + 2 >= len(sample) or _has_typed(sample[start + 1]) or _has_typed(sample[start]):
        return False
    upper, lower = sample[start], sample[start + 1]
    body = [row for row in sample[start + 2 :] if _filled(row)]
    places = [c for c, cell in enumerate(upper) if cell.strip()]
    if len(places) < 2 or places != [c for c, cell in enumerate(lower) if cell.strip()]:
        return False
    return in_other_script(upper, lower) and any(_column_kind(body, c) for c in places)


def _has_second_level(sample: list[Row], start: int) -> bool:
    """Names of groups over blanks, and below each blank a name whose column holds figures: a
    header of two rows that was merged before it became a text file."""
    if start + 1 >= len(sample) or _has_typed(sample[start + 1]):
        return False
    upper, lower = sample[start], sample[start + 1]
    body = [row for row in sample[start + 2 :] if _filled(row)]
    reach = max(_reach(upper), _reach(lower))
    blank = [c for c in range(reach) if c >= len(upper) or not upper[c].strip()]
    if not blank or len(body) < 1 or any(c >= len(lower) or not lower[c].strip() for c in blank):
        return False
    named = [c for c in range(min(reach, len(lower))) if lower[c].strip()]
    typed = [c for c in named if _column_kind(body, c)]
    return bool(set(blank) & set(typed)) and len(typed) * 2 >= len(named)


def _names_groups(sample: list[Row], start: int) -> bool:
    """Groups over all but the first columns: `,2026年1月,,2026年2月,`. A title begins in the first."""
    row = sample[start]
    if _filled(row) < 2 or row[0].strip() or start + 1 >= len(sample):
        return False
    below = sample[start + 1]
    return bool(below and below[0].strip()) and _has_second_level(sample, start)


def _two_levels(upper: Row, lower: Row) -> list[str]:
    names, group = [], ""
    for c in range(max(len(upper), len(lower))):
        top = _one_line(upper[c]) if c < len(upper) else ""
        below = _one_line(lower[c]) if c < len(lower) else ""
        group = (top or group) if below else ""
        names.append("_".join(dict.fromkeys(part for part in (top or group, below) if part)))
    return names


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
    texts = [cell for index, cell in enumerate(header) if cell.strip() and index not in typed]
    labels = [header[index].strip() for index in typed]
    if _are_periods(labels, [row[i].strip() for row in body for i in typed if i < len(row)]):
        return not (texts or _ascending_labels(labels))
    kinds = [_column_kind(body, index) for index in range(len(header))]
    alike = [index for index in typed if kinds[index] == looks_typed(header[index].strip())]
    named = [i for i, cell in enumerate(header) if cell.strip() and i not in typed and kinds[i]]
    if len(named) >= len(alike):
        return False
    return not (texts and len(labels) > 1 and _ascending_labels(labels))


def _are_periods(labels: list[str], below: list[str]) -> bool:
    """Different years, months or dates over figures that are none."""

    def is_period(text: str) -> bool:
        return bool(_YEAR_OR_MONTH.fullmatch(text)) or looks_typed(text) == "date"

    if len(labels) < 2 or len(set(labels)) < len(labels) or not all(map(is_period, labels)):
        return False
    filled = [text for text in below if text and text not in NULL_WORDS]
    return bool(filled) and not any(map(is_period, filled))


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


def _split_figure(grid: Grid, row: Row, width: int) -> int | None:
    """Where a record with more cells than the header may begin to be shifted by a figure that is
    written with commas and without quotes: 1 in `x,1,234` under `a,b`. Which of the cells belong
    together cannot be told from there on."""
    if grid.plain is None or grid.plain.delimiter != "," or _reach(row) <= width:
        return None
    pairs = [
        at
        for at, (left, right) in enumerate(pairwise(row))
        if _GROUP.fullmatch(left.strip()) and _REST.fullmatch(right.strip())
    ]
    return pairs[0] if len(pairs) >= _reach(row) - width and pairs[0] < width else None


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


def _one_line(cell: str) -> str:
    return " ".join(cell.replace("\0", "").split())


def brief(row: Row) -> str:
    """What stands in the row, for a note."""
    text = " | ".join(_one_line(cell) for cell in row if cell.strip() not in NULL_WORDS)
    return text if len(text) <= 120 else text[:119] + "…"
