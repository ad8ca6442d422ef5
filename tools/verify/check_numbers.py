"""Looks one figure up in the evidence: where it stands, how it follows, or what refutes it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from tools.dates.fold import fold_text
from tools.verify.cells import NumericColumn
from tools.verify.combine import Group
from tools.verify.dating import Stated
from tools.verify.derive import Derivation
from tools.verify.facts import EvidenceFacts
from tools.verify.numbers import find_cell, same_in_passage
from tools.verify.owners import Axis, Label, Spot, focus_rows, owner_rows
from tools.verify.quantities import Quantity
from tools.verify.results import Checked, contradicted, supported, unsupported

_COUNTED_AFTER = re.compile(r"\s+(?:[a-z]+\s+)?[a-z]+s\b", re.IGNORECASE)
_COUNTED_BEFORE = re.compile(
    r"(?:件数|数|count|number of [a-z ]+|total of)\s*(?:は|が|:|=|is|was|为|是|有)*\s*$",
    re.IGNORECASE,
)
_SHOWN = 5
_AROUND = 40
_IN_A_NUMBER = frozenset("0123456789.,")
_LETTERS = 6
"""As many say that a figure is quoted along with its words; a kanji or kana counts twice."""
_UNPROVED = "no cited cell, passage or calculation has it"


@dataclass(frozen=True)
class Asked:
    """What the question itself says."""

    quantities: Sequence[Quantity]
    dates: Sequence[Stated]


@dataclass(frozen=True)
class Place:
    """A quantity of a text, its sentence, and the row labels that the sentence names. `listed` is
    the number of lines that stand under the sentence."""

    q: Quantity
    text: str
    labels: Sequence[Label]
    spot: Spot
    listed: int = 0

    @property
    def context(self) -> str:
        """The words around the figure that say up or down."""
        sentence, start, end = self.spot.sentence, self.spot.start, self.spot.end
        return sentence[max(0, start - 24) : start] + " " + sentence[end : end + 16]

    @property
    def near(self) -> str:
        """The words that say what kind of figure it is."""
        sentence, start, end = self.spot.sentence, self.spot.start, self.spot.end
        return sentence[max(0, start - 48) : end + 24]

    def quoted_in(self, cells: str) -> Iterator[tuple[int, int, int]]:
        """Where folded text cells, one a line, have the figure with the words around it, and how
        many letters before and behind it are the cell's. The word that is counted quotes nothing:
        "sold 500 sheets" beside "500 sheets per pack"."""
        before = fold_text(self.text[max(0, self.q.start - _AROUND) : self.q.start]).lower()
        figure = fold_text(self.text[self.q.start : self.q.end]).lower()
        after = fold_text(self.text[self.q.end : self.q.end + _AROUND]).lower()
        for found in re.finditer(rf"{re.escape(figure)}(?!\d)", cells):
            start, end = found.span()
            if start and cells[start - 1] in _IN_A_NUMBER:
                continue
            head = _same(before[::-1], cells[max(0, start - _AROUND) : start][::-1])
            tail = _same(after, cells[end : end + _AROUND])
            ends = cells[end + len(tail) : end + len(tail) + 1] in ("", "\n")
            if _letters(head) == 0 and tail.isascii() and len(tail.split()) < 2 and not ends:
                continue
            if _letters(head + tail) >= _LETTERS:
                yield start, len(head), len(tail)

    @property
    def counts_things(self) -> bool:
        after = self.spot.sentence[self.spot.end :]
        before = self.spot.sentence[: self.spot.start]
        return (
            self.q.unit_class == "count"
            or self.q.word
            or bool(_COUNTED_AFTER.match(after) or _COUNTED_BEFORE.search(before))
        )


class NumberCheck:
    """One figure against all evidence."""

    def __init__(self, place: Place, facts: Sequence[EvidenceFacts], asked: Asked) -> None:
        self._place = place
        self._q = place.q
        self._facts = facts
        self._asked = asked
        self._owners = [
            (f, rows)
            for number, f in enumerate(facts)
            if f.numeric and (rows := owner_rows(place.labels, place.spot, number))
        ]

    def run(self) -> Checked:
        """Order of proof: the rows that the sentence names; passages; tables in which it names
        no row; what is derived; what the question or the SQL's conditions say; words of a cell."""
        found = (
            self._own_cell()
            or self._passage()
            or self._other_tables()
            or self._count()
            or self._derived()
            or self._listed()
            or self._repeated()
            or self._in_text_cell()
        )
        if found:
            return found
        return self._contradiction() if self._owners else unsupported("number", self._q, _UNPROVED)

    def _own_cell(self) -> Checked | None:
        for facts, rows in self._owners:
            hit = find_cell(self._q, facts.numeric, rows, self._place.context)
            if hit:
                return supported("number", self._q, facts, _cell_name(*hit))
        return None

    def _passage(self) -> Checked | None:
        for f in self._facts:
            if any(same_in_passage(self._q, other, f.passage) for other in f.passage_quantities):
                log = f.evidence.kind == "calculation"
                return supported("number", self._q, f, "log" if log else "passage")
        return None

    def _other_tables(self) -> Checked | None:
        owned = {id(f) for f, rows in self._owners if len(rows) < len(f.evidence.rows)}
        for f in self._facts:
            if id(f) not in owned:
                hit = find_cell(self._q, f.numeric, None, self._place.context)
                if hit:
                    return supported("number", self._q, f, _cell_name(*hit))
        return None

    def _count(self) -> Checked | None:
        """The number of rows, or the year of a date."""
        q = self._q
        if not (q.is_whole and q.scale == 1):
            return None
        if q.unit_class not in ("", "count"):
            return self._periods()
        owned = {id(f) for f, _ in self._owners}
        for f in self._facts:
            if not f.evidence.columns or f.evidence.kind == "date":
                continue
            rows = max(f.evidence.row_count, len(f.evidence.rows))
            if self._place.counts_things and id(f) not in owned and q.value == rows:
                return supported("number", q, f, "row count")
            if not q.unit and any(q.value == s.year for s in f.dates if s.year):
                return supported("number", q, f, "part of a date")
        return None

    def _periods(self) -> Checked | None:
        """3か月の合計: as many months as the table has dates."""
        if self._q.unit_class not in ("day", "week", "month", "year"):
            return None
        for f in self._facts:
            if len(f.dates) > 1 and self._q.value == len(f.dates):
                return supported("number", self._q, f, "derived: count of the dates")
        return None

    def _derived(self) -> Checked | None:
        named: list[Group] = []
        for number, facts in enumerate(self._facts):
            rows = focus_rows(self._place.labels, number)
            if rows and facts.numeric:
                named.append((facts, rows))
        found = Derivation(self._q, self._place.near, named, self._facts).find()
        return supported("number", self._q, found.facts, found.how) if found else None

    def _listed(self) -> Checked | None:
        """A count of the names that the sentence itself lists: "two items: A and B"."""
        if not (self._place.counts_things and self._q.is_whole):
            return None
        if self._place.listed and self._q.value == self._place.listed:
            return supported("number", self._q, None, "derived: count of the lines below")
        after = [x for x in self._place.labels if x.start > self._place.spot.end]
        for axis in dict.fromkeys(x.axis for x in after):
            if self._q.value == _different(after, axis):
                how = "derived: count of the names listed"
                return supported("number", self._q, self._facts[axis[0]], how)
        return None

    def _repeated(self) -> Checked | None:
        """What the question or the SQL's own conditions say: top 5, a threshold, a year."""
        q = self._q
        for asked in self._asked.quantities:
            if asked.value == q.value and asked.is_percent == q.is_percent:
                return supported("number", q, None, "question")
        if q.is_whole and any(q.value == s.year for s in self._asked.dates if s.year):
            return supported("number", q, None, "question")
        for f in self._facts:
            if not q.is_percent and any(n in (q.value, q.value / q.scale) for n in f.query_numbers):
                return supported("number", q, f, "query")
        return None

    def _in_text_cell(self) -> Checked | None:
        """ "Wells Apt. 814", which a cell has word for word among others, states no quantity. Where
        the sentence names rows, the cell must be of one of them."""
        for number, f in enumerate(self._facts):
            for place, before, after in self._place.quoted_in(f.prose):
                rows, column = f.prose_cells[f.prose.count("\n", 0, place)]
                named = self._named_rows(number, before, after)
                mine = [row for row in rows if not named or row in named]
                if mine:
                    name = f.evidence.columns[column].name
                    return supported("number", self._q, f, f"row {mine[0] + 1}, {name}")
        return None

    def _named_rows(self, number: int, before: int, after: int) -> set[int]:
        """The rows of evidence `number` that the sentence names outside of so many letters around
        the figure."""
        start, end = self._place.spot.start - before, self._place.spot.end + after
        outside = (x for x in self._place.labels if x.end <= start or end <= x.start)
        return {row for x in outside if x.axis[0] == number and x.axis[1] >= 0 for row in x.rows}

    def _contradiction(self) -> Checked:
        facts, rows = self._owners[0]
        if len(rows) > 1:
            message = f"none of the {len(rows)} rows named here has it"
            return contradicted("number", self._q, facts, None, message)
        cells = [(c.name, c.value(rows[0])) for c in facts.numeric]
        stated = [f"{name} = {value}" for name, value in cells if value is not None]
        shown = ", ".join(stated[:_SHOWN])
        message = f"row {rows[0] + 1} has {shown or 'no number'}"
        return contradicted("number", self._q, facts, rows[0], message)


def _same(one: str, other: str) -> str:
    """What both begin with."""
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return "".join(letter for letter, _ in pairs)


def _letters(text: str) -> int:
    return sum(1 if c.isascii() else 2 for c in text if c.isalpha())


def _cell_name(row: int, column: NumericColumn) -> str:
    return f"row {row + 1}, {column.name}"


def _different(labels: Sequence[Label], axis: Axis) -> int:
    """How many different things are named: those of one column, and names in other columns
    that share no row with them. 0 for fewer than two."""
    ordered = sorted(labels, key=lambda x: x.axis != axis)
    seen: set[int] = set()
    count = 0
    for label in ordered:
        if label.axis[0] == axis[0] and not seen & set(label.rows):
            seen.update(label.rows)
            count += 1
    return count if count > 1 else 0
