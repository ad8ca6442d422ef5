"""Looks each number, date and name of a text up in the evidence and says what was found."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tools.dates.fold import fold
from tools.verify.dating import DateItem, Stated, find_dates
from tools.verify.derive import derive
from tools.verify.facts import EvidenceFacts, NumericColumn, quantities_of
from tools.verify.identifiers import Identifier, code_spans, find_identifiers, shape
from tools.verify.masks import masked_spans
from tools.verify.numbers import find_cell, same_in_passage
from tools.verify.owners import Label, find_labels, owner_rows, rows_of
from tools.verify.quantities import Quantity, find_quantities
from tools.verify.records import Item, Kind, State
from tools.verify.sentences import Sentence, split_sentences

_COUNTED_AFTER = re.compile(r"\s+(?:[a-z]+\s+)?[a-z]+s\b", re.IGNORECASE)
_COUNTED_BEFORE = re.compile(
    r"(?:件数|数|count|number of [a-z ]+|total of)\s*(?:は|が|:|=|is|was|为|是|有)*\s*$", re.I
)


@dataclass(frozen=True)
class Checked:
    state: State
    item: Item


@dataclass(frozen=True)
class Place:
    """A quantity in its sentence. `at`/`to` are places in the sentence."""

    q: Quantity
    sentence: str
    labels: Sequence[Label]
    first_number: int
    at: int
    to: int

    @property
    def context(self) -> str:
        """The words around the figure that say up or down."""
        return (
            self.sentence[max(0, self.at - 24) : self.at]
            + " "
            + self.sentence[self.to : self.to + 16]
        )


class Checker:
    """Checks texts against one list of evidence; `question` may be repeated by an answer."""

    def __init__(self, all_facts: Sequence[EvidenceFacts], question: str) -> None:
        self._facts = all_facts
        self._question = fold(question).text.lower()
        self._asked_quantities = quantities_of(question, lenient=True)
        self._asked_dates = [s for d in find_dates(question, fold(question))[0] for s in d.stated]

    def check(self, text: str, preferred: Sequence[str] = ()) -> list[Checked]:
        """Every item of `text`, in order. Evidence named in `preferred` is looked at first."""
        facts = sorted(self._facts, key=lambda f: f.id not in preferred)
        folded = fold(text)
        dates, spans = find_dates(text, folded)
        masks = masked_spans(folded.text)
        spans = [s for s in spans if not any(a <= s[0] and s[1] <= b for a, b in masks)]
        names = find_identifiers(text, folded, [*masks, *spans])
        blocked = [*masks, *spans, *code_spans(folded.text)]
        quantities = find_quantities(text, folded, blocked)
        checked = [self._date(d, facts) for d in dates]
        checked += [c for n in names if (c := self._name(n, facts))]
        for sentence in split_sentences(text):
            inside = [q for q in quantities if sentence.start <= q.start < sentence.end]
            checked += self._numbers(sentence, inside, dates, names, facts)
        return sorted(checked, key=lambda c: c.item.start)

    def _numbers(
        self,
        sentence: Sentence,
        quantities: Sequence[Quantity],
        dates: Sequence[DateItem],
        names: Sequence[Identifier],
        facts: Sequence[EvidenceFacts],
    ) -> list[Checked]:
        inside = [q for q in quantities if not _in_quotes(q, names)]
        if not inside:
            return []
        labels = find_labels(sentence.text, dates, sentence.start, facts)
        first = inside[0].start - sentence.start
        return [
            self._number(
                Place(
                    q,
                    sentence.text,
                    labels,
                    first,
                    q.start - sentence.start,
                    q.end - sentence.start,
                ),
                facts,
            )
            for q in inside
        ]

    def _number(self, place: Place, facts: Sequence[EvidenceFacts]) -> Checked:
        """Order of proof: the row that the sentence names; passages and calculations; what is
        derived from named rows; the question; then, only where no row is named, any cell."""
        owners = self._owners(place, facts)
        found = (
            self._own_cell(place, owners)
            or self._passage(place, facts)
            or self._other_tables(place, facts, owners)
            or self._derived(place, facts, owners)
            or self._repeated(place, facts, bool(owners))
        )
        if found:
            return found
        if owners:
            return self._contradiction(place, owners)
        return _fail(
            "unsupported", "number", place.q, "no cited cell, passage or calculation has it"
        )

    def _owners(
        self, place: Place, facts: Sequence[EvidenceFacts]
    ) -> list[tuple[EvidenceFacts, list[int]]]:
        owners = []
        for number, f in enumerate(facts):
            rows, _ = owner_rows(
                place.labels, place.at, place.to, place.sentence, place.first_number, number
            )
            if rows and f.numeric:
                owners.append((f, rows))
        return owners

    def _own_cell(
        self, place: Place, owners: Sequence[tuple[EvidenceFacts, list[int]]]
    ) -> Checked | None:
        for facts, rows in owners:
            hit = find_cell(place.q, facts.numeric, rows, place.context)
            if hit:
                return _ok("number", place.q, facts, _cell_name(*hit))
        return None

    def _passage(self, place: Place, facts: Sequence[EvidenceFacts]) -> Checked | None:
        for f in facts:
            if any(same_in_passage(place.q, other, f.passage) for other in f.passage_quantities):
                return _ok(
                    "number", place.q, f, "log" if f.evidence.kind == "calculation" else "passage"
                )
        return None

    def _other_tables(
        self,
        place: Place,
        facts: Sequence[EvidenceFacts],
        owners: Sequence[tuple[EvidenceFacts, list[int]]],
    ) -> Checked | None:
        """Cells of tables in which the sentence names no row; a table's number of rows."""
        owned = {id(f): len(rows) for f, rows in owners}
        for f in facts:
            if id(f) in owned and owned[id(f)] < len(f.evidence.rows):
                continue
            hit = find_cell(place.q, f.numeric, None, place.context)
            if hit:
                return _ok("number", place.q, f, _cell_name(*hit))
        return next((c for f in facts if (c := self._count(place, f, id(f) in owned))), None)

    def _count(self, place: Place, f: EvidenceFacts, owned: bool) -> Checked | None:
        q = place.q
        if f.evidence.kind not in ("rows", "calculation") or not f.evidence.columns:
            return None
        countable = q.is_whole and q.scale == 1 and q.unit_class in ("", "count")
        if (
            countable
            and not owned
            and _is_count(place)
            and q.value == max(f.evidence.row_count, len(f.evidence.rows))
        ):
            return _ok("number", q, f, "row count")
        if countable and q.unit_class == "" and any(q.value == s.year for s in f.dates if s.year):
            return _ok("number", q, f, "part of a date")
        return None

    def _derived(
        self,
        place: Place,
        facts: Sequence[EvidenceFacts],
        owners: Sequence[tuple[EvidenceFacts, list[int]]],
    ) -> Checked | None:
        named = [(f, _named_rows(place, number)) for number, f in enumerate(facts)]
        found = derive(place.q, place.sentence, [(f, rows) for f, rows in named if rows], facts)
        if found is None:
            return None
        source = next(f for f in facts if f.id == found.evidence_id)
        return _ok("number", place.q, source, found.how)

    def _repeated(
        self, place: Place, facts: Sequence[EvidenceFacts], owned: bool
    ) -> Checked | None:
        """What the question or the SQL's own conditions say: top 5, a threshold, a year."""
        q = place.q
        for asked in self._asked_quantities:
            if asked.value == q.value and asked.is_percent == q.is_percent:
                return Checked("supported", _item("number", q, "", "question", ""))
        if q.is_whole and any(q.value == s.year for s in self._asked_dates if s.year):
            return Checked("supported", _item("number", q, "", "question", ""))
        for f in facts:
            if any(n in (q.value, q.value / q.scale) for n in f.query_numbers) and not q.is_percent:
                return _ok("number", q, f, "query")
        return None

    def _contradiction(
        self, place: Place, owners: Sequence[tuple[EvidenceFacts, list[int]]]
    ) -> Checked:
        facts, rows = owners[0]
        if len(rows) > 1:
            message = f"none of the {len(rows)} rows named here has it"
            return _fail("contradicted", "number", place.q, message, facts.id)
        shown = ", ".join(
            f"{c.name} = {c.value(rows[0])}" for c in facts.numeric if c.value(rows[0]) is not None
        )
        message = f"row {rows[0] + 1} has {shown or 'no number'}"
        return _fail("contradicted", "number", place.q, message, facts.id, f"row {rows[0] + 1}")

    def _date(self, item: DateItem, facts: Sequence[EvidenceFacts]) -> Checked:
        if item.problem:
            return _fail("unsupported", "date", item, f"there is no such date: {item.problem}")
        places = [self._date_source(s, facts) for s in item.stated]
        if not places or any(p is None for p in places):
            return _fail(
                "unsupported", "date", item, "no cited cell, passage or query has this date"
            )
        source, locator = places[0] or (None, "")
        if source is None:
            return Checked("supported", _item("date", item, "", locator, ""))
        return _ok("date", item, source, locator)

    def _date_source(
        self, asked: Stated, facts: Sequence[EvidenceFacts]
    ) -> tuple[EvidenceFacts | None, str] | None:
        for f in facts:
            rows = rows_of(f, asked)
            if rows:
                return f, f"row {min(rows) + 1}"
        for f in facts:
            if any(asked.agrees(s) for s in f.passage_dates):
                return f, "passage"
        for f in facts:
            if any(asked.agrees(s) for s in f.query_dates):
                return f, "query"
        if any(asked.agrees(s) for s in self._asked_dates):
            return None, "question"
        return None

    def _name(self, name: Identifier, facts: Sequence[EvidenceFacts]) -> Checked | None:
        wanted = name.code.lower().strip()
        for f in facts:
            for (label, column), rows in f.labels.items():
                if label == wanted or (wanted in label and _stands_alone(wanted, label)):
                    where = f"row {rows[0] + 1}, {f.evidence.columns[column].name}"
                    return _ok("identifier", name, f, where)
        for f in facts:
            if _stands_alone(wanted, f.folded_passage):
                return _ok("identifier", name, f, "passage")
            if any(_stands_alone(wanted, t) for t in f.query_texts):
                return _ok("identifier", name, f, "query")
            columns = {fold(c.name).text.lower() for c in f.evidence.columns}
            if wanted in columns or wanted in f.evidence.source.lower():
                return _ok("identifier", name, f, "column")
        if _stands_alone(wanted, self._question):
            return Checked("supported", _item("identifier", name, "", "question", ""))
        if not name.certain and not self._has_shape(name.code, facts):
            return None
        return _fail("unsupported", "identifier", name, "no cited cell or passage has this name")

    def _has_shape(self, code: str, facts: Sequence[EvidenceFacts]) -> bool:
        wanted = shape(code)
        return any(shape(t) == wanted for f in facts for t in f.texts if len(t) == len(code))


def _in_quotes(q: Quantity, names: Sequence[Identifier]) -> bool:
    return any(n.start <= q.start < n.end for n in names)


def _named_rows(place: Place, number: int) -> list[int]:
    """Every row that some label of the sentence names, few labels only."""
    rows: list[int] = []
    for label in place.labels:
        if label.axis[0] == number and len(label.rows) <= 4:
            rows.extend(r for r in label.rows if r not in rows)
    return rows


def _is_count(place: Place) -> bool:
    """Whether the words around the figure say that things are counted."""
    after, before = place.sentence[place.to :], place.sentence[: place.at]
    return (
        place.q.unit_class == "count"
        or place.q.word
        or bool(_COUNTED_AFTER.match(after) or _COUNTED_BEFORE.search(before))
    )


def _stands_alone(wanted: str, text: str) -> bool:
    """Whether `wanted` is in `text` and not a part of a longer code."""
    start = text.find(wanted)
    while start >= 0:
        before, after = text[start - 1 : start], text[start + len(wanted) : start + len(wanted) + 1]
        ends = not (
            before.isascii() and before.isalnum() and wanted[0].isalnum() and wanted[0].isascii()
        )
        if ends and not (after.isascii() and after.isalnum() and wanted[-1].isascii()):
            return True
        start = text.find(wanted, start + 1)
    return False


def _cell_name(row: int, column: NumericColumn) -> str:
    return f"row {row + 1}, {column.name}"


def _item(
    kind: Kind,
    what: Quantity | DateItem | Identifier,
    evidence_id: str,
    locator: str,
    message: str,
) -> Item:
    return Item(
        text=what.text,
        kind=kind,
        start=what.start,
        end=what.end,
        evidence_id=evidence_id,
        locator=locator,
        message=message,
    )


def _ok(
    kind: Kind, what: Quantity | DateItem | Identifier, facts: EvidenceFacts, locator: str
) -> Checked:
    return Checked("supported", _item(kind, what, facts.id, locator, ""))


def _fail(
    state: State,
    kind: Kind,
    what: Quantity | DateItem | Identifier,
    message: str,
    evidence_id: str = "",
    locator: str = "",
) -> Checked:
    return Checked(state, _item(kind, what, evidence_id, locator, message))
