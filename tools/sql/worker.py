"""The process in which queries run: JSON lines in, JSON lines out, killed when it must be.

Started by `tools.sql.client` as a script. It bounds itself three ways: RLIMIT_AS over what
DuckDB's `memory_limit` does not count, `interrupt()` at the time limit, and an alarm two seconds
later whose default action ends the process even inside native code.
"""

import json
import math
import resource
import signal
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from datetime import time as clock_time
from decimal import Decimal
from typing import Any
from uuid import UUID

import duckdb

KILL_AFTER_S = 2.0
CELL_CHARS = 10_000
PAYLOAD_CHARS = 5_000_000
MEMORY_TEXTS = ("bad_alloc", "Allocation failure", "allocation failure", "Out of Memory")
AS_TEXT = "CAST it to VARCHAR"
EXACT_TEXT = ("DECIMAL", "HUGEINT", "UHUGEINT", "BIGNUM")


@dataclass
class Cells:
    """Turns DuckDB's values into JSON values and counts what could not be kept whole."""

    not_finite: int = 0
    cut: int = 0
    chars: int = 0

    def convert(self, value: Any) -> str | int | float | bool | None:
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, float):
            if math.isfinite(value):
                return value
            self.not_finite += 1
            return None
        if isinstance(value, int):
            return value
        text = value if isinstance(value, str) else as_text(value)
        if len(text) > CELL_CHARS:
            self.cut += 1
            text = text[:CELL_CHARS]
        self.chars += len(text)
        return text


def as_text(value: Any) -> str:
    """ISO 8601 for dates and times, plain digits for DECIMAL, hexadecimal for BLOB, else JSON."""
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, date | datetime | clock_time):
        return value.isoformat()
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value).hex()
    if isinstance(value, list | tuple | dict):
        return json.dumps(_plain(value), ensure_ascii=False)
    return str(value)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Decimal | date | clock_time | timedelta | bytes | UUID):
        return as_text(value)
    return value


def open_warehouse(path: str, memory_mb: int, threads: int) -> duckdb.DuckDBPyConnection:
    config: dict[str, str | bool | int | float | list[str]] = {
        "enable_external_access": "false",
        "allow_community_extensions": "false",
        "autoload_known_extensions": "false",
        "autoinstall_known_extensions": "false",
        "python_enable_replacements": "false",
        "temp_directory": "",
        "memory_limit": f"{memory_mb}MB",
        "threads": str(threads),
    }
    connection = duckdb.connect(path, read_only=True, config=config)
    connection.execute("SET TimeZone = 'UTC'")
    # Else a bar is drawn on stdout, where the answers go, when a query takes longer than 2 s.
    connection.execute("SET enable_progress_bar = false")
    connection.execute("SET lock_configuration = true")
    return connection


def run_query(
    connection: duckdb.DuckDBPyConnection, sql: str, rows_kept: int, limit_s: float
) -> dict[str, object]:
    """The rows (at most `rows_kept`) and the true count of all of them.

    A failure with `broken` has left the connection unusable: the process must be replaced.
    """
    timer = threading.Timer(limit_s, connection.interrupt)
    timer.start()
    signal.setitimer(signal.ITIMER_REAL, limit_s + KILL_AFTER_S)
    started = time.monotonic()
    try:
        return _fetch(connection, sql, rows_kept)
    except duckdb.InterruptException:
        return _failure("time_limit", f"stopped after {limit_s:g} s")
    except (duckdb.OutOfMemoryException, MemoryError) as error:
        return _failure("memory_limit", str(error))
    except duckdb.Error as error:
        slow = time.monotonic() - started >= limit_s
        text = str(error)
        kind = "memory_limit" if any(t in text for t in MEMORY_TEXTS) else "sql_error"
        # DuckDB shuts a database for good after either, and fails every later query.
        broken = isinstance(error, duckdb.InternalException | duckdb.FatalException)
        return _failure("time_limit" if slow else kind, text, broken=broken)
    except (OverflowError, ValueError, RecursionError) as error:
        return _failure("sql_error", f"a value cannot be given as it is ({error}): {AS_TEXT}")
    finally:
        timer.cancel()
        # Else an interrupt that is under way meets the next query.
        timer.join()
        signal.setitimer(signal.ITIMER_REAL, 0)


def _failure(kind: str, message: str, *, broken: bool = False) -> dict[str, object]:
    return {"error": {"kind": kind, "message": message[:2000]}, "broken": broken}


def _fetch(connection: duckdb.DuckDBPyConnection, sql: str, rows_kept: int) -> dict[str, object]:
    cursor = connection.execute(sql)
    columns = [(str(d[0]), str(d[1]).strip('"')) for d in cursor.description or ()]
    exact = [kind.startswith(EXACT_TEXT) for _, kind in columns]
    cells, more = Cells(), False
    rows: list[list[object]] = []
    for row in _rows(cursor):
        if len(rows) >= rows_kept or cells.chars > PAYLOAD_CHARS:
            more = True
            break
        rows.append(
            [
                str(v) if e and isinstance(v, int) else cells.convert(v)
                for v, e in zip(row, exact, strict=True)
            ]
        )
    count = len(rows)
    if more:
        counted = connection.execute(f"SELECT count(*) FROM ({sql}) AS q").fetchone()
        count = int(counted[0]) if counted else count
    return {
        "columns": columns,
        "rows": rows,
        "row_count": count,
        "not_finite": cells.not_finite,
        "cut": cells.cut,
    }


def _rows(cursor: duckdb.DuckDBPyConnection) -> Iterator[tuple[Any, ...]]:
    while batch := cursor.fetchmany(1000):
        yield from batch


def main(arguments: Mapping[str, Any]) -> None:
    limit = int(arguments["address_space_mb"]) << 20
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        connection = open_warehouse(
            arguments["warehouse"], int(arguments["memory_mb"]), int(arguments["threads"])
        )
    except duckdb.Error as error:
        answer(_failure("open", str(error)))
        return
    answer({"ready": True})
    for line in sys.stdin:
        request = json.loads(line)
        answer(
            run_query(
                connection, request["sql"], int(request["rows_kept"]), float(request["limit_s"])
            )
        )


def answer(reply: Mapping[str, object]) -> None:
    """One reply, one line. A reply too big for the memory that is left becomes an error."""
    try:
        line = json.dumps(reply, ensure_ascii=False, separators=(",", ":")).encode()
    except MemoryError:
        line = json.dumps(_failure("memory_limit", "the result does not fit into memory")).encode()
    sys.stdout.buffer.write(line + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
