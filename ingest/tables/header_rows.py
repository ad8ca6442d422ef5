"""The rows of a grid that are its header: merged, of two levels, with units, or said twice."""

from __future__ import annotations

from ingest.tables.captions import in_other_script, is_unit_row
from ingest.tables.grid import Grid, Row, column_kind, filled, has_typed, one_line, reach_of


def read_header_rows(grid: Grid, sample: list[Row], start: int) -> tuple[list[str], int]:
    """Header texts and the index of the row after them; merged headers take several rows."""
    if not sample:
        return [], 0
    bottom = start
    for (top, left), (end, right) in grid.merges:
        if top == start and end < start + 6:
            bottom = max(bottom, end + 1 if right > left else end)
    if bottom == start or bottom >= len(sample) or has_typed(sample[bottom]):
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
        parts = [one_line(level[c]) for level in levels if c < len(level) and level[c].strip()]
        names.append("_".join(dict.fromkeys(parts)))
    return names, bottom + 1


def _unmerged_header(sample: list[Row], start: int) -> tuple[list[str], int]:
    """One row, or two where the second has units, the same names in another script, or the names
    below groups."""
    if _has_units(sample, start):
        return _with_units(sample[start], sample[start + 1]), start + 2
    if not is_translated(sample, start) and _has_second_level(sample, start):
        return _two_levels(sample[start], sample[start + 1]), start + 2
    names = [one_line(cell) for cell in sample[start]]
    return names, start + (2 if is_translated(sample, start) else 1)


def _has_units(sample: list[Row], start: int) -> bool:
    """Below the names, the units of columns that hold figures."""
    if start + 2 >= len(sample) or not is_unit_row(sample[start + 1]):
        return False
    units = [c for c, cell in enumerate(sample[start + 1]) if cell.strip()]
    body = [row for row in sample[start + 2 :] if filled(row)]
    named = all(c < len(sample[start]) and sample[start][c].strip() for c in units)
    return named and any(column_kind(body, c) == "number" for c in units)


def _with_units(names: Row, units: Row) -> list[str]:
    texts = []
    for c, cell in enumerate(names):
        unit = one_line(units[c]) if c < len(units) else ""
        bracketed = unit if not unit or unit[0] in "(（[【" else f"({unit})"
        texts.append(one_line(cell) + bracketed)
    return texts


def is_translated(sample: list[Row], start: int) -> bool:
    """Below the names, the same number of names in another script, over columns of which some
    hold figures or dates only."""
    if start + 2 >= len(sample) or has_typed(sample[start + 1]) or has_typed(sample[start]):
        return False
    upper, lower = sample[start], sample[start + 1]
    body = [row for row in sample[start + 2 :] if filled(row)]
    places = [c for c, cell in enumerate(upper) if cell.strip()]
    if len(places) < 2 or places != [c for c, cell in enumerate(lower) if cell.strip()]:
        return False
    return in_other_script(upper, lower) and any(column_kind(body, c) for c in places)


def _has_second_level(sample: list[Row], start: int) -> bool:
    """Names of groups over blanks, and below each blank a name whose column holds figures: a
    header of two rows that was merged before it became a text file."""
    if start + 1 >= len(sample) or has_typed(sample[start + 1]):
        return False
    upper, lower = sample[start], sample[start + 1]
    body = [row for row in sample[start + 2 :] if filled(row)]
    reach = max(reach_of(upper), reach_of(lower))
    blank = [c for c in range(reach) if c >= len(upper) or not upper[c].strip()]
    if not blank or len(body) < 1 or any(c >= len(lower) or not lower[c].strip() for c in blank):
        return False
    named = [c for c in range(min(reach, len(lower))) if lower[c].strip()]
    typed = [c for c in named if column_kind(body, c)]
    return bool(set(blank) & set(typed)) and len(typed) * 2 >= len(named)


def names_groups(sample: list[Row], start: int) -> bool:
    """Groups over all but the first columns: `,2026年1月,,2026年2月,`. A title begins in the first."""
    row = sample[start]
    if filled(row) < 2 or row[0].strip() or start + 1 >= len(sample):
        return False
    below = sample[start + 1]
    return bool(below and below[0].strip()) and _has_second_level(sample, start)


def _two_levels(upper: Row, lower: Row) -> list[str]:
    names, group = [], ""
    for c in range(max(len(upper), len(lower))):
        top = one_line(upper[c]) if c < len(upper) else ""
        below = one_line(lower[c]) if c < len(lower) else ""
        group = (top or group) if below else ""
        names.append("_".join(dict.fromkeys(part for part in (top or group, below) if part)))
    return names


def _last_text_row(sample: list[Row], start: int, bottom: int) -> int:
    while bottom > start and (bottom >= len(sample) or has_typed(sample[bottom])):
        bottom -= 1
    return bottom
