"""Drawing a trace as a tree for a terminal."""

from collections.abc import Iterator
from typing import Any

from rich.cells import cell_len

from agent.telemetry import names
from agent.telemetry.trace import Node, SpanRecord, Trace

ORPHAN = "⚠ parent not written: "
_MESSAGE_CHARACTERS = 120


def render(trace: Trace) -> str:
    """Plain text: a heading, then a line a span with ms, tokens, evidence ids and error.

    Tokens are `in N (cached M) out K`. Text from the trace cannot steer the terminal: control
    characters are replaced.
    """
    rows = list(_rows(trace))
    width = max(cell_len(label) for label, _ in rows)
    lines = [
        f"{label}{' ' * (width - cell_len(label))}  {span.ms:>9,.1f} ms{_details(span)}"
        for label, span in rows
    ]
    return "\n".join([*_heading(trace), *lines])


def _heading(trace: Trace) -> Iterator[str]:
    summary = trace.to_json()
    usage = summary["usage"]
    calls = usage["llm_calls"]
    yield (
        f"trace {trace.trace_id}  {summary['start']}  {trace.ms:,.1f} ms  "
        f"{calls} model call{'' if calls == 1 else 's'}  "
        f"{_tokens(usage['input_tokens'], usage['cached_input_tokens'], usage['output_tokens'])}"
    )
    if trace.root is None:
        yield "⚠ the root span was not written: the question still runs, or was killed"
    if trace.damaged:
        yield f"⚠ {trace.damaged} damaged line{'' if trace.damaged == 1 else 's'} left out"


def _rows(trace: Trace) -> Iterator[tuple[str, SpanRecord]]:
    for top in trace.tree():
        yield from _branch(top, "", "")


def _branch(node: Node, head: str, tail: str) -> Iterator[tuple[str, SpanRecord]]:
    mark = ORPHAN if node.orphan else ""
    yield f"{head}{mark}{_clean(node.span.name)}", node.span
    for i, child in enumerate(node.children):
        last = i == len(node.children) - 1
        yield from _branch(
            child, tail + ("└─ " if last else "├─ "), tail + ("   " if last else "│  ")
        )


def _details(span: SpanRecord) -> str:
    parts: list[str] = []
    if names.INPUT_TOKENS in span.attributes or names.OUTPUT_TOKENS in span.attributes:
        counts = (names.INPUT_TOKENS, names.CACHED_INPUT_TOKENS, names.OUTPUT_TOKENS)
        parts.append(_tokens(*(span.count(name) for name in counts)))
    ids = span.attributes.get(names.EVIDENCE_IDS)
    if ids:
        parts.append(f"[{' '.join(_clean(i) for i in ids)}]")
    for name, label in ((names.HITS, "hits"), (names.CONFIDENCE, "confidence")):
        if name in span.attributes:
            parts.append(f"{label} {_clean(span.attributes[name])}")
    if names.STATUS in span.attributes:
        parts.append(_clean(span.attributes[names.STATUS]))
    if span.error is not None:
        parts.append(f"✗ {_clean(span.error)}: {_shorten(_clean(span.message or ''))}".rstrip(": "))
    return "".join(f"  {part}" for part in parts)


def _tokens(inputs: int, cached: int, outputs: int) -> str:
    return f"in {inputs} (cached {cached}) out {outputs}"


def _clean(value: Any) -> str:
    """Control characters and lone surrogates become �, line breaks a space."""
    text = str(value).replace("\r", " ").replace("\n", " ").replace("\t", " ")
    return "".join(c if c.isprintable() else "\ufffd" for c in text)


def _shorten(text: str) -> str:
    if len(text) <= _MESSAGE_CHARACTERS:
        return text
    return text[: _MESSAGE_CHARACTERS - 1] + "…"
