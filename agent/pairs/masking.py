"""What of a question tells its kind: its words, with dates, values and numbers masked."""

import re
from collections.abc import Iterable
from datetime import date

from tools.dates import CalendarSettings, Mention, mentions
from tools.text import casefolded

DATE, VALUE, NUMBER = "date", "value", "0"
_CODE = re.compile(
    r"(?<![a-z0-9])(?=[a-z0-9._/-]*[a-z])(?=[a-z0-9._/-]*\d)[a-z0-9]+(?:[-_./][a-z0-9]+)*"
)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_QUOTED = re.compile(r"「([^」]+)」|『([^』]+)』|“([^”]+)”|\"([^\"]+)\"|(?<!\w)'([^']+)'(?!\w)")
_ENDING = re.compile(r"[\s?。．.!！？、,;；~〜…]+$")


def normalised(question: str) -> str:
    """The question as it is compared for being the same: width, case, spaces and the end mark
    say nothing."""
    return _ENDING.sub("", " ".join(casefolded(question).split()))


def masked(question: str, found: Iterable[Mention], values: Iterable[str]) -> str:
    """`先月の東京倉庫の出庫数は？` as `dateのvalueの出庫数は`: its dates, the stored values and
    quoted words in it, codes and numbers each become the same word."""
    text = question
    for start, end in sorted(_places(found), reverse=True):
        text = f"{text[:start]}\0{text[end:]}"
    text = normalised(text)
    for value in sorted({casefolded(v) for v in values if v.strip()}, key=len, reverse=True):
        text = _without(text, value)
    text = _QUOTED.sub("\1", text)
    text = _NUMBER.sub(NUMBER, _CODE.sub("\1", text))
    return text.replace("\0", DATE).replace("\1", VALUE)


def dates_of(question: str, day: date, calendar: CalendarSettings) -> list[Mention]:
    return mentions(question, day, calendar)


def _places(found: Iterable[Mention]) -> list[tuple[int, int]]:
    """Where dates stand; a comparison (11月の前月比) and its period are one place."""
    places: list[tuple[int, int]] = []
    for start, end in sorted((m.start, m.end) for m in found):
        if places and start < places[-1][1]:
            places[-1] = (places[-1][0], max(end, places[-1][1]))
        else:
            places.append((start, end))
    return places


def _without(text: str, value: str) -> str:
    """Latin values are masked as whole words only: `TV` does not stand in `active`."""
    if value.isascii():
        return re.sub(rf"(?<![a-z0-9]){re.escape(value)}(?![a-z0-9])", "\1", text)
    return text.replace(value, "\1")
