"""Tesseract by its command line: orientation and script first, then the words with confidence.

The output formats are those of the manual page tesseract(1): `--psm 0` prints the orientation,
the `tsv` configuration one line a word.
"""

import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ingest.documents.ocr.base import OcrFailed, OcrLine, OcrPage, Render
from ingest.documents.tables import is_wide

_LANGUAGES = ("eng", "jpn", "chi_sim")
_BY_SCRIPT = {"Latin": ("eng",), "Japanese": ("jpn",), "Hiragana": ("jpn",), "Katakana": ("jpn",)}
_TIMEOUT_S = 180
_GOOD = 75.0
"""Mean confidence (0–100) at which no other language or orientation is tried."""
_MIN_LINE, _MIN_PAGE = 45.0, 55.0
"""Below these a line, a page is the engine's guess at a picture, not text."""
_MIN_ORIENTATION = 1.0
_TURNS = (0, 90, 270, 180)


@dataclass(frozen=True)
class _Word:
    key: tuple[int, int, int]
    text: str
    box: tuple[float, float, float, float]
    confidence: float


class Tesseract:
    """`languages` are Tesseract's codes, of those this product reads; at least one."""

    def __init__(self, binary: str, languages: Sequence[str]) -> None:
        self._binary = binary
        self._languages = tuple(languages)

    @classmethod
    def installed(cls) -> "Tesseract | None":
        binary = shutil.which("tesseract")
        if binary is None:
            return None
        try:
            listed = _run([binary, "--list-langs"], b"")
        except OcrFailed:
            return None
        languages = [name for name in _LANGUAGES if name in listed.split()]
        return cls(binary, languages) if languages else None

    def read(self, render: Render) -> OcrPage:
        image = render(0)
        turn, script = self._orientation(image)
        if turn is not None:
            words = self._best(image if turn == 0 else render(turn), script)
            return OcrPage(_lines(words), turn)
        readings = self._by_turn(render, image)
        turn, words = max(readings, key=lambda reading: _weight(reading[1]))
        return OcrPage(_lines(words), turn)

    def _by_turn(self, render: Render, image: bytes) -> Iterator[tuple[int, list[_Word]]]:
        """Too few letters to tell the orientation from: each is tried until one reads well, or
        nothing that looks like a letter is seen."""
        for turn in _TURNS:
            words = self._best(image if turn == 0 else render(turn), "")
            yield turn, words
            if not words or _confidence(words) >= _GOOD:
                return

    def _orientation(self, image: bytes) -> tuple[int | None, str]:
        try:
            found = _run([self._binary, "stdin", "stdout", "--psm", "0"], image)
        except OcrFailed:  # no data for it, or too few letters
            return None, ""
        values = dict(re.findall(r"^([A-Za-z ]+): (\S+)$", found, re.MULTILINE))
        if float(values.get("Orientation confidence", 0)) < _MIN_ORIENTATION:
            return None, ""
        return int(values.get("Rotate", 0)) % 360, values.get("Script", "")

    def _best(self, image: bytes, script: str) -> list[_Word]:
        """The reading in the language that the engine is surest of."""
        best: list[_Word] = []
        for language in self._candidates(script):
            words = self._words(image, language)
            best = max(best, words, key=_weight)
            if not words or _confidence(best) >= _GOOD:
                break
        return best

    def _candidates(self, script: str) -> list[str]:
        likely = [name for name in _BY_SCRIPT.get(script, ()) if name in self._languages]
        if script.startswith("Han"):
            likely = [name for name in ("jpn", "chi_sim") if name in self._languages]
        order = dict.fromkeys([*likely, *self._languages])
        english = "eng" in self._languages
        return [f"{name}+eng" if english and name != "eng" else name for name in order]

    def _words(self, image: bytes, language: str) -> list[_Word]:
        command = [self._binary, "stdin", "stdout", "-l", language, "--psm", "3", "tsv"]
        return list(_parse(_run(command, image)))


def _run(command: Sequence[str], image: bytes) -> str:
    try:
        done = subprocess.run(
            [*_one_thread(), *command],
            input=image,
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise OcrFailed(f"Tesseract: {error}") from error
    if done.returncode:
        message = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise OcrFailed(f"Tesseract: {message[-1] if message else done.returncode}")
    return done.stdout.decode("utf-8", "replace")


def _one_thread() -> list[str]:
    """Tesseract's threads gain little, and on busy cores their waiting makes it far slower."""
    env = shutil.which("env")
    return [env, "OMP_THREAD_LIMIT=1"] if env else []


def _parse(tsv: str) -> Iterator[_Word]:
    for row in tsv.splitlines()[1:]:
        cells = row.split("\t")
        if len(cells) != 12 or cells[0] != "5" or not cells[11].strip():
            continue
        left, top, width, height = (float(cell) for cell in cells[6:10])
        box = (left, top, left + width, top + height)
        key = (int(cells[2]), int(cells[3]), int(cells[4]))
        yield _Word(key, cells[11].strip(), box, float(cells[10]))


def _weight(words: Sequence[_Word]) -> float:
    """Letters times confidence, those that are hardly legible counted against it."""
    return sum(len(word.text) * (word.confidence - _MIN_LINE) for word in words)


def _confidence(words: Iterable[_Word]) -> float:
    """Mean confidence of a letter, 0–100."""
    known = [(len(word.text), word.confidence) for word in words]
    letters = sum(length for length, _ in known)
    return sum(length * confidence for length, confidence in known) / letters if letters else 0.0


def _lines(words: Sequence[_Word]) -> list[OcrLine]:
    by_line: defaultdict[tuple[int, int, int], list[_Word]] = defaultdict(list)
    for word in words:
        by_line[word.key].append(word)
    legible = {
        key: line
        for key, line in by_line.items()
        if _confidence(line) >= _MIN_LINE and any(c.isalnum() for w in line for c in w.text)
    }
    if _confidence(word for line in legible.values() for word in line) < _MIN_PAGE:
        return []
    paragraphs = {key[:2]: number for number, key in enumerate(dict.fromkeys(legible))}
    return [_line(line, paragraphs[key[:2]]) for key, line in legible.items()]


def _line(words: Sequence[_Word], paragraph: int) -> OcrLine:
    text = ""
    for word in words:
        blank = " " if text and not (is_wide(text[-1]) and is_wide(word.text[0])) else ""
        text += blank + word.text
    boxes = [word.box for word in words]
    box = (
        min(b[0] for b in boxes),
        min(b[1] for b in boxes),
        max(b[2] for b in boxes),
        max(b[3] for b in boxes),
    )
    return OcrLine(text, box, paragraph)
