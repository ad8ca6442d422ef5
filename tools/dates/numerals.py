"""Small whole numbers as people write them in dates: digits, 三, 十二, twelve."""

_DIGITS = {c: i for i, c in enumerate("〇一二三四五六七八九")} | {
    "零": 0,
    "两": 2,
    "兩": 2,
    "元": 1,
}
_PLACES = {"十": 10, "百": 100, "千": 1000}
WORDS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
]
ENGLISH = {word: value for value, word in enumerate(WORDS)} | {"thirty": 30, "sixty": 60}
ORDINALS = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "1st": 1,
    "2nd": 2,
    "3rd": 3,
    "4th": 4,
}

NUMBER = r"(?:\d{1,4}|[〇一二三四五六七八九十百两兩]+)"
ENGLISH_NUMBER = r"(?:\d{1,4}|" + "|".join(sorted(ENGLISH, key=len, reverse=True)) + ")"


def whole(text: str) -> int:
    """The value of `NUMBER`, `ENGLISH_NUMBER` or 元. Raises ValueError for anything else."""
    word = text.strip().lower()
    if word.isdecimal():
        return int(word)
    if word in ENGLISH:
        return ENGLISH[word]
    return kanji(word)


def kanji(text: str) -> int:
    """十二 is 12, 二〇二五 is 2025, 三百 is 300. Raises ValueError when it is no such numeral."""
    if not text or any(c not in _DIGITS and c not in _PLACES for c in text):
        raise ValueError(f"not a numeral: {text}")
    if not any(c in _PLACES for c in text):
        return int("".join(str(_DIGITS[c]) for c in text))
    total, digit = 0, None
    for char in text:
        if char in _PLACES:
            total += (1 if digit is None else digit) * _PLACES[char]
            digit = None
        else:
            digit = _DIGITS[char]
    return total + (digit or 0)
