"""The shape of an OCR engine."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

Render = Callable[[int], bytes]
"""The page as a PNG image, turned clockwise by 0, 90, 180 or 270 degrees."""


@dataclass(frozen=True)
class OcrLine:
    """`box` (x0, y0, x1, y1) in pixels of the upright image, from its upper left corner;
    lines of one `paragraph` belong together."""

    text: str
    box: tuple[float, float, float, float]
    paragraph: int = 0


@dataclass(frozen=True)
class OcrPage:
    """`turn`: degrees clockwise by which the image was turned to be upright; `lines` in
    reading order, empty when nothing legible was found."""

    lines: Sequence[OcrLine] = ()
    turn: int = 0


class Ocr(Protocol):
    def read(self, render: Render) -> OcrPage:
        """What is written on the page. Raises OcrFailed when the engine breaks or hangs."""
        ...


class OcrFailed(Exception):
    """The engine could not read a page; the message says why."""
