"""Conditions that nobody asked for: a small model fills a query up with the values that it has seen.

Made up was a code (a text with a digit) that stands neither in the question nor in an earlier
result, a text that is compared with a column which no table of the query has, and a name that has
nothing in common with a question in its own script. What may translate a word of the question (a
status, a category, another script) stays.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import traverse_scope

from ingest.store import Catalog, ColumnRecord
from tools.sql.names import folded
from tools.sql.references import tables_of
from tools.sql.renames import is_key_name
from tools.sql.sources import conjuncts
from tools.sql.years import is_year_name
from tools.text import is_latin

_STATE = re.compile(
    r"status|state|flag|type|kind|phase|stage|状態|区分|種別|状态|类型|阶段", re.IGNORECASE
)
_WORD = re.compile(r"[a-zA-ZÀ-ɏ]+")
STEM = 4
"""Letters that two forms of a word share: German, Germany."""
_MONTHS = re.compile(r"年月|月末|期間|期间|账期|month|period|^ym$|yyyymm", re.IGNORECASE)
_PERIOD = re.compile(
    r"(?:19|20)\d{2}(?:[-/.年](?:0?[1-9]|1[0-2])(?:[-/.月]\d{1,2}日?)?月?末?|[-年]?[Qq][1-4])"
)
_DIGITS = re.compile(r"(?:19|20)\d{2}(?:0[1-9]|1[0-2])")
_YEAR = re.compile(r"(?:FY ?)?(?:19|20)\d{2}(?:年度?|%)?", re.IGNORECASE)
KEY_DIGITS = 3
NAMES = 0.9
"""A column is one of names when so many of its values differ."""


@dataclass(frozen=True)
class _Condition:
    """`column` is or is not one of `values`. `is_there`: a table of FROM may have it; `is_name`: it
    tells the rows of its table apart."""

    node: exp.Expr
    column: exp.Column
    values: tuple[str, ...]
    negated: bool
    is_there: bool
    is_name: bool


def drop_invented(tree: exp.Expr, question: str, said: str, catalog: Catalog) -> list[str]:
    """Takes such conditions out of WHERE, in place; a note for each. `said`: the values of earlier
    results and what else may be taken up."""
    known = folded(f"{question}\n{said}")
    unnamed = [
        c for c in _conditions(tree, catalog) if not any(folded(v) in known for v in c.values)
    ]
    denied: dict[str, list[str]] = {}
    for condition in unnamed:
        if condition.negated:
            denied.setdefault(condition.column.sql(), []).extend(condition.values)
    notes = []
    for condition in unnamed:
        if _is_made_up(condition, question, denied.get(condition.column.sql(), [])):
            told = condition.node.sql("duckdb")
            notes.append(f"{told} was left out: the question does not say so")
            take_out(condition.node)
    return notes


def _is_made_up(condition: _Condition, question: str, denied: Sequence[str]) -> bool:
    """`denied`: all the values that the column may not have."""
    if not condition.is_there:
        return not condition.negated
    if condition.negated:
        any_foreign = any(_is_foreign([value], question) for value in denied)
        return len(denied) > 1 and any_foreign and not _STATE.search(condition.column.name)
    coded = [
        any(c.isdigit() for c in value) and not is_period(value, condition.column.name)
        for value in condition.values
    ]
    if all(coded) or (isinstance(condition.node.unnest(), exp.Or) and any(coded)):
        return True
    return condition.is_name and _is_foreign(condition.values, question)


def is_period(value: str, column: str) -> bool:
    """Whether a text is a month or a day, which a question says in other words: `2026-10` for
    last month. 202610 is one where the column is named for months, 2025年度 where for years."""
    text = value.strip()
    if _PERIOD.fullmatch(text):
        return True
    if _MONTHS.search(column) and _DIGITS.fullmatch(text):
        return True
    return is_year_name(column) and _YEAR.fullmatch(text) is not None


def _is_foreign(values: Sequence[str], question: str) -> bool:
    """Whether values and question are in Latin script and share not even the head of a word."""
    if not all(is_latin(text) for text in (question, *values)):
        return False
    asked = [word.lower() for word in _WORD.findall(question)]
    words = [word.lower() for value in values for word in _WORD.findall(value)]
    initials = {"".join(w[0] for w in _WORD.findall(value)).lower() for value in values}
    akin = any(_is_akin(word, other) for word in words for other in asked)
    return bool(words) and not akin and not initials & set(asked)


def _is_akin(word: str, other: str) -> bool:
    """US and USA, German and Germany; one letter may stand for a word (M for male)."""
    shorter = min(len(word), len(other), STEM)
    return len(word) == 1 or (shorter > 1 and word[:shorter] == other[:shorter])


def _conditions(tree: exp.Expr, catalog: Catalog) -> Iterator[_Condition]:
    """The parts of each WHERE that are joined by AND and compare a text column with texts, or a
    numbered key with a number."""
    try:
        scopes = traverse_scope(tree)
    except (SqlglotError, RecursionError):
        return
    for scope in scopes:
        where = scope.expression.args.get("where")
        tables = tables_of(scope, catalog)
        derived = len(tables) < len(scope.sources)
        for part in list(conjuncts(where.this)) if where is not None else ():
            numbered = _numbered(part)
            read = numbered or _compared(part)
            if read is None:
                continue
            column, values, negated = read
            held = [
                (record, table.rows)
                for alias, table in tables.items()
                if column.table.lower() in ("", alias)
                and (record := table.column(column.name)) is not None
            ]
            # A day written as a text is no code.
            if numbered or all(record.type == "VARCHAR" for record, _ in held):
                is_name = any(_is_name(record, rows) for record, rows in held)
                yield _Condition(part, column, values, negated, bool(held) or derived, is_name)


def _numbered(part: exp.Expr) -> tuple[exp.Column, tuple[str, ...], bool] | None:
    """`organization_id = 1234567`; a number of one or two digits may be a level or a kind."""
    node = part.unnest()
    if not isinstance(node, exp.EQ) or not isinstance(node.this, exp.Column):
        return None
    number = node.expression
    if not isinstance(number, exp.Literal) or number.is_string or len(number.name) < KEY_DIGITS:
        return None
    is_key = number.name.isdigit() and is_key_name(node.this.name)
    return (node.this, (number.name,), False) if is_key else None


def _is_name(column: ColumnRecord, rows: int) -> bool:
    filled = rows - column.nulls
    return filled > 1 and column.distinct >= NAMES * filled


def _compared(part: exp.Expr) -> tuple[exp.Column, tuple[str, ...], bool] | None:
    """(column, texts, negated) of `=`, `<>`, `IN`, `NOT IN`, and of an OR of them on one column;
    None for anything else."""
    node = part.unnest()
    if isinstance(node, exp.Not):
        inner = _compared(node.this)
        return (inner[0], inner[1], not inner[2]) if inner is not None else None
    if isinstance(node, exp.Or):
        sides = [_compared(side) for side in node.flatten()]
        found = [side for side in sides if side is not None and not side[2]]
        same = {side[0].sql().lower() for side in found}
        if len(found) < len(sides) or len(same) != 1:
            return None
        return found[0][0], tuple(v for side in found for v in side[1]), False
    if not isinstance(node, exp.EQ | exp.NEQ | exp.In) or not isinstance(node.this, exp.Column):
        return None
    values = _texts(node)
    return (node.this, values, isinstance(node, exp.NEQ)) if values else None


def _texts(condition: exp.Expr) -> tuple[str, ...]:
    """The text literals that the column is compared with; () when anything else stands there."""
    others = condition.expressions if isinstance(condition, exp.In) else [condition.expression]
    if condition.args.get("query") is not None:
        return ()
    if not all(isinstance(other, exp.Literal) and other.is_string for other in others):
        return ()
    return tuple(other.name for other in others)


def take_out(condition: exp.Expr) -> None:
    """Takes a part of a WHERE that AND joins out of its query, in place."""
    parent = condition.parent
    while isinstance(parent, exp.Paren):
        condition, parent = parent, parent.parent
    if isinstance(parent, exp.Where):
        parent.pop()
    elif isinstance(parent, exp.And):
        parent.replace(parent.right if parent.left is condition else parent.left)
