"""Japanese eras (和暦). Boundaries: the Era Name cabinet orders; Meiji from the Gregorian reform."""

from dataclasses import dataclass
from datetime import date

from tools.dates.calendar import NoSuchDateError


@dataclass(frozen=True)
class Era:
    name: str
    letter: str
    start: date
    end: date | None


ERAS = (
    Era("令和", "R", date(2019, 5, 1), None),
    Era("平成", "H", date(1989, 1, 8), date(2019, 4, 30)),
    Era("昭和", "S", date(1926, 12, 25), date(1989, 1, 7)),
    Era("大正", "T", date(1912, 7, 30), date(1926, 12, 24)),
    Era("明治", "M", date(1873, 1, 1), date(1912, 7, 29)),
)
_MEIJI_OFFSET = 1867
_FUTURE_YEARS = 30
"""How many years past today the reigning era is taken to have."""


def era_year(name: str, year: int, today: date) -> int:
    """The Gregorian year. `name` is 令和 or R. Raises `NoSuchDateError` outside the era."""
    era = next(e for e in ERAS if name in (e.name, e.letter))
    gregorian = year + (_MEIJI_OFFSET if era.letter == "M" else era.start.year - 1)
    last = era.end.year if era.end else today.year + _FUTURE_YEARS
    if year < 1 or not era.start.year <= gregorian <= last:
        raise NoSuchDateError(f"{era.name}{year}年")
    return gregorian


def check_in_era(name: str, day: date) -> None:
    """Raises `NoSuchDateError` when that day was not in the era: 平成31年5月1日."""
    era = next(e for e in ERAS if name in (e.name, e.letter))
    if day < era.start or (era.end is not None and day > era.end):
        raise NoSuchDateError(f"{era.name} {day.isoformat()}")
