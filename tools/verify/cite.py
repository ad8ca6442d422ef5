"""Citation marks in an answer, and what becomes of statements that are not proved."""

from collections.abc import Sequence

from reranker.language import language_of
from tools.verify.records import Item, Verification
from tools.verify.sentences import Sentence, split_sentences

_MARKS = {"ja": "（未確認: {}）", "zh": "[未证实: {}]", "en": "[unverified: {}]"}
_STOPS = "。．.!?！？\n"


def cite(
    text: str, verification: Verification, order: Sequence[str] = ()
) -> tuple[str, list[tuple[int, str, str]]]:
    """The text with [1], [2] … and the list of (n, evidence id, locator).

    Evidence is numbered in the order of `order` (ids cited before), then of first use. A mark
    stands once a sentence and evidence, after its last supported item; for rows of a Markdown
    table at the end of the line before the table, or nowhere when there is none.
    """
    numbers = {evidence_id: n for n, evidence_id in enumerate(order, 1)}
    locators: dict[str, str] = {}
    inserts: dict[int, list[int]] = {}
    marked: set[tuple[int, str]] = set()
    sentences = split_sentences(text)
    last: dict[tuple[int, str], Item] = {}
    for item in verification.supported:
        place = _sentence_of(item, sentences)
        if item.evidence_id and place is not None:
            anchor = _anchor(place, sentences)
            if anchor is not None:
                last[(anchor, item.evidence_id)] = item
                locators.setdefault(item.evidence_id, item.locator)
    for (anchor, evidence_id), item in last.items():
        number = numbers.setdefault(evidence_id, len(numbers) + 1)
        sentence = sentences[anchor]
        inside = sentence.start <= item.start < sentence.end
        at = _after(text, item, sentence) if inside else sentence.end
        if (at, evidence_id) not in marked:
            marked.add((at, evidence_id))
            inserts.setdefault(at, []).append(number)
    for at in sorted(inserts, reverse=True):
        text = text[:at] + "".join(f"[{n}]" for n in inserts[at]) + text[at:]
    used = sorted((n, i, locators[i]) for i, n in numbers.items() if i in locators)
    return text, used


def _sentence_of(item: Item, sentences: Sequence[Sentence]) -> int | None:
    return next((i for i, s in enumerate(sentences) if s.start <= item.start < s.end), None)


def _anchor(place: int, sentences: Sequence[Sentence]) -> int | None:
    """The sentence that bears the mark: for a table row the line before the table."""
    while place >= 0 and sentences[place].is_table_row:
        place -= 1
    return place if place >= 0 else None


def _after(text: str, item: Item, sentence: Sentence) -> int:
    """Right after the item, but behind the word that a unit or counter makes with it, and
    before the sentence's full stop when the item is the whole sentence."""
    end = min(item.end, sentence.end)
    while end > sentence.start and item.kind == "claim" and text[end - 1] in _STOPS:
        end -= 1
    while end < sentence.end and text[end] in '」』”"*`)）%':
        end += 1
    while end < sentence.end and text[end].isascii() and text[end].isalnum():
        end += 1
    return end


def strike(text: str, verification: Verification) -> str:
    """Without the sentences that hold an unsupported or contradicted item. When that would leave
    no proved statement, the items are marked instead, in the text's language."""
    failed = verification.failed
    if not failed:
        return text
    sentences = split_sentences(text)
    bad = {p for item in failed if (p := _sentence_of(item, sentences)) is not None}
    proved = {_sentence_of(item, sentences) for item in verification.supported} - bad - {None}
    if not proved:
        return _mark(text, failed)
    out, reached = [], 0
    for place in sorted(bad):
        start, end = sentences[place].start, sentences[place].end
        line_start = text.rfind("\n", 0, start) + 1
        if not text[line_start:start].strip() and text[end : end + 1] in ("\n", ""):
            start, end = line_start, end + 1
        out.append(text[reached:start])
        reached = end
    out.append(text[reached:])
    return "".join(out).strip()


def _mark(text: str, failed: Sequence[Item]) -> str:
    mark = _MARKS[language_of(text, kanji="ja")]
    for item in reversed(failed):
        text = text[: item.start] + mark.format(item.text) + text[item.end :]
    return text
