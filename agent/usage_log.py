"""`usage.jsonl` in the data directory: one line for every model call."""

import json
import logging
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from agent.models.base import Usage
from agent.telemetry.lines import append_line, read_lines

FILE_NAME = "usage.jsonl"
FIELDS = (
    "at",
    "trace_id",
    "thread_id",
    "role",
    "model",
    "input_tokens",
    "cached_input_tokens",
    "output_tokens",
    "cost",
    "ms",
)

_log = logging.getLogger("zaiko.usage")


def utc_now() -> datetime:
    return datetime.now(UTC)


def append_call(
    data_dir: Path,
    usage: Usage,
    *,
    trace_id: str,
    thread_id: str,
    role: str,
    model: str,
    ms: float,
) -> None:
    """Appends one model call that was just made; `thread_id` is "" outside a thread."""
    append_usage(
        data_dir,
        {
            "trace_id": trace_id,
            "thread_id": thread_id,
            "role": role,
            "model": model,
            "input_tokens": usage.input_tokens,
            "cached_input_tokens": usage.cached_input_tokens,
            "output_tokens": usage.output_tokens,
            "cost": usage.cost,
            "ms": round(ms, 1),
        },
    )


def append_usage(
    data_dir: Path, record: Mapping[str, Any], now: Callable[[], datetime] = utc_now
) -> None:
    """Appends one call; safe with several processes.

    `at` is ISO 8601 in UTC and is now when it is left out; tokens are counts, `cost` a Decimal
    (written as a string) or None, `ms` the duration. Raises ValueError unless `record` has
    exactly `FIELDS`. A disk that refuses the line is said on the logger: the answer goes on.
    """
    whole = {"at": now().astimezone(UTC).isoformat().replace("+00:00", "Z"), **record}
    if set(whole) != set(FIELDS):
        wrong = sorted(set(whole) ^ set(FIELDS))
        raise ValueError(f"a usage record has exactly the fields {FIELDS}; wrong: {wrong}")
    line = json.dumps({name: whole[name] for name in FIELDS}, ensure_ascii=False, default=str)
    try:
        append_line(data_dir / FILE_NAME, line)
    except OSError as error:
        _log.warning("A model call is missing from %s: %s", data_dir / FILE_NAME, error)


def read_usage(data_dir: Path) -> list[dict[str, Any]]:
    """All calls in the order they were written; [] without a file. A torn line is left out."""
    path = data_dir / FILE_NAME
    if not path.is_file():
        return []
    read = (_parsed(line) for line in read_lines(path))
    return [record for record in read if record is not None]


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
