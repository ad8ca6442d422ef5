"""What only shows in a process of its own: the first provider, and the end of the program."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from agent.telemetry import list_traces

pytestmark = pytest.mark.slow

PROGRAM_ENDS_WITHOUT_SHUTDOWN = """
import sys
from pathlib import Path
from agent.telemetry import setup
telemetry = setup(Path(sys.argv[1]), otlp_endpoint=sys.argv[2], service_version="1")
with telemetry.root():
    pass
"""

HOST_HAS_A_PROVIDER = """
import sys
from pathlib import Path
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor
from agent.telemetry import setup
host = TracerProvider()
host.add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter(formatter=lambda s: s.name + "\\n")))
trace.set_tracer_provider(host)
telemetry = setup(Path(sys.argv[1]), service_version="1")
with trace.get_tracer("host").start_as_current_span("GET /"), telemetry.root():
    pass
assert trace.get_tracer_provider() is host
"""


def run(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)


def test_a_program_that_just_ends_says_one_line_about_an_unreachable_collector(
    tmp_path: Path,
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        endpoint = f"http://127.0.0.1:{taken.getsockname()[1]}"
        done = run(PROGRAM_ENDS_WITHOUT_SHUTDOWN, str(tmp_path), endpoint)
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"Traces do not reach {endpoint}/v1/traces")
    assert len(list_traces(tmp_path)) == 1


def test_a_host_program_keeps_its_provider_and_its_exporter(tmp_path: Path) -> None:
    done = run(HOST_HAS_A_PROVIDER, str(tmp_path))
    assert done.stdout.split("\n")[:2] == ["invoke_agent zaiko", "GET /"]
    assert done.stderr == ""
    (kept,) = list_traces(tmp_path)
    assert (kept.name, kept.spans) == ("invoke_agent zaiko", 1)
