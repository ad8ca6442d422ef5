"""A staged grid becomes a typed table; cells that do not fit are quarantined."""

from __future__ import annotations

import re
from typing import NamedTuple

import duckdb

from ingest.store.quoting import quoted
from ingest.store.records import QuarantinedCell
from ingest.tables.cells import SPOKEN_NULL_WORDS
from ingest.tables.staging import STAGE, TYPED, drop_stage
from ingest.tables.types import Typed

_NEXT = "zaiko_stage_next"
_JOINS = 24
"""Maps joined in one query; the time to plan it grows faster than their number."""


class _Part(NamedTuple):
    """A column of the stage: the SQL of its typed value, and the join that the SQL needs.
    `staged`: it is one of the values of `TYPED`."""

    at: int
    name: str
    value: str
    join: str
    staged: bool = False


def create_table(
    connection: duckdb.DuckDBPyConnection, table: str, columns: list[tuple[int, str, Typed]]
) -> list[QuarantinedCell]:
    """Writes the stage's columns `(index, name, typed)` as `table`, in source order.

    Returns the cells that are NULL there because they do not fit.
    """
    quarantined: list[QuarantinedCell] = []
    parts: list[_Part] = []
    try:
        for index, name, typed in columns:
            part = _part(connection, index, name, typed)
            parts.append(part)
            if typed.type != "VARCHAR" and not part.staged:
                quarantined += _misfits(connection, table, part, typed)
        parts = _map_in_batches(connection, parts, {i: t.type for i, _, t in columns})
        select = ", ".join(f"{part.value} AS {quoted(part.name)}" for part in parts)
        # Without a join the rows come in the order of the stage; sorting them costs half as much
        # as writing them.
        order = "ORDER BY n" if any(part.join for part in parts) else ""
        connection.execute(
            f"CREATE TABLE {quoted(table)} AS SELECT {select} {_source(parts)} {order}"
        )
    finally:
        for index, _, _ in columns:
            connection.execute(f"DROP TABLE IF EXISTS temp.{_map(index)}")
    return quarantined


def _map(index: int) -> str:
    return f"zaiko_map_{index}"


def _source(parts: list[_Part]) -> str:
    stage = TYPED if any(part.staged for part in parts) else STAGE
    return f"FROM {stage} AS s " + " ".join(part.join for part in parts if part.join)


def _part(connection: duckdb.DuckDBPyConnection, index: int, name: str, typed: Typed) -> _Part:
    if typed.type == "VARCHAR":
        return _Part(index, name, f"s.c{index}", "")
    if typed.staged:
        return _Part(index, name, f"s.k{index}", "", staged=True)
    pairs: dict[str, str | None] = {**dict.fromkeys(typed.nulls), **typed.mapped}
    text = re.sub(r"\bv\b", f"s.c{index}", typed.expression)
    if not pairs:
        text = text.replace("m.canon", "NULL::VARCHAR").replace("m.found", "NULL::BOOLEAN")
        return _Part(index, name, f"try_cast({text} AS {typed.type})", "")
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE {_map(index)} AS "
        "SELECT unnest(?::VARCHAR[]) AS v, unnest(?::VARCHAR[]) AS canon, true AS found",
        [list(pairs), list(pairs.values())],
    )
    value = f"try_cast({text.replace('m.', f'm{index}.')} AS {typed.type})"
    return _Part(
        index, name, value, f"LEFT JOIN {_map(index)} AS m{index} ON m{index}.v = s.c{index}"
    )


def _map_in_batches(
    connection: duckdb.DuckDBPyConnection, parts: list[_Part], types: dict[int, str]
) -> list[_Part]:
    """Where too many columns have maps, applies them to the stage first, some at a time."""
    joined = [part for part in parts if part.join]
    if len(joined) > _JOINS:
        parts = [_from_text(part, types[part.at]) if part.staged else part for part in parts]
    done: dict[int, _Part] = {}
    while len(joined) > _JOINS:
        batch, joined = joined[:_JOINS], joined[_JOINS:]
        values = ", ".join(f"{part.value}::VARCHAR AS c{part.at}" for part in batch)
        connection.execute(
            f"CREATE TEMP TABLE {_NEXT} AS SELECT s.* REPLACE ({values}) {_source(batch)}"
        )
        drop_stage(connection)
        connection.execute(f"ALTER TABLE temp.{_NEXT} RENAME TO {STAGE}")
        done |= {part.at: _from_text(part, types[part.at]) for part in batch}
    return [done.get(part.at, part) for part in parts]


def _from_text(part: _Part, type_: str) -> _Part:
    return part._replace(value=f"try_cast(s.c{part.at} AS {type_})", join="", staged=False)


def _misfits(
    connection: duckdb.DuckDBPyConnection, table: str, part: _Part, typed: Typed
) -> list[QuarantinedCell]:
    cell = f"s.c{part.at}"
    rows = connection.execute(
        f"SELECT n, {cell} {_source([part])} WHERE {cell} IS NOT NULL "
        f"AND NOT list_contains(?::VARCHAR[], {cell}) AND {part.value} IS NULL ORDER BY n",
        [sorted(typed.nulls - SPOKEN_NULL_WORDS)],
    ).fetchall()
    misfit = f"not a {typed.noun} ({typed.type} column)"
    return [
        QuarantinedCell(
            table=table,
            column=part.name,
            row=row,
            value=value,
            reason=f"a word instead of a {typed.noun}" if value in typed.nulls else misfit,
        )
        for row, value in rows
    ]
