"""Metrics' SQL: a period put in, and a person's own bound against the tables."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING

from ingest.store.quoting import quoted
from ingest.store.records import TableRecord

if TYPE_CHECKING:
    import duckdb

_PERIOD = re.compile(r"(?<![:\w]):(start|end)\b")
_NAMES_SHOWN = 20
_ANY_DAY = date(2000, 1, 1)


def fill_period(sql: str, start: date = _ANY_DAY, end: date = _ANY_DAY) -> str:
    """The SQL with `:start` and `:end` as DATE literals; both days are included in the period."""
    days = {"start": start, "end": end}
    return _PERIOD.sub(lambda match: f"DATE '{days[match[1]].isoformat()}'", sql)


def has_period(sql: str) -> bool:
    return _PERIOD.search(sql) is not None


class MetricBinder:
    """Binds queries over empty tables of the same columns: no data are read, and no file."""

    def __init__(self, tables: Sequence[TableRecord]) -> None:
        self._tables = tables

    def read_tables(self, sql: str) -> tuple[str, ...]:
        """The tables that a metric reads, once DuckDB takes it for one SELECT that binds.

        Raises `ValueError` with what is wrong.
        """
        import duckdb  # noqa: PLC0415  Only where a person wrote a metric.

        filled = fill_period(sql)
        try:
            statements = self._connection.extract_statements(filled)
            if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
                raise ValueError("write one SELECT")
            self._connection.execute(f"EXPLAIN {filled}")
            read = self._named(filled)
        except duckdb.CatalogException as error:
            known = ", ".join(table.name for table in self._tables[:_NAMES_SHOWN])
            raise ValueError(f"{_first_line(error)} The tables are: {known}") from error
        except duckdb.Error as error:
            raise ValueError(_first_line(error)) from error
        return tuple(table.name for table in self._tables if table.name.lower() in read)

    def columns(self, sql: str) -> tuple[str, ...]:
        """The names of the columns that a query which binds returns."""
        found = self._connection.execute(f"DESCRIBE {fill_period(sql)}").fetchall()
        return tuple(str(row[0]) for row in found)

    def _named(self, sql: str) -> frozenset[str]:
        """The names that stand as tables in DuckDB's own reading of a query."""
        found = self._connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [sql]).fetchone()
        names: set[str] = set()

        def collect(node: dict[str, object]) -> dict[str, object]:
            if node.get("type") == "BASE_TABLE":
                names.add(str(node.get("table_name")).lower())
            return node

        json.loads(found[0] if found else "{}", object_hook=collect)
        return frozenset(names)

    @cached_property
    def _connection(self) -> duckdb.DuckDBPyConnection:
        import duckdb  # noqa: PLC0415

        connection = duckdb.connect(config={"enable_external_access": "false"})
        for table in self._tables:
            connection.execute(_empty(table))
        return connection


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or ["DuckDB gave no message"])[0]


def _empty(table: TableRecord) -> str:
    columns = ", ".join(f"{quoted(c.name)} {c.type}" for c in table.columns)
    return f"CREATE TABLE {quoted(table.name)} ({columns})"
