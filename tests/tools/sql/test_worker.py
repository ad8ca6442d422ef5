import os
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import cast

import duckdb
import pytest

from tools.base import ToolContext
from tools.errors import ToolError, ToolRetry, ToolUnavailable
from tools.sql import engine
from tools.sql.client import Worker
from tools.sql.result import SqlResult
from tools.sql.settings import SqlSettings
from tools.sql.tool import SqlArguments, SqlTool
from tools.sql.worker import open_warehouse, run_query

pytestmark = pytest.mark.slow

Ask = Callable[[str], SqlResult]
BOMBS = (
    "SELECT repeat('在庫', 600000000)",
    "SELECT range(500000000)",
    "SELECT rpad('a', 2000000000, 'b')",
    "SELECT len(string_split(repeat('a,', 100000000), ','))",
    "SELECT list(i) FROM range(300000000) AS r(i)",
    "SELECT string_agg(repeat('x', 100000), ',') FROM range(100000)",
)


def resident_mb(pid: int) -> int:
    """Peak resident memory of a process; 0 once it is ending."""
    status = Path(f"/proc/{pid}/status").read_text()
    lines = [x for x in status.splitlines() if x.startswith("VmHWM")]
    return int(lines[0].split()[1]) // 1024 if lines else 0


@pytest.mark.slow
@pytest.mark.parametrize("sql", BOMBS)
def test_a_memory_bomb_is_bounded_and_the_next_call_works(sql: str, ask: Ask) -> None:
    started = time.monotonic()
    with pytest.raises(ToolRetry) as error:
        ask(sql)
    assert error.value.kind in ("memory_limit", "time_limit")
    assert time.monotonic() - started < 20
    assert ask("SELECT COUNT(*) AS n FROM sales").rows.rows == ((6,),)


@pytest.mark.slow
def test_the_worker_stays_under_its_address_space(warehouse: Path) -> None:
    worker = Worker(warehouse, SqlSettings(time_limit_s=6.0))
    worker.query("SELECT 1")
    pid, peak = worker.pid, [0]
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.05) and pid is not None and Path(f"/proc/{pid}").exists():
            peak[0] = max(peak[0], resident_mb(pid))

    watcher = threading.Thread(target=watch)
    watcher.start()
    with pytest.raises(ToolRetry):
        worker.query(BOMBS[2])
    done.set()
    watcher.join()
    worker.close()
    assert 0 < peak[0] <= 2048


def test_a_runaway_join_is_stopped_at_the_limit(hasty_tool: SqlTool, context: ToolContext) -> None:
    sql = "SELECT COUNT(*) FROM range(1000000) a(i), range(1000000) b(j) WHERE a.i * b.j = 7"
    started = time.monotonic()
    with pytest.raises(ToolRetry) as error:
        hasty_tool.run(SqlArguments(query=sql), context)
    assert error.value.kind == "time_limit"
    assert 0.9 < time.monotonic() - started < 4
    after = hasty_tool.run(SqlArguments(query="SELECT 7 AS x"), context)
    assert after.rows.rows == ((7,),)


def test_an_endless_recursion_is_stopped_at_the_limit(
    hasty_tool: SqlTool, context: ToolContext
) -> None:
    sql = "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT MAX(n) FROM r"
    with pytest.raises(ToolRetry) as error:
        hasty_tool.run(SqlArguments(query=sql), context)
    assert error.value.kind == "time_limit"


def test_a_killed_worker_is_replaced_by_the_next_call(warehouse: Path) -> None:
    worker = Worker(warehouse, SqlSettings())
    assert worker.query("SELECT 1").rows == ((1,),)
    first = worker.pid
    assert first is not None
    os.kill(first, 9)
    while worker.pid is not None:
        time.sleep(0.01)
    assert worker.query("SELECT 2").rows == ((2,),)
    assert worker.pid != first
    worker.close()


def test_one_worker_serves_several_threads(warehouse: Path) -> None:
    worker = Worker(warehouse, SqlSettings())
    found: list[object] = []
    threads = [
        threading.Thread(target=lambda n=n: found.append(worker.query(f"SELECT {n}").rows[0][0]))
        for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    worker.close()
    assert sorted(map(str, found)) == [str(n) for n in range(8)]


def test_the_worker_does_not_see_the_environment(
    warehouse: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "secret-value")
    worker = Worker(warehouse, SqlSettings())
    worker.query("SELECT 1")
    environment = Path(f"/proc/{worker.pid}/environ").read_bytes()
    worker.close()
    assert b"secret-value" not in environment
    assert b"PYTHONPATH" in environment


class InterruptedOnce(Worker):
    """Ctrl-C arrives while the first query's reply is awaited."""

    interrupts = 1

    def _read_line(self, process: subprocess.Popen[bytes], deadline: float) -> bytes | None:
        if self.pid is not None and self.started and self.interrupts:
            self.interrupts -= 1
            raise KeyboardInterrupt
        self.started = True
        return super()._read_line(process, deadline)

    started = False


def test_an_interrupted_query_does_not_answer_the_next_one(warehouse: Path) -> None:
    worker = InterruptedOnce(warehouse, SqlSettings())
    with pytest.raises(KeyboardInterrupt):
        worker.query("SELECT 'first'")
    assert worker.query("SELECT 'second'").rows == (("second",),)
    worker.close()


def test_a_closed_worker_is_gone(warehouse: Path) -> None:
    worker = Worker(warehouse, SqlSettings())
    worker.query("SELECT 1")
    pid = worker.pid
    worker.close()
    assert worker.pid is None
    assert not Path(f"/proc/{pid}").exists()


def test_a_missing_warehouse_is_the_operators_business(tmp_path: Path) -> None:
    worker = Worker(tmp_path / "none.duckdb", SqlSettings())
    with pytest.raises(ToolUnavailable) as error:
        worker.query("SELECT 1")
    assert error.value.kind == "sql_worker"
    assert "none.duckdb" in error.value.message
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM glob('/*')",
        "COPY sales TO '/tmp/never.csv'",
        "ATTACH '/tmp/never.duckdb' AS other",
        "CREATE TABLE x (a INTEGER)",
        "SET enable_external_access = true",
        "SET lock_configuration = false",
        "INSTALL httpfs",
        "LOAD httpfs",
    ],
)
def test_the_connection_is_locked_even_without_the_guard(sql: str, warehouse: Path) -> None:
    with open_warehouse(str(warehouse), 256, 1) as connection, pytest.raises(duckdb.Error):
        connection.execute(sql)


def test_a_query_leaves_no_file_beside_the_warehouse(ask: Ask, warehouse: Path) -> None:
    ask("SELECT i FROM range(200000) AS r(i) ORDER BY hash(i)")
    assert [p.name for p in warehouse.parent.iterdir()] == ["warehouse.duckdb"]


def test_a_worker_error_never_escapes_as_a_bare_exception(ask: Ask) -> None:
    with pytest.raises(ToolError):
        ask("SELECT 1 / (SELECT city FROM sales)")


def test_a_worker_that_was_started_ahead_answers_the_first_query(warehouse: Path) -> None:
    worker = Worker(warehouse, SqlSettings())
    worker.start()
    pid = worker.pid
    worker.start()
    assert pid is not None
    assert worker.query("SELECT 1 AS x").rows == ((1,),)
    assert worker.pid == pid
    worker.close()
    assert not Path(f"/proc/{pid}").exists()


def test_a_worker_that_cannot_start_says_so_with_the_first_query(tmp_path: Path) -> None:
    worker = Worker(tmp_path / "none.duckdb", SqlSettings())
    worker.start()
    with pytest.raises(ToolUnavailable, match="could not open"):
        worker.query("SELECT 1")
    worker.close()


def test_an_engine_that_broke_is_replaced_before_the_next_query(warehouse: Path) -> None:
    worker = Worker(warehouse, SqlSettings())
    worker.query("SELECT 1")
    first = worker.pid
    with pytest.raises(ToolRetry) as error:
        worker.query("SELECT reservoir_quantile(i, 0.5, 2000000000) FROM range(10) AS r(i)")
    assert error.value.kind == "memory_limit"
    assert worker.query("SELECT count(*) FROM sales").rows == ((6,),)
    assert worker.pid != first
    worker.close()


@pytest.mark.parametrize("kind", [duckdb.InternalException, duckdb.FatalException])
def test_an_internal_error_of_the_engine_is_told_as_broken(
    kind: type[duckdb.Error], warehouse: Path
) -> None:
    class Faulty:
        """A connection whose query fails inside the engine."""

        def execute(self, sql: str) -> None:
            raise kind(f"INTERNAL Error: {sql}")

        def interrupt(self) -> None: ...

    reply = run_query(cast(duckdb.DuckDBPyConnection, Faulty()), "SELECT 1", 10, 5.0)
    assert reply["broken"] is True
    assert cast(dict[str, str], reply["error"])["kind"] == "sql_error"


def test_a_plain_error_keeps_the_worker(warehouse: Path) -> None:
    worker = Worker(warehouse, SqlSettings())
    worker.query("SELECT 1")
    first = worker.pid
    with pytest.raises(ToolRetry):
        worker.query("SELECT no_such_column FROM sales")
    assert worker.query("SELECT 2").rows == ((2,),)
    assert worker.pid == first
    worker.close()


def test_a_value_that_python_cannot_hold_is_an_error_and_not_a_lack_of_memory(
    warehouse: Path,
) -> None:
    worker = Worker(warehouse, SqlSettings())
    worker.query("SELECT 1")
    first = worker.pid
    with pytest.raises(ToolRetry) as error:
        worker.query("SELECT INTERVAL 100000000 YEAR")
    assert error.value.kind == "sql_error"
    assert "VARCHAR" in error.value.message
    assert worker.query("SELECT 2").rows == ((2,),)
    assert worker.pid == first
    worker.close()


def test_a_reader_of_queries_that_broke_is_replaced_too(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[int] = []

    class Broken:
        def cursor(self) -> "Broken":
            raise duckdb.FatalException("FATAL Error: database has been invalidated")

    def first_breaks(*given: object, **named: object) -> object:
        opened.append(1)
        return Broken() if len(opened) == 1 else connect(*given, **named)  # type: ignore[arg-type]

    connect = duckdb.connect
    monkeypatch.setattr(duckdb, "connect", first_breaks)
    engine._engine.cache_clear()
    assert engine.parse("SELECT 1").error is not None
    assert engine.parse("SELECT 1").error is None
    engine._engine.cache_clear()
