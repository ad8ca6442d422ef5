"""Where the header of a grid is, how wide its table is, and where its data begin."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice, pairwise

from ingest.tables.captions import is_caption, stated_units
from ingest.tables.cells import NULL_WORDS, looks_typed
from ingest.tables.grid import (
    SAMPLE_ROWS,
    Grid,
    Layout,
    Row,
    brief,
    column_kind,
    filled,
    has_typed,
    reach_of,
    split_figure,
)
from ingest.tables.header_rows import is_translated, names_groups, read_header_rows

_YEAR_OR_MONTH = re.compile(r"(19|20)\d\d(0[1-9]|1[0-2]|[/-](0?[1-9]|1[0-2]))?")
_LABEL_NUMBER = re.compile(r"(19|20)\d\d([/-]?(0[1-9]|1[0-2]))?|\d{1,2}")


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
            if filled(row)
            and not _captions(sample, i)
            and (not _title(row, usual) or names_groups(sample, i))
        ),
        0,
    )
    notes = [
        f"Row {i + 1} above the header was skipped: {brief(row)}"
        for i, row in enumerate(sample[:start])
        if filled(row)
    ]
    header, first = read_header_rows(grid, sample, start)
    body = [row for row in sample[first:] if filled(row)]
    if _is_data(header, body):
        notes.append("No header row was found; the columns are numbered.")
        header, first = [""] * len(header), start
    elif is_translated(sample, start):
        notes.append(
            f"Row {start + 2} repeats the header in other words: {brief(sample[start + 1])}"
        )
    reach = reach_of(header)
    wide = [row for row in body if reach_of(row) > reach]
    if wide and reach > 1 and all(split_figure(grid, row, reach) is not None for row in wide):
        body = [row for row in body if reach_of(row) <= reach]
    width = _width(header, body)
    originals = tuple(header[:width]) + ("",) * (width - len(header))
    numeric = {
        c: any(row[c].strip().endswith(("%", "％")) for row in body if c < len(row))
        for c in range(width)
        if column_kind(body, c) == "number"
    }
    units, unclear = stated_units(sample[:start], originals, numeric)
    warnings = (*([unclear] if unclear else ()), *_second_tables(sample, first))
    if 0 < reach < width:
        notes.append(f"The header names {reach} columns, the rows below have {width}.")
    return Layout(originals, first + 1, tuple(notes), warnings, units)


def _captions(sample: list[Row], at: int) -> bool:
    """Two or more captions, above a row of names over figures."""
    below = next((i for i in range(at + 1, len(sample)) if filled(sample[i])), None)
    if below is None or not is_caption(sample[at], sample[below]):
        return False
    if _captions(sample, below) or filled(sample[below]) == 1:
        return True
    body = [row for row in sample[below + 1 :] if filled(row)]
    named = [c for c, cell in enumerate(sample[below]) if cell.strip()]
    return not has_typed(sample[below]) and any(column_kind(body, c) for c in named)


def _second_tables(sample: list[Row], first: int) -> Iterator[str]:
    """Below blank rows, a row of names over rows with figures, where the rows above the blank ones
    have figures: another table on the same sheet."""
    for at in range(first + 2, len(sample) - 1):
        row = sample[at]
        titled = filled(sample[at - 1]) == 1 and at > first + 2
        blank = sample[at - 2] if titled else sample[at - 1]
        if filled(blank) or filled(row) < 2 or has_typed(row):
            continue
        above = [r for r in sample[first:at] if filled(r)]
        figures = {c for c in range(len(row)) if row[c].strip() and column_kind(above, c)}
        if above and figures and filled(sample[at + 1]) >= 2:
            yield (
                f"row {at + 1} looks like the header of another table, whose rows are in this one: "
                f"{brief(row)}"
            )


def _is_data(header: Row, body: list[Row]) -> bool:
    """True when the first row is a record: numbers or dates stand where the column has the same."""
    if not body:
        return False
    typed = [index for index, cell in enumerate(header) if looks_typed(cell.strip())]
    texts = [cell for index, cell in enumerate(header) if cell.strip() and index not in typed]
    labels = [header[index].strip() for index in typed]
    if _are_periods(labels, [row[i].strip() for row in body for i in typed if i < len(row)]):
        return not (texts or _ascending_labels(labels))
    kinds = [column_kind(body, index) for index in range(len(header))]
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
    said = [text for text in below if text and text not in NULL_WORDS]
    return bool(said) and not any(map(is_period, said))


def _ascending_labels(labels: list[str]) -> bool:
    """Years, months or day numbers that run over the columns are labels (2023, 2024, …)."""
    if not all(_LABEL_NUMBER.fullmatch(label) for label in labels):
        return False
    values = [int(re.sub(r"\D", "", label)) for label in labels]
    steps = {b - a for a, b in pairwise(values)}
    return (len(steps) == 1 and steps != {0}) or all(len(label) >= 6 for label in labels)


def _width(header: Row, body: list[Row]) -> int:
    reach = reach_of(header)
    wider = Counter(r for r in (reach_of(row) for row in body) if r > reach)
    return wider.most_common(1)[0][0] if wider.total() * 2 > len(body) else reach or len(header)


def _usual_reach(sample: list[Row]) -> int:
    reaches = Counter(reach_of(row) for row in sample if filled(row))
    if not reaches:
        return 0
    most = max(reaches.values())
    return max(reach for reach, count in reaches.items() if count == most)


def _title(row: Row, usual: int) -> bool:
    count = filled(row)
    if count == 1:
        return usual >= 3 or (usual == 2 and reach_of(row) == 1)
    return count == 2 and usual >= 5
