"""One span processor for the whole process that gives each span to the right data directory.

OpenTelemetry allows one global provider. So the provider is set once and spans are routed: a
span goes where its open parent went; a root goes where the context says (`ROUTE_KEY`, which is
carried along with the current span), else to the set-up made last. A trace is never split.
"""

import threading
from typing import Protocol

from opentelemetry import context as otel_context
from opentelemetry.context import Context
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor

from agent.telemetry import names

ROUTE_KEY = otel_context.create_key("zaiko-telemetry-route")
SCOPE = "zaiko"


class Route(Protocol):
    """Where the spans of one set-up go. `export` must not raise and must be quick."""

    closed: bool

    def export(self, span: ReadableSpan) -> None: ...

    def shutdown(self) -> None: ...


class Router(SpanProcessor):
    """Spans of other libraries are taken only inside a trace of Zaiko's.

    The span path takes no lock: reading and replacing single dictionary entries is atomic.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._routes: tuple[Route, ...] = ()
        self._open: dict[int, Route] = {}

    def add(self, route: Route) -> None:
        with self._lock:
            self._routes = (*self._routes, route)

    def remove(self, route: Route) -> None:
        with self._lock:
            self._routes = tuple(r for r in self._routes if r is not route)

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        route = self._route_of(span, parent_context)
        if route is not None and not route.closed and span.context is not None:
            self._open[span.context.span_id] = route

    def on_end(self, span: ReadableSpan) -> None:
        route = self._open.pop(span.context.span_id, None) if span.context is not None else None
        if route is not None and not route.closed:
            route.export(span)

    def _route_of(self, span: Span, parent_context: Context | None) -> Route | None:
        if span.parent is not None and span.parent.span_id in self._open:
            return self._open.get(span.parent.span_id)
        said: Route | None = otel_context.get_value(ROUTE_KEY, parent_context)  # type: ignore[assignment]
        if said is not None:
            return said
        scope = span.instrumentation_scope
        mine = scope is not None and scope.name.split(".")[0] == SCOPE
        routes = self._routes
        return routes[-1] if mine and routes else None

    def shutdown(self) -> None:
        for route in self._routes:
            route.shutdown()

    def force_flush(self, timeout_millis: int = 30000) -> bool:
        return True


def without_content(span: ReadableSpan) -> ReadableSpan:
    """The span without the attributes that carry what people and models wrote."""
    attributes = span.attributes or {}
    if names.CONTENT.isdisjoint(attributes):
        return span
    return ReadableSpan(
        name=span.name,
        context=span.context,
        parent=span.parent,
        resource=span.resource,
        attributes={k: v for k, v in attributes.items() if k not in names.CONTENT},
        events=span.events,
        links=span.links,
        kind=span.kind,
        status=span.status,
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=span.instrumentation_scope,
    )
