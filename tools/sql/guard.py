"""The guard: what a query may be and mean, decided on its syntax tree before anything runs.

What may run at all stands in `tools.sql.allowed`; what may be wrong about its figures is left as
doubts, which the warehouse settles (`tools.sql.doubts`).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from ingest.store import Catalog, TableRecord
from tools.errors import ToolRetry
from tools.sql.allowed import (
    check_engine,
    check_listed,
    check_statement,
    check_tables,
    generate,
    parse_one,
)
from tools.sql.amount_notes import elsewhere_notes, rate_notes
from tools.sql.amounts import amount_doubts
from tools.sql.distinct_sums import distinct_doubts
from tools.sql.doubts import Doubt, settle
from tools.sql.faults import PARSER_FAULTS
from tools.sql.filters import TextFilter, date_filters, text_filters
from tools.sql.hints import SELECT_ONLY
from tools.sql.invented import drop_invented
from tools.sql.joins import join_doubts
from tools.sql.limits import drop_endless_limits, drop_unasked_limit
from tools.sql.names_only import naming_doubts, naming_notes
from tools.sql.opened import opened
from tools.sql.period import check_period
from tools.sql.pieces import piece_doubts
from tools.sql.references import find_references, used_tables
from tools.sql.requalify import requalify
from tools.sql.rewrite import (
    fix_clock,
    literals_for_quoted_values,
    plain_calls,
    quote_identifiers,
)
from tools.sql.settings import SqlSettings
from tools.sql.shape import check_shape
from tools.sql.sources import scopes_of
from tools.sql.steps import step_doubts
from tools.sql.stock import is_series, stock_doubts
from tools.sql.stock_parts import part_doubts
from tools.sql.unasked_joins import drop_unasked_joins
from tools.sql.unfold import over_groups, unfolded
from tools.sql.widen import widen
from tools.sql.years import year_doubts

FENCE = re.compile(r"^\s*```\w*\n|\n?```\s*$")


@dataclass(frozen=True)
class CheckedQuery:
    """A query that may run: `sql` is regenerated, never the text that came in."""

    sql: str
    tables: tuple[str, ...]
    columns: tuple[tuple[str, str], ...]
    notes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    """What of a model's query was not run; an answer from its rows must say so."""
    cautions: tuple[str, ...] = ()
    """What an answer from its rows must say, too, that no data can settle."""
    text_filters: tuple[TextFilter, ...] = ()
    date_filters: tuple[tuple[str, str, str], ...] = ()
    """(table, date column, literal) of every `column = DATE '…'`."""
    doubts: tuple[Doubt, ...] = ()
    """What the catalog says may be wrong; the warehouse has the last word."""


def check(
    sql: str,
    catalog: Catalog,
    today: date | None = None,
    settings: SqlSettings | None = None,
    *,
    question: str | None = None,
    said: str = "",
) -> CheckedQuery:
    """`examine`, and a `ToolRetry` for what the catalog alone proves to be wrong."""
    query = examine(sql, catalog, today, settings, question=question, said=said)
    settle(query.doubts)
    return query


def examine(
    sql: str,
    catalog: Catalog,
    today: date | None = None,
    settings: SqlSettings | None = None,
    *,
    question: str | None = None,
    said: str = "",
    alone: bool = False,
) -> CheckedQuery:
    """Check one query and regenerate it; its `doubts` are still to be settled.

    With `today`, the machine's clock in the query is replaced by that date; with
    `question`, which a model's query is to answer, what nobody asked for is left out (a
    LIMIT, a condition on a code that stands neither in the question nor in `said`, the values of
    earlier results), and the columns that a reader needs beside are added (`tools.sql.widen`). With
    `alone`, the query must do all that the question plainly asks for (`tools.sql.shape`).
    Raises `ToolRefused` for what will never run and `ToolRetry` for what can be mended.
    """
    sql = FENCE.sub("", sql.lstrip("\ufeff"))
    tree = parse_one(sql, settings or SqlSettings())
    check_statement(tree, sql)
    check_tables(tree, catalog)
    check_listed(tree)
    _plain(tree)
    notes = literals_for_quoted_values(tree, catalog, sql) + requalify(tree, catalog)
    drop_endless_limits(tree)
    left_out: list[str] = []
    of_year: tuple[Doubt, ...] = ()
    if question is not None:
        left_out = drop_invented(tree, question, said, catalog)
        if today is not None:
            check_period(tree, question, today, catalog)
            of_year = tuple(year_doubts(tree, question, today, catalog))
        if alone:
            left_out += drop_unasked_joins(tree, question, catalog)
            check_shape(tree, question, catalog)
        left_out += drop_unasked_limit(tree, question, catalog)
    if today is not None:
        notes += fix_clock(tree, today)
    if question is not None:
        tree = widen(tree, catalog)
    quote_identifiers(tree)
    text = generate(tree)
    check_engine(text, catalog)
    scopes = scopes_of(tree)
    references = find_references(tree, catalog, scopes)
    named = naming_doubts(tree, references, catalog)
    told = (n for s in scopes for of in (rate_notes, elsewhere_notes) for n in of(s, catalog))
    return CheckedQuery(
        sql=text,
        tables=tuple(t.name for t in used_tables(tree, catalog)),
        columns=tuple(dict.fromkeys((r.table.name, r.column) for r in references)),
        notes=tuple(dict.fromkeys((*notes, *told))),
        left_out=tuple(left_out),
        text_filters=text_filters(references),
        date_filters=date_filters(references),
        cautions=tuple(dict.fromkeys(naming_notes(tree, references, catalog))),
        doubts=(*of_year, *named, *_doubts(tree, scopes, catalog)),
    )


def _plain(tree: exp.Expr) -> None:
    try:
        plain_calls(tree)
    except PARSER_FAULTS as error:
        raise ToolRetry("syntax_error", "the query could not be read", SELECT_ONLY) from error


def _doubts(tree: exp.Expr, scopes: Sequence[Scope], catalog: Catalog) -> Iterator[Doubt]:
    series = [table for table in used_tables(tree, catalog) if is_series(table)]
    yield from _doubts_of(tree, scopes, catalog, series)
    folded = unfolded(tree, catalog)
    for made in folded:
        yield from _doubts_of(made, scopes_of(made), catalog, series)
    for made in (tree, *folded):
        grouped = over_groups(made)
        for scope in scopes_of(grouped) if grouped != made else ():
            yield from stock_doubts(grouped, scope, catalog, series)
            yield from amount_doubts(grouped, scope, catalog)
    wide = opened(tree)
    for made in unfolded(wide, catalog) if wide != tree else ():
        for scope in scopes_of(made):
            yield from amount_doubts(made, scope, catalog)


def _doubts_of(
    tree: exp.Expr, scopes: Sequence[Scope], catalog: Catalog, series: list[TableRecord]
) -> Iterator[Doubt]:
    for scope in scopes:
        yield from join_doubts(tree, scope, catalog)
        yield from step_doubts(tree, scope, catalog)
        yield from distinct_doubts(tree, scope, catalog)
        yield from stock_doubts(tree, scope, catalog, series)
        if series:
            yield from part_doubts(tree, scope, catalog)
        yield from amount_doubts(tree, scope, catalog)
        yield from piece_doubts(tree, scope, catalog)
