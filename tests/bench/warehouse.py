"""A database as the benchmark ingested it: its columns, and the rows of a query. Read only."""

from pathlib import Path
from threading import Timer
from types import TracebackType
from typing import Self

import duckdb

from ingest.store.current import read_current
from ingest.store.generations import Generations
from ingest.store.manifest import WAREHOUSE
from tests.bench.scoring import Row
from tests.bench.shapes import Schema

SECONDS = 10.0
MAX_ROWS = 10_000


class Warehouse:
    """Usable as a context manager. Takes no lease and writes nothing."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self.schema: Schema = _schema(connection)

    @classmethod
    def find(cls, data_dir: Path) -> Self | None:
        """None where nothing was ingested."""
        revision = read_current(data_dir)
        if revision is None:
            return None
        path = Generations(data_dir).path(revision) / WAREHOUSE
        if not path.is_file():
            return None
        config: dict[str, str | bool | int | float | list[str]] = {
            "enable_external_access": "false",
            "threads": "1",
        }
        return cls(duckdb.connect(path, read_only=True, config=config))

    def rows(self, sql: str) -> list[Row] | None:
        """At most `MAX_ROWS`; None when it fails or takes longer than `SECONDS`."""
        timer = Timer(SECONDS, self._connection.interrupt)
        timer.start()
        try:
            return list(self._connection.execute(sql).fetchmany(MAX_ROWS))
        except duckdb.Error:
            return None
        finally:
            timer.cancel()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._connection.close()


def _schema(connection: duckdb.DuckDBPyConnection) -> Schema:
    found: dict[str, dict[str, str]] = {}
    query = "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE NOT internal"
    for table, column, kind in connection.execute(query).fetchall():
        found.setdefault(table.lower(), {})[column.lower()] = kind
    return found
