"""What a line takes from the lines around it: a heading's names, a table header's units."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tools.dates.fold import fold_text
from tools.verify.quantities import Quantity
from tools.verify.sentences import Sentence
from tools.verify.units import column_scale

_LIST_LINE = re.compile(r"(?:[-*+•・●○]|\d{1,3}[.)、])\s*\S")
_RULE = re.compile(r"[|\s:-]+")
_UNIT_CAPTION = re.compile(
    r"単位\s*[:：]?\s*([^\s)）、。]+)|unit[s]?\s*:\s*([A-Za-z ]+)|单位\s*[:：]?\s*([^\s)）、。]+)"
)


@dataclass(frozen=True)
class Surroundings:
    """`heading` is the line that a list or table stands under; `header` the table's first row;
    `listed` the number of lines that follow this one as its list."""

    heading: Sentence | None = None
    header: str = ""
    listed: int = 0


def surroundings(sentences: Sequence[Sentence]) -> list[Surroundings]:
    """One for each sentence, in order."""
    found: list[Surroundings] = []
    heading: Sentence | None = None
    header = ""
    for place, sentence in enumerate(sentences):
        listed = 0
        if _is_line(sentence):
            header = (header or sentence.text) if sentence.is_table_row else ""
        else:
            header = ""
            listed = _lines_after(sentences, place)
            heading = sentence if listed or sentence.text.startswith("#") else None
        under = heading if heading is not sentence else None
        found.append(Surroundings(under, header if sentence.text != header else "", listed))
    return found


def _is_line(sentence: Sentence) -> bool:
    return sentence.is_table_row or bool(_LIST_LINE.match(sentence.text))


def _lines_after(sentences: Sequence[Sentence], place: int) -> int:
    """List lines, or the rows of a table without its header and rule."""
    lines = 0
    for sentence in sentences[place + 1 :]:
        if not _is_line(sentence):
            break
        lines += not _RULE.fullmatch(sentence.text)
    follows_table = lines and sentences[place + 1].is_table_row
    return lines - 1 if follows_table else lines


def in_units_of_header(q: Quantity, sentence: Sentence, around: Surroundings) -> Quantity:
    """A bare figure of a table row in the scale that its column's header or the caption states."""
    if not sentence.is_table_row or q.scale != 1 or q.unit:
        return q
    column = sentence.text[: q.start - sentence.start].count("|")
    cells = fold_text(around.header).split("|")
    head = cells[column] if column < len(cells) else ""
    caption = fold_text(around.heading.text) if around.heading else ""
    stated = _UNIT_CAPTION.search(caption)
    scale = column_scale(head.strip())
    if scale == 1 and stated:
        scale = column_scale(next(g for g in stated.groups() if g))
    if scale != 1:
        return replace(q, value=q.value * scale, step=q.step * scale, scale=scale)
    return replace(q, unit="%") if "%" in head else q
