"""What may run at all: one SELECT over the catalog's tables, with functions of the allow-list.

Two readings must both pass: sqlglot's (which names the fault and gives the text that runs) and
DuckDB's own of that text (`tools.sql.engine`).
"""

import re

from sqlglot import ErrorLevel, exp, parse
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.errors import ParseError, UnsupportedError
from sqlglot.parsers.duckdb import DuckDBParser

from ingest.store import Catalog
from tools.errors import ToolRefused, ToolRetry
from tools.sql import engine
from tools.sql.faults import PARSER_FAULTS
from tools.sql.functions import FUNCTIONS, LISTED, TABLE_FUNCTIONS
from tools.sql.hints import SELECT_ONLY, function_hint, syntax_hint
from tools.sql.names import unknown_table_hint
from tools.sql.settings import SqlSettings

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
# Statements that sqlglot may not be able to parse, and words it takes for a table's name.
_OTHER_STATEMENTS = (
    "ANALYZE ATTACH CALL CHECKPOINT COMMENT COPY CREATE DEALLOCATE DESCRIBE DETACH EXECUTE EXPLAIN "
    "EXPORT FORCE IMPORT INSERT INSTALL LOAD MERGE PIVOT PRAGMA PREPARE RESET SET SHOW SUMMARIZE "
    "UPDATE USE VACUUM DELETE DROP ALTER TRUNCATE BEGIN START COMMIT ROLLBACK HELP GRANT REVOKE"
)
OTHER_STATEMENTS = frozenset(_OTHER_STATEMENTS.split())
STATEMENT_NAMES = {"TRUNCATETABLE": "TRUNCATE", "MULTITABLEINSERTS": "INSERT"}
KEPT_CALLS = ("APPROX_TOP_K", "REDUCE", "JAROWINKLER_SIMILARITY", "JARO_WINKLER_SIMILARITY")
_BEFORE_FIRST_WORD = re.compile(r"(?:[\s(;]|--[^\n]*(?:\n|$)|/\*.*?\*/)*", re.DOTALL)
_OUTFILE = re.compile(r"\bINTO\s+(?:OUTFILE|DUMPFILE)\b", re.IGNORECASE)


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


def parse_one(sql: str, settings: SqlSettings) -> exp.Expr:
    if len(sql) > settings.max_sql_chars:
        message = f"the query has {len(sql)} characters, the limit is {settings.max_sql_chars}"
        raise ToolRetry("query_too_long", message, "write a shorter query")
    if "\x00" in sql:
        raise ToolRetry("syntax_error", "the query holds a NUL character", "leave it out")
    word = first_word(sql)
    if word in OTHER_STATEMENTS:
        _refuse_statement(word)
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


def check_statement(tree: exp.Expr, sql: str) -> None:
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


def check_tables(tree: exp.Expr, catalog: Catalog) -> None:
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


def check_listed(tree: exp.Expr) -> None:
    """`list_aggregate(x, 'name')` calls the function of that name."""
    for call in tree.find_all(exp.Anonymous):
        given = call.expressions
        if call.name.lower() in LISTED and len(given) > 1 and isinstance(given[1], exp.Literal):
            name = given[1].name.lower()
            if name not in FUNCTIONS:
                _refuse_function(name)


def _refuse_reserved(name: str) -> None:
    low = name.lower()
    if low.startswith(SYSTEM_NAMES) or low.endswith(FILE_ENDINGS) or any(c in low for c in "/\\*:"):
        _refuse_table(name)


def _refuse_table(name: str) -> None:
    message = f"{name!r} is not one of the catalog's tables: files and system tables can't be read"
    raise ToolRefused("table_not_allowed", message, USE_CATALOG)


def generate(tree: exp.Expr) -> str:
    try:
        return tree.sql(dialect="duckdb", comments=False, unsupported_level=ErrorLevel.RAISE)
    except UnsupportedError as error:
        message = f"not supported by DuckDB: {str(error).splitlines()[0]}"
        hint = "write it with DuckDB's functions, e.g. strftime(column, '%Y-%m') for to_char"
        raise ToolRetry("sql_error", message, hint) from error
    except PARSER_FAULTS as error:
        raise ToolRetry("syntax_error", "the query could not be read", SELECT_ONLY) from error


def check_engine(text: str, catalog: Catalog) -> None:
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
