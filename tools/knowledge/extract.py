"""Extractive compression: the sentences of a passage that matter for a question."""

import re
from collections import Counter
from collections.abc import Mapping
from itertools import permutations

from reranker.text import Units, units
from tools.text import casefolded
from tools.tokens import estimate_tokens

GAP = " … "
GAP_TOKENS = 1
ONE_ROW = 8.0
"""The row of a table that alone has a word of the question stands before its sentences."""
_SENTENCE = re.compile(r"[^。！？!?\n]*?(?:[。！？!?]+[」』）)]*|\n+|(?<=[^\d\s])\.(?=\s|$)|$)")
_QUANTITY = re.compile(
    r"how (?:many|much|long|often|soon)|\bwhen\b|what (?:date|day|time|percent|share)"
    r"|何[個日件円点回年月枚本割%時]|いくつ|いくら|いつ|期限|多少|几[个天日年月次]|何时"
)


def extract(text: str, query: str, budget: int) -> str:
    """One line of at most about `budget` tokens: the sentences that share most with the query,
    in their order, gaps marked with "…". Without a shared word, the beginning."""
    if estimate_tokens(text) <= budget:
        return " ".join(text.split())
    sentences = split_sentences(text)
    wanted = units(query)
    asks_quantity = bool(_QUANTITY.search(query.lower()))
    spread = _spread(sentences)
    scores = [_score(s, wanted, asks_quantity, spread) for s in sentences]
    heads = table_heads(sentences)
    for index, head in heads.items():
        scores[index] += ONE_ROW * is_named_row(sentences[index], sentences[head], query)
    order = sorted(range(len(sentences)), key=lambda i: (-scores[i], i))
    chosen = _chosen(sentences, [i for i in order if scores[i]] or order[:1], heads, budget)
    if asks_quantity and not any(units(sentences[i]).numbers for i in chosen):
        # None of the question's words stands beside a figure, as in another language's text.
        figures = [i for i, s in enumerate(sentences) if i not in chosen and units(s).numbers]
        chosen = _chosen(sentences, [*chosen, *figures], heads, budget)
    line = _join(sentences, sorted(chosen))
    fits = sum(estimate_tokens(sentences[i]) for i in chosen) <= budget
    return line if fits else _window(line, wanted, budget)


def table_heads(sentences: list[str]) -> dict[int, int]:
    """The header's place for each row of a Markdown table; rules between them are no rows."""
    heads: dict[int, int] = {}
    head: int | None = None
    for index, sentence in enumerate(sentences):
        if not sentence.startswith("|"):
            head = None
        elif head is None:
            head = index
        elif set(sentence) - set("|-: "):
            heads[index] = head
    return heads


def _chosen(
    sentences: list[str], order: list[int], heads: dict[int, int], budget: int
) -> list[int]:
    """Places in that order while they fit; the first one always. A row brings its header."""
    chosen: list[int] = []
    left = budget
    for index in order:
        both = dict.fromkeys((index, heads.get(index, index)))
        wanted = [i for i in both if i not in chosen]
        needed = sum(estimate_tokens(sentences[i]) + GAP_TOKENS for i in wanted)
        if chosen and needed > left:
            continue
        if needed > left:
            wanted = [index]
        chosen += wanted
        left -= needed
    return chosen


def is_named_row(row: str, head: str, query: str) -> bool:
    """The row's label and the header over it stand together in the question: "rank A"."""
    labels = [_tight(line.strip("| ").split("|")[0]) for line in (row, head)]
    asked = _tight(query)
    return all(labels) and any(a + b in asked for a, b in permutations(labels))


def _tight(text: str) -> str:
    return "".join(casefolded(text).split())


def split_sentences(text: str) -> list[str]:
    """Sentences and lines, stripped, without empty ones."""
    parts = (" ".join(m.group().split()) for m in _SENTENCE.finditer(text))
    return [p for p in parts if p]


def _spread(sentences: list[str]) -> Counter[str]:
    """In how many sentences of the passage each word and phrase stands."""
    found = [units(s) for s in sentences]
    return Counter(unit for f in found for unit in f.words | f.phrases)


def _score(
    sentence: str, wanted: Units, asks_quantity: bool, spread: Mapping[str, int] | None = None
) -> float:
    """A word counts less the more sentences have it: in a table only one row is asked for."""
    found = units(sentence)
    both = (wanted.words & found.words) | (wanted.phrases & found.phrases)
    shared = sum(1 / max(1, spread[unit]) for unit in both) if spread is not None else len(both)
    if spread is not None and sentence.startswith("|") and any(spread[u] == 1 for u in both):
        shared += ONE_ROW
    exact = len(wanted.identifiers & found.identifiers) + len(wanted.numbers & found.numbers)
    score = shared + 3.0 * exact
    has_quantity = bool(found.numbers)
    return score + 0.5 if score and asks_quantity and has_quantity else score


def _join(sentences: list[str], indices: list[int]) -> str:
    line = GAP.lstrip() if indices[0] > 0 else ""
    for position, index in enumerate(indices):
        if position:
            line += " " if index == indices[position - 1] + 1 else GAP
        line += sentences[index]
    return line + (GAP.rstrip() if indices[-1] < len(sentences) - 1 else "")


def _window(line: str, wanted: Units, budget: int) -> str:
    """The part of an over-long sentence where most of the query's words are."""
    width = max(1, int(len(line) * budget / max(1, estimate_tokens(line))))
    starts = range(0, max(1, len(line) - width + 1), max(1, width // 4))
    best = max(starts, key=lambda s: (_score(line[s : s + width], wanted, False), -s))
    head = GAP.lstrip() if best > 0 else ""
    tail = GAP.rstrip() if best + width < len(line) else ""
    return head + line[best : best + width].strip() + tail
