"""Joins that nobody asked for: they only keep rows out of a count, or count them twice.

"How many assets has each contract?" counts assets; a table of their parts, of which the query reads
nothing and the question says nothing, has no place in it.
"""

import re
from collections.abc import Iterator

from sqlglot import exp

from ingest.store import Catalog, TableRecord
from tools.sql.renames import singular
from tools.text import is_latin

_COUNTED = re.compile(
    r"\b(?:how many|(?:most |least |total )?(?:number|count)s? of(?: the| all| different)?)\s+"
    r"((?:[a-z]+[ _-]?){1,4})",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
STEM = 4
"""Letters that two forms of a word share: register, registered."""


def drop_unasked_joins(tree: exp.Expr, question: str, catalog: Catalog) -> list[str]:
    """Takes such joins out of a plain count of what the question counts; a note for each."""
    if not isinstance(tree, exp.Select) or not is_latin(question) or not _counts(tree):
        return []
    notes = []
    while (found := next(_unasked(tree, question, catalog), None)) is not None:
        alias, table = found
        _take_out(tree, alias)
        notes.append(f"the join with {table} was left out: the question does not ask for it")
    return notes


def _counts(select: exp.Select) -> bool:
    """Whether rows are counted, none of them by its distinct values."""
    counted = list(select.find_all(exp.Count))
    return bool(counted) and not any(isinstance(c.this, exp.Distinct) for c in counted)


def _unasked(select: exp.Select, question: str, catalog: Catalog) -> Iterator[tuple[str, str]]:
    """(alias, table) of what is joined at the edge, read nowhere, and not named."""
    tables = _tables(select, catalog)
    counted = _counted(question, tables)
    said = [w.lower() for w in _WORD.findall(question)]
    for alias, table in tables.items() if counted else ():
        others = {w for a, t in tables.items() if a != alias for w in _words(t.name)}
        own = _words(table.name) - others
        named = any(_is_form(word, one) for word in own for one in said)
        if alias != counted and own and not named and _is_edge(select, alias, table):
            yield alias, table.name


def _tables(select: exp.Select, catalog: Catalog) -> dict[str, TableRecord]:
    """The tables of FROM by alias; {} where it has anything but inner joins of tables by ON."""
    first, joins = select.args.get("from_"), select.args.get("joins") or ()
    if first is None or select.args.get("with_") or select.args.get("laterals"):
        return {}
    if any(j.side or j.method or j.kind not in ("", "INNER") for j in joins):
        return {}
    if not all(isinstance(j.args.get("on"), exp.EQ) for j in joins):
        return {}
    found: dict[str, TableRecord] = {}
    for source in (first.this, *(j.this for j in joins)):
        record = catalog.table(source.name) if isinstance(source, exp.Table) else None
        if record is None:
            return {}
        found[source.alias_or_name.lower()] = record
    return found


def _counted(question: str, tables: dict[str, TableRecord]) -> str:
    """The alias of the table whose rows the question counts; "" where it names none so."""
    match = _COUNTED.search(question)
    words = [singular(w).lower() for w in _WORD.findall(match[1])] if match else []
    named = [a for a, t in tables.items() if _words(t.name) <= set(words)]
    return max(named, key=lambda a: len(_words(tables[a].name)), default="")


def _words(name: str) -> frozenset[str]:
    return frozenset(singular(word).lower() for word in _WORD.findall(name))


def _is_form(word: str, said: str) -> bool:
    """The same word in another form: sale, sales; register, registered."""
    if len(word) <= STEM:
        return said == word or singular(said) == word
    shared = max(STEM, len(word) - 2)
    return said[:shared] == word[:shared]


def _is_edge(select: exp.Select, alias: str, table: TableRecord) -> bool:
    """Whether the table is read in one join's condition only, its own or that of the next."""
    tie = _tie(select, alias)
    if tie is None:
        return False
    return not any(
        column.find_ancestor(exp.Join) is not tie
        for column in select.find_all(exp.Column)
        if column.table.lower() == alias or (not column.table and table.column(column.name))
    )


def _tie(select: exp.Select, alias: str) -> exp.Join | None:
    """The join that brings the table in; for the first of FROM, the one after it."""
    joins: list[exp.Join] = select.args.get("joins") or []
    if joins and select.args["from_"].this.alias_or_name.lower() == alias:
        return joins[0]
    return next((j for j in joins if j.alias_or_name.lower() == alias), None)


def _take_out(select: exp.Select, alias: str) -> None:
    tie = _tie(select, alias)
    assert tie is not None
    if select.args["from_"].this.alias_or_name.lower() == alias:
        select.args["from_"].set("this", tie.this.copy())
    select.set("joins", [j for j in select.args["joins"] if j is not tie])
