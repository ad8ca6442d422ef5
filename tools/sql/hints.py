"""What to do about an error: DuckDB's messages turned into a next step."""

import re
from collections.abc import Sequence

from ingest.store import Catalog
from tools.errors import ToolRetry
from tools.sql.functions import FUNCTIONS
from tools.sql.names import columns_line, nearest, unknown_column_hint, unknown_table_hint

SELECT_ONLY = "write one SELECT (or WITH … SELECT) over the catalog's tables"
REPLACEMENTS = {
    "charindex": "strpos(text, part)",
    "date_format": "strftime(column, '%Y-%m')",
    "datetime": "CAST(x AS TIMESTAMP)",
    "eomonth": "last_day(x)",
    "getdate": "the dates tool, then a date literal",
    "isnull": "coalesce(x, y)",
    "julianday": "date_diff('day', a, b)",
    "percentile": "quantile_cont(x, 0.5)",
    "str_to_date": "strptime(text, '%Y-%m-%d')",
    "sysdate": "the dates tool, then a date literal",
    "to_char": "strftime(column, '%Y-%m')",
    "to_date": "strptime(text, '%Y-%m-%d')",
    "to_number": "TRY_CAST(x AS DECIMAL(18, 2))",
}
MISSING_COLUMN = (
    re.compile(r'Referenced column "(?P<column>[^"]+)" not found'),
    re.compile(r'Table "(?P<table>[^"]+)" does not have a column named "(?P<column>[^"]+)"'),
    re.compile(r'column named "(?P<column>[^"]+)"'),
)
FULL_WIDTH = re.compile(r"[\uff01-\uff5e]")
MISSING_TABLE = re.compile(r'(?:Referenced table|Table with name) "?(?P<table>[^"\s!]+)"? ')
STEPS = (
    (r"Could not convert string", "a text column was read as a number or date: compare it with a "
     "quoted text ('13'), or use TRY_CAST(column AS …)"),
    (r"must appear in the GROUP BY", "add the column to GROUP BY, or wrap it in ANY_VALUE(column)"),
    (r"No function matches.*'(sum|avg|\"?sum)[^']*VARCHAR",
     "the column is text: use TRY_CAST(column AS DECIMAL(18, 2))"),
    (r"No function matches.*(substr|~~|left|like)\w*\"?\((DATE|TIMESTAMP)",
     "a date is not text: use strftime(column, '%Y-%m'), EXTRACT or a date range"),
    (r"No function matches|Could not choose a best candidate",
     "check the argument types; CAST an argument, or write dates as DATE '2026-01-31'"),
    (r"Cannot compare values of type", "CAST one side so that both have the same type"),
    (r"Ambiguous reference", "write the table's alias before the column"),
    (r"aggregate.*(WHERE|where)|WHERE clause cannot contain aggregates",
     "put conditions on aggregates into HAVING"),
    (r"window functions? (are|is) not allowed|cannot contain window", "use QUALIFY, or a WITH step"),
    (r"subquery.*(more than one row|columns)|More than one row returned",
     "use IN (…), or make the subquery return one value"),
    (r"[Dd]ivision by zero", "use NULLIF(divisor, 0)"),
    (r"Out of Range|Overflow", "CAST to DECIMAL(38, 2) or HUGEINT before the arithmetic"),
)  # fmt: skip


def function_hint(name: str) -> str:
    if name in REPLACEMENTS:
        return f"use {REPLACEMENTS[name]}"
    like = nearest(name, FUNCTIONS)
    return f"nearest functions: {', '.join(like)}" if like else "use standard SQL functions"


def syntax_hint(sql: str) -> str:
    if re.search(r"\bSELECT\s+TOP\b", sql, re.IGNORECASE):
        return "write LIMIT n at the end instead of TOP n"
    if re.search(r"\)\s*'[^']*'\s*(,|FROM)", sql, re.IGNORECASE):
        return 'write an alias as: expression AS "name"'
    if FULL_WIDTH.search(re.sub(r"'[^']*'|\"[^\"]*\"", "", sql)):
        return (
            "full-width letters or signs stand outside quotes: write SQL in plain letters (SELECT)"
        )
    return SELECT_ONLY


def sql_error(message: str, catalog: Catalog, tables: Sequence[str]) -> ToolRetry:
    """DuckDB's error as the model should see it: first line, nearest names, next step."""
    first = message.splitlines()[0] if message else "DuckDB gave no message"
    for pattern in MISSING_COLUMN:
        match = pattern.search(first)
        if match is not None:
            name = match["column"]
            hint = unknown_column_hint(catalog, name, tables)
            return ToolRetry("unknown_column", f"there is no column {name!r} here", hint)
    match = MISSING_TABLE.search(first)
    if match is not None:
        name = match["table"]
        hint = f"no table or alias {name!r} in FROM; {unknown_table_hint(catalog, name)}"
        return ToolRetry("unknown_table", first, hint)
    return ToolRetry("sql_error", first, _next_step(message, catalog, tables))


def _next_step(message: str, catalog: Catalog, tables: Sequence[str]) -> str:
    for pattern, step in STEPS:
        if re.search(pattern, message):
            return step
    records = [t for t in map(catalog.table, tables) if t is not None]
    return "; ".join(columns_line(t) for t in records[:2]) or "mend the query and try again"
