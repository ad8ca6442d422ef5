"""An evidence as verification looks at it: numeric columns, row labels, dates, passages."""

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from decimal import Decimal
from functools import cached_property

from tools.dates.fold import fold, fold_text
from tools.evidence import Evidence
from tools.verify.cells import NumericColumn, is_figure, numeric_column
from tools.verify.dating import Stated, find_dates, from_iso
from tools.verify.identifiers import code_spans
from tools.verify.masks import masked_spans
from tools.verify.quantities import Quantity, find_quantities

_KIND_OF_PLACE = re.compile(
    r"(?:倉庫|仓库|センター|支店|店舗|店|株式会社|公司|\s(?:warehouse|store|branch|inc\.?|ltd\.?|corp\.?))$"
)
_LONGEST_LABEL = 80
_FIGURE_AMONG_WORDS = re.compile(r"[^\W\d_]{2}.*\d|\d.*[^\W\d_]{2}", re.DOTALL)
_MAYBE_DATE = re.compile(
    r"\d\s*[年月]|Q[1-4]|[1-4]Q|FY|\d/\d|[RHS]\d|[a-z]{3,9} \d{4}", re.IGNORECASE
)
_DATE_TEXT = re.compile(r"\d{4}-\d{2}(?:-\d{2})?(?:[T ].*)?")
_YEAR_COLUMN = re.compile(r"year|年$|年度|^yr|年份", re.IGNORECASE)
_MONTH_COLUMN = re.compile(r"month|月$|月份", re.IGNORECASE)
_SQL_DATE = re.compile(
    r"(<\s*|)(?:DATE\s*|TIMESTAMP\s*|CAST\(\s*)?'(\d{4}-\d{2}(?:-\d{2})?)", re.IGNORECASE
)
_SQL_NUMBER = re.compile(
    r"(?:[<>=]|\bBETWEEN\b|\bAND\b|\bLIMIT\b|\bIN\s*\()\s*(-?\d+(?:\.\d+)?)\b", re.IGNORECASE
)
_SQL_TEXT = re.compile(r"'((?:[^']|'')*)'")


class EvidenceFacts:
    """Views over one evidence, each made when it is first looked at."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence

    @property
    def id(self) -> str:
        return self.evidence.id

    @property
    def whole(self) -> bool:
        """Whether the kept rows are all rows, so that a column's total is the total."""
        return not self.evidence.truncated and self.evidence.row_count <= len(self.evidence.rows)

    @cached_property
    def numeric(self) -> tuple[NumericColumn, ...]:
        made = (numeric_column(self.evidence, i) for i in range(len(self.evidence.columns)))
        return tuple(c for c in made if c is not None)

    @cached_property
    def labels(self) -> dict[tuple[str, int], list[int]]:
        """(folded lower-case text cell, column) → rows."""
        found: dict[tuple[str, int], list[int]] = {}
        for index, column in enumerate(self.evidence.columns):
            if not column.type.upper().startswith(("VARCHAR", "TEXT", "STRING", "ENUM", "CHAR")):
                continue
            folded: dict[str, str] = {}
            for place, row in enumerate(self.evidence.rows):
                cell = row[index]
                if isinstance(cell, str) and cell:
                    if cell not in folded:
                        folded[cell] = fold_text(cell).strip().lower()
                    found.setdefault((folded[cell], index), []).append(place)
        return found

    @cached_property
    def texts(self) -> dict[str, list[int]]:
        """Label → the columns it stands in."""
        found: dict[str, list[int]] = {}
        for label, column in self.labels:
            found.setdefault(label, []).append(column)
        return found

    @cached_property
    def _prose(self) -> list[tuple[str, list[int], int]]:
        """(folded cell, rows, column) of text cells that have figures among words."""
        return [
            (cell.replace("\n", " "), rows, column)
            for (cell, column), rows in self.labels.items()
            if _FIGURE_AMONG_WORDS.search(cell)
        ]

    @cached_property
    def prose(self) -> str:
        """Text cells that have figures among words, one a line."""
        return "\n".join(cell for cell, _, _ in self._prose)

    @cached_property
    def prose_cells(self) -> list[tuple[list[int], int]]:
        """The (rows, column) of each line of `prose`."""
        return [(rows, column) for _, rows, column in self._prose]

    @cached_property
    def _names(self) -> dict[str, list[tuple[int, list[int]]]]:
        """What a sentence may call a row: labels that are no figures, and 東京 for 東京倉庫 where
        nothing else is called so."""
        found: dict[str, list[tuple[int, list[int]]]] = {}
        short: dict[tuple[str, int], list[list[int]]] = {}
        for (label, column), rows in self.labels.items():
            if not 2 <= len(label) <= _LONGEST_LABEL or is_figure(label):
                continue
            found.setdefault(label, []).append((column, rows))
            bare = _KIND_OF_PLACE.sub("", label)
            if bare != label and len(bare) > 1:
                short.setdefault((bare, column), []).append(rows)
        for (bare, column), all_rows in short.items():
            if len(all_rows) == 1 and bare not in self.texts:
                found.setdefault(bare, []).append((column, all_rows[0]))
        return found

    @cached_property
    def _lengths(self) -> list[int]:
        return sorted({len(t) for t in self._names})

    def labels_in(self, text: str) -> Iterator[tuple[int, int, int, list[int]]]:
        """(start, end, column, rows) of every name of a row in folded, lower-case text.

        Slices of the text are looked up, so that time does not grow with the rows.
        """
        for length in self._lengths:
            for start in range(len(text) - length + 1):
                for column, rows in self._names.get(text[start : start + length], ()):
                    yield start, start + length, column, rows

    @cached_property
    def dates(self) -> dict[Stated, list[int]]:
        """Dates of cells → rows."""
        found: dict[Stated, list[int]] = {}
        for index, column in enumerate(self.evidence.columns):
            if column.type.upper().startswith(("DATE", "TIMESTAMP")):
                for place, row in enumerate(self.evidence.rows):
                    cell = row[index]
                    if isinstance(cell, str):
                        found.setdefault(from_iso(cell), []).append(place)
        for (label, _), rows in self.labels.items():
            if _DATE_TEXT.fullmatch(label):
                found.setdefault(from_iso(label), []).extend(rows)
        for stated, place in self._dates_in_parts():
            found.setdefault(stated, []).append(place)
        return found

    def _dates_in_parts(self) -> Iterator[tuple[Stated, int]]:
        """Year and month columns: year = 2025, month = 3; also texts such as 2025年3月, 2025Q3."""
        names = [c.name for c in self.evidence.columns]
        year = next((i for i, n in enumerate(names) if _YEAR_COLUMN.search(n)), None)
        month = next(
            (i for i, n in enumerate(names) if i != year and _MONTH_COLUMN.search(n)), None
        )
        for place, row in enumerate(self.evidence.rows):
            y, m = _small_int(row, year, 9999), _small_int(row, month, 12)
            if (y and y > 1800) or m:
                yield Stated(year=y if y > 1800 else 0, month=m), place
        for (label, _), rows in self.labels.items():
            if len(label) <= 24 and _MAYBE_DATE.search(label):
                for item in find_dates(label, fold(label))[0]:
                    for stated in item.stated:
                        for place in rows:
                            yield stated, place

    @cached_property
    def passage(self) -> str:
        """Prose to look in: a passage, a printed log, a label, the notes."""
        parts = [self.evidence.text or "", *self.evidence.notes, self.evidence.status_note or ""]
        return "\n".join(p for p in parts if p)

    @cached_property
    def folded_passage(self) -> str:
        return fold_text(self.passage).lower()

    @cached_property
    def titles(self) -> str:
        """Document, heading and table names, folded and in lower case."""
        return fold_text(f"{self.evidence.source}\n{self.evidence.locator}").lower()

    @cached_property
    def passage_dates(self) -> tuple[Stated, ...]:
        items = find_dates(self.passage, fold(self.passage))[0]
        declared = [from_iso(self.evidence.document_date)] if self.evidence.document_date else []
        return (*(s for item in items for s in item.stated), *declared)

    @cached_property
    def passage_quantities(self) -> tuple[Quantity, ...]:
        """Read as answers are, and kanji numerals as contracts write them."""
        return tuple(quantities_of(self.passage, lenient=True))

    @cached_property
    def query_dates(self) -> tuple[Stated, ...]:
        """Dates that the SQL filtered by. `< '2025-04-01'` reaches to the day before."""
        found = []
        for m in _SQL_DATE.finditer(self._sql):
            stated = from_iso(m[2])
            if m[1] and stated.day and stated.day == 1:
                try:
                    before = date(stated.year, stated.month, stated.day) - timedelta(days=1)
                except ValueError:
                    continue
                stated = from_iso(before.isoformat())
            found.append(stated)
        return tuple(found)

    @cached_property
    def query_numbers(self) -> tuple[Decimal, ...]:
        """Thresholds and limits of the SQL: what it compared with."""
        return tuple(Decimal(n) for n in _SQL_NUMBER.findall(self._sql))

    @cached_property
    def query_texts(self) -> frozenset[str]:
        return frozenset(fold_text(t.strip("%")).lower() for t in _SQL_TEXT.findall(self._sql))

    @property
    def _sql(self) -> str:
        return (self.evidence.query or "") if self.evidence.kind == "rows" else ""


def quantities_of(text: str, *, lenient: bool = False) -> list[Quantity]:
    """Quantities of a text in which dates, codes and other non-quantities are left out."""
    folded = fold(text)
    dates = find_dates(text, folded)[1]
    masks = [*masked_spans(folded.text), *code_spans(folded.text), *dates]
    return find_quantities(text, folded, masks, lenient=lenient)


def _small_int(row: Sequence[object], index: int | None, most: int) -> int:
    if index is None:
        return 0
    cell = row[index]
    if isinstance(cell, str) and cell.isascii() and cell.isdigit() and len(cell) <= 4:
        cell = int(cell)
    return cell if isinstance(cell, int) and not isinstance(cell, bool) and 0 < cell <= most else 0
