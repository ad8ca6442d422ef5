"""Setting telemetry up, once per entry point."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from weakref import WeakKeyDictionary

from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider, sampling
from opentelemetry.trace import INVALID_SPAN, Link, Span

from agent.telemetry import names
from agent.telemetry.local import LocalWriter
from agent.telemetry.routing import ROUTE_KEY, Router, without_content
from agent.telemetry.spans import Attributes, AttributeValue, open_span

_log = logging.getLogger("zaiko.telemetry")
_routers: WeakKeyDictionary[TracerProvider, Router] = WeakKeyDictionary()
_lock = threading.Lock()


class Telemetry:
    """One set-up: where the traces of one data directory go."""

    def __init__(
        self,
        router: Router | None,
        *,
        data_dir: Path,
        local: LocalWriter | None,
        remote: SpanProcessor | None,
        content: bool,
    ) -> None:
        self.data_dir = data_dir
        self.closed = False
        self._router = router
        self._local = local
        self._remote = remote
        self._content = content

    @contextmanager
    def root(
        self,
        attributes: Attributes | None = None,
        *,
        name: str = names.ROOT,
        conversation_id: str | None = None,
    ) -> Iterator[Span]:
        """The root span of one question: always a trace of its own, kept beside these data.

        A span that is current in the caller's own tracing is linked, not made the parent.
        """
        around = trace.get_current_span().get_span_context()
        links = (Link(around),) if around.is_valid else ()
        own: dict[str, AttributeValue] = {
            names.OPERATION_NAME: "invoke_agent",
            names.AGENT_NAME: names.AGENT,
            names.CONVERSATION_ID: conversation_id,
            **(attributes or {}),
        }
        fresh = trace.set_span_in_context(INVALID_SPAN, otel_context.set_value(ROUTE_KEY, self))
        token = otel_context.attach(fresh)
        try:
            with open_span(name, kind="internal", attributes=own, links=links) as root:
                yield root
        finally:
            otel_context.detach(token)

    def export(self, span: ReadableSpan) -> None:
        """Takes an ended span from the router."""
        kept = span if self._content else without_content(span)
        if self._local is not None:
            self._local.write(kept)
        if self._remote is not None:
            self._remote.on_end(kept)

    def flush(self) -> None:
        """Sends what waits for the collector; local files are always up to date."""
        if self._remote is not None and not self.closed:
            self._remote.force_flush()

    def shutdown(self) -> None:
        """Flushes and ends this set-up; a second call does nothing. Others stay as they are."""
        if self.closed:
            return
        self.closed = True
        if self._router is not None:
            self._router.remove(self)
        if self._remote is not None:
            self._remote.shutdown()


def setup(
    data_dir: Path,
    *,
    local: bool = True,
    otlp_endpoint: str | None = None,
    content: bool = False,
    service_version: str,
) -> Telemetry:
    """Starts tracing for a data directory; call it once per entry point, `shutdown()` at its end.

    The global provider is set by the first call of the process and shared by later ones. Where
    the host program has set one of its own, that one is used and keeps its exporters.
    Raises SettingsError when `otlp_endpoint` is not an HTTP address.
    """
    remote: SpanProcessor | None = None
    if otlp_endpoint:
        from agent.telemetry.otlp import otlp_processor  # noqa: PLC0415  slow to import

        remote = otlp_processor(otlp_endpoint)
    router = _router(service_version)
    telemetry = Telemetry(
        router,
        data_dir=data_dir,
        local=LocalWriter(data_dir) if local else None,
        remote=remote,
        content=content,
    )
    if router is not None:
        router.add(telemetry)
    return telemetry


def _router(service_version: str) -> Router | None:
    """The router on the global provider, which is made when there is none yet."""
    with _lock:
        provider = trace.get_tracer_provider()
        if isinstance(provider, trace.ProxyTracerProvider):
            resource = Resource.create(
                {"service.name": names.AGENT, "service.version": service_version}
            )
            provider = TracerProvider(sampler=sampling.ALWAYS_ON, resource=resource)
            trace.set_tracer_provider(provider)
        if not isinstance(provider, TracerProvider):
            _log.warning("The tracer provider of this program takes no exporter: no traces.")
            return None
        router = _routers.get(provider)
        if router is None:
            router = Router()
            provider.add_span_processor(router)
            _routers[provider] = router
        return router
