"""Which column a name that no table has must mean."""

import difflib
import re
from collections.abc import Callable, Container, Iterable

from ingest.store import TableRecord
from tools.sql.names import folded

MISSPELT = 0.85
"""Least likeness (Ratcliff/Obershelp) of a name and the column that it must mean."""
_FILLERS = frozenset(["name", "value", "the", "no", "名", "名称"])
Meant = tuple[TableRecord, str]
Rule = Callable[[str, TableRecord, str], bool]
Find = Callable[[str, Iterable[TableRecord]], Meant | None]
_KEYS = ("id", "code", "no", "nr", "number", "cd")
_KEY_ENDS = ("号", "コード", "编码", "代码")


def own_key(name: str, tables: Iterable[TableRecord]) -> Meant | None:
    """A table's own key, with the table: `invoice_id` of invoices, where it is called `id`."""
    return _meant(name, tables, _is_own_key)


def like_column(name: str, tables: Iterable[TableRecord]) -> Meant | None:
    """The one column that a name must mean, with its table: of the same words but for "name"
    (`country_name` for `country`), or of nearly the same letters; None where there is none, or
    several."""
    return _meant(name, tables, _is_same_words, _is_misspelt)


def said_in(question: str, read: Container[str] = ()) -> Find:
    """Finds the one column that the question says word for word (`customer_phone`) where the name
    says what it does not (`contact_phone`) but ends alike. One that is `read` already (folded
    names) is not what another name means: `supplier_name` beside `product_name`."""
    said = {singular(word.lower()) for word in re.findall(r"[A-Za-z]+", question)}

    def is_said(name: str, table: TableRecord, column: str) -> bool:
        wrong, right = singulars(name), singulars(column)
        if not wrong or not right or is_key_name(column) or wrong[-1] != right[-1]:
            return False
        if folded(column) in read:
            return False
        return set(right) <= said and not set(wrong) <= said

    return lambda name, tables: _meant(name, tables, is_said)


def _meant(name: str, tables: Iterable[TableRecord], *rules: Rule) -> Meant | None:
    for is_meant in rules:
        found = [(t, c.name) for t in tables for c in t.columns if is_meant(name, t, c.name)]
        if len({column for _, column in found}) == 1:
            return found[0]
        if found:
            return None
    return None


def is_key_name(name: str) -> bool:
    """Whether a column is called as keys are: district_id, OrderNo, 注文番号. A `number` alone may
    count."""
    words = words_of(name)
    if not words or words == ["number"]:
        return False
    return words[-1] in _KEYS or words[-1].endswith(_KEY_ENDS)


def words_of(name: str) -> list[str]:
    """ "Num_of_Shops" and "numOfShops" as num, of, shops; digits apart, other scripts in runs."""
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+", name)
    return [part.lower() for part in parts]


def singulars(name: str) -> list[str]:
    """The words of a name, each in the singular."""
    return [singular(word) for word in words_of(name)]


def _is_own_key(name: str, table: TableRecord, column: str) -> bool:
    if folded(column) not in _KEYS:
        return False
    return folded(name) in {
        folded(one) + folded(column) for one in (table.name, singular(table.name))
    }


def singular(name: str) -> str:
    """The singular of an English plural."""
    for plural, one in ((r"ies$", "y"), (r"(?<=ss|sh|ch)es$|(?<=x)es$", ""), (r"(?<!s)s$", "")):
        if re.search(plural, name, re.IGNORECASE):
            return re.sub(plural, one, name, flags=re.IGNORECASE)
    return name


def _is_same_words(name: str, table: TableRecord, column: str) -> bool:
    return _words(name) == _words(column) != frozenset()


def _words(name: str) -> frozenset[str]:
    return frozenset(words_of(name)) - _FILLERS


def _is_misspelt(name: str, table: TableRecord, column: str) -> bool:
    return difflib.SequenceMatcher(None, folded(name), folded(column)).ratio() >= MISSPELT
