"""Reading traces back from `traces/` in the data directory."""

import heapq
import json
import re
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from agent.errors import UsageError
from agent.models.base import Frozen
from agent.telemetry import names
from agent.telemetry.lines import read_lines
from agent.telemetry.local import FOLDER

_HINT = "`zaiko trace` without an id lists the traces of this data directory"


class SpanRecord(Frozen):
    """One span as it was written; times are nanoseconds since the epoch."""

    trace_id: str
    span_id: str
    parent_id: str | None
    name: str
    kind: str
    start_ns: int
    end_ns: int
    status: str
    message: str | None
    attributes: dict[str, Any]
    events: tuple[dict[str, Any], ...] = ()
    scope: str = ""
    version: str = ""

    @property
    def ms(self) -> float:
        return (self.end_ns - self.start_ns) / 1e6

    @property
    def start(self) -> str:
        """ISO 8601 in UTC, to the microsecond."""
        return _iso(self.start_ns)

    def count(self, name: str) -> int:
        """A token count, 0 when the span has none."""
        value = self.attributes.get(name, 0)
        return value if isinstance(value, int) else 0

    @property
    def error(self) -> str | None:
        """The error's type, or None."""
        if self.status != "error":
            return None
        return str(self.attributes.get(names.ERROR_TYPE, "error"))


class Node(Frozen):
    """A span in the tree. An orphan's parent is not in the file (still open, or killed)."""

    span: SpanRecord
    children: tuple["Node", ...] = ()
    orphan: bool = False


class Trace(Frozen):
    """The spans of one trace, by start. `damaged` counts lines that could not be read."""

    trace_id: str
    spans: tuple[SpanRecord, ...]
    damaged: int = 0

    @cached_property
    def root(self) -> SpanRecord | None:
        """The first span without a parent; None while the question still runs."""
        return next((span for span in self.spans if span.parent_id is None), None)

    def tree(self) -> tuple[Node, ...]:
        """The root with everything below it, orphans last; the orphans alone without a root."""
        children: dict[str | None, list[SpanRecord]] = {}
        for span in self.spans:
            children.setdefault(span.parent_id, []).append(span)
        seen: set[str] = set()

        def node(span: SpanRecord, orphan: bool) -> Node:
            seen.add(span.span_id)
            below = [c for c in children.get(span.span_id, ()) if c.span_id not in seen]
            return Node(span=span, children=tuple(node(c, False) for c in below), orphan=orphan)

        known = {span.span_id for span in self.spans}
        tops = [node(span, False) for span in children.get(None, ())]
        lost = [s for s in self.spans if s.parent_id is not None and s.parent_id not in known]
        orphans = [node(span, True) for span in lost]
        # What is still unseen sits on a cycle of parents: only a damaged file has one.
        orphans += [node(span, True) for span in self.spans if span.span_id not in seen]
        if not tops:
            return tuple(orphans)
        first = tops[0]
        return (first.model_copy(update={"children": (*first.children, *orphans)}), *tops[1:])

    @property
    def ms(self) -> float:
        """From the first start to the last end."""
        return (max(s.end_ns for s in self.spans) - min(s.start_ns for s in self.spans)) / 1e6

    def to_json(self) -> dict[str, Any]:
        """`trace_id, start, ms, usage, damaged, spans[]`, spans in order of start."""
        chats = [s for s in self.spans if s.attributes.get(names.OPERATION_NAME) == "chat"]
        return {
            "trace_id": self.trace_id,
            "start": self.spans[0].start,
            "ms": round(self.ms, 3),
            "usage": {
                "llm_calls": len(chats),
                "input_tokens": sum(s.count(names.INPUT_TOKENS) for s in chats),
                "cached_input_tokens": sum(s.count(names.CACHED_INPUT_TOKENS) for s in chats),
                "output_tokens": sum(s.count(names.OUTPUT_TOKENS) for s in chats),
            },
            "damaged": self.damaged,
            "spans": [_span_json(span) for span in self.spans],
        }


class TraceSummary(Frozen):
    """One line of a list of traces."""

    trace_id: str
    name: str
    start: str
    ms: float
    status: str | None
    thread_id: str | None
    spans: int


def load_trace(data_dir: Path, id_or_prefix: str) -> Trace:
    """A trace by its id or the unique beginning of it.

    Raises UsageError when there is none, when several match, or when nothing in it is readable.
    """
    path = _find(data_dir / FOLDER, id_or_prefix.strip().lower())
    trace = _read(path)
    if trace is None:
        raise UsageError(f"The trace {path.stem} has no readable span in {path}.", _HINT)
    return trace


def list_traces(data_dir: Path, limit: int = 20) -> list[TraceSummary]:
    """The traces changed last, newest first; [] where there are none yet."""
    folder = data_dir / FOLDER
    if not folder.is_dir():
        return []
    newest = heapq.nlargest(limit, folder.glob("*.jsonl"), key=_changed)
    return [_summary(trace) for trace in map(_read, newest) if trace is not None]


def _find(folder: Path, prefix: str) -> Path:
    if not re.fullmatch(r"[0-9a-f]{1,32}", prefix):
        raise UsageError(f"{prefix!r} is not a trace id (hexadecimal digits, up to 32).", _HINT)
    found = sorted(folder.glob(f"{prefix}*.jsonl")) if folder.is_dir() else []
    if not found:
        raise UsageError(f"There is no trace {prefix} in {folder}.", _HINT)
    if len(found) > 1:
        some = ", ".join(path.stem for path in found[:3])
        raise UsageError(
            f"{len(found)} traces begin with {prefix}: {some}{' …' if len(found) > 3 else ''}",
            "give more digits of the id",
        )
    return found[0]


def _read(path: Path) -> Trace | None:
    spans, damaged = [], 0
    try:
        lines = list(read_lines(path))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", _HINT) from None
    for line in lines:
        try:
            spans.append(SpanRecord.model_validate(json.loads(line)))
        except (ValueError, ValidationError):
            damaged += 1
    if not spans:
        return None
    ordered = sorted(spans, key=lambda s: (s.start_ns, -s.end_ns))
    return Trace(trace_id=path.stem, spans=tuple(ordered), damaged=damaged)


def _changed(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except FileNotFoundError:
        return 0


def _summary(trace: Trace) -> TraceSummary:
    top = trace.root or trace.spans[0]
    status = top.attributes.get(names.STATUS)
    thread = top.attributes.get(names.CONVERSATION_ID)
    return TraceSummary(
        trace_id=trace.trace_id,
        name=top.name if trace.root else f"{top.name} (root not written)",
        start=trace.spans[0].start,
        ms=round(trace.ms, 3),
        status=str(status) if status is not None else top.error,
        thread_id=str(thread) if thread is not None else None,
        spans=len(trace.spans),
    )


def _span_json(span: SpanRecord) -> dict[str, Any]:
    return {
        "span_id": span.span_id,
        "parent_id": span.parent_id,
        "name": span.name,
        "kind": span.kind,
        "start": span.start,
        "ms": round(span.ms, 3),
        "status": span.status,
        "message": span.message,
        "attributes": span.attributes,
        "events": list(span.events),
    }


def _iso(nanoseconds: int) -> str:
    seconds, rest = divmod(nanoseconds, 1_000_000_000)
    stamp = datetime.fromtimestamp(seconds, UTC).replace(microsecond=rest // 1000)
    return stamp.isoformat(timespec="microseconds").replace("+00:00", "Z")
