"""The rows of a table on their way out of a grid: cleaned, without what stands below the table."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from ingest.tables.cells import NULL_WORDS
from ingest.tables.grid import Grid, Layout, Row, brief, filled, split_figure
from ingest.tables.totals import is_total

_TAIL = 8
_SAID = 5
_MARKED = re.compile(r"'[-+]?\d[\d,.]*")
_REMARK = re.compile(
    r"[※＊*]|[(（]?(?:注|備考|备注|出典|出所|资料来源|来源|notes?\b|source\b)"
    r"|(?:作成|出力|発行|印刷|担当|承認|制表|审核|打印|导出)\S{0,4}[:：]"
    r"|(?:prepared|created|printed|exported)\s+(?:by|on|at)\b",
    re.I,
)


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
        if len(row) > width and (at := split_figure(self.grid, row, width)) is not None:
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
    return filled(row) == 1 and len(row) > 1 and (_is_remark(row, wide=False) or is_total(row))


def _is_remark(row: Row, *, wide: bool) -> bool:
    """One cell; in a table of two columns it could be a row without its figure."""
    cells = [cell.strip() for cell in row if cell.strip()]
    return len(cells) == 1 and (wide or bool(_REMARK.match(cells[0])))
