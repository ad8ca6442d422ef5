"""The parent's side of the worker: starts it, asks it, kills it, starts it again."""

import contextlib
import json
import os
import selectors
import subprocess
import sys
import threading
import time
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.errors import ToolRetry, ToolUnavailable
from tools.evidence import Column, Value
from tools.sql.settings import SqlSettings

WORKER = Path(__file__).with_name("worker.py")
START_LIMIT_S = 30.0
KILL_AFTER_S = 2.0


@dataclass(frozen=True)
class Rows:
    """`row_count` counts all rows, also those that were not kept."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    row_count: int
    not_finite: int = 0
    cut: int = 0


class Worker:
    """One process over one warehouse file. Calls from several threads wait for each other."""

    def __init__(self, warehouse: Path, settings: SqlSettings) -> None:
        self._warehouse = warehouse
        self._settings = settings
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._is_ready = False
        self._buffer = bytearray()
        self._finalizer: weakref.finalize[..., Any] | None = None

    def start(self) -> None:
        """Starts the process and does not wait for it, so that it is there when the first query
        comes; what keeps it from starting is told then."""
        if not self._lock.acquire(blocking=False):
            return
        try:
            if self.pid is None:
                self._begin()
        except ToolUnavailable:
            self._kill()
        finally:
            self._lock.release()

    def query(self, sql: str, rows_kept: int | None = None) -> Rows:
        """Run one checked query.

        Raises `ToolRetry` ("time_limit", "memory_limit", "sql_error") and `ToolUnavailable`
        ("sql_worker") when no worker can be started.
        """
        limit = self._settings.time_limit_s
        request = {
            "sql": sql,
            "rows_kept": self._settings.rows_kept if rows_kept is None else rows_kept,
            "limit_s": limit,
        }
        with self._lock:
            process = self._running()
            try:
                reply = self._exchange(process, request, limit + KILL_AFTER_S)
            except BaseException:
                # Ctrl-C while waiting: the late reply must not answer the next query.
                self._kill()
                raise
            if reply.get("broken") or reply.get("error", {}).get("kind") == "memory_limit":
                self._kill()
        return _rows_of(reply, limit)

    def close(self) -> None:
        with self._lock:
            self._kill()

    @property
    def pid(self) -> int | None:
        """The live worker's process id; None when there is none."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    def _running(self) -> subprocess.Popen[bytes]:
        process = self._process
        if process is None or process.poll() is not None:
            process = self._begin()
        if self._is_ready:
            return process
        line = self._read_line(process, time.monotonic() + START_LIMIT_S)
        error = {"message": "it did not start"} if line is None else json.loads(line).get("error")
        if error is not None:
            self._kill()
            raise self._unavailable(error["message"])
        self._is_ready = True
        return process

    def _begin(self) -> subprocess.Popen[bytes]:
        """A new process that may not be ready yet."""
        self._kill()
        process = self._start()
        self._process, self._is_ready = process, False
        self._finalizer = weakref.finalize(self, _end, process)
        self._buffer.clear()
        return process

    def _start(self) -> subprocess.Popen[bytes]:
        try:
            return self._spawn()
        except OSError as error:
            raise self._unavailable(str(error)) from error

    def _unavailable(self, reason: str) -> ToolUnavailable:
        message = f"the SQL worker could not open {self._warehouse}: {reason}"
        return ToolUnavailable("sql_worker", message, "check the data with: zaiko doctor")

    def _spawn(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-P", "-s", str(WORKER), json.dumps(self._worker_arguments())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_clean_environment(),
            cwd=os.sep,
            start_new_session=True,
        )

    def _worker_arguments(self) -> dict[str, object]:
        return {
            "warehouse": str(self._warehouse.resolve()),
            "memory_mb": self._settings.memory_mb,
            "address_space_mb": self._settings.address_space_mb,
            "threads": self._settings.threads,
        }

    def _exchange(
        self, process: subprocess.Popen[bytes], request: dict[str, object], limit_s: float
    ) -> dict[str, Any]:
        deadline = time.monotonic() + limit_s
        assert process.stdin is not None
        line: bytes | None = None
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
            line = self._read_line(process, deadline)
        if line is None:
            late = time.monotonic() >= deadline - 0.2
            self._kill()
            kind = "time_limit" if late else "memory_limit"
            return {"error": {"kind": kind, "message": "the worker was ended"}}
        reply: dict[str, Any] = json.loads(line)
        return reply

    def _read_line(self, process: subprocess.Popen[bytes], deadline: float) -> bytes | None:
        """The next line; None when the worker ended or the deadline passed."""
        assert process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while b"\n" not in self._buffer[-65536:]:
                left = deadline - time.monotonic()
                if left <= 0 or not selector.select(left):
                    return None
                piece = os.read(process.stdout.fileno(), 65536)
                if not piece:
                    return None
                self._buffer += piece
        line, _, rest = self._buffer.partition(b"\n")
        self._buffer = bytearray(rest)
        return bytes(line)

    def _kill(self) -> None:
        if self._finalizer is not None:
            self._finalizer()
        self._process = None
        self._finalizer = None


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(BrokenPipeError):
                pipe.close()


def _clean_environment() -> dict[str, str]:
    """Nothing of the parent's environment but where Python finds its packages."""
    return {
        "PYTHONPATH": os.pathsep.join(str(Path(p).resolve()) for p in sys.path if p),
        "PYTHONDONTWRITEBYTECODE": "1",
        "MALLOC_ARENA_MAX": "2",
        "LC_ALL": "C.UTF-8",
        "PATH": os.defpath,
    }


def _rows_of(reply: dict[str, Any], limit_s: float) -> Rows:
    error = reply.get("error")
    if error is not None:
        raise _limit_error(str(error["kind"]), str(error["message"]), limit_s)
    return Rows(
        columns=tuple(Column(name=n, type=t) for n, t in reply["columns"]),
        rows=tuple(tuple(row) for row in reply["rows"]),
        row_count=int(reply["row_count"]),
        not_finite=int(reply["not_finite"]),
        cut=int(reply["cut"]),
    )


def _limit_error(kind: str, message: str, limit_s: float) -> ToolRetry:
    if kind == "time_limit":
        return ToolRetry(
            kind,
            f"the query was stopped after {limit_s:g} s",
            "join on keys, filter or aggregate earlier, or ask for less",
        )
    if kind == "memory_limit":
        return ToolRetry(
            kind, "the query needs more memory than it may use", "aggregate, or ask for fewer rows"
        )
    return ToolRetry(kind, message)
