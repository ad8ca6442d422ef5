"""The ruled lines of a PDF page, and those that tables left undrawn.

Tables are often open at their sides, or have no vertical rules at all (the three-line table of
Chinese and scientific texts). Their horizontal rules then say where the table is: the rules of
one table begin and end at the same places.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ingest.documents.model import Box

Word = tuple[float, float, float, float, str]
Line = tuple[tuple[float, float], tuple[float, float]]

_THIN, _TOLERANCE = 2.0, 3.0
_MIN_LENGTH = 20.0
_MIN_RULES = 3
_MIN_COVER = 0.8
_MIN_FIGURES = 0.4
_MIN_GAP = 4.0


@dataclass(frozen=True)
class Rule:
    """A straight line: `at` is its height (horizontal) or place (vertical)."""

    at: float
    start: float
    end: float


def undrawn_rules(drawings: Sequence[Any], words: Sequence[Word]) -> list[Line]:
    """Vertical lines that complete the page's open tables, as pairs of points."""
    horizontal = _merged(_rules(drawings, across=True))
    vertical = _merged(_rules(drawings, across=False))
    lines: list[Line] = []
    for group in _groups([rule for rule in horizontal if rule.end - rule.start >= _MIN_LENGTH]):
        box = (group[0].start, group[0].at, group[0].end, group[-1].at)
        lines += [((x, box[1]), (x, box[3])) for x in _missing(box, vertical, words)]
    return lines


def _missing(box: Box, vertical: Sequence[Rule], words: Sequence[Word]) -> list[float]:
    through = [rule.at for rule in vertical if _crosses(rule, box)]
    inner = [x for x in through if box[0] + _TOLERANCE < x < box[2] - _TOLERANCE]
    if not inner:
        inner = _columns(box, words) if not through else []
        if not inner:
            return []
        return [box[0], *inner, box[2]]
    return [x for x in (box[0], box[2]) if not any(abs(x - y) <= _TOLERANCE for y in through)]


def _crosses(rule: Rule, box: Box) -> bool:
    inside = min(rule.end, box[3]) - max(rule.start, box[1])
    return box[0] - _TOLERANCE <= rule.at <= box[2] + _TOLERANCE and inside >= _MIN_COVER * (
        box[3] - box[1]
    )


def _columns(box: Box, words: Sequence[Word]) -> list[float]:
    """Places between columns of words, where most of what stands right of the first column is
    a figure; [] for running text."""
    inside = sorted(w for w in words if box[0] <= w[0] and w[2] <= box[2] and _within(w, box))
    groups: list[list[Word]] = []
    reach = float("-inf")
    for word in inside:
        if word[0] - reach > _MIN_GAP:
            groups.append([])
        groups[-1].append(word)
        reach = max(reach, word[2])
    right = [word for group in groups[1:] for word in group]
    figures = sum(1 for word in right if any(char.isdigit() for char in word[4]))
    if len(groups) < 2 or figures < _MIN_FIGURES * len(right):
        return []
    edges = [(min(w[0] for w in group), max(w[2] for w in group)) for group in groups]
    return [(left[1] + next_[0]) / 2 for left, next_ in pairwise(edges)]


def _within(word: Word, box: Box) -> bool:
    return box[1] <= (word[1] + word[3]) / 2 <= box[3]


def _groups(rules: Sequence[Rule]) -> Iterator[list[Rule]]:
    """Rules of one table: at least three that begin and end at the same places."""
    open_groups: list[list[Rule]] = []
    for rule in sorted(rules, key=lambda rule: rule.at):
        for group in open_groups:
            first = group[0]
            if (
                abs(first.start - rule.start) <= _TOLERANCE
                and abs(first.end - rule.end) <= _TOLERANCE
            ):
                group.append(rule)
                break
        else:
            open_groups.append([rule])
    for group in open_groups:
        if len(group) >= _MIN_RULES:
            yield group


def _rules(drawings: Sequence[Any], *, across: bool) -> Iterator[Rule]:
    for drawing in drawings:
        for item in drawing["items"]:
            if item[0] == "l":
                (x0, y0), (x1, y1) = item[1], item[2]
            elif item[0] == "re":
                x0, y0, x1, y1 = item[1]
            else:
                continue
            width, height = abs(x1 - x0), abs(y1 - y0)
            if across and height <= _THIN < width:
                yield Rule((y0 + y1) / 2, min(x0, x1), max(x0, x1))
            elif not across and width <= _THIN < height:
                yield Rule((x0 + x1) / 2, min(y0, y1), max(y0, y1))


def _merged(rules: Iterator[Rule]) -> list[Rule]:
    """Rules that were drawn piece by piece, as one."""
    merged: list[Rule] = []
    for rule in sorted(rules, key=lambda rule: (round(rule.at), rule.start)):
        last = merged[-1] if merged else None
        if (
            last is not None
            and abs(last.at - rule.at) <= _THIN / 2
            and rule.start <= last.end + _TOLERANCE
        ):
            merged[-1] = Rule(last.at, last.start, max(last.end, rule.end))
        else:
            merged.append(rule)
    return merged
