"""Units packed into passages of at most `room` tokens, with an overlap of whole sentences."""

from collections.abc import Callable, Iterator, Sequence

from ingest.documents.chunking.units import Unit

Passage = tuple[int, Sequence[Unit]]
"""(how many of the units at its head repeat the passage before, its units)"""


def pack(
    units: Sequence[Unit], room: int, overlap: int, measure: Callable[[Sequence[Unit]], int]
) -> Iterator[Passage]:
    """Fills passages greedily. `measure` counts the tokens of a passage's real text: the sum
    over units is only an estimate, and a passage that is too long after all is cut back."""
    start = 0
    repeated = 0
    while start < len(units):
        first = start - repeated
        stop = _reach(units, first, start, room)
        while stop - start > 1 and measure(units[first:stop]) > room:
            stop -= max(1, (stop - start) // 8)
        if repeated and measure(units[first:stop]) > room:
            repeated = 0
            continue
        yield repeated, units[first:stop]
        repeated = _overlap(units, first, stop, overlap) if stop < len(units) else 0
        start = stop


def _reach(units: Sequence[Unit], first: int, start: int, room: int) -> int:
    """The unit after the last one that fits; at least one new unit is taken."""
    used = sum(unit.tokens for unit in units[first:start])
    stop = start
    while stop < len(units):
        used += units[stop].tokens
        if used > room and stop > start:
            break
        stop += 1
    return _before_table(units, start, stop, room)


def _before_table(units: Sequence[Unit], start: int, stop: int, room: int) -> int:
    """A table that would be cut but fits a passage of its own starts a new passage; a table's
    header never ends one."""
    if stop >= len(units):
        return stop
    if not units[stop].in_table:
        return stop
    block = units[stop].block
    begin = stop
    while begin > start and units[begin - 1].block == block:
        begin -= 1
    if begin == start or not units[begin].first:
        return stop
    size = 0
    for unit in units[begin:]:
        if unit.block != block:
            break
        size += unit.tokens
    header_only = stop - begin == 1
    return begin if size <= room or header_only else stop


def _overlap(units: Sequence[Unit], first: int, stop: int, budget: int) -> int:
    """How many units before `stop` fit `budget` tokens; table rows are not repeated."""
    count = used = 0
    if units[stop].in_table and not units[stop].first:
        return 0
    while stop - count - 1 > first:
        unit = units[stop - count - 1]
        used += unit.tokens
        if unit.in_table or used > budget:
            break
        count += 1
    return count
