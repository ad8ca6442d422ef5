"""The sandbox: a pool of pydantic-monty workers, each killed when it hangs."""

import contextlib
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import pydantic_monty as monty

from tools.calc.settings import CalcSettings
from tools.errors import ToolRetry, ToolUnavailable

PROLOGUE = (
    "import math\nfrom decimal import Decimal\nfrom datetime import date, datetime, timedelta"
)
KEPT_TYPES = ("int", "float", "bool", "str", "Decimal", "NoneType", "date", "datetime",
              "list", "dict", "set", "tuple")  # fmt: skip
VARIABLES = f"""{{
    _name: _value for _name, _value in locals().items()
    if not _name.startswith('_') and type(_value).__name__ in {KEPT_TYPES}
    and not (type(_value).__name__ in ('list', 'dict', 'set', 'tuple', 'str')
             and len(_value) > 1000)
}}"""
# Calls of rows, growth, … in one calculation: those past the time limit cost time all the same.
HOST_CALLS = 5_000
# Past the limit inside the sandbox the pool kills the worker: checks run only at checkpoints.
KILL_AFTER_S = 1.0


@dataclass(frozen=True)
class Outcome:
    """`result` is the last expression's value, else the variable `result`; nothing is checked.
    `seconds`: what the code took, with the functions that it called."""

    result: object
    log: str
    variables: Mapping[str, object]
    seconds: float


class _Log:
    def __init__(self, limit: int) -> None:
        self._left = limit
        self._parts: list[str] = []

    def __call__(self, _stream: str, text: str) -> None:
        if self._left > 0:
            cut = text[: self._left]
            self._parts.append(cut if len(cut) == len(text) else cut + "…")
            self._left -= len(text)

    @property
    def text(self) -> str:
        return "".join(self._parts)


class Sandbox:
    """Runs code without files, network, environment or clock; the pool starts on first use."""

    def __init__(self, settings: CalcSettings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._stack: contextlib.ExitStack | None = None
        self._pool: Any = None

    def run(self, code: str, functions: Callable[[], Mapping[str, object]], today: date) -> Outcome:
        """`functions` is asked for those that the code can call when a worker is ready.

        Raises pydantic-monty's errors for faults of the code; see `tools.calc.hints`."""
        log = _Log(self._settings.log_chars)
        with self._session(today) as session:
            session.feed_run(PROLOGUE)
            lookup = dict(functions())
            started = time.monotonic()
            result = session.feed_run(code, external_lookup=lookup, print_callback=log)
            seconds = time.monotonic() - started
            if result is None:
                result = self._named_result(session)
            variables = self._variables(session)
        return Outcome(result, log.text, variables, seconds)

    def close(self) -> None:
        with self._lock:
            if self._stack is not None:
                self._stack.close()
            self._stack = self._pool = None

    @contextlib.contextmanager
    def _session(self, today: date) -> Any:
        limits = {
            "max_feed_duration_secs": self._settings.time_limit_s,
            "max_memory": self._settings.memory_mb << 20,
            "max_recursion_depth": self._settings.recursion_depth,
            "max_suspensions": HOST_CALLS,
        }
        policy = {"datetime": datetime(today.year, today.month, today.day), "sleep": "zero"}
        try:
            with self._started().checkout(limits=limits, os_policy=policy) as session:
                yield session
        except TimeoutError as error:
            raise ToolRetry("busy", "all calculation workers are busy", "try again") from error

    def _started(self) -> Any:
        with self._lock:
            if self._pool is None:
                stack = contextlib.ExitStack()
                try:
                    self._pool = stack.enter_context(self._new_pool())
                except (OSError, RuntimeError, monty.MontyError) as error:
                    message = f"the calculation sandbox did not start: {error}"
                    hint = "install it again: pip install --force-reinstall pydantic-monty"
                    raise ToolUnavailable("sandbox", message, hint) from error
                self._stack = stack
            return self._pool

    def _new_pool(self) -> Any:
        return monty.Monty(
            min_processes=1,
            max_processes=self._settings.workers,
            checkout_timeout=self._settings.time_limit_s + 2 * KILL_AFTER_S,
            request_timeout=self._settings.time_limit_s + 2 * KILL_AFTER_S,
            feed_duration_limit_grace=KILL_AFTER_S,
        )

    @staticmethod
    def _named_result(session: Any) -> object:
        try:
            return session.feed_run("result")
        except monty.MontyRuntimeError as error:
            if isinstance(error.exception(), NameError):
                return None
            raise

    @staticmethod
    def _variables(session: Any) -> dict[str, object]:
        """What the code left behind; empty when the sandbox can't give it."""
        try:
            found = session.feed_run(VARIABLES)
        except (monty.MontyRuntimeError, monty.MontyCrashedError):
            return {}
        return found if isinstance(found, dict) else {}
