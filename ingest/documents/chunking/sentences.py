"""Sentence boundaries of Japanese, Chinese and English text, as offsets."""

import re
from collections.abc import Iterator

Span = tuple[int, int]

_OPEN = "「『（(【〔［[《〈“"
_CLOSE = "」』）)】〕］]》〉”"
_END = re.compile(r"[。！？!?｡．]+|\.(?=[\s」』）)\"'”’]|$)|\n+")
_AFTER_END = re.compile(r"[」』）)】〕］\]》〉”’\"']*")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(（])(?:[A-Za-z]|(?:[A-Za-z]\.)+[A-Za-z]"
    r"|Mr|Mrs|Ms|Dr|Prof|St|No|Nos|Fig|Eq|vs|etc|cf|approx|Inc|Ltd|Co|Corp|Jan|Feb|Mar|Apr|Jun"
    r"|Jul|Aug|Sep|Sept|Oct|Nov|Dec|Vol|pp|p)$"
)
_LIST_NUMBER = re.compile(r"(?:^|\n)\s*\d{1,3}$")
_QUOTED_GOES_ON = re.compile(r"[」』）)”’\"']+(?:と|って|とい|など|の|を|に|は|が|も|，|、|,)")
_MAX_BRACKET = 400
"""A bracket not closed within so many characters is taken for a stray one."""

_SOFT = re.compile(r"[、，,;；:：]|[)）」』】]|\s+|[ぁ-ん](?=[ァ-ヶ一-龯])")


def sentences(text: str, start: int = 0, end: int | None = None) -> Iterator[Span]:
    """Spans that tile `text[start:end]`; trailing white space belongs to its sentence."""
    end = len(text) if end is None else end
    begin = start
    for stop in _boundaries(text, start, end):
        if text[begin:stop].strip():
            yield begin, stop
            begin = stop
    if begin < end:
        yield begin, end


def _boundaries(text: str, start: int, end: int) -> Iterator[int]:
    depth, opened, position = 0, start, start
    for match in _END.finditer(text, start, end):
        if match.end() <= position:
            continue
        depth, opened = _depth(text, position, match.start(), depth, opened)
        position = match.end()
        newline = match.group()[0] == "\n"
        if newline:
            depth = 0
        if depth and match.start() - opened <= _MAX_BRACKET:
            closers = _AFTER_END.match(text, match.end(), end)
            if closers is None or len(closers.group()) < depth:
                continue
        if match.group() == "." and _is_abbreviation(text, start, match.start()):
            continue
        if _QUOTED_GOES_ON.match(text, match.end(), end):
            continue
        after = _AFTER_END.match(text, match.end(), end)
        stop = after.end() if after and not newline else match.end()
        position, depth = stop, 0
        while stop < end and text[stop].isspace():
            stop += 1
        yield stop


def _depth(text: str, start: int, end: int, depth: int, opened: int) -> tuple[int, int]:
    for index in range(start, end):
        char = text[index]
        if char in _OPEN:
            opened = opened if depth else index
            depth += 1
        elif char in _CLOSE:
            depth = max(0, depth - 1)
    return depth, opened


def _is_abbreviation(text: str, start: int, dot: int) -> bool:
    before = text[max(start, dot - 12) : dot]
    return bool(_ABBREVIATION.search(before) or _LIST_NUMBER.search(before))


def soft_break(text: str, start: int, limit: int) -> int:
    """Where to cut a sentence that is too long: after punctuation or a blank in the second
    half of `text[start:limit]`, else at `limit`, or before the number or word that is there."""
    middle = start + (limit - start) // 2
    stops = [match.end() for match in _SOFT.finditer(text, middle, limit)]
    for stop in reversed(stops):
        if not _inside_token(text, stop):
            return stop
    stop = limit
    while stop > start and _inside_token(text, stop):
        stop -= 1
    return stop if stop > start else limit


def _inside_token(text: str, index: int) -> bool:
    """Would a cut before `text[index]` break a number, a word or a combined character?"""
    if index <= 0 or index >= len(text):
        return False
    left, right = text[index - 1], text[index]
    if right in "\u3099\u309a\u200d\ufe0f" or left == "\u200d":
        return True
    if left in ",." and right.isdigit() and index > 1 and text[index - 2].isdigit():
        return True
    return (
        left.isascii() and right.isascii() and left.isalnum() and (right.isalnum() or right in ",.")
    )
