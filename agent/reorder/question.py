"""Reads a question that asks what to order: by rule, and only where every word is understood."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

from agent.reorder.words import (
    COMPARE,
    COMPARED,
    CONDITION,
    EACH,
    HARMLESS,
    LEAD,
    MARK,
    MARKS,
    NAMED_TRIGGER,
    REQUEST,
    RESTRICTED,
    SEPARATOR,
    STOCK,
    TRAIL,
    TRIGGER,
)
from tools.dates import CalendarSettings, mentions
from tools.text import casefolded

Stored = tuple[str, str, str]
"""(table, column, stored value)"""
Named = tuple[Stored, ...]
"""The places of one value that a question names."""
MAX_CHARACTERS = 400
_WORDS = ("order", "replenish", "stock", "発注", "補充", "注文", "补货", "订", "采购")


@dataclass(frozen=True)
class Values:
    """`within(text)`: the values that stand in a text; `like(words)`: the one that words mean."""

    within: Callable[[str], Sequence[Stored]]
    like: Callable[[str], Sequence[Stored]]
    by_warehouse: bool = False
    """The proposal is made for each warehouse anyway."""


@dataclass(frozen=True)
class Asked:
    """`rest` is the other clause of a compound question, "" without one."""

    values: tuple[Named, ...]
    rest: str = ""


@dataclass(frozen=True)
class Compared:
    """Stock at the end of two periods, the earlier first."""

    days: tuple[date, date]
    values: tuple[Named, ...]


def read_reorder(question: str, values: Values) -> Asked | None:
    """What is asked; None where it asks something else, or a word of it is not understood."""
    question = question.strip()
    text = casefolded(question)
    if len(text) > MAX_CHARACTERS or not _may_ask(text):
        return None
    if len(text) != len(question):
        # What is left to the model is cut out of the question as it was written.
        question = text
    whole = _clause(text, values)
    if whole is not None:
        return Asked(whole)
    for found in SEPARATOR.finditer(text):
        parts = slice(found.end(), None), slice(0, found.start())
        for clause, rest in (parts, parts[::-1]):
            named = _clause(text[clause].strip(), values) if _is_request(text[rest]) else None
            if named is not None:
                return Asked(named, question[rest].strip())
    return None


def _may_ask(text: str) -> bool:
    """Whether a trigger could be there at all: values are looked for only then."""
    return bool(TRIGGER.search(text)) or any(word in text for word in _WORDS)


def _is_request(rest: str) -> bool:
    return bool(REQUEST.search(rest)) and not CONDITION.search(rest)


def _clause(text: str, values: Values) -> tuple[Named, ...] | None:
    """The values that a clause restricts what to order by; None where it is no such clause."""
    found = TRIGGER.search(text)
    if found is not None:
        kept = found.groupdict().get("en") or ""
        text = f"{text[: found.start()]} {kept} {text[found.end() :]}"
    text = EACH.sub(" ", text) if values.by_warehouse else text
    if not MARKS.sub("", HARMLESS.sub(" ", text)) and found is not None:
        return ()
    text, named = _marked(text, values)
    if found is None:
        found = NAMED_TRIGGER.search(text)
        if found is None:
            return None
        text = f"{text[: found.start()]} {text[found.end() :]}"
    return _explained(text, named, values)


def _explained(text: str, named: Sequence[Named], values: Values) -> tuple[Named, ...] | None:
    """The values, once all that is left of the text is explained by them."""
    left = HARMLESS.sub(" ", RESTRICTED.sub(" ", text)).strip(" \t\n,.?!。？！、，")
    if not MARKS.sub("", left):
        return tuple(named)
    for words in (left, *_bare(left)):
        if like := values.like(words):
            return (*named, tuple(like))
    return None


def _bare(left: str) -> list[str]:
    """The words without what says of which kind they are: "for supplier s3" is "s3"."""
    bare = [LEAD.sub("", left), TRAIL.sub("", left), TRAIL.sub("", LEAD.sub("", left))]
    return [b.strip() for b in dict.fromkeys(bare) if b.strip() and b != left]


def _marked(text: str, values: Values) -> tuple[str, list[Named]]:
    """The text with `MARK` for each stored value that stands in it, and those values."""
    places: dict[str, list[Stored]] = {}
    for stored in values.within(text):
        places.setdefault(casefolded(stored[2]), []).append(stored)
    named: list[Named] = []
    for value in sorted(places, key=len, reverse=True):
        if value in text:
            text = text.replace(value, MARK)
            named.append(tuple(places[value]))
    return text, named


def read_comparison(
    clause: str, today: date, calendar: CalendarSettings, values: Values
) -> Compared | None:
    """A clause that compares the stock of two days; None where it is not plainly that."""
    text = casefolded(clause).strip()
    if len(text) > MAX_CHARACTERS or not (COMPARE.search(text) and STOCK.search(text)):
        return None
    found = mentions(text, today, calendar)
    ranges = [m.range for m in found if m.range is not None]
    if len(found) != 2 or len(ranges) != 2:
        return None
    first, second = sorted(min(r.end, today) for r in ranges)
    if first == second or any(r.start > today for r in ranges):
        return None
    for mention in sorted(found, key=lambda m: -m.start):
        text = f"{text[: mention.start]} {text[mention.end :]}"
    text = COMPARE.sub(" ", STOCK.sub(" ", text))
    if not MARKS.sub("", COMPARED.sub(" ", text)):
        return Compared((first, second), ())
    text, named = _marked(text, values)
    if MARKS.sub("", COMPARED.sub(" ", RESTRICTED.sub(" ", text))):
        return None
    return Compared((first, second), tuple(named))
