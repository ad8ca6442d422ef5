"""Words of the question that name a column which the query reads nowhere.

"The city with the most stores" by the stores' type, while a joined table says the city. Only a
word that is the last of a column's name counts (`headquartered_city`, not `city_area`), and none
that questions use for anything (number, name, total). Figures have many names, the quantity on hand
is `on_hand`: of them only columns of tables that the query reads count.
"""

import re
from collections.abc import Iterator

from sqlglot import exp

from ingest.store import Catalog, TableRecord
from tools.sql.mended import OtherShape
from tools.sql.references import used_tables
from tools.sql.renames import singular, singulars, words_of

HOLDERS_NAMED = 3
JOINS_AWAY = 2
_WORD = re.compile(r"(?<![A-Za-z])[A-Za-z]{4,}(?![A-Za-z])")
_ANYTHING = frozenset([
    "name", "code", "number", "count", "total", "amount", "average", "value", "type", "kind", "item",
    "detail", "info", "information", "result", "list", "order", "group", "rank", "record", "report",
    "show", "find", "give", "return", "display", "identifier", "thing", "year", "quarter", "month",
    "week", "date", "time", "hour", "minute", "second", "today", "share", "rate", "ratio", "percent",
    "size", "note", "part", "line", "unit", "piece", "sort", "position", "place", "quantity", "stock",
    "inventory", "sale", "revenue", "income", "profit", "margin", "balance", "currency",
])  # fmt: skip
_TO_VALUE = re.compile(
    r"^\s*(?:(?:is|are|of|being|called|named|=|:)\s*)?[\"'‘“「『]?", re.IGNORECASE
)
_OVER_ALL = re.compile(
    r"\b(?:(?:in|at|from|across|over|throughout|within) (?:all|both|any)"
    r"|(?:regardless|irrespective|independent(?:ly)?) of|no matter (?:the|what|which)|whatever)"
    r"(?: of)?(?: the| our| its| their)?(?: [a-z]+)? $",
    re.IGNORECASE,
)
_OF_ALL = re.compile(
    r"\b(?:of|for) (?:all|both)(?: of)?(?: the| our| its| their)? $", re.IGNORECASE
)
_PLACE = re.compile(
    r"\b(?:in|at|from|across|over|throughout|inside|within) (?:the|our|my|this|their)"
    r"(?: whole| entire)? $",
    re.IGNORECASE,
)
_THERE = re.compile(
    r" *(?:$|[?.!,;:)]| (?:and|on|in|at|for|from|as|by|per|to|are|is|was|were|do|does|did|now|today"
    r"|right|currently|this|last|each|every|during|since|until|before|after)\b)",
    re.IGNORECASE,
)
"""What may follow a place that nothing tells apart; "in the city Rome" and "of Rome" name one."""
_VERB = re.compile(
    r"\b(?:to|we|they|you|I|should|can|could|must|will|would|shall|may|please) $", re.IGNORECASE
)
_DETERMINED = re.compile(r"\b(?:the|an?|which|what|each|every|by|per|of|and|or) $", re.IGNORECASE)
_TO_DO = re.compile(r" to [a-z]+")
_WORKED_OUT = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv)


def unread_columns(tree: exp.Expr, question: str, catalog: Catalog) -> Iterator[OtherShape]:
    if reads_all(tree) or tree.find(*_WORKED_OUT):
        return
    used = used_tables(tree, catalog)
    columns = [
        (t, c) for t in _near(used, catalog) for c in t.columns if c.type == "VARCHAR" or t in used
    ]
    named = {word for t in catalog.tables for word in singulars(t.name)}
    read = _words_read(tree)
    whole = {tuple(words_of(c.name)) for c in tree.find_all(exp.Column)}
    compared = [v.name for v in tree.find_all(exp.Literal) if v.is_string and v.name.strip("%")]
    before = ""
    for match in _WORD.finditer(question):
        word, last = singular(match[0].lower()), before
        before = match[0].lower()
        # "freight cost" is `freight`, whatever else is called a cost.
        if word in _ANYTHING | named | read or (last,) in whole:
            continue
        # The value that is named along with it is what counts: `description "red"`.
        if any(_follows(value, question[match.end() :]) for value in compared):
            continue
        holders = [f"{t.name}.{c.name}" for t, c in columns if _head(c.name) == word]
        if holders and not _asks_for_none(question, match, tree):
            held = ", ".join(holders[:HOLDERS_NAMED])
            message = (
                f"the question says {match[0]}, which is in {held}: the query does not read it"
            )
            yield OtherShape("column_left_out", message, f"read {held}")


def _follows(value: str, text: str) -> bool:
    after = _TO_VALUE.sub("", text, count=1)
    return after.casefold().startswith(value.strip("%").casefold())


def _asks_for_none(question: str, word: re.Match[str], tree: exp.Expr) -> bool:
    """Whether the word asks for nothing that a column says: the total is over all warehouses, the
    lamps are in our warehouse, we should contact somebody."""
    before, after = question[: word.start()], question[word.end() :]
    if _OVER_ALL.search(before) or _VERB.search(before):
        return True
    if _OF_ALL.search(before) and tree.find(exp.AggFunc):
        return True
    if _PLACE.search(before) and _THERE.match(after):
        return True
    return bool(_TO_DO.match(after)) and before != "" and not _DETERMINED.search(before)


def _head(name: str) -> str:
    """What a column says; `num_of_shops` says how many, not which shops."""
    words = singulars(name)
    return words[-1] if words and "of" not in words else ""


def reads_all(tree: exp.Expr) -> bool:
    """Whether a star stands for all columns somewhere."""
    return any(not isinstance(star.parent, exp.Count) for star in tree.find_all(exp.Star))


def _words_read(tree: exp.Expr) -> frozenset[str]:
    """The words of the names, and of the texts, that the query has."""
    names = [c.name for c in tree.find_all(exp.Identifier)]
    texts = [literal.name for literal in tree.find_all(exp.Literal) if literal.is_string]
    return frozenset(word for text in (*names, *texts) for word in singulars(text))


def _near(tables: list[TableRecord], catalog: Catalog) -> list[TableRecord]:
    """The tables and those that one or two proved joins lead to."""
    near = {t.name: t for t in tables}
    for _ in range(JOINS_AWAY):
        sides = [(j.left_table, j.right_table) for j in catalog.joins]
        reached = {b for a, b in (*sides, *((b, a) for a, b in sides)) if a in near}
        records = (catalog.table(name) for name in reached - set(near))
        near |= {record.name: record for record in records if record is not None}
    return list(near.values())
