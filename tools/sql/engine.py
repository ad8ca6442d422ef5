"""What DuckDB's own parser makes of a text: the second, authoritative half of the guard.

`json_serialize_sql` parses and binds nothing. A text that two parsers read differently is judged
by the reading of the one that will run it.
"""

import functools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import duckdb

QUERY_NODES = frozenset(
    {"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE", "QUERY_NODE"}
)
OPERATOR = re.compile(r"^[^\w\s]+$")


@dataclass
class Parsed:
    """Everything a text names, lower case. `error` is DuckDB's message when it did not parse."""

    error: str | None = None
    statements: int = 0
    functions: set[str] = field(default_factory=set)
    table_functions: set[str] = field(default_factory=set)
    tables: set[tuple[str, ...]] = field(default_factory=set)
    ctes: set[str] = field(default_factory=set)
    other_nodes: set[str] = field(default_factory=set)
    """Query nodes and table references that are neither SELECT nor a plain FROM item."""


@functools.cache
def _engine() -> duckdb.DuckDBPyConnection:
    config: dict[str, str | bool | int | float | list[str]] = {
        "enable_external_access": "false",
        "autoload_known_extensions": "false",
        "autoinstall_known_extensions": "false",
        "threads": "1",
        "memory_limit": "256MB",
    }
    return duckdb.connect(":memory:", config=config)


def parse(sql: str) -> Parsed:
    """Parse one text; never raises."""
    try:
        with _engine().cursor() as cursor:
            row = cursor.execute("SELECT json_serialize_sql(?)", [sql]).fetchone()
        document = json.loads(row[0]) if row else {}
    except duckdb.Error as error:
        if isinstance(error, duckdb.InternalException | duckdb.FatalException):
            # DuckDB shuts a database for good after either: the next text gets a new one.
            _engine.cache_clear()
        return Parsed(error=str(error).splitlines()[0])
    except RecursionError:
        return Parsed(error="the query is nested too deeply")
    if document.get("error", True):
        return Parsed(error=str(document.get("error_message", "not a query")).strip())
    statements = document.get("statements", [])
    parsed = Parsed(statements=len(statements))
    for node in _nodes(statements):
        _read(node, parsed)
    return parsed


def _nodes(root: object) -> Iterator[dict[str, object]]:
    stack = [root]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            yield item
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)


def _read(node: dict[str, object], parsed: Parsed) -> None:
    kind = str(node.get("type", ""))
    name = node.get("function_name")
    if isinstance(name, str) and not OPERATOR.match(name):
        parsed.functions.add(name.lower())
    if kind == "TABLE_FUNCTION":
        function = node.get("function")
        called = function.get("function_name") if isinstance(function, dict) else None
        parsed.table_functions.add(str(called).lower())
    elif kind == "BASE_TABLE":
        path = [node.get("catalog_name"), node.get("schema_name"), node.get("table_name")]
        parsed.tables.add(tuple(str(p).lower() for p in path if p))
    elif (kind.endswith("_NODE") and kind not in QUERY_NODES) or kind in ("SHOW_REF", "SHOW"):
        parsed.other_nodes.add(kind)
    ctes = node.get("cte_map")
    entries = ctes.get("map") if isinstance(ctes, dict) else None
    for entry in entries if isinstance(entries, list) else ():
        parsed.ctes.add(str(entry["key"]).lower())
