"""Finds the checkable items of a text and has each looked up."""

from collections.abc import Sequence
from dataclasses import replace

from tools.dates.fold import fold, fold_text
from tools.verify.check_names import DateCheck, check_name
from tools.verify.check_numbers import Asked, NumberCheck, Place
from tools.verify.dating import DateItem, find_dates
from tools.verify.facts import EvidenceFacts, quantities_of
from tools.verify.identifiers import code_spans, find_identifiers
from tools.verify.layout import Surroundings, in_units_of_header, surroundings
from tools.verify.masks import masked_spans
from tools.verify.owners import Label, Spot, find_labels, owner_rows
from tools.verify.quantities import Quantity, find_quantities
from tools.verify.results import Checked
from tools.verify.sentences import Sentence, split_sentences


class Checker:
    """Checks texts against one list of evidence; an answer may repeat `question`."""

    def __init__(self, all_facts: Sequence[EvidenceFacts], question: str) -> None:
        self._facts = all_facts
        self._question = fold_text(question).lower()
        dates = find_dates(question, fold(question))[0]
        self._asked = Asked(
            quantities_of(question, lenient=True), [s for d in dates for s in d.stated]
        )

    def check(self, text: str, preferred: Sequence[str] = ()) -> list[Checked]:
        """Every item of `text`, in order. Evidence named in `preferred` is looked at first."""
        facts = sorted(self._facts, key=lambda f: f.id not in preferred)
        folded = fold(text)
        dates, spans = find_dates(text, folded)
        masks = masked_spans(folded.text)
        names = find_identifiers(text, folded, [*masks, *spans])
        blocked = [*masks, *spans, *code_spans(folded.text)]
        quantities = [
            q
            for q in find_quantities(text, folded, blocked)
            if not any(n.start <= q.start < n.end for n in names)
        ]
        checked = [c for n in names if (c := check_name(n, facts, self._question))]
        sentences = split_sentences(text)
        for sentence, around in zip(sentences, surroundings(sentences), strict=True):
            inside = [
                in_units_of_header(q, sentence, around)
                for q in quantities
                if sentence.start <= q.start < sentence.end
            ]
            stated = [d for d in dates if sentence.start <= d.start < sentence.end]
            if inside or stated:
                labels = self._labels(sentence, around, dates, facts)
                checked += self._numbers(text, sentence, inside, labels, facts, around.listed)
                checked += self._dates(sentence, stated, inside, labels, facts)
        return sorted(checked, key=lambda c: c.item.start)

    def _dates(
        self,
        sentence: Sentence,
        dates: Sequence[DateItem],
        figures: Sequence[Quantity],
        labels: Sequence[Label],
        facts: Sequence[EvidenceFacts],
    ) -> list[Checked]:
        """A date is held against the row that is named before it, with no figure between."""
        checked = []
        starts = [*(q.start for q in figures), *(d.start for d in dates)]
        for item in dates:
            at = item.start - sentence.start
            names = [
                x
                for x in labels
                if x.axis[1] >= 0
                and x.end <= at
                and not any(x.end <= start - sentence.start < at for start in starts)
            ]
            spot = Spot(sentence.text, at, item.end - sentence.start, 0)
            owners = [owner_rows(names, spot, number) for number in range(len(facts))]
            checked.append(DateCheck(item, facts, self._asked.dates, owners).run())
        return checked

    def _labels(
        self,
        sentence: Sentence,
        around: Surroundings,
        dates: Sequence[DateItem],
        facts: Sequence[EvidenceFacts],
    ) -> list[Label]:
        """The sentence's own row labels, and its heading's in columns that it does not name."""
        labels = find_labels(sentence.text, dates, sentence.start, facts)
        if around.heading is None:
            return labels
        own = {label.axis for label in labels}
        above = find_labels(around.heading.text, dates, around.heading.start, facts)
        inherited = [replace(x, start=0, end=0) for x in above if x.axis not in own]
        return [*inherited, *labels]

    def _numbers(
        self,
        text: str,
        sentence: Sentence,
        quantities: Sequence[Quantity],
        labels: Sequence[Label],
        facts: Sequence[EvidenceFacts],
        listed: int,
    ) -> list[Checked]:
        inside = [q for q in quantities if not _is_in_name(q.start - sentence.start, labels)]
        first_end = inside[0].end - sentence.start if inside else 0
        checked = []
        for q in inside:
            spot = Spot(sentence.text, q.start - sentence.start, q.end - sentence.start, first_end)
            checked.append(
                NumberCheck(Place(q, text, labels, spot, listed), facts, self._asked).run()
            )
        return checked


def _is_in_name(place: int, labels: Sequence[Label]) -> bool:
    """The 10000 of "Power Bank 10000" is no quantity."""
    return any(x.start <= place < x.end and x.axis[1] >= 0 for x in labels)
