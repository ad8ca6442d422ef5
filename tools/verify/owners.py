"""Which rows a figure is stated for: the row labels and dates named around it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tools.dates.fold import fold
from tools.verify.dating import DateItem, Stated
from tools.verify.facts import EvidenceFacts

_GROUP = re.compile(
    r"\s*(?:と|や|・|、|,|and|&|および|及び|和|与|、?並びに|vs\.?|/|より|から|than|to|→|[-–〜~]|至|到)\s*",
    re.IGNORECASE,
)
_OWNER_FOLLOWS = re.compile(
    r"\s*(?:[a-z]+\s+){0,3}?(?:\(|（|が|\b(?:in|at|for|of|from|by)\b)\s*(?:the\s+)?[\"'‘“「『]?",
    re.IGNORECASE,
)
_OWNER_IS_NEXT = re.compile(r"\s*(?:[家个個件台名社人]の?|つの|的|の)?\s*[\"'‘“「『]?")
_PLURAL = re.compile(r"(?<=[a-z])e?s(?![a-z0-9])")
_NEAR = 24
Axis = tuple[int, int]
"""Evidence number and column; column -1 is the evidence's dates."""


@dataclass(frozen=True)
class Label:
    """A row label named at `[start, end)` of the sentence, and the rows that bear it."""

    start: int
    end: int
    axis: Axis
    rows: tuple[int, ...]


@dataclass(frozen=True)
class Spot:
    """A figure at `[start, end)` of a sentence; the first figure there ends at `first_end`."""

    sentence: str
    start: int
    end: int
    first_end: int


def find_labels(
    sentence: str, dates: Sequence[DateItem], offset: int, all_facts: Sequence[EvidenceFacts]
) -> list[Label]:
    """Row labels in a sentence that starts at `offset`; a label inside a longer one is dropped."""
    folded = fold(sentence)
    lowered = _lowered(folded.text)
    found: list[Label] = []
    for number, facts in enumerate(all_facts):
        for start, end, column, rows in facts.labels_in(lowered):
            if _is_word(lowered, start, end):
                begin, finish = folded.original(start, end)
                found.append(Label(begin, finish, (number, column), tuple(rows)))
        found.extend(_date_labels(number, facts, dates, offset, len(sentence)))
    return _longest(found)


def _lowered(text: str) -> str:
    """Lower case, unless that would move places (İ)."""
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else text


def _is_word(text: str, start: int, end: int) -> bool:
    """Whether no letter or digit runs on at either end of a Latin label, but for a plural's s."""

    def joins(inner: str, outer: str) -> bool:
        return inner.isascii() and inner.isalnum() and outer.isascii() and outer.isalnum()

    if joins(text[start], text[start - 1 : start]):
        return False
    return not joins(text[end - 1], text[end : end + 1]) or bool(_PLURAL.match(text, end))


def _date_labels(
    number: int, facts: EvidenceFacts, dates: Sequence[DateItem], offset: int, length: int
) -> list[Label]:
    labels = []
    for item in dates:
        if not offset <= item.start < offset + length:
            continue
        rows = sorted({row for s in item.stated for row in rows_of(facts, s)})
        if rows:
            start, end = item.start - offset, item.end - offset
            labels.append(Label(start, end, (number, -1), tuple(rows)))
    return labels


def rows_of(facts: EvidenceFacts, asked: Stated) -> list[int]:
    """Rows with a date that proves `asked`."""
    return [row for stated, rows in facts.dates.items() if asked.agrees(stated) for row in rows]


def _longest(labels: list[Label]) -> list[Label]:
    kept: list[Label] = []
    for label in sorted(labels, key=lambda x: (x.start, -x.end)):
        inside = any(
            k.start <= label.start
            and label.end <= k.end
            and k.end - k.start > label.end - label.start
            for k in kept
        )
        if not inside:
            kept.append(label)
    return kept


def owner_rows(labels: Sequence[Label], spot: Spot, evidence: int) -> list[int]:
    """Rows of evidence number `evidence` that the figure at `spot` is stated for.

    Labels before a figure own it; where figures come first ("120 in Tokyo and 80 in Osaka", "3
    desks and 2 chairs"), or the words right after the figure say so, the label after it does.
    Labels joined by "and" own it together. Rows are the meet over the columns that are named, or
    else of the nearest label: where no row has both, "West has 10 Air Fryers" is said of West.
    """
    by_axis: dict[Axis, list[Label]] = {}
    for label in labels:
        if label.axis[0] == evidence and not label.start <= spot.start < label.end:
            by_axis.setdefault(label.axis, []).append(label)
    groups = [g for group in by_axis.values() if (g := _nearest(group, spot))]
    if not groups:
        return []
    groups.sort(key=lambda g: min(abs(x.start - spot.start) for x in g))
    owners = [g for g in groups if not (g[0].start >= spot.end and _is_next(spot, g[0]))] or groups
    nearest = {row for label in owners[0] for row in label.rows}
    rows = {row for label in groups[0] for row in label.rows}
    for group in groups[1:]:
        rows &= {row for label in group for row in label.rows}
    return sorted(rows or nearest)


def _nearest(group: list[Label], spot: Spot) -> list[Label]:
    before = [x for x in group if x.end <= spot.start]
    following = next((x for x in group if x.start >= spot.end), None)
    if following and _leads_to(spot.sentence, spot.end, following):
        return [following]
    if following and group[0].start >= spot.first_end and _is_next(spot, following):
        return [following]
    if before and not (following and _leads_to(spot.sentence, spot.first_end, group[0])):
        return _joined(before, spot.sentence)
    return []


def focus_rows(labels: Sequence[Label], evidence: int) -> list[int]:
    """The rows that the whole sentence is about: in each column any of the names, in all columns
    at once, or in any where no row has them all."""
    axes: dict[Axis, set[int]] = {}
    for label in labels:
        if label.axis[0] == evidence:
            axes.setdefault(label.axis, set()).update(label.rows)
    if not axes:
        return []
    sets = list(axes.values())
    return sorted(set.intersection(*sets) or set.union(*sets))


def _leads_to(sentence: str, end: int, label: Label) -> bool:
    """Whether the figure that ends at `end` is said to be "in" or "of" the label."""
    between = sentence[end : label.start]
    return label.start >= end and len(between) < _NEAR and bool(_OWNER_FOLLOWS.fullmatch(between))


def _is_next(spot: Spot, label: Label) -> bool:
    return bool(_OWNER_IS_NEXT.fullmatch(spot.sentence, spot.end, label.start))


def _joined(before: list[Label], sentence: str) -> list[Label]:
    """The last label and those joined to it by "and"."""
    group = [before[-1]]
    for label in reversed(before[:-1]):
        if not _GROUP.fullmatch(sentence, label.end, group[-1].start):
            break
        group.append(label)
    return group
