import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from agent.errors import SettingsError
from agent.telemetry import Telemetry, list_traces, names, span
from agent.telemetry.otlp import QuietExporter, traces_url

Make = Callable[..., Telemetry]


class Collector(HTTPServer):
    """Takes OTLP over HTTP on a free port of the loopback interface."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: list[tuple[str, ExportTraceServiceRequest]] = []

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.requests.append((self.path, ExportTraceServiceRequest.FromString(body)))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def collector() -> Iterator[Collector]:
    with Collector() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


class Refusing(SpanExporter):
    """Fails every export and counts them."""

    def __init__(self) -> None:
        self.calls = 0

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        self.calls += 1
        return SpanExportResult.FAILURE


def test_spans_reach_a_collector_and_stay_local_too(
    make_telemetry: Make, tmp_path: Path, collector: Collector
) -> None:
    telemetry = make_telemetry(tmp_path, otlp_endpoint=collector.endpoint)
    with telemetry.root({names.QUESTION: "secret"}), span("gate"):
        pass
    telemetry.shutdown()
    ((path, request),) = collector.requests
    assert path == "/v1/traces"
    (resource,) = request.resource_spans
    attributes = {a.key: a.value.string_value for a in resource.resource.attributes}
    assert attributes["service.name"] == "zaiko"
    sent = [s for scope in resource.scope_spans for s in scope.spans]
    assert [s.name for s in sent] == ["gate", "invoke_agent zaiko"]
    assert sent[0].parent_span_id == sent[1].span_id
    assert names.QUESTION not in {a.key for a in sent[1].attributes}
    assert list_traces(tmp_path)[0].spans == 2


def test_an_unreachable_collector_costs_one_log_line_and_no_time(
    make_telemetry: Make,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    with socket.socket() as taken:  # bound but not listening: connections are refused
        taken.bind(("127.0.0.1", 0))
        endpoint = f"http://127.0.0.1:{taken.getsockname()[1]}"
        telemetry = make_telemetry(tmp_path, otlp_endpoint=endpoint)
        with caplog.at_level(logging.DEBUG, "zaiko"):
            start = time.monotonic()
            for _ in range(50):
                with telemetry.root():
                    pass
            asked = time.monotonic() - start
            telemetry.shutdown()
            ended = time.monotonic() - start
    assert asked < 1.0
    assert ended < 6.0
    assert [r.name for r in caplog.records if r.levelno >= logging.WARNING] == ["zaiko.telemetry"]
    assert f"Traces do not reach {endpoint}/v1/traces" in caplog.text
    assert "Traceback" not in capfd.readouterr().err
    assert len(list_traces(tmp_path, limit=100)) == 50


@pytest.mark.slow
def test_a_collector_that_never_answers_delays_only_the_end_and_not_for_long(
    make_telemetry: Make, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with socket.socket() as silent:  # the kernel accepts the connection, nobody reads it
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        endpoint = f"http://127.0.0.1:{silent.getsockname()[1]}"
        telemetry = make_telemetry(tmp_path, otlp_endpoint=endpoint)
        start = time.monotonic()
        with telemetry.root():
            pass
        asked = time.monotonic() - start
        telemetry.shutdown()
        ended = time.monotonic() - start
    assert asked < 0.5
    assert 2.5 < ended < 8.0
    assert len(caplog.records) == 1


def test_after_a_failure_it_rests_before_it_tries_again() -> None:
    now = [0.0]
    inner = Refusing()
    exporter = QuietExporter(inner, "http://x/v1/traces", clock=lambda: now[0])
    tried = []
    for moment in (0.0, 1.0, 29.9, 30.0, 59.0, 60.0):
        now[0] = moment
        exporter.export(())
        tried.append(inner.calls)
    assert tried == [1, 1, 1, 2, 2, 3]


@pytest.mark.parametrize(
    ("endpoint", "url"),
    [
        ("http://localhost:4318", "http://localhost:4318/v1/traces"),
        ("http://localhost:4318/", "http://localhost:4318/v1/traces"),
        ("https://h/otlp/v1/traces", "https://h/otlp/v1/traces"),
    ],
)
def test_the_path_is_added_once(endpoint: str, url: str) -> None:
    assert traces_url(endpoint) == url


@pytest.mark.parametrize(
    "endpoint", ["localhost:4318", "grpc://h:4317", "http://", "http://[bad", "http://h:port"]
)
def test_an_endpoint_that_is_no_http_address_is_refused(endpoint: str) -> None:
    with pytest.raises(SettingsError, match=r"telemetry\.otlp_endpoint"):
        traces_url(endpoint)
