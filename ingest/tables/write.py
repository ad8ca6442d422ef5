"""A staged grid becomes a typed table; cells that do not fit are quarantined."""

from __future__ import annotations

import duckdb

from ingest.store.records import QuarantinedCell
from ingest.tables.staging import STAGE, quoted
from ingest.tables.types import Typed


def create_table(
    connection: duckdb.DuckDBPyConnection, table: str, columns: list[tuple[int, str, Typed]]
) -> list[QuarantinedCell]:
    """Writes the stage's columns `(index, name, typed)` as `table`, in source order.

    Returns the cells that are NULL there because they do not fit. The stage keeps them.
    """
    quarantined: list[QuarantinedCell] = []
    maps: list[str] = []
    parts, joins = [], []
    try:
        for index, name, typed in columns:
            value = f"c{index}"
            if typed.type != "VARCHAR":
                value = f"try_cast({_expression(index, typed)} AS {typed.type})"
                joins.append(_join(connection, index, typed))
                maps.append(f"zaiko_map_{index}")
                quarantined += _misfits(connection, table, index, name, typed)
            parts.append(f"{value} AS {quoted(name)}")
        connection.execute(
            f"CREATE TABLE {quoted(table)} AS SELECT {', '.join(parts)} "
            f"FROM {STAGE} AS s {' '.join(join for join in joins if join)} ORDER BY n"
        )
    finally:
        for name in maps:
            connection.execute(f"DROP TABLE IF EXISTS temp.{name}")
    return quarantined


def _expression(index: int, typed: Typed) -> str:
    """The column's expression with `v` and `m` bound; without a map `m` is nothing."""
    text = typed.expression
    if typed.mapped or typed.nulls:
        text = text.replace("m.", f"m{index}.")
    else:
        text = text.replace("m.canon", "NULL::VARCHAR").replace("m.found", "NULL::BOOLEAN")
    return text.replace("(v,", f"(c{index},")


def _join(connection: duckdb.DuckDBPyConnection, index: int, typed: Typed) -> str:
    pairs: dict[str, str | None] = {**dict.fromkeys(typed.nulls), **typed.mapped}
    if not pairs:
        return ""
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE zaiko_map_{index} AS "
        "SELECT unnest(?::VARCHAR[]) AS v, unnest(?::VARCHAR[]) AS canon, true AS found",
        [list(pairs), list(pairs.values())],
    )
    return f"LEFT JOIN zaiko_map_{index} AS m{index} ON m{index}.v = s.c{index}"


def _misfits(
    connection: duckdb.DuckDBPyConnection, table: str, index: int, name: str, typed: Typed
) -> list[QuarantinedCell]:
    join = f"LEFT JOIN zaiko_map_{index} AS m{index} ON m{index}.v = s.c{index}"
    mapped = bool(typed.mapped or typed.nulls)
    nulls = sorted(typed.nulls)
    rows = connection.execute(
        f"SELECT n, c{index} FROM {STAGE} AS s {join if mapped else ''} "
        f"WHERE c{index} IS NOT NULL AND NOT list_contains(?::VARCHAR[], c{index}) "
        f"AND try_cast({_expression(index, typed)} AS {typed.type}) IS NULL ORDER BY n",
        [nulls],
    ).fetchall()
    reason = f"not a {typed.noun} ({typed.type} column)"
    return [
        QuarantinedCell(table=table, column=name, row=row, value=value, reason=reason)
        for row, value in rows
    ]
