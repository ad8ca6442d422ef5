"""Looks dates, codes and quoted names up in the evidence."""

from collections.abc import Iterator, Sequence

from tools.dates.fold import fold_text
from tools.verify.dating import DateItem, Stated
from tools.verify.facts import EvidenceFacts
from tools.verify.identifiers import Identifier, shape
from tools.verify.owners import rows_of
from tools.verify.results import Checked, contradicted, supported, unsupported

Source = tuple[EvidenceFacts | None, str]
"""None is the question; the text is the locator."""


class DateCheck:
    """One stated date against all evidence. `labels` are the row names of its sentence."""

    def __init__(
        self,
        item: DateItem,
        facts: Sequence[EvidenceFacts],
        asked_dates: Sequence[Stated],
        owners: Sequence[Sequence[int]],
    ) -> None:
        """`owners[i]` are the rows of `facts[i]` that the date is stated for; empty for none."""
        self._item = item
        self._facts = facts
        self._asked_dates = asked_dates
        self._owners = owners

    def run(self) -> Checked:
        """A day needs a day, a month a month or a day in it. Cells first, the question last."""
        item = self._item
        if item.problem:
            return unsupported("date", item, f"there is no such date: {item.problem}")
        sources = [next(self._sources(s), None) for s in item.stated]
        if sources and all(s is not None for s in sources) and sources[0]:
            return supported("date", item, *sources[0])
        as_text = next(self._same_text(), None)
        if as_text is not None:
            return supported("date", item, *as_text)
        for facts, rows in zip(self._facts, self._owners, strict=True):
            if rows and facts.dates and any(rows_of(facts, s) for s in item.stated):
                row = rows[0] if len(rows) == 1 else None
                return contradicted("date", item, facts, row, "another row has this date")
        return unsupported("date", item, "no cited cell, passage or query has this date")

    def _same_text(self) -> Iterator[Source]:
        """A text cell may hold a date in words ("August 2008"): said the same way, it is proof."""
        words = fold_text(self._item.text).strip().lower()
        for f, owned in zip(self._facts, self._owners, strict=True):
            for (label, column), rows in f.labels.items():
                kept = [r for r in rows if not owned or r in owned]
                if label == words and kept:
                    yield f, f"row {min(kept) + 1}, {f.evidence.columns[column].name}"

    def _sources(self, asked: Stated) -> Iterator[Source]:
        for f, owned in zip(self._facts, self._owners, strict=True):
            rows = [r for r in rows_of(f, asked) if not owned or r in owned]
            if rows:
                yield f, f"row {min(rows) + 1}"
        for f in self._facts:
            if any(asked.agrees(s) for s in f.passage_dates):
                yield f, "passage"
            if any(asked.agrees(s) for s in f.query_dates) or _filtered_by(f, asked):
                yield f, "query"
        if any(asked.agrees(s) for s in self._asked_dates):
            yield None, "question"


def _filtered_by(facts: EvidenceFacts, asked: Stated) -> bool:
    """year(d) = 2025 AND month(d) = 3 in the SQL."""
    parts = [p for p in (asked.year, asked.month, asked.quarter) if p]
    return bool(asked.year and not asked.day) and all(p in facts.query_numbers for p in parts)


def check_name(name: Identifier, facts: Sequence[EvidenceFacts], question: str) -> Checked | None:
    """None for a short code in evidence that has no codes of its shape: no name after all.

    `question` is folded and in lower case.
    """
    source = next(_name_sources(name.code.lower().strip(), facts, question), None)
    if source:
        return supported("identifier", name, *source)
    if not name.certain and not _has_shape(name.code, facts):
        return None
    return unsupported("identifier", name, "no cited cell or passage has this name")


def _name_sources(wanted: str, facts: Sequence[EvidenceFacts], question: str) -> Iterator[Source]:
    for f in facts:
        for label, columns in f.texts.items():
            if label == wanted or (wanted in label and _stands_alone(wanted, label)):
                row = f.labels[label, columns[0]][0]
                yield f, f"row {row + 1}, {f.evidence.columns[columns[0]].name}"
    for f in facts:
        if _stands_alone(wanted, f.folded_passage):
            yield f, "passage"
        if any(_stands_alone(wanted, text) for text in f.query_texts):
            yield f, "query"
        names = {fold_text(c.name).lower() for c in f.evidence.columns}
        if wanted in names or wanted in f.titles:
            yield f, "column"
    if _stands_alone(wanted, question):
        yield None, "question"


def _has_shape(code: str, facts: Sequence[EvidenceFacts]) -> bool:
    wanted = shape(code)
    return any(shape(t) == wanted for f in facts for t in f.texts if len(t) == len(code))


def _stands_alone(wanted: str, text: str) -> bool:
    """Whether `wanted` is in `text` and not a part of a longer Latin word or code."""
    start = text.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        if not _joins(wanted[0], text[start - 1 : start]) and not _joins(
            wanted[-1], text[end : end + 1]
        ):
            return True
        start = text.find(wanted, start + 1)
    return False


def _joins(inner: str, outer: str) -> bool:
    return inner.isascii() and inner.isalnum() and outer.isascii() and outer.isalnum()
