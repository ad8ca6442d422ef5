"""The surroundings of a passage: the section that a reader of the passage would be shown."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

PARENT_PASSAGES = 4
"""A parent takes at most as many tokens as so many passages may."""


@dataclass(frozen=True)
class Piece:
    heading: tuple[str, ...]
    tokens: int


def parents(pieces: Sequence[Piece], budget: int) -> list[tuple[int, int]]:
    """For each piece the first and the last piece (inclusive) of its parent.

    A parent is the widest section around the piece, its subsections included, of at most
    `budget` tokens. A section without subsections that is longer is parted into runs.
    """
    spans: list[tuple[int, int]] = []
    for first, last in _parts(pieces, 0, len(pieces), 0, budget):
        spans += [(first, last - 1)] * (last - first)
    return spans


def _parts(
    pieces: Sequence[Piece], first: int, last: int, depth: int, budget: int
) -> Iterator[tuple[int, int]]:
    own = pieces[first:last]
    if not own:
        return
    if sum(piece.tokens for piece in own) <= budget:
        yield first, last
    elif all(len(piece.heading) <= depth for piece in own):
        yield from _runs(pieces, first, last, budget)
    else:
        start = first
        for _, group in groupby(own, key=lambda piece: piece.heading[: depth + 1]):
            stop = start + sum(1 for _ in group)
            yield from _parts(pieces, start, stop, depth + 1, budget)
            start = stop


def _runs(pieces: Sequence[Piece], first: int, last: int, budget: int) -> Iterator[tuple[int, int]]:
    start, used = first, 0
    for index in range(first, last):
        if index > start and used + pieces[index].tokens > budget:
            yield start, index
            start, used = index, 0
        used += pieces[index].tokens
    yield start, last
