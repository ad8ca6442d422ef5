"""Width folding that keeps places: full-width digits and letters become ASCII."""

import unicodedata
from bisect import bisect_left
from dataclasses import dataclass

_COUNTERS = "ヶヵカケ箇"


@dataclass(frozen=True)
class Folded:
    """`text` is the NFKC form, character by character; `starts[i]` is where it stood before."""

    text: str
    starts: tuple[int, ...]
    length: int

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The half-open place in the unfolded text of the non-empty `text[start:end]`."""
        after = bisect_left(self.starts, self.starts[end - 1] + 1)
        return self.starts[start], self.starts[after] if after < len(self.starts) else self.length


def fold(text: str) -> Folded:
    """Never raises; the pieces of a character that NFKC expands all point at its one place."""
    if text.isascii():
        return Folded(text, tuple(range(len(text))), len(text))
    pieces: list[str] = []
    starts: list[int] = []
    for place, char in enumerate(text):
        folded = char if char < "\x80" else unicodedata.normalize("NFKC", char)
        pieces.append(folded)
        starts.extend([place] * len(folded))
    return Folded(_same_signs("".join(pieces)), tuple(starts), len(text))


def fold_text(text: str) -> str:
    """The folded text alone; quick, for cells."""
    return text if text.isascii() else _same_signs(unicodedata.normalize("NFKC", text))


def _same_signs(text: str) -> str:
    """One minus sign, and か for the small ヶ of 3ヶ月; the length is unchanged."""
    text = text.replace("−", "-")
    for variant in _COUNTERS:
        text = text.replace(f"{variant}月", "か月")
    return text
