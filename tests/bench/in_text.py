"""Whether a value stands in an answer's text, as a person would read it there."""

import re
import unicodedata
from decimal import Decimal

_CITATION = re.compile(r"\[E?\d+\]")
_SHOWN = re.compile(
    r"(?<![0-9A-Za-z.])(-|[▲△] ?)?([0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(\.[0-9]+)?"
    r"(?![0-9A-Za-z])\s?([%万億亿千])?"
)
_SCALE = {"%": Decimal("0.01"), "千": Decimal(10) ** 3, "万": Decimal(10) ** 4}
_SCALE |= dict.fromkeys("億亿", Decimal(10) ** 8)
_STAMP = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?: (\d{2}:\d{2}).*)?")
_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


def stands_in(text: str, value: object) -> bool:
    """`value`: None (nothing to find), a Decimal, or text.

    Numbers match to the rounding that the text shows (0.249 as 0.25 or 24.9%); whole numbers
    match exactly; text matches whole words without regard to case.
    """
    if value is None:
        return True
    plain = _CITATION.sub(" ", _folded(text))
    if isinstance(value, Decimal):
        return any(_shows(found, value) for found in _SHOWN.finditer(plain))
    stamp = _STAMP.fullmatch(str(value))
    return _word(plain, str(value)) or (stamp is not None and _shows_date(plain, stamp))


def _folded(text: str) -> str:
    """One width and one minus sign; a Markdown escape is the character that it protects."""
    folded = unicodedata.normalize("NFKC", text).replace("−", "-").replace("–", "-")
    return re.sub(r"\s+", " ", re.sub(r"\\([^A-Za-z0-9\s])", r"\1", folded))


def _shows(found: re.Match[str], value: Decimal) -> bool:
    """Under its scale (12.3万, 25%) or without it: a table may give the unit in its head."""
    sign, whole, fraction, unit = found.groups()
    places = len(fraction) - 1 if fraction else 0
    shown = Decimal(whole.replace(",", "") + (fraction or "")) * (-1 if sign else 1)
    step = Decimal(1).scaleb(-places)
    scales = [Decimal(1)] if unit is None else [Decimal(1), _SCALE[unit]]
    return any(_rounds(shown * scale, value, step * scale) for scale in scales)


def _rounds(shown: Decimal, value: Decimal, step: Decimal) -> bool:
    """A whole number must be shown whole unless a scale (万) was used; zero only for zero."""
    if shown == value:
        return True
    is_whole = value == value.to_integral_value()
    if shown == 0 or (is_whole and step <= 1):
        return False
    return abs(shown - value) <= step / 2


def _word(text: str, value: str) -> bool:
    wanted = re.escape(_folded(value).strip())
    return bool(re.search(rf"(?<![0-9A-Za-z]){wanted}(?![0-9A-Za-z])", text, re.IGNORECASE))


def _shows_date(text: str, stamp: re.Match[str]) -> bool:
    """2017-03-30 in the ways it is written in English, Chinese and Japanese."""
    year, month, day, minutes = stamp.groups()
    number, of_month = int(month), int(day)
    name = rf"{_MONTHS[number - 1]}[a-z]*\.?"
    ways = (
        rf"{year}\s?[-/.年]\s?0?{number}\s?[-/.月]\s?0?{of_month}(?!\d)",
        rf"{name} {of_month}(?:st|nd|rd|th)?,? {year}",
        rf"(?<!\d){of_month}(?:st|nd|rd|th)? (?:of )?{name},? {year}",
    )
    dated = any(re.search(way, text, re.IGNORECASE) for way in ways)
    return dated and (minutes is None or minutes.removeprefix("0") in text)
