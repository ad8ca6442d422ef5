"""Keys of three and four columns: what one row of a stock table or a price list is."""

from __future__ import annotations

from itertools import combinations
from math import prod

import duckdb

from ingest.store.quoting import quoted
from ingest.store.records import TableRecord
from ingest.tables.names import names_key

MAX_PARTS = 4
_COLUMNS_TRIED = 6


def wide_key(connection: duckdb.DuckDBPyConnection, table: TableRecord) -> tuple[str, ...]:
    """The first three or four columns of codes and dates, without NULL, that no two rows share;
    () where there are none, or no rows."""
    parts = [
        column
        for column in table.columns
        if not column.nulls and (names_key(column.name) or column.type == "DATE")
    ][:_COLUMNS_TRIED]
    for size in range(3, MAX_PARTS + 1):
        for key in combinations(parts, size):
            if not table.rows or prod(c.distinct for c in key) < table.rows:
                continue
            names = ", ".join(quoted(c.name) for c in key)
            found = connection.execute(
                f"SELECT count(*) FROM (SELECT DISTINCT {names} FROM {quoted(table.name)})"
            ).fetchone()
            if found == (table.rows,):
                return tuple(c.name for c in key)
    return ()
