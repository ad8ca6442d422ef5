"""Which stored value a person means: the distinct texts of the tables, found however written.

Case, width, kana, blanks and marks do not matter (score 1); nor do the order of the words, the
script (東京倉庫, "Tokyo wh", 东京仓库) and abbreviations of common words (0.95). A typo or a part of
a value scores below that, by how much is alike; below 0.6 nothing is meant.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ingest.store.errors import StoreBroken
from ingest.store.postings import Grams, Owners
from ingest.store.quoting import quoted
from ingest.store.records import Catalog
from ingest.store.wordings import folded, is_name, latin_words, likeness, queries, wordings

MAX_LENGTH = 80
"""Longer texts are remarks, not names."""
MAX_OF_A_COLUMN = 50_000
MAX_VALUES = 200_000
CANDIDATES = 32
OTHER_WORDING = 0.95
ALIKE = 0.6
WINDOW = 5
PLACES_OF_A_VALUE = 3
_SUFFIXES = frozenset(["prefecture", "city", "company"])

_Place = tuple[str, str, Sequence[str]]
_Wanted = NDArray[np.bool_] | None


class ValueMatch(NamedTuple):
    table: str
    column: str
    value: str
    score: float


class ValueIndex:
    """Built once from (table, column, distinct values); a search takes milliseconds.

    `left_out` are the columns of the catalog that hold more than the index takes.
    """

    def __init__(self, places: Iterable[_Place], left_out: Sequence[tuple[str, str]] = ()) -> None:
        self.left_out = tuple(left_out)
        self._places: list[tuple[str, str]] = []
        self._values: list[str] = []
        self._place_of = array("I")
        for table, column, values in places:
            self._places.append((table, column))
            self._values.extend(values)
            self._place_of.extend([len(self._places) - 1] * len(values))
        self._forms, self._wordings = Owners(), Owners()
        for i, value in enumerate(self._values):
            self._take_in(value, i)
        self._forms.close()
        self._wordings.close()
        self._written = list(self._forms.ids)
        self._grams = Grams(self._written)

    def __len__(self) -> int:
        return len(self._values)

    def find(
        self, word: str, *, table: str | None = None, column: str | None = None, limit: int = 5
    ) -> list[ValueMatch]:
        """The stored values most like `word`, best first; of one table or column, where given.

        `limit` counts the values; one that stands in many columns is given with the first three.
        """
        wanted = self._wanted(table, column)
        scores: dict[int, float] = {}
        for value, score in self._scored(word, wanted):
            if wanted is None or wanted[value]:
                scores[value] = max(score, scores.get(value, 0.0))
        plain = folded(word)
        for value in scores:
            if folded(self._values[value]) == plain:
                scores[value] = 1.0
        best: dict[str, list[ValueMatch]] = {}
        for i in sorted(scores, key=lambda v: (-scores[v], len(self._values[v]), v)):
            best.setdefault(self._values[i], []).append(self._match(i, scores[i]))
        kept = list(best.values())[:limit]
        return [match for matches in kept for match in matches[:PLACES_OF_A_VALUE]]

    def named_in(self, text: str, limit: int = 6) -> list[ValueMatch]:
        """Values that stand in a text in another script or word order, longest first. Several words
        have to name more than 倉庫 or company; a single one has to be in Latin letters, for in
        kanji too many words sound alike. What stands inside a longer name is not named."""
        found: dict[int, int] = {}
        latin = latin_words(text)
        for words in wordings(text, always=True):
            taken: set[int] = set()
            for start, end in _windows(len(words)):
                window = words[start:end]
                alone = end - start == 1 and window[0] not in latin
                if alone or taken.issuperset(range(start, end)) or not is_name(window):
                    continue
                values = self._wordings.of(" ".join(sorted(window)))
                taken.update(range(start, end) if len(values) else ())
                for value in values:
                    found[value] = max(end - start, found.get(value, 0))
        best = sorted(found, key=lambda v: (-found[v], v))[:limit]
        return [self._match(value, OTHER_WORDING) for value in best]

    def _take_in(self, value: str, i: int) -> None:
        """A Chinese or Japanese value is found by its reading, a Latin one by its sorted words."""
        self._forms.add(folded(value), i)
        for words in wordings(value):
            bare = tuple(word for word in words if word not in _SUFFIXES)
            for said in dict.fromkeys((words, bare)):
                self._wordings.add(" ".join(sorted(said)), i)
            self._forms.add(" ".join(sorted(words)) if value.isascii() else "".join(words), i)

    def _scored(self, word: str, wanted: _Wanted) -> Iterator[tuple[int, float]]:
        """(value, score) of the same wording, and of the forms that are alike."""
        for words in wordings(word, always=True):
            yield from ((v, OTHER_WORDING) for v in self._wordings.of(" ".join(sorted(words))))
        among = None if wanted is None else self._forms.holding(wanted)
        for form in queries(word):
            yield from ((v, OTHER_WORDING) for v in self._forms.of(form))
            for i in self._grams.nearest(form, CANDIDATES, among):
                score = likeness(form, self._written[i])
                if score >= ALIKE:
                    yield from ((v, score) for v in self._forms.of(self._written[i]))

    def _wanted(self, table: str | None, column: str | None) -> _Wanted:
        """Of each value whether it stands in that place; None: all do."""
        if table is None and column is None:
            return None
        places = [
            (table is None or t.lower() == table.lower())
            and (column is None or c.lower() == column.lower())
            for t, c in self._places
        ]
        return np.array(places, dtype=np.bool_)[np.frombuffer(self._place_of, dtype=np.uint32)]

    def _match(self, value: int, score: float) -> ValueMatch:
        table, column = self._places[self._place_of[value]]
        return ValueMatch(table, column, self._values[value], round(score, 3))


def _windows(length: int) -> Iterator[tuple[int, int]]:
    """All runs of at most `WINDOW` words, longest first."""
    for size in range(min(WINDOW, length), 0, -1):
        for start in range(length - size + 1):
            yield start, start + size


def read_values(warehouse: Path, catalog: Catalog) -> ValueIndex:
    """The index over a warehouse's text columns; tables that stand in documents are not in it.

    Smaller columns are taken first, up to `MAX_VALUES` in all. Raises `StoreBroken`.
    """
    import duckdb  # noqa: PLC0415  Only where values are looked for.

    columns = sorted(
        (column.distinct, table.name, column.name)
        for table in catalog.tables
        if table.doc_id is None
        for column in table.columns
        if column.type == "VARCHAR" and column.distinct
    )
    taken: list[tuple[str, str]] = []
    room = MAX_VALUES
    for distinct, table, column in columns:
        if distinct <= min(room, MAX_OF_A_COLUMN):
            taken.append((table, column))
            room -= distinct
    left_out = [(t, c) for _, t, c in columns if (t, c) not in set(taken)]
    try:
        with duckdb.connect(str(warehouse), read_only=True, config=_CONFIG) as connection:
            places = [
                (t, c, _distinct(connection.execute(_query(t, c)).fetchall())) for t, c in taken
            ]
    except duckdb.Error as error:
        raise StoreBroken(
            f"The tables in {warehouse} cannot be read ({str(error).splitlines()[0]}).",
            "Run `zaiko rollback` or ingest again.",
        ) from error
    return ValueIndex(places, left_out)


_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "memory_limit": "512MB",
    "threads": "1",
}


def _query(table: str, column: str) -> str:
    name, place = quoted(column), quoted(table)
    return f"SELECT DISTINCT {name} FROM {place} WHERE length({name}) BETWEEN 1 AND {MAX_LENGTH}"


def _distinct(rows: Iterable[tuple[str, ...]]) -> list[str]:
    return sorted(chain.from_iterable(rows))
