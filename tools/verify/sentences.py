"""Sentences of a text with their places; a line of a list or table is a sentence of its own."""

import re
from dataclasses import dataclass

_END = re.compile(
    r"[。！？!?][」』）)\"”]*|"
    r"(?<!\b[A-Z])(?<!\bNo)(?<!\bvs)(?<!\be\.g)(?<!\bi\.e)(?<!\bapprox)(?<!\bInc)(?<!\bCo)(?<!\bLtd)(?<!^\d)(?<!\n\d)"
    r"\.[)\"”]*(?=\s|$)|\n"
)


@dataclass(frozen=True)
class Sentence:
    """`text[start:end]`, surrounding blanks left out."""

    text: str
    start: int
    end: int

    @property
    def is_table_row(self) -> bool:
        return self.text.startswith("|")


def split_sentences(text: str) -> list[Sentence]:
    sentences = []
    start = 0
    for end in [m.end() for m in _END.finditer(text)] + [len(text)]:
        raw = text[start:end]
        body = raw.strip()
        if body:
            begin = start + len(raw) - len(raw.lstrip())
            sentences.append(Sentence(body, begin, begin + len(body)))
        start = end
    return sentences
