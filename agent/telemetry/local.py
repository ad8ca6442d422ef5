"""Writing spans beside the data: `traces/<trace_id>.jsonl`, one span a line when it ends."""

import json
import logging
import math
from pathlib import Path
from typing import Any

from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.trace import format_span_id, format_trace_id

from agent.telemetry.lines import append_line

FOLDER = "traces"

_log = logging.getLogger("zaiko.telemetry")


class LocalWriter:
    """Appends each span to its trace's file; several processes may write one trace.

    Makes the folder with the first span, but never the data directory itself. A write that
    fails (full disk, no permission) is said once on the logger and costs the span, nothing else.
    """

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._warned = False

    def write(self, span: ReadableSpan) -> None:
        if not self._data_dir.is_dir():
            return
        folder = self._data_dir / FOLDER
        line = json.dumps(span_record(span), ensure_ascii=False, separators=(",", ":"), default=str)
        try:
            folder.mkdir(exist_ok=True)
            append_line(folder / f"{line_trace_id(span)}.jsonl", line)
        except OSError as error:
            if not self._warned:
                self._warned = True
                _log.warning("A trace could not be written to %s: %s", folder, error)


def line_trace_id(span: ReadableSpan) -> str:
    return format_trace_id(span.context.trace_id) if span.context is not None else "0" * 32


def span_record(span: ReadableSpan) -> dict[str, Any]:
    """One line of the file; times are nanoseconds since the epoch."""
    scope = span.instrumentation_scope
    return {
        "trace_id": line_trace_id(span),
        "span_id": format_span_id(span.context.span_id) if span.context is not None else "0" * 16,
        "parent_id": format_span_id(span.parent.span_id) if span.parent is not None else None,
        "name": span.name,
        "kind": span.kind.name.lower(),
        "start_ns": span.start_time or 0,
        "end_ns": span.end_time or 0,
        "status": span.status.status_code.name.lower(),
        "message": span.status.description,
        "attributes": {k: _plain(v) for k, v in (span.attributes or {}).items()},
        "events": [_event(event) for event in span.events],
        "scope": scope.name if scope is not None else "",
        "version": str(span.resource.attributes.get("service.version", "")),
    }


def _event(event: Event) -> dict[str, Any]:
    attributes = {k: _plain(v) for k, v in (event.attributes or {}).items()}
    return {"name": event.name, "at_ns": event.timestamp, "attributes": attributes}


def _plain(value: Any) -> Any:
    """A JSON value; a number that JSON does not know (NaN, infinity) becomes text."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value
