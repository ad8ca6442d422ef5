import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from opentelemetry import trace as otel
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from agent.telemetry import Telemetry, list_traces, load_trace, names, span, trace_id_of

Make = Callable[..., Telemetry]


def files(data_dir: Path) -> list[str]:
    return sorted(p.stem for p in (data_dir / "traces").glob("*.jsonl"))


def test_the_provider_is_called_zaiko(telemetry: Telemetry) -> None:
    provider = otel.get_tracer_provider()
    assert isinstance(provider, TracerProvider)
    assert provider.resource.attributes["service.name"] == "zaiko"


async def test_two_set_ups_keep_their_questions_apart(make_telemetry: Make, tmp_path: Path) -> None:
    one, two = make_telemetry(tmp_path / "one"), make_telemetry(tmp_path / "two")

    async def ask(telemetry: Telemetry) -> str:
        with telemetry.root() as root:
            await asyncio.sleep(0)
            with otel.get_tracer("zaiko.tools").start_as_current_span("execute_tool x"):
                await asyncio.sleep(0)
        return trace_id_of(root)

    first, second = await asyncio.gather(ask(one), ask(two))
    assert files(tmp_path / "one") == [first]
    assert files(tmp_path / "two") == [second]
    assert len(load_trace(tmp_path / "one", first).spans) == 2


def test_a_bare_span_goes_to_the_set_up_made_last(make_telemetry: Make, tmp_path: Path) -> None:
    make_telemetry(tmp_path / "one")
    two = make_telemetry(tmp_path / "two")
    with otel.get_tracer("zaiko.ingest").start_as_current_span("ingest"):
        pass
    two.shutdown()
    with otel.get_tracer("zaiko.ingest").start_as_current_span("ingest again"):
        pass
    assert [t.name for t in list_traces(tmp_path / "two")] == ["ingest"]
    assert [t.name for t in list_traces(tmp_path / "one")] == ["ingest again"]


def test_spans_of_other_libraries_are_taken_only_inside_a_question(
    telemetry: Telemetry, tmp_path: Path
) -> None:
    other = otel.get_tracer("some.web.framework")
    with (
        other.start_as_current_span("GET /") as outer,
        telemetry.root() as root,
        other.start_as_current_span("inside"),
    ):
        pass
    assert files(tmp_path) == [trace_id_of(root)]
    assert trace_id_of(root) != trace_id_of(outer)
    assert [s.name for s in load_trace(tmp_path, trace_id_of(root)).spans][1] == "inside"


def test_the_host_programs_own_exporter_still_gets_the_spans(telemetry: Telemetry) -> None:
    provider = otel.get_tracer_provider()
    assert isinstance(provider, TracerProvider)
    memory = InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(memory))
    with telemetry.root():
        pass
    memory.shutdown()
    assert [s.name for s in memory.get_finished_spans()] == ["invoke_agent zaiko"]


@pytest.mark.parametrize("content", [True, False])
def test_what_people_and_models_wrote_is_kept_only_when_asked_for(
    make_telemetry: Make, tmp_path: Path, content: bool
) -> None:
    telemetry = make_telemetry(tmp_path, content=content)
    with telemetry.root({names.QUESTION: "売上は?"}) as root:
        root.set_attribute(names.STATUS, "answered")
        with span("chat m", {names.INPUT_MESSAGES: "[…]"}):
            pass
    text = (tmp_path / "traces" / f"{trace_id_of(root)}.jsonl").read_text(encoding="utf-8")
    assert ("売上は?" in text) is content
    assert (names.INPUT_MESSAGES in text) is content
    assert '"zaiko.status":"answered"' in text


def test_nothing_is_written_after_shutdown_nor_without_local(
    make_telemetry: Make, tmp_path: Path
) -> None:
    closed = make_telemetry(tmp_path / "closed")
    closed.shutdown()
    closed.shutdown()
    off = make_telemetry(tmp_path / "off", local=False)
    for telemetry in (closed, off):
        with telemetry.root() as root:
            assert int(trace_id_of(root), 16) != 0
        assert not (telemetry.data_dir / "traces").exists()


def test_setting_up_writes_nothing(make_telemetry: Make, tmp_path: Path) -> None:
    telemetry = make_telemetry(tmp_path)
    telemetry.flush()
    assert list(tmp_path.iterdir()) == []
