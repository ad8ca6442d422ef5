"""What of the data a question is about: tables for a catalog slice, and stored values it names."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from ingest.store import Catalog, Store, TableRecord
from tools.text import casefolded

MAX_VALUES = 6
MAX_DISTINCT = 2000
MIN_LATIN = 3
MIN_CJK = 2
NAMED = 0.2
"""Added to the cosine of a table whose name or synonym stands in the question."""
LEADING = 3
JOINED = 0.05
"""Added for the `LEADING` tables and those that are joined to one of them."""


@dataclass
class Relevance:
    """Answers for one open store. Both indexes are built at the first question that needs them.

    `distinct(table, column)` gives the stored values of a text column; `holds(table, column,
    value)` tells whether a column of any type holds one, alone or inside a longer text;
    `has_passage(question)` whether a passage of the documents scores above its threshold;
    `otherwise_named(question)` finds values in another script ("Tokyo wh" for 東京倉庫).
    """

    store: Store
    distinct: Callable[[str, str], Sequence[str]]
    holds: Callable[[str, str, str], bool]
    has_passage: Callable[[str], bool] = lambda question: False
    otherwise_named: Callable[[str], Sequence[tuple[str, str, str]]] = lambda question: ()
    _values: dict[str, list[tuple[str, str, str]]] | None = None
    _vectors: NDArray[np.float32] | None = None
    _lock: Lock = field(default_factory=Lock)

    def tables(self, question: str) -> list[TableRecord]:
        """All tables, most relevant to the question first."""
        tables = self.store.catalog.tables
        vectors = self._table_vectors(tables)
        near = vectors @ self.store.embedder().embed_query(question)
        folded = casefolded(question)
        scores = {
            table.name: float(near[i]) + NAMED * any(name in folded for name in _names(table))
            for i, table in enumerate(tables)
        }
        for name in _joined(self.store.catalog, sorted(scores, key=lambda n: -scores[n])[:LEADING]):
            scores[name] += JOINED
        return sorted(tables, key=lambda table: -scores[table.name])

    def values(self, question: str, limit: int | None = MAX_VALUES) -> list[tuple[str, str, str]]:
        """(table, column, stored value) for the values that stand in the question, longest first,
        then those that it names in another script (not where all are stored in Latin letters)."""
        index = self._value_index()
        folded = casefolded(question)
        names = {casefolded(t.name) for t in self.store.catalog.tables}
        long = [v for v in index if len(v) >= (MIN_LATIN if v.isascii() else MIN_CJK)]
        hits = [v for v in long if v in folded and v not in names and _whole(v, folded)]
        hits = [v for v in hits if not any(v != w and v in w for w in hits)]
        hits.sort(key=lambda v: -len(v))
        places = [place for value in hits for place in index[value]]
        if not all(value.isascii() for value in index):
            named = set(hits)
            places += [p for p in self.otherwise_named(question) if casefolded(p[2]) not in named]
        return places[:limit]

    def knows(self, value: str) -> bool:
        """Whether any column holds this value, alone or inside a longer one, in any case or width.

        Columns that are not in the index are asked one by one.
        """
        folded = casefolded(value)
        if any(folded in stored for stored in self._value_index()):
            return True
        others = _columns(self.store.catalog, indexed=False)
        return any(self.holds(t, c, value) for t, c in others)

    def _table_vectors(self, tables: Sequence[TableRecord]) -> NDArray[np.float32]:
        with self._lock:
            if self._vectors is None:
                embedder = self.store.embedder()
                self._vectors = embedder.embed_passages([_describe(t) for t in tables])
            return self._vectors

    def _value_index(self) -> dict[str, list[tuple[str, str, str]]]:
        with self._lock:
            if self._values is None:
                self._values = {}
                for table, column in _columns(self.store.catalog, indexed=True):
                    for value in self.distinct(table, column):
                        self._values.setdefault(casefolded(value), []).append(
                            (table, column, value)
                        )
            return self._values


def _joined(catalog: Catalog, leading: Sequence[str]) -> set[str]:
    """The leading tables and those that a query over them joins to: what a code means stands
    there, and what there is of each."""
    pairs = [(j.left_table, j.right_table) for j in catalog.joins]
    beside = {b for a, b in pairs if a in leading} | {a for a, b in pairs if b in leading}
    return beside | set(leading)


def _columns(catalog: Catalog, *, indexed: bool) -> list[tuple[str, str]]:
    """(table, column) of the text columns in the index, or of all others: larger, or no text.

    Cells of tables that stand in documents are found by a search, not named to the model.
    """
    return [
        (table.name, column.name)
        for table in catalog.tables
        if table.doc_id is None or not indexed
        for column in table.columns
        if column.distinct
        and (column.type == "VARCHAR" and column.distinct <= MAX_DISTINCT) == indexed
    ]


def _names(table: TableRecord) -> list[str]:
    return [casefolded(name).replace("_", " ") for name in (table.name, *table.synonyms)]


def _describe(table: TableRecord) -> str:
    columns = ", ".join(c.name.replace("_", " ") for c in table.columns)
    return f"{table.name.replace('_', ' ')} {table.description}: {columns}"


def _whole(value: str, text: str) -> bool:
    """A Latin value must stand as whole words; Chinese and Japanese have no word breaks."""
    if not value.isascii():
        return True
    start = text.find(value)
    while start >= 0:
        end = start + len(value)
        before = start == 0 or not (text[start - 1].isascii() and text[start - 1].isalnum())
        after = end == len(text) or not (text[end].isascii() and text[end].isalnum())
        if before and after:
            return True
        start = text.find(value, start + 1)
    return False
