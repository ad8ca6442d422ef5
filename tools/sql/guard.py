"""The guard: what a query may be, decided on its syntax tree before anything runs.

Two readings must both pass: sqlglot's (which names the fault and gives the text that runs) and
DuckDB's own of that text (`tools.sql.engine`).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from sqlglot import ErrorLevel, exp, parse
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.errors import ParseError, UnsupportedError
from sqlglot.optimizer.scope import Scope
from sqlglot.parsers.duckdb import DuckDBParser

from ingest.store import Catalog, TableRecord
from tools.errors import ToolRefused, ToolRetry
from tools.sql import engine
from tools.sql.amounts import amount_doubts, elsewhere_notes, rate_notes
from tools.sql.doubts import Doubt, settle
from tools.sql.faults import PARSER_FAULTS
from tools.sql.filters import TextFilter, date_filters, text_filters
from tools.sql.functions import FUNCTIONS, TABLE_FUNCTIONS
from tools.sql.hints import SELECT_ONLY, function_hint, syntax_hint
from tools.sql.invented import drop_invented
from tools.sql.joins import join_doubts
from tools.sql.limits import drop_endless_limits, drop_unasked_limit
from tools.sql.names import unknown_table_hint
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
from tools.sql.unasked_joins import drop_unasked_joins
from tools.sql.unfold import over_groups, unfolded
from tools.sql.widen import widen

SYSTEM_NAMES = ("duckdb_", "pragma_", "pg_", "sqlite_", "information_schema")
FILE_ENDINGS = (".csv", ".tsv", ".txt", ".parquet", ".json", ".jsonl", ".ndjson", ".xlsx", ".db")
USE_CATALOG = "use the catalog tool to see tables and columns"
USE_FILTER = "use one aggregate per value: SUM(x) FILTER (WHERE y = 'a') AS a"
STATEMENT_HINTS = {
    "DESCRIBE": USE_CATALOG,
    "SHOW": USE_CATALOG,
    "SUMMARIZE": USE_CATALOG,
    "PRAGMA": USE_CATALOG,
    "PIVOT": USE_FILTER,
    "EXPLAIN": "run the SELECT itself",
}
FENCE = re.compile(r"^\s*```\w*\n|\n?```\s*$")
# Statements that sqlglot may not be able to parse, and words it takes for a table's name.
_OTHER_STATEMENTS = (
    "ANALYZE ATTACH CALL CHECKPOINT COMMENT COPY CREATE DEALLOCATE DESCRIBE DETACH EXECUTE EXPLAIN "
    "EXPORT FORCE IMPORT INSERT INSTALL LOAD MERGE PIVOT PRAGMA PREPARE RESET SET SHOW SUMMARIZE "
    "UPDATE USE VACUUM DELETE DROP ALTER TRUNCATE BEGIN START COMMIT ROLLBACK HELP GRANT REVOKE"
)
OTHER_STATEMENTS = frozenset(_OTHER_STATEMENTS.split())
KEPT_CALLS = ("APPROX_TOP_K", "REDUCE", "JAROWINKLER_SIMILARITY", "JARO_WINKLER_SIMILARITY")
STATEMENT_NAMES = {"TRUNCATETABLE": "TRUNCATE", "MULTITABLEINSERTS": "INSERT"}
_BEFORE_FIRST_WORD = re.compile(r"(?:[\s(;]|--[^\n]*(?:\n|$)|/\*.*?\*/)*", re.DOTALL)
_OUTFILE = re.compile(r"\bINTO\s+(?:OUTFILE|DUMPFILE)\b", re.IGNORECASE)
_LISTED = re.compile(r"(?:list_|array_)?aggr(?:egate)?", re.IGNORECASE)


class _Dialect(DuckDB):
    """DuckDB, back-ticks around names as MySQL writes them, and some calls and JSON paths left as
    they are: sqlglot would read them as another database's."""

    class Tokenizer(DuckDB.Tokenizer):
        IDENTIFIERS = ['"', "`"]  # noqa: RUF012 (sqlglot's own declaration)

    class Parser(DuckDBParser):
        FUNCTIONS = {  # noqa: RUF012 (sqlglot's own declaration)
            name: make for name, make in DuckDBParser.FUNCTIONS.items() if name not in KEPT_CALLS
        }

    def to_json_path(self, path: exp.Expr | None) -> exp.Expr | None:
        recursive = isinstance(path, exp.Literal) and ".." in path.name
        return path if recursive else super().to_json_path(path)


@dataclass(frozen=True)
class CheckedQuery:
    """A query that may run: `sql` is regenerated, never the text that came in."""

    sql: str
    tables: tuple[str, ...]
    columns: tuple[tuple[str, str], ...]
    notes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    """What of a model's query was not run; an answer from its rows must say so."""
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
    tree = _parse_one(sql, settings or SqlSettings())
    _check_statement(tree, sql)
    _check_tables(tree, catalog)
    _check_listed(tree)
    _plain(tree)
    notes = literals_for_quoted_values(tree, catalog, sql) + requalify(tree, catalog)
    drop_endless_limits(tree)
    left_out: list[str] = []
    if question is not None:
        left_out = drop_unasked_limit(tree, question)
        left_out += drop_invented(tree, question, said, catalog)
        if today is not None:
            check_period(tree, question, today, catalog)
        if alone:
            left_out += drop_unasked_joins(tree, question, catalog)
            check_shape(tree, question, catalog)
    if today is not None:
        notes += fix_clock(tree, today)
    if question is not None:
        tree = widen(tree, catalog)
    quote_identifiers(tree)
    text = _generate(tree)
    _check_engine(text, catalog)
    scopes = scopes_of(tree)
    references = find_references(tree, catalog, scopes)
    told = (n for s in scopes for of in (rate_notes, elsewhere_notes) for n in of(s, catalog))
    return CheckedQuery(
        sql=text,
        tables=tuple(t.name for t in used_tables(tree, catalog)),
        columns=tuple(dict.fromkeys((r.table.name, r.column) for r in references)),
        notes=tuple(dict.fromkeys((*notes, *told))),
        left_out=tuple(left_out),
        text_filters=text_filters(references),
        date_filters=date_filters(references),
        doubts=tuple(_doubts(tree, scopes, catalog)),
    )


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
        yield from stock_doubts(tree, scope, catalog, series)
        yield from amount_doubts(tree, scope, catalog)
        yield from piece_doubts(tree, scope, catalog)


def _parse_one(sql: str, settings: SqlSettings) -> exp.Expr:
    if len(sql) > settings.max_sql_chars:
        message = f"the query has {len(sql)} characters, the limit is {settings.max_sql_chars}"
        raise ToolRetry("query_too_long", message, "write a shorter query")
    if "\x00" in sql:
        raise ToolRetry("syntax_error", "the query holds a NUL character", "leave it out")
    if first_word(sql) in OTHER_STATEMENTS:
        _refuse_statement(first_word(sql))
    try:
        trees = [t for t in parse(sql, dialect=_Dialect) if t is not None]
    except RecursionError:
        raise ToolRetry(
            "query_too_deep", "the query is nested too deeply", "use WITH for the inner parts"
        ) from None
    except PARSER_FAULTS as error:
        if _OUTFILE.search(sql):
            _refuse_statement("SELECT INTO OUTFILE")
        raise ToolRetry("syntax_error", _syntax_message(sql, error), syntax_hint(sql)) from error
    trees = [t for t in trees if not isinstance(t, exp.Semicolon)]
    if not trees:
        raise ToolRetry("syntax_error", "the query is empty", SELECT_ONLY)
    if len(trees) > 1:
        message = f"{len(trees)} statements were given; exactly one may run"
        raise ToolRefused("multiple_statements", message, "send them one at a time")
    tree = trees[0]
    assert isinstance(tree, exp.Expr)
    return tree


def _syntax_message(sql: str, error: Exception) -> str:
    if isinstance(error, ParseError) and error.errors:
        first = error.errors[0]
        near = f"{first.get('highlight') or ''}".strip()
        where = f"line {first.get('line')}, column {first.get('col')}"
        return f"SQL syntax error at {where}" + (f" near {near!r}" if near else "")
    theirs = engine.parse(sql).error
    return f"SQL syntax error: {theirs or 'this form is not supported'}"


def first_word(sql: str) -> str:
    """The first word of a text in upper case, behind comments and brackets; "" without one."""
    start = _BEFORE_FIRST_WORD.match(sql)
    word = re.match(r"[^\W\d]\w*", sql[start.end() if start else 0 :])
    return word[0].upper() if word else ""


def _check_statement(tree: exp.Expr, sql: str) -> None:
    if not isinstance(tree, exp.Query | exp.Values):
        # Words that sqlglot takes for a name or an expression: HELP, START TRANSACTION.
        is_value = isinstance(tree, exp.Condition | exp.Alias | exp.Aliases)
        _refuse_statement((is_value and first_word(sql)) or _statement_name(tree))
    if tree.find(exp.Into) is not None:
        _refuse_statement("SELECT INTO")
    if tree.find(exp.Placeholder, exp.Parameter, exp.SessionParameter) is not None:
        raise ToolRetry(
            "syntax_error", "the query has a placeholder (?, $1, :name)", "write the value itself"
        )
    for node in tree.find_all(exp.DML, exp.DDL, exp.Command, exp.Describe, exp.Show):
        if not isinstance(node, exp.Query):
            _refuse_statement(_statement_name(node))


def _statement_name(tree: exp.Expr) -> str:
    name = str(tree.this).upper() if isinstance(tree, exp.Command) else tree.key.upper()
    if isinstance(tree, exp.Describe):
        return str(tree.args.get("style") or name)
    return STATEMENT_NAMES.get(name, name)


def _refuse_statement(name: str) -> None:
    hint = STATEMENT_HINTS.get(name, SELECT_ONLY)
    raise ToolRefused("statement_not_allowed", f"{name} is not allowed: only SELECT runs", hint)


def _check_tables(tree: exp.Expr, catalog: Catalog) -> None:
    ctes = {c.alias.lower() for c in tree.find_all(exp.CTE)}
    for name in ctes:
        if catalog.table(name) is None:
            _refuse_reserved(name)
    for table in tree.find_all(exp.Table):
        if not isinstance(table.this, exp.Identifier):
            continue
        outer = [p.name.lower() for p in (table.args.get("db"), table.args.get("catalog")) if p]
        if outer not in ([], ["main"]):
            qualified = ".".join([*reversed(outer), table.name])
            _refuse_table(qualified)
        name = table.name.lower()
        if catalog.table(name) is not None or (name in ctes and not outer):
            continue
        _refuse_reserved(table.name)
        if name in ("show", "describe", "summarize"):
            _refuse_statement(name.upper())
        raise ToolRetry(
            "unknown_table",
            f"there is no table {table.name!r}",
            unknown_table_hint(catalog, table.name),
        )


def _check_listed(tree: exp.Expr) -> None:
    """`list_aggregate(x, 'name')` calls the function of that name."""
    for call in tree.find_all(exp.Anonymous):
        given = call.expressions
        if _LISTED.fullmatch(call.name) and len(given) > 1 and isinstance(given[1], exp.Literal):
            name = given[1].name.lower()
            if name not in FUNCTIONS:
                _refuse_function(name)


def _plain(tree: exp.Expr) -> None:
    try:
        plain_calls(tree)
    except PARSER_FAULTS as error:
        raise ToolRetry("syntax_error", "the query could not be read", SELECT_ONLY) from error


def _refuse_reserved(name: str) -> None:
    low = name.lower()
    if low.startswith(SYSTEM_NAMES) or low.endswith(FILE_ENDINGS) or any(c in low for c in "/\\*:"):
        _refuse_table(name)


def _refuse_table(name: str) -> None:
    message = f"{name!r} is not one of the catalog's tables: files and system tables can't be read"
    raise ToolRefused("table_not_allowed", message, USE_CATALOG)


def _generate(tree: exp.Expr) -> str:
    try:
        return tree.sql(dialect="duckdb", comments=False, unsupported_level=ErrorLevel.RAISE)
    except UnsupportedError as error:
        message = f"not supported by DuckDB: {str(error).splitlines()[0]}"
        hint = "write it with DuckDB's functions, e.g. strftime(column, '%Y-%m') for to_char"
        raise ToolRetry("sql_error", message, hint) from error
    except PARSER_FAULTS as error:
        raise ToolRetry("syntax_error", "the query could not be read", SELECT_ONLY) from error


def _check_engine(text: str, catalog: Catalog) -> None:
    """DuckDB's reading of the regenerated text: statements, functions, tables."""
    parsed = engine.parse(text)
    if parsed.error is not None:
        if parsed.error.startswith("Only SELECT"):
            _refuse_statement("PIVOT")
        raise ToolRetry("syntax_error", f"SQL syntax error: {parsed.error}", SELECT_ONLY)
    if parsed.statements != 1 or parsed.other_nodes:
        _refuse_statement(", ".join(sorted(parsed.other_nodes)).split("_")[0] or "this statement")
    for name in sorted(parsed.table_functions - TABLE_FUNCTIONS):
        raise ToolRefused(
            "table_function_not_allowed",
            f"the table function {name} is not allowed",
            f"after FROM: catalog tables, subqueries, {', '.join(sorted(TABLE_FUNCTIONS))}",
        )
    for name in sorted(parsed.functions - FUNCTIONS - TABLE_FUNCTIONS):
        _refuse_function(name)
    for path in parsed.tables:
        known = catalog.table(path[-1]) is not None or path[-1] in parsed.ctes
        if path[:-1] not in ((), ("main",)) or not known:
            _refuse_table(".".join(path))


def _refuse_function(name: str) -> None:
    message = f"the function {name} is not allowed or does not exist"
    raise ToolRefused("function_not_allowed", message, function_hint(name))
