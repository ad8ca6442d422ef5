"""Opening spans: one helper for any, short ones for nodes, tools and retrievals."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Literal

from opentelemetry import trace
from opentelemetry.trace import Link, Span, SpanKind, Status, StatusCode

from agent.telemetry import names

Kind = Literal["internal", "client"]
AttributeValue = str | bool | int | float | Sequence[str] | None
Attributes = Mapping[str, AttributeValue]

_KINDS: Mapping[Kind, SpanKind] = {"internal": SpanKind.INTERNAL, "client": SpanKind.CLIENT}
_TRACER = "zaiko.agent"


def span(
    name: str, attributes: Attributes | None = None, *, kind: Kind = "internal"
) -> AbstractContextManager[Span]:
    """A span around a block: `with span("gate", {names.NODE: "gate"}) as current: …`.

    Attributes that are None are left out. An exception sets `error.type` (the error's `kind`
    where it has one, else its class) and the status, and passes through; a LangGraph interrupt
    is no error. Enter and leave it in the same task: an async generator that yields inside may
    be closed in another.
    """
    return open_span(name, kind=kind, attributes=attributes or {})


def node_span(node: str, attributes: Attributes | None = None) -> AbstractContextManager[Span]:
    """The span of a graph node; the node `plan` is named as the conventions ask."""
    own: dict[str, AttributeValue] = {names.NODE: node, **(attributes or {})}
    if node == "plan":
        own |= {names.OPERATION_NAME: "plan", names.AGENT_NAME: names.AGENT}
        return open_span(names.PLAN, kind="internal", attributes=own)
    return open_span(node, kind="internal", attributes=own)


def tool_span(
    tool: str, attributes: Attributes | None = None, *, call_id: str | None = None
) -> AbstractContextManager[Span]:
    """The span `execute_tool {tool}` of one call."""
    own: dict[str, AttributeValue] = {
        names.OPERATION_NAME: "execute_tool",
        names.TOOL_NAME: tool,
        names.TOOL_CALL_ID: call_id,
        **(attributes or {}),
    }
    return open_span(names.EXECUTE_TOOL.format(tool=tool), kind="internal", attributes=own)


def retrieval_span(kb: str, attributes: Attributes | None = None) -> AbstractContextManager[Span]:
    """The span `retrieval {kb}` of one search in one knowledge base."""
    own: dict[str, AttributeValue] = {
        names.OPERATION_NAME: "retrieval",
        names.DATA_SOURCE_ID: kb,
        names.KB: kb,
        **(attributes or {}),
    }
    return open_span(names.RETRIEVAL.format(kb=kb), kind="client", attributes=own)


@contextmanager
def open_span(
    name: str,
    *,
    kind: Kind,
    attributes: Attributes,
    links: Sequence[Link] = (),
) -> Iterator[Span]:
    """What all of the above share; `links` point to spans of other traces."""
    tracer = trace.get_tracer(_TRACER)
    with tracer.start_as_current_span(
        name,
        kind=_KINDS[kind],
        attributes={key: value for key, value in attributes.items() if value is not None},
        links=links,
        record_exception=False,
        set_status_on_exception=False,
    ) as current:
        try:
            yield current
        except BaseException as error:
            if not _is_control_flow(error):
                current.set_attribute(names.ERROR_TYPE, error_type(error))
                current.set_status(Status(StatusCode.ERROR, str(error)))
            raise


def error_type(error: BaseException) -> str:
    """The stable name of an error: its `kind`, else its class."""
    kind = getattr(error, "kind", None)
    return kind if isinstance(kind, str) else type(error).__name__


def trace_id_of(current: Span) -> str:
    """The id of a span's trace: 32 hexadecimal digits."""
    return trace.format_trace_id(current.get_span_context().trace_id)


def _is_control_flow(error: BaseException) -> bool:
    from langgraph.errors import GraphBubbleUp  # noqa: PLC0415  only where an exception passes

    return isinstance(error, GraphBubbleUp | GeneratorExit)
