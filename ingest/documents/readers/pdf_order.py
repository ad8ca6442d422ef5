"""Reading order of boxes on a page: columns where there are columns, else top to bottom."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from ingest.documents.model import Box

_MIN_GAP = 6.0
_MIN_COLUMN_SHARE = 0.2
"""A column of running text is at least this share of the page's width."""


class _Placed(Protocol):
    @property
    def box(self) -> Box: ...


Item = TypeVar("Item", bound=_Placed)


def in_reading_order(items: Sequence[Item], page_width: float) -> list[Item]:
    """A recursive X-Y cut. Vertical text runs from the right to the left, tier below tier.

    Bands that lie one above the other are read as columns for as long as the same gap
    goes through all of them.
    """
    if any(getattr(item, "vertical", False) for item in items):
        tiers = cut(items, lambda item: (item.box[1], item.box[3]), 0.0)
        return [item for tier in tiers for item in sorted(tier, key=_from_the_right)]
    columns = _columns(items, page_width)
    if len(columns) > 1:
        return [item for column in columns for item in in_reading_order(column, page_width)]
    bands = cut(items, lambda item: (item.box[1], item.box[3]), 0.0)
    if len(bands) == 1:
        return sorted(items, key=lambda item: (round(item.box[1]), item.box[0]))
    groups: list[list[Item]] = []
    for band in bands:
        together = [*groups[-1], *band] if groups else band
        if groups and len(_columns(together, page_width)) > 1:
            groups[-1] = together
        else:
            groups.append(band)
    return [item for group in groups for item in in_reading_order(group, page_width)]


def _from_the_right(item: _Placed) -> tuple[float, float]:
    return (-item.box[2], item.box[1])


def _columns(items: Sequence[Item], page_width: float) -> list[list[Item]]:
    """The items by column; one list when they stand in rows, as in a form."""
    columns = cut(items, lambda item: (item.box[0], item.box[2]), _MIN_GAP)
    wide = all(_width(column) >= _MIN_COLUMN_SHARE * page_width for column in columns)
    return columns if wide else [list(items)]


def _width(items: Sequence[Item]) -> float:
    return max(item.box[2] for item in items) - min(item.box[0] for item in items)


def cut(
    items: Sequence[Item], extent: Callable[[Item], tuple[float, float]], gap: float
) -> list[list[Item]]:
    """Groups parted by more than `gap` along the axis that `extent` measures."""
    groups: list[list[Item]] = []
    reach = float("-inf")
    for item in sorted(items, key=extent):
        low, high = extent(item)
        if not groups or low - reach > gap:
            groups.append([])
        groups[-1].append(item)
        reach = max(reach, high)
    return groups
