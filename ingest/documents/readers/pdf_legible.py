"""Can a PDF page's text be trusted? Fonts without a Unicode map, with a wrong one, and scans."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from ingest.documents.gibberish import gibberish
from ingest.documents.model import Box

_UNREADABLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\ufffd\ue000-\uf8ff\U000f0000-\U0010ffff"
    # Archaic Greek and Coptic: what Calibri's digits and ligatures become without a map.
    "\u03d0-\u03ff\u0358\u0372-\u0373]"
)
_MAX_UNREADABLE = 0.2
_SCAN_SHARE, _SCAN_LETTERS = 0.5, 40
"""An image over so much of the page, with fewer letters of text on it, is a scan."""


def raw_lines(content: Any) -> Iterator[Any]:
    for block in content["blocks"]:
        yield from block.get("lines", [])


def unreadable_share(text: str) -> float:
    """Share of the characters that are controls, unknown or for private use: no language."""
    return len(_UNREADABLE.findall(text)) / max(1, len(text))


def noisy_fonts(content: Any) -> dict[str, str]:
    """Fonts whose text on this page is gibberish, and why it is."""
    texts: defaultdict[str, list[str]] = defaultdict(list)
    for line in raw_lines(content):
        for span in line["spans"]:
            texts[span["font"]].append(span["text"])
    reasons = {font: gibberish(" ".join(pieces)) for font, pieces in texts.items()}
    return {font: reason for font, reason in reasons.items() if reason}


def problem_of(content: Any, noisy: Mapping[str, str]) -> str:
    """Why the page's text cannot be used; "" when it can, "no text" when there is none."""
    lengths: Counter[str] = Counter()
    unreadable = 0.0
    for line in raw_lines(content):
        for span in line["spans"]:
            visible = "".join(span["text"].split())
            lengths[span["font"]] += len(visible)
            if span["font"] not in noisy:
                unreadable += unreadable_share(visible) * len(visible)
    total = lengths.total()
    if not total:
        return "no text"
    garbled = {font: lengths[font] for font in noisy}
    if sum(garbled.values()) > _MAX_UNREADABLE * total:
        return f"no usable Unicode map: {noisy[max(garbled, key=lambda font: garbled[font])]}"
    if unreadable > _MAX_UNREADABLE * total:
        return f"{unreadable / total:.0%} of the characters have no Unicode value"
    return ""


def illegible_boxes(content: Any, noisy: Collection[str]) -> list[Box]:
    """Where on the page letters stand that cannot be read."""
    return [
        tuple(span["bbox"])
        for line in raw_lines(content)
        for span in line["spans"]
        if span["font"] in noisy or unreadable_share(span["text"].strip()) > 0.5
    ]


def is_scan(page: Any, content: Any) -> bool:
    """Is the page an image, but for a stamp or a page number?"""
    letters = sum(len("".join(s["text"].split())) for x in raw_lines(content) for s in x["spans"])
    return letters < _SCAN_LETTERS and image_share(page) >= _SCAN_SHARE


def image_share(page: Any) -> float:
    """The part of the page that its largest image covers, 0–1."""
    whole = abs(page.rect)
    shown = [page.rect & info["bbox"] for info in page.get_image_info()]
    return max((abs(box) / whole for box in shown if not box.is_empty), default=0.0)


def is_blank(page: Any) -> bool:
    """Is nothing drawn on the page?"""
    return not page.get_image_info() and not page.get_cdrawings() and not page.get_texttrace()
