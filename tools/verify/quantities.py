"""Finds quantities in prose, with their place, scale, unit and the precision that is shown."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from tools.dates.fold import Folded
from tools.dates.numerals import ENGLISH, kanji
from tools.verify.masks import Span
from tools.verify.units import SCALES, UNIT, unit_class

_NUM = r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?"
_HAN_SCALE = r"(?:[十百千]?[万萬億亿兆]|百|千)"
_LATIN_SCALE = r"(?:\s?(?:thousand|million|billion|trillion)\b|(?-i:k|K|M|B|bn|mn)(?![A-Za-z0-9]))"
_QUANTITY = re.compile(
    r"(?P<percent_of>百分之)?"
    r"(?P<minus>[▲△]\s?|(?<![A-Za-z0-9)\].])[-–](?=[\d¥$€£])|マイナス\s?|\bminus\s|负|負)?"
    r"(?P<currency>[¥$€£]\s?|\b(?:JPY|USD|CNY|RMB|EUR)\s?)?(?P<minus2>-(?=\d))?"
    rf"(?<![\d.,A-Za-z])(?P<number>{_NUM})"
    rf"(?P<scale>(?:\s?{_HAN_SCALE}(?:{_NUM}{_HAN_SCALE})*(?:\d[\d,]*(?:\.\d+)?(?!\d))?)|{_LATIN_SCALE})?"
    rf"\s?(?P<unit>{UNIT})?",
    re.IGNORECASE,
)
_PART = re.compile(rf"({_NUM})\s?({_HAN_SCALE})?")
_KANJI_UNITS = (
    "つ|個(?!月)|本(?!社|日|年|月|当)|台|枚|件|箱|社|種類|か所|商品|倉庫|店舗|种|个(?![月星])|款|家"
)
_KANJI = re.compile(
    rf"(?<![一二三四五六七八九十百千万第])(?P<number>[一二三四五六七八九十百]{{1,4}})(?P<unit>{_KANJI_UNITS})"
)
_KANJI_LENIENT = re.compile(
    r"(?<![一二三四五六七八九十百千万第])(?P<number>[一二两三四五六七八九十百千]{1,6})"
    rf"(?P<unit>{_KANJI_UNITS}|日間?|天|か月|个月|週間|周|年間?|割|円|元|個月|%|营业日|営業日|工作日|小时|時間)"
)
_ENGLISH = re.compile(
    r"\b(?P<number>three|four|five|six|seven|eight|nine|ten|eleven|twelve)\s+"
    r"(?P<unit>[a-z]+s)\b(?!\s+(?:ago|later))",
    re.IGNORECASE,
)
_ABOUT_BEFORE = re.compile(
    r"(?:約|およそ|ほぼ|概ね|约|大约|大概|近|about|approximately|approx\.?|around|roughly|nearly|almost|some|[~〜≈])"
    r"\s*[¥$€£]?$",
    re.IGNORECASE,
)
_ABOUT_AFTER = re.compile(r"\s?(?:ほど|程度|前後|左右|あまり|余り|余|強|弱|or so)")
_OVER_BEFORE = re.compile(
    r"(?:over|more than|exceed(?:s|ed|ing)?|超过|逾|高于|above)\s*[¥$€£]?$", re.IGNORECASE
)
_OVER_AFTER = re.compile(r"\s?(?:超|を超え|を上回|多(?=[个元件]))")
_UNDER_BEFORE = re.compile(
    r"(?:under|less than|fewer than|below|不到|低于|少于|不足)\s*[¥$€£]?$", re.IGNORECASE
)
_UNDER_AFTER = re.compile(r"\s?(?:未満|を下回|弱)")


@dataclass(frozen=True)
class Quantity:
    """`value` is signed and multiplied by `scale`; percents are in points. `step` is one unit in
    the last place that the text shows. `start`/`end` are places in the original text."""

    text: str
    start: int
    end: int
    value: Decimal
    step: Decimal
    scale: Decimal = Decimal(1)
    unit: str = ""
    either_sign: bool = False
    bound: str = ""
    """"about", "over", "under", or "" when the figure is stated as exact."""
    word: bool = False
    """Written as a word: 三つ, three."""

    @property
    def unit_class(self) -> str:
        return unit_class(self.unit)

    @property
    def is_percent(self) -> bool:
        return self.unit_class in ("percent", "tenth")

    @property
    def is_whole(self) -> bool:
        return self.value == self.value.to_integral_value() and self.step >= 1

    def stated_interval(self) -> tuple[Decimal, Decimal]:
        """As `interval`, but a limit ("under 30 days") is that limit and no rough figure."""
        return replace(self, bound="").interval() if self.bound != "about" else self.interval()

    def interval(self) -> tuple[Decimal, Decimal]:
        """The values that would be written like this; both ends belong to it."""
        magnitude, step = abs(self.value), self.step
        if self.bound:
            step = max(step, _last_place(magnitude))
        low, high = magnitude - step / 2, magnitude + step / 2
        if self.bound == "over":
            low, high = magnitude, magnitude + step
        elif self.bound == "under":
            low, high = magnitude - step, magnitude
        elif self._is_small_count:
            low = high = magnitude
        return (low, high) if self.value >= 0 else (-high, -low)

    @property
    def _is_small_count(self) -> bool:
        """A bare 1 is not 0.62 rounded."""
        return not self.bound and abs(self.value) < 10 and self.step == 1 and not self.is_percent


def _last_place(magnitude: Decimal) -> Decimal:
    """12,000 shows thousands when it is said to be about right."""
    digits = magnitude.normalize()
    exponent = digits.as_tuple().exponent
    return Decimal(1).scaleb(int(exponent)) if magnitude else Decimal(1)


def find_quantities(
    original: str, folded: Folded, masks: Sequence[Span], *, lenient: bool = False
) -> list[Quantity]:
    """Quantities outside `masks` (places in the folded text), in order.

    `lenient` also takes kanji numerals of any size with a unit, as contracts write them.
    """
    text = folded.text
    blank = bytearray(len(text))
    for start, end in masks:
        blank[start:end] = b"\x01" * (end - start)
    found = []
    for m in _QUANTITY.finditer(text):
        place = m.start("number")
        if not any(blank[place : m.end("number")]) and original[folded.starts[place]].isdecimal():
            found.append(_digits(m, original, folded))
    for pattern in (_KANJI_LENIENT if lenient else _KANJI, _ENGLISH):
        found.extend(
            word
            for m in pattern.finditer(text)
            if not blank[m.start()] and ((word := _word(m, original, folded)).value > 2 or lenient)
        )
    return sorted(found, key=lambda q: q.start)


def _digits(m: re.Match[str], original: str, folded: Folded) -> Quantity:
    text = folded.text
    value, step, scale = _amount(m["number"], (m["scale"] or "").strip())
    unit = m["unit"] or ("%" if m["percent_of"] else "") or (m["currency"] or "").strip()
    unit = "円" if unit and unit in "¥$€£" else unit
    if unit_class(unit) == "tenth":
        value, step = value * 10, step * 10
    start = min(m.start(g) for g in ("percent_of", "minus", "currency", "minus2", "number") if m[g])
    end = m.end() if m["unit"] else m.end("scale") if m["scale"] else m.end("number")
    begin, finish = folded.original(start, end)
    in_brackets = text[start - 1 : start] == "(" and text[end : end + 1] == ")"
    return Quantity(
        text=original[begin:finish],
        start=begin,
        end=finish,
        value=-value if m["minus"] or m["minus2"] else value,
        step=step,
        scale=scale,
        unit=unit,
        either_sign=in_brackets and not (m["minus"] or m["minus2"]),
        bound=_bound(text, start, end),
    )


def _amount(number: str, scale: str) -> tuple[Decimal, Decimal, Decimal]:
    """Value, step and the largest scale of 12.3万, 3億2,000万, 1.5 million."""
    if not scale:
        value, step = _plain(number)
        return value, step, Decimal(1)
    if scale[0].isascii():
        factor = SCALES[scale.lower()]
        value, step = _plain(number)
        return value * factor, step * factor, factor
    total, step, largest = Decimal(0), Decimal(1), Decimal(1)
    for part in _PART.finditer(number + scale):
        factor = Decimal(1)
        for char in part[2] or "":
            factor *= SCALES[char]
        value, place = _plain(part[1])
        total, step, largest = total + value * factor, place * factor, max(largest, factor)
    return total, step, largest


def _plain(number: str) -> tuple[Decimal, Decimal]:
    value = Decimal(number.replace(",", ""))
    return value, Decimal(1).scaleb(int(value.as_tuple().exponent))


def _bound(text: str, start: int, end: int) -> str:
    before, after = text[max(0, start - 16) : start], text[end : end + 8]
    if _OVER_BEFORE.search(before) or _OVER_AFTER.match(after):
        return "over"
    if _UNDER_BEFORE.search(before) or _UNDER_AFTER.match(after):
        return "under"
    return "about" if _ABOUT_BEFORE.search(before) or _ABOUT_AFTER.match(after) else ""


def _word(m: re.Match[str], original: str, folded: Folded) -> Quantity:
    word = m["number"].lower()
    value = Decimal(ENGLISH[word] if word in ENGLISH else kanji(word))
    start, end = folded.original(m.start("number"), m.end("unit"))
    factor = 10 if unit_class(m["unit"]) == "tenth" else 1
    return Quantity(
        text=original[start:end],
        start=start,
        end=end,
        value=value * factor,
        step=Decimal(factor),
        unit=m["unit"],
        word=True,
    )
