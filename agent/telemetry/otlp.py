"""Sending spans to a collector over OTLP/HTTP, in the background and without noise."""

import logging
import time
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from urllib.parse import urlsplit

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult

from agent.errors import SettingsError

PATH = "/v1/traces"
SECONDS_PER_EXPORT = 3.0
SECONDS_OF_REST = 30.0

_log = logging.getLogger("zaiko.telemetry")
_said: ContextVar[list[str] | None] = ContextVar("zaiko_otlp_said", default=None)


def traces_url(endpoint: str) -> str:
    """The URL that takes traces. Raises SettingsError when `endpoint` is not an HTTP address."""
    if not _is_http(endpoint):
        raise SettingsError(
            f"telemetry.otlp_endpoint is {endpoint!r}, which is not an HTTP address",
            "write it like http://localhost:4318, or leave OTEL_EXPORTER_OTLP_ENDPOINT unset",
        )
    base = endpoint.rstrip("/")
    return base if base.endswith(PATH) else base + PATH


def _is_http(endpoint: str) -> bool:
    try:
        parts = urlsplit(endpoint)
        # Reading the port checks it.
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def otlp_processor(endpoint: str) -> BatchSpanProcessor:
    """Batches spans for the collector at `endpoint`; the caller's thread never waits for it."""
    url = traces_url(endpoint)
    exporter = OTLPSpanExporter(endpoint=url, timeout=SECONDS_PER_EXPORT)
    logging.getLogger(OTLPSpanExporter.__module__).addFilter(_COLLECT)
    return BatchSpanProcessor(QuietExporter(exporter, url), schedule_delay_millis=1000)


class QuietExporter(SpanExporter):
    """Says once that the collector does not answer, and rests before it tries again.

    While it rests spans are dropped, so ending the process waits for one attempt at most.
    """

    def __init__(
        self, inner: SpanExporter, url: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._inner = inner
        self._url = url
        self._clock = clock
        self._warned = False
        self._rest_until = float("-inf")

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        if self._clock() < self._rest_until:
            return SpanExportResult.FAILURE
        said: list[str] = []
        token = _said.set(said)
        try:
            result = self._inner.export(spans)
        finally:
            _said.reset(token)
        if result is not SpanExportResult.SUCCESS:
            self._rest_until = self._clock() + SECONDS_OF_REST
            self._warn(said)
        return result

    def _warn(self, said: Sequence[str]) -> None:
        if not self._warned:
            self._warned = True
            reason = said[-1].rstrip(".") if said else "no reason given"
            _log.warning("Traces do not reach %s (%s). Questions go on.", self._url, reason)

    def shutdown(self) -> None:
        self._inner.shutdown()

    def force_flush(self, timeout_millis: int = 30000) -> bool:
        return self._inner.force_flush(timeout_millis)


class _Collect(logging.Filter):
    """Takes what the exporter logs while it works for us; other users of it are not touched."""

    def filter(self, record: logging.LogRecord) -> bool:
        said = _said.get()
        if said is None:
            return True
        said.append(record.getMessage())
        return False


_COLLECT = _Collect()
