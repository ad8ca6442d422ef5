"""Which column a column refers to in the end, by the catalog's joins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ingest.store.records import JoinRecord


class Place(NamedTuple):
    table: str
    column: str


def place_of(place: Place, joins: Sequence[JoinRecord]) -> Place:
    """The column that a column refers to in the end; itself where it refers to none."""
    seen: set[Place] = set()
    while place not in seen:
        seen.add(place)
        for join in joins:
            if (join.left_table, join.left_column) == place:
                place = Place(join.right_table, join.right_column)
                break
    return place
